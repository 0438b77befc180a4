"""Structs of the public headers as ctypes; tests/test_library.py compares them with a compiler."""

from __future__ import annotations

import ctypes as c

Vector = c.c_double * 3
Matrix = c.c_double * 9


class Error(c.Structure):
    """flg_error"""
    _fields_ = [("status", c.c_int), ("message", c.c_char * 1000)]


class Mistake(c.Structure):
    """flg_mistake"""
    _fields_ = [("file", c.c_char * 256), ("line", c.c_int), ("column", c.c_int),
                ("message", c.c_char * 400)]


class Mistakes(c.Structure):
    """flg_mistakes"""
    _fields_ = [("count", c.c_int), ("status", c.c_int), ("list", Mistake * 50)]


class Signal(c.Structure):
    """flg_signal"""
    _fields_ = [("name", c.c_char_p), ("unit", c.c_char_p), ("width", c.c_int),
                ("components", c.POINTER(c.c_char_p))]


class Energy(c.Structure):
    """flg_energy"""
    _fields_ = [(name, c.c_double) for name in ("initial", "final", "least", "most")]


class ContactOutcome(c.Structure):
    """flg_contact_outcome"""
    _fields_ = [(name, c.c_int64) for name in
                ("switches", "inside_macro_step", "hits", "iterations", "unsolved", "method")]
    _fields_ += [("residual", c.c_double), ("penetration", c.c_double)]


class InterfaceOutcome(c.Structure):
    """flg_interface_outcome"""
    _fields_ = [("name", c.c_char_p), ("pose_drift", c.c_double), ("energy_residual", c.c_double),
                ("rank", c.c_double), ("condition", c.c_double), ("is_unique", c.c_bool)]


class Handle(c.Structure):
    """flg_output, flg_input, flg_trigger and flg_ports"""
    _fields_ = [("simulation", c.c_uint32), ("number", c.c_int32)]


class TouchPoint(c.Structure):
    """flg_touch_point"""
    _fields_ = [("position", Vector), ("normal", Vector), ("gap", c.c_double), ("force", Vector),
                ("pressure", c.c_double), ("state", c.c_int), ("shapes", c.c_int * 2)]


class AdmittanceFigures(c.Structure):
    """flg_admittance_figures"""
    _fields_ = [("rank", c.c_int), ("condition", c.c_double), ("most", c.c_double)]


class Stack(c.Structure):
    """flg_stack"""
    _fields_ = [("size", c.c_size_t), ("rows", c.c_int * 2), ("admittance", c.c_void_p * 2),
                ("bias", c.c_void_p * 2), ("constraints", c.c_int), ("matrix", c.c_void_p),
                ("pairs", c.c_void_p), ("target", c.c_void_p), ("kept", c.c_int),
                ("keep", c.c_void_p), ("tolerance", c.c_double)]


class StudyOutcome(c.Structure):
    """flg_study_outcome"""
    _fields_ = [("coupling", c.c_char_p), ("macro", c.c_double), ("integrator", c.c_char_p),
                ("status", c.c_int), ("diverged_at", c.c_double), ("wall", c.c_double)]


class Difference(c.Structure):
    """flg_difference"""
    _fields_ = [("max", c.c_double), ("rms", c.c_double), ("final", c.c_double)]


class Side(c.Structure):
    """flg_side"""
    _fields_ = [("size", c.c_size_t), ("subsystem", c.c_char_p), ("position", Vector),
                ("admittance", c.c_double * 36), ("singular", c.c_double * 6), ("rank", c.c_int),
                ("condition", c.c_double), ("mass", c.c_double * 36),
                ("stiffness", c.c_double * 36), ("damping", c.c_double * 36), ("masses", Vector),
                ("axes", Matrix), ("closed_contacts", c.c_int)]


class NumberList(c.Structure):
    """flg_number_list"""
    _fields_ = [("count", c.c_int), ("values", c.POINTER(c.c_double))]


class TextList(c.Structure):
    """flg_text_list"""
    _fields_ = [("count", c.c_int), ("items", c.POINTER(c.c_char_p))]


class Named(c.Structure):
    """flg_named"""
    _fields_ = [("name", c.c_char_p), ("numbers", NumberList), ("text", c.c_char_p)]


