"""Finds libflange, opens it and declares its functions.

Two views of one library: `lib` releases the interpreter lock during a call, for all that may take
long; `quick` keeps it, for reads and writes of some ten nanoseconds.
"""

from __future__ import annotations

import ctypes as c
import functools
import os
import pathlib
from collections.abc import Callable, Iterator, Sequence

from . import _structs as s

VERSION = "0.1.0"
# Before 1.0 a minor version may change anything: it is part of the name.
SONAME = "libflange.so." + ".".join(VERSION.split(".")[:2])

P, I, L, D, T = c.c_void_p, c.c_int, c.c_int64, c.c_double, c.c_char_p
SIGNALS = c.POINTER(s.Signal)
INTEGERS = c.POINTER(I)

# Name: what it returns, then what it takes. Structs that it fills, arrays and errors are addresses.
FUNCTIONS: dict[str, tuple] = {
    "flg_version": (T,),
    "flg_status_text": (T, I),
    "flg_simulation_load": (I, P, T, P, I, P),
    "flg_simulation_load_text": (I, P, T, T, P, I, P),
    "flg_simulation_release": (None, P),
    "flg_simulation_name": (T, P),
    "flg_simulation_stepper_count": (I, P),
    "flg_simulation_stepper": (T, P, I),
    "flg_simulation_integrator": (T, P, I),
    "flg_simulation_notice": (T, P, I),
    "flg_simulation_coupling": (T, P),
    "flg_simulation_text": (T, P),
    "flg_simulation_time": (D, P),
    "flg_simulation_end": (D, P),
    "flg_simulation_macro": (D, P),
    "flg_simulation_ended": (c.c_bool, P),
    "flg_simulation_macro_steps": (L, P),
    "flg_simulation_micro_steps": (L, P),
    "flg_simulation_divided_steps": (L, P, P),
    "flg_simulation_energy": (s.Energy, P),
    "flg_simulation_constraints": (c.c_bool, P, P, P),
    "flg_simulation_judge": (I, P, P),
    "flg_simulation_contacts": (c.c_bool, P, P),
    "flg_simulation_interface_count": (I, P),
    "flg_simulation_interface": (s.InterfaceOutcome, P, I),
    "flg_simulation_signal_count": (I, P),
    "flg_simulation_signals": (SIGNALS, P),
    "flg_simulation_width": (I, P),
    "flg_simulation_watch": (None, P, P),
    "flg_simulation_share": (None, P, P),
    "flg_simulation_step": (I, P, P),
    "flg_simulation_record": (None, P, P),
    "flg_simulation_hash": (c.c_uint64, P),
    "flg_simulation_identity": (c.c_uint64, P),
    "flg_threads_build": (I, P, I, P),
    "flg_threads_release": (None, P),
    "flg_output_list": (SIGNALS, P, INTEGERS),
    "flg_output_find": (I, P, T, P, P),
    "flg_output_signal": (SIGNALS, P, s.Handle),
    "flg_output_read": (I, P, s.Handle, P, I, P),
    "flg_output_read_many": (I, P, P, I, P, I, P),
    "flg_input_find": (I, P, T, P, P),
    "flg_input_width": (I, P, s.Handle),
    "flg_input_write": (I, P, s.Handle, P, I, P),
    "flg_input_write_many": (I, P, P, I, P, I, P),
    "flg_input_read": (I, P, s.Handle, P, I, P),
    "flg_input_clear": (I, P, s.Handle, P),
    "flg_trigger_find": (I, P, T, T, I, P, P),
    "flg_trigger_fire": (I, P, s.Handle, P, I, P),
    "flg_touch_most": (I, P),
    "flg_touch_list": (I, P, P, I, P, P),
    "flg_touch_shape": (I, P, I, P, P),
    "flg_state_bytes": (c.c_size_t, P),
    "flg_state_get": (I, P, P, c.c_size_t, P),
    "flg_state_set": (I, P, P, c.c_size_t, P),
    "flg_state_reset": (I, P, P),
    "flg_state_save": (I, P, T, P),
    "flg_state_restore": (I, P, T, P),
    "flg_ports_find": (I, P, P, I, P, P),
    "flg_ports_rows": (I, P, s.Handle),
    "flg_ports_reduce": (I, P, s.Handle, D, I, P, P, P, P),
    "flg_admittance_numbers": (c.c_size_t, I),
    "flg_admittance_measure": (I, I, P, P, P, P),
    "flg_admittance_mass": (I, I, P, P, P, P),
    "flg_admittance_along": (D, I, P, P),
    "flg_stack_clear": (None, P, c.c_size_t),
    "flg_eliminate_bytes": (c.c_size_t, P),
    "flg_eliminate": (I, P, P, c.c_size_t, P, P, P, P),
    "flg_eliminate_back": (I, P, P, P, P, P),
    "flg_definition_build": (I, P, I, T, P),
    "flg_definition_read": (I, P, I, T, T, P),
    "flg_definition_load": (I, P, I, T, P),
    "flg_definition_release": (None, P),
    "flg_define_number": (I, P, T, D, P),
    "flg_define_numbers": (I, P, T, P, I, P),
    "flg_define_text": (I, P, T, T, P),
    "flg_define_texts": (I, P, T, P, I, P),
    "flg_define_flag": (I, P, T, c.c_bool, P),
    "flg_define_yaml": (I, P, T, T, P),
    "flg_define_part": (I, P, P, P),
    "flg_definition_text": (T, P),
    "flg_definition_simulate": (I, P, P, I, P, P),
    "flg_options_clear": (None, T, P, c.c_size_t),
    "flg_writer_open": (I, P, T, P, P),
    "flg_writer_open_view": (I, P, T, P, P),
    "flg_writer_open_signals": (I, P, T, T, P, I, P),
    "flg_writer_record": (I, P, P, P),
    "flg_writer_row": (I, P, D, P, I, P),
    "flg_writer_close": (I, P, T, P),
    "flg_reader_open": (I, P, T, P),
    "flg_reader_close": (None, P),
    "flg_reader_rows": (L, P),
    "flg_reader_status": (T, P),
    "flg_reader_scenario": (T, P),
    "flg_reader_signals": (SIGNALS, P, INTEGERS),
    "flg_reader_find": (I, P, T),
    "flg_reader_read": (I, P, I, L, L, P, P),
    "flg_study_load": (I, P, T, T, T, P, I, P),
    "flg_study_build": (I, P, P, T, T, P, I, P),
    "flg_study_release": (None, P),
    "flg_study_watch": (None, P, P),
    "flg_study_run": (I, P, P, P),
    "flg_study_count": (I, P),
    "flg_study_look": (I, P, I, P, P),
    "flg_study_simulation": (P, P, I),
    "flg_study_difference": (I, P, I, T, P, P),
    "flg_simulation_load_apart": (I, P, T, P, I, P),
    "flg_side_look": (I, P, T, I, c.c_bool, P, P),
    "flg_plugin_provide": (I, T, P, P),
    "flg_plugin_state_of": (s.PluginState, P),
}
# Those that add something with a name and options, and those with options alone.
for _name in ("body", "joint", "shape", "material", "configuration", "spring", "force", "bushing",
              "sensor", "port", "marker", "signal", "input", "motor", "effort", "motion", "robot",
              "component", "flexible", "piece", "mode", "node", "subsystem", "controller",
              "interface", "contacts"):
    FUNCTIONS[f"flg_define_{_name}"] = (I, P, T, P, P)