class NamedList(c.Structure):
    """flg_named_list"""
    _fields_ = [("count", c.c_int), ("items", c.POINTER(Named))]


class PointList(c.Structure):
    """flg_point_list"""
    _fields_ = [("count", c.c_int), ("width", c.c_int), ("times", c.POINTER(c.c_double)),
                ("values", c.POINTER(c.c_double))]


class PluginParameter(c.Structure):
    """flg_plugin_parameter"""
    _fields_ = [("name", c.c_char_p), ("values", c.POINTER(c.c_double)), ("count", c.c_int)]


class PluginSetup(c.Structure):
    """flg_plugin_setup"""
    _fields_ = [("size", c.c_uint32), ("name", c.c_char_p),
                ("parameters", c.POINTER(PluginParameter)), ("parameter_count", c.c_int),
                ("gravity", Vector), ("position", Vector), ("rotation", Matrix),
                ("joint_count", c.c_int)]


class PluginState(c.Structure):
    """flg_plugin_state"""
    _fields_ = [("values", c.c_void_p), ("count", c.c_int), ("motion", c.c_int)]


class PluginFrame(c.Structure):
    """flg_plugin_frame"""
    _fields_ = [("position", Vector), ("rotation", Matrix), ("velocity", c.c_double * 6)]


class PluginModel(c.Structure):
    """flg_plugin_model"""
    _fields_ = [("size", c.c_uint32), ("admittance", c.c_void_p), ("bias", c.c_void_p),
                ("velocity", c.c_void_p), ("turning", c.c_void_p)]


class PluginSignal(c.Structure):
    """flg_plugin_signal"""
    _fields_ = [("path", c.c_char_p), ("quantity", c.c_char_p), ("unit", c.c_char_p),
                ("width", c.c_int)]


# Texts that a callback fills are plain addresses: c_char_p would hand over a copy.
CREATE = c.CFUNCTYPE(c.c_void_p, c.POINTER(PluginSetup), c.c_void_p)
DESTROY = c.CFUNCTYPE(None, c.c_void_p)
ENERGY = c.CFUNCTYPE(c.c_double, c.c_void_p)
STEP = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_double, c.c_double, c.c_void_p, c.c_void_p)
PORTS = c.CFUNCTYPE(c.c_void_p, c.c_void_p, c.POINTER(c.c_int))
FRAME = c.CFUNCTYPE(None, c.c_void_p, c.c_int, c.POINTER(PluginFrame))
REDUCE = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_double, c.c_double, c.POINTER(PluginModel),
                     c.c_void_p)
PUSH = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p)
SIGNALS = c.CFUNCTYPE(c.c_void_p, c.c_void_p, c.POINTER(c.c_int))
READ = c.CFUNCTYPE(None, c.c_void_p, c.c_int, c.c_void_p)
EVALUATE = c.CFUNCTYPE(None, c.c_void_p, c.c_double, c.c_void_p, c.c_void_p, c.c_void_p)


class PluginSubsystem(c.Structure):
    """flg_plugin_subsystem"""
    _fields_ = [("size", c.c_uint32), ("flags", c.c_uint32), ("create", CREATE),
                ("destroy", DESTROY), ("state", c.c_void_p), ("energy", ENERGY), ("step", STEP),
                ("ports", PORTS), ("frame", FRAME), ("reduce", REDUCE), ("impulse", PUSH),
                ("displace", PUSH), ("signals", SIGNALS), ("read", READ), ("shapes", c.c_void_p),
                ("set_impulse_step", c.c_void_p), ("coordinates", c.c_void_p),
                ("accelerate", c.c_void_p), ("accelerate_resisted", c.c_void_p)]


class PluginController(c.Structure):
    """flg_plugin_controller"""
    _fields_ = [("size", c.c_uint32), ("flags", c.c_uint32), ("create", CREATE),
                ("destroy", DESTROY), ("evaluate", EVALUATE)]


class Plugin(c.Structure):
    """flg_plugin"""
    _fields_ = [("abi", c.c_uint32), ("size", c.c_uint32), ("name", c.c_char_p),
                ("version", c.c_char_p), ("subsystem", c.POINTER(PluginSubsystem)),
                ("controller", c.POINTER(PluginController))]