for _name in ("model", "material_pair", "system", "coupling", "event", "compare"):
    FUNCTIONS[f"flg_define_{_name}"] = (I, P, P, P)


def _places() -> Iterator[str]:
    """Where the library may be, the first that is there wins."""
    here = pathlib.Path(__file__).resolve().parent
    yield str(here / SONAME)
    source = here.parent.parent
    if (source / "cmake" / "library.cmake").exists():
        for preset in ("release", "demo"):
            yield str(source / "build" / preset / SONAME)
    for folder in ("/usr/local/lib", "/usr/lib"):
        yield f"{folder}/{SONAME}"


def _find() -> str:
    named = os.environ.get("FLANGE_LIBRARY")
    if named:
        return named
    return next((place for place in _places() if os.path.exists(place)), SONAME)


def _open() -> tuple[c.CDLL, c.PyDLL]:
    path = _find()
    try:
        opened = c.CDLL(path), c.PyDLL(path)
        version = opened[0].flg_version
        version.restype = T
    except (OSError, AttributeError) as error:
        raise ImportError(
            f"The library of Flange cannot be opened: {error}. Install it (make install and "
            f"ldconfig, or the package libflange{'.'.join(VERSION.split('.')[:2])}), or set "
            f"FLANGE_LIBRARY to the path of {SONAME}.") from None
    found = version().decode()
    if found.split(".")[:2] != VERSION.split(".")[:2]:
        raise ImportError(f"{path} is version {found} of Flange, and this package needs {VERSION}: "
                          f"install both from one release, or set FLANGE_LIBRARY to a library of "
                          f"that version.")
    return opened


def _declare(library: c.CDLL, name: str, result: object, *arguments: object) -> None:
    try:
        function = getattr(library, name)
    except AttributeError:
        raise ImportError(f"The library of Flange ({library._name}) has no function '{name}': it is "
                          f"older than this package; install both from one release.") from None
    function.restype, function.argtypes = result, arguments


lib, quick = _open()
for _name, _types in FUNCTIONS.items():
    _declare(lib, _name, *_types)
    _declare(quick, _name, *_types)


def text(value: bytes | None) -> str:
    """A text of the library's; empty if there is none."""
    return "" if value is None else value.decode("utf-8", "replace")


def encoded(value: str) -> bytes:
    """A name or text for a call. Raises TypeError or ValueError if the library cannot read it."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text, which is expected here.")
    if "\0" in value:
        raise ValueError(f"{value!r} has a character of code 0, which ends texts of the library.")
    return value.encode()


def texts(values: Sequence[str]) -> c.Array:
    """An array of texts for a call; keep it alive until the call is over."""
    return (c.c_char_p * max(len(values), 1))(*[encoded(value) for value in values])


def bound(library: c.CDLL, name: str, *arguments: object) -> Callable[[], int]:
    """A call with arguments that are ctypes' own already, for loops: nothing is converted."""
    function = library[name]
    function.restype = FUNCTIONS[name][0]
    return functools.partial(function, *arguments)
