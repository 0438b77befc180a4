"""Options of bodies, joints, subsystems and so on, as keyword arguments.

They are the structs of flange/mechanism.h, flexible.h and system.h: what is not given is as in a
file that leaves the key out (docs/reference.md). SI units; frames are placed by `at` [m] and `turn`:
roll, pitch, yaw about the fixed axes x, y, z [rad].
"""

# Annotations are read when the module is loaded: each struct is made from the class of its name.
import ctypes as c
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict, get_type_hints

from . import _structs as s
from ._library import lib
from .errors import UsageError

Number = Annotated[float, c.c_double]
Vector = Annotated[Sequence[float], s.Vector]
Numbers = Annotated[Sequence[float], s.NumberList]
Text = Annotated[str, c.c_char_p]
Pair = Annotated[Sequence[str], c.c_char_p * 2]
Texts = Annotated[Sequence[str], s.TextList]
Flag = Annotated[bool, c.c_bool]
#: By name, such as that of a joint; a number alone is for all.
Named = Annotated[Mapping[str, float | Sequence[float] | str] | float, s.NamedList]
#: Times, and the value or values at each.
Points = Annotated[tuple[Sequence[float], Sequence[float] | Sequence[Sequence[float]]], s.PointList]
Plane = Annotated[Sequence[float], c.c_double * 2]
Integer = Annotated[int, c.c_int]


class BodyOptions(TypedDict, total=False):
    """A body. In a robot: mass, centre and inertia alone. It bends by `flexible`."""
    mass: Number  #: [kg]
    centre: Vector  #: of mass, in its frame [m]
    inertia: Numbers  #: about the centre: xx, yy, zz, or xy, xz, yz besides [kg m^2]
    at: Vector  #: its frame in that of the component, at the start
    turn: Vector  #: its frame in that of the component, at the start
    velocity: Vector  #: at the start, in the component's axes [m/s, rad/s]
    angular_velocity: Vector  #: at the start, in the component's axes [m/s, rad/s]
    fixed: Flag  #: to the ground
    point: Flag  #: a point mass, which does not turn
    gravity: Vector  #: its own, in world axes [m/s^2]
    elastic: Numbers  #: coordinates of a flexible body at the start
    elastic_velocity: Numbers  #: and their rates


class JointOptions(TypedDict, total=False):
    """A joint. In a component, or between subsystems (`System.interface`): kind, between, and the
    keys of its kind. In a robot: kind, parent, child, at, turn, axis, axis2, pitch, damping,
    dry_friction, armature, limits and mimic."""
    #: "revolute", "prismatic", "weld", "spherical", "gear", ...; an interface is a "weld" if not given
    kind: Text
    between: Pair  #: two ends: bodies, markers, ports, "world"; subsystem/port
    parent: Text  #: of a robot: the body that carries it, or "world"
    child: Text  #: of a robot: the body that it moves
    at: Vector  #: its frame
    turn: Vector  #: its frame
    axis: Vector  #: in its frame, of any length
    axis2: Vector  #: of a universal joint
    pitch: Number  #: of a screw [m/rad]
    length: Number  #: of a distance [m]
    drive: Texts  #: of gear and rack: two ends, or a joint or sensor
    driven: Texts  #: likewise
    driven_axis: Vector  #: of the driven ends, if it differs
    ratio: Number  #: of a gear
    radius: Number  #: of a rack [m]
    stiffness: Number  #: on its coordinate [N/m or N m/rad]
    damping: Number  #: on its coordinate [N s/m or N m s/rad]
    implicit: Flag  #: both are implicit in time
    backlash: Number  #: of gear and rack [rad or m]
    restitution: Number  #: of a backlash
    efficiency: Number  #: of gear and rack
    friction_coulomb: Number  #: dry friction on its coordinate [N or N m]
    friction_stiction: Number  #: what it takes to break loose [N or N m]
    friction_stribeck: Number  #: speed over which stiction fades [m/s or rad/s]
    friction_viscous: Number  #: [N s/m or N m s/rad]
    stops_lower: Number  #: ends of its coordinate [m or rad]
    stops_upper: Number  #: ends of its coordinate [m or rad]
    stops_restitution: Number  #: at the ends
    dry_friction: Number  #: of a robot: key `friction` [N or N m]
    armature: Number  #: of a robot: rotor inertia [kg m^2 or kg]
    limits_lower: Number  #: of a robot: range of its position
    limits_upper: Number  #: of a robot: range of its position
    limits_effort: Number  #: of a robot: largest force or moment, largest speed
    limits_speed: Number  #: of a robot: largest force or moment, largest speed
    mimic_joint: Text  #: of a robot: the joint that it follows ...
    mimic_multiplier: Number  #: ... as multiplier times its position ...
    mimic_offset: Number  #: ... plus this


class ShapeOptions(TypedDict, total=False):
    """A shape, to be seen or to touch."""
    kind: Text  #: "box", "cylinder", "sphere", "capsule", "mesh", "plane", "points", "height-field"
    lengths: Numbers  #: key `size`: lengths, radius and length, radius, scale, spacing [m]
    values: Numbers  #: x, y, z of points; heights [m]
    columns: Integer  #: heights in a row
    points: Named  #: points with names, x, y, z each [m]
    at: Vector  #: its frame on the body
    turn: Vector  #: its frame on the body
    name: Text  #: to refer to it
    mesh: Text  #: file of a mesh
    collision: Text  #: "true": for contact, "false": only to be seen, "auto"
    material: Text  #: one of the materials
    friction: Number  #: coefficient of its own
    restitution: Number  #: of its own
    group: Text  #: any word, for `collides` of others
    collides: Texts  #: groups that it touches, and no others
    colour: Numbers  #: red, green, blue, opacity, from 0 to 1


class SurfaceOptions(TypedDict, total=False):
    """What shapes are made of; or what holds between two materials (`material_pair`)."""
    friction: Number  #: coefficient
    restitution: Number  #: speed after a hit by speed before
    between: Pair  #: of a pair: two materials


class SpringOptions(TypedDict, total=False):
    """A spring with a damper, along a line or on a coordinate."""
    between: Pair  #: two ends; or ...
    on: Text  #: ... a joint or sensor
    stiffness: Number  #: [N/m or N m/rad]
    damping: Number  #: [N s/m or N m s/rad]
    length: Number  #: at rest, of one along a line [m]
    rest: Number  #: at rest, of one on a coordinate [m or rad]
    preload: Number  #: at that length [N or N m]
    implicit: Flag  #: in time: it does not bound the step


class ForceOptions(TypedDict, total=False):
    """A constant force on a body, or effort on a coordinate."""
    body: Text  #: that it acts on; or ...
    on: Text  #: ... a joint or sensor, in components
    at: Vector  #: where on the body [m]
    force: Vector  #: [N]
    moment: Vector  #: [N m]
    axes: Text  #: "world" or "body", in components
    effort: Number  #: on the coordinate [N or N m]
    enabled: Flag  #: from the start; events switch it


class BushingOptions(TypedDict, total=False):
    """Springs and dampers in six directions between two frames."""
    between: Pair  #: two ends
    at: Vector  #: its frame
    turn: Vector  #: its frame
    axis: Vector  #: direction that becomes its z
    stiffness: Vector  #: along x, y, z [N/m]
    angular_stiffness: Vector  #: about x, y, z [N m/rad]
    damping: Vector  #: [N s/m]
    angular_damping: Vector  #: [N m s/rad]
    implicit: Flag  #: in time


class SensorOptions(TypedDict, total=False):
    """A number between two ends."""
    measure: Text  #: "distance", "slide", "angle"
    between: Pair  #: two ends
    at: Vector  #: its frame
    turn: Vector  #: its frame
    axis: Vector  #: direction that becomes z of both ends


class FrameOptions(TypedDict, total=False):
    """A frame on a body: a port, where others are joined, or a marker, to look at."""
    body: Text  #: what it is fixed to
    of: Text  #: of a port, in place of body: component/port or robot/port, handed on
    at: Vector  #: where on the body
    turn: Vector  #: where on the body


class SignalOptions(TypedDict, total=False):
    """A signal: source, formula, controller or filter. Texts may be formulas."""
    #: "constant", "step", "ramp", "sine", "table", "quintic", "formula", "pid", "filter"
    kind: Text
    value: Text  #: of a formula or constant
    at: Number  #: when a step or ramp starts, and a ramp ends [s]
    until: Number  #: when a step or ramp starts, and a ramp ends [s]
    from_: Number  #: before a step or ramp, and after it
    to: Number  #: before a step or ramp, and after it
    slope: Number  #: of a ramp, per second
    amplitude: Number  #: of a sine; [Hz, rad]
    frequency: Number  #: of a sine; [Hz, rad]
    phase: Number  #: of a sine; [Hz, rad]
    offset: Number  #: of a sine; [Hz, rad]
    points: Points  #: of a table or a quintic
    file: Text  #: of a table: CSV
    column: Text  #: of the file
    interpolation: Text  #: of a table: "hold", "linear", "spline"
    input: Text  #: of pid and filter
    target: Text  #: of a pid
    feed_forward: Text  #: of a pid
    kp: Number  #: of a pid [1, 1/s, s]
    ki: Number  #: of a pid [1, 1/s, s]
    kd: Number  #: of a pid [1, 1/s, s]
    filter: Number  #: time constant of the derivative of a pid [s]
    windup: Text  #: "clamping" or "back-calculation"
    tracking: Number  #: time constant of back-calculation [s]
    time_constant: Number  #: of a filter [s]
    order: Integer  #: of a filter: 1 or 2
    damping: Number  #: of a filter of order 2
    initial: Number  #: value of a filter, integral of a pid
    limit: Numbers  #: one number for both sides, or lower and upper
    sample: Number  #: period [s]


class MotorOptions(TypedDict, total=False):
    """A motor on a coordinate."""
    on: Text  #: the joint or sensor
    voltage: Text  #: a signal [V]
    resistance: Number  #: [Ohm]
    inductance: Number  #: [H]
    torque_constant: Number  #: [N m/A or N/A]
    back_emf: Number  #: [V s/rad or V s/m]
    current: Number  #: at the start [A]
    limit: Numbers  #: of the voltage [V]


class EffortOptions(TypedDict, total=False):
    """An effort that a signal drives, or a coordinate that follows one (`Component.motion`)."""
    on: Text  #: the joint or sensor
    effort: Text  #: a signal [N or N m]
    follows: Text  #: of a motion: a signal [m or rad]
    limit: Numbers  #: of the effort


class ModelOptions(TypedDict, total=False):
    """What a component or a robot says of itself."""
    name: Text  #: for people
    parameters: Named  #: of a component: numbers that formulas use, and who uses it sets
    outputs: Texts  #: of a component: signals that who uses it can name
    apart: Texts  #: key `contacts.apart`: bodies that never touch, two by two


class InputOptions(TypedDict, total=False):
    """A signal that whoever uses a component connects."""
    default_value: Number  #: key `default`: where nothing is connected


class ConfigurationOptions(TypedDict, total=False):
    """Positions of a robot's joints under a name."""
    positions: Named  #: by joint [rad or m]


class PartOptions(TypedDict, total=False):
    """A robot or another component as a part of a component."""
    model: Text  #: of a robot: file, or name of a definition
    file: Text  #: of a component: likewise
    at: Vector  #: where its world is in the component's frame
    turn: Vector  #: where its world is in the component's frame
    base: Text  #: of a robot: "fixed" or "floating"
    velocity: Vector  #: of a floating base at the start [m/s, rad/s]
    angular_velocity: Vector  #: of a floating base at the start [m/s, rad/s]
    self_collision: Flag  #: of a robot: its bodies touch each other
    inertia: Text  #: of a URDF robot: "strict", "repair", "trust", "from-shapes"
    limits: Text  #: of a robot: "enforced" or "ignored"
    configuration: Text  #: of a robot: key `initial`, name of a configuration; or ...
    initial: Named  #: ... positions at the start by joint [rad or m]
    initial_velocity: Named  #: of a robot, by joint [rad/s or m/s]
    armature: Named  #: of a robot, by joint: rotor inertia [kg m^2 or kg]
    parameters: Named  #: of a component
    inputs: Named  #: of a component: formulas of signals, by input


class FlexibleOptions(TypedDict, total=False):
    """A body that deforms."""
    file: Text  #: with the other keys, in their place
    start: Vector  #: the axis of the beam, in the body's frame [m]
    end: Vector  #: the axis of the beam, in the body's frame [m]
    side: Vector  #: direction of y of its section
    section_kind: Text  #: "circle", "tube", "rectangle", "given"
    section_diameter: Number  #: of a circle or tube, outside; of a tube [m]
    section_wall: Number  #: of a circle or tube, outside; of a tube [m]
    section_size: Plane  #: of a rectangle, along y and z [m]
    section_area: Number  #: of a given one [m^2]
    section_along_y: Number  #: of a given one [m^4]
    section_along_z: Number  #: of a given one [m^4]
    section_torsion: Number  #: of a given one [m^4]
    young: Number  #: moduli [Pa]
    shear: Number  #: moduli [Pa]
    density: Number  #: [kg/m^3]
    ends: Text  #: of the modes: "clamped-free", "pinned-pinned", "free-free", ...
    bending: Numbers  #: modes along y and z, or one number for both
    twist: Integer  #: modes
    axial: Integer  #: modes
    damping: Number  #: share of critical damping, of every mode
    rayleigh: Plane  #: damping by the mass and by the stiffness [1/s, s]
    stiffening: Flag  #: a bent beam draws its end in
    rotary: Flag  #: sections resist being turned
    stiffness: Numbers  #: of modes of nodes: a diagonal, or the symmetric matrix
    mass: Numbers  #: likewise; the sum over the nodes if not given
    damping_matrix: Numbers  #: likewise


class PieceOptions(TypedDict, total=False):
    """A piece of a beam with one section, as those of FlexibleOptions."""
    length: Number  #: along the beam [m]
    section_kind: Text  #: "circle", "tube", "rectangle", "given"
    section_diameter: Number  #: [m]
    section_wall: Number  #: [m]
    section_size: Plane  #: [m]
    section_area: Number  #: [m^2]
    section_along_y: Number  #: [m^4]
    section_along_z: Number  #: [m^4]
    section_torsion: Number  #: [m^4]
    young: Number  #: those of the beam if not given [Pa, Pa, kg/m^3]
    shear: Number  #: those of the beam if not given [Pa, Pa, kg/m^3]
    density: Number  #: those of the beam if not given [Pa, Pa, kg/m^3]


class ModeOptions(TypedDict, total=False):
    """A function that a beam deforms by."""
    motion: Text  #: "y", "z", "twist", "axial"
    polynomial: Numbers  #: coefficients of 1, x, x^2, ..., x from 0 to 1; or ...
    ends: Text  #: ... a function of these ends ...
    number: Integer  #: ... and its number, from 1 on


class NodeOptions(TypedDict, total=False):
    """A node of a reduced finite-element model."""
    at: Vector  #: at rest, in the body's frame [m]
    mass: Number  #: lumped there [kg]
    shapes: Numbers  #: six numbers of each mode: displacement [m] and turn [rad]


class SystemOptions(TypedDict, total=False):
    """The system as a whole."""
    name: Text  #: for people
    gravity: Vector  #: [m/s^2]
    end: Number  #: when the simulation ends; a must [s]
    macro: Number  #: interval of communication and output [s]
    record: Texts  #: quantities that results have


class SubsystemOptions(TypedDict, total=False):
    """A subsystem: a part with a model, a state and a step of its own."""
    model: Text  #: file of a robot or component, or name of a definition; or ...
    plugin: Text  #: ... shared library, or name of `flange.plugins`
    at: Vector  #: where its world is
    turn: Vector  #: where its world is
    step: Number  #: its micro step; the macro step if not given [s]
    integrator: Text  #: "auto", "semi-implicit", "rk4", "adaptive", "rattle", "leapfrog"
    relative_tolerance: Number  #: of the adaptive one
    absolute_tolerance: Number  #: of the adaptive one
    gravity: Vector  #: its own [m/s^2]
    base: Text  #: of a robot: "fixed" or "floating"
    velocity: Vector  #: of a floating base at the start [m/s, rad/s]
    angular_velocity: Vector  #: of a floating base at the start [m/s, rad/s]
    configuration: Text  #: of a robot: key `initial`, name of a configuration; or ...
    initial: Named  #: ... positions at the start by joint [rad or m]
    initial_velocity: Named  #: of a robot, by joint [rad/s or m/s]
    armature: Named  #: of a robot, by joint: rotor inertia [kg m^2 or kg]
    parameters: Named  #: of a component or plug-in
    coordinates: Text  #: of a component: "absolute", "joint", "auto"
    self_collision: Flag  #: of a robot: its bodies touch each other
    inertia: Text  #: of a URDF robot: "strict", "repair", "trust", "from-shapes"
    limits: Text  #: of a robot: "enforced" or "ignored"
    compiled: Flag  #: of a model: stepped by generated code, where it can be
    assemble: Flag  #: open joints of a component are closed at the start
    geometry_tolerance: Number  #: by how much frames of joints may be changed for that
    strict: Flag  #: nothing may be changed
    projection: Text  #: "mass" or "euclidean"
    elimination: Text  #: "admittance" or "root"
    reduce: Text  #: "auto" or "none"


class ControllerOptions(TypedDict, total=False):
    """A controller of a subsystem."""
    kind: Text  #: "table", "pd", "computed-torque", "gravity", "plugin", "feed-forward", "force"
    enabled: Flag  #: from the start; events switch it
    sample: Number  #: period [s]
    joints: Texts  #: that it drives; all that it can if not given
    points: Points  #: forces or positions of all joints; or ...
    file: Text  #: ... a file of them
    interpolation: Text  #: "held", "linear", "spline"
    stiffness: Numbers  #: of pd: one, or one for each joint
    damping: Numbers  #: of pd: one, or one for each joint
    frequency: Numbers  #: of computed-torque, feed-forward [rad/s, 1]
    damping_ratio: Numbers  #: of computed-torque, feed-forward [rad/s, 1]
    payload_body: Text  #: what the robot carries: on which body ...
    payload_mass: Number  #: ... [kg]
    payload_centre: Vector  #: ... [m]
    payload_inertia: Numbers  #: ... [kg m^2]
    body: Text  #: of force: that it pushes with
    at: Vector  #: of force: where on the body [m]
    force: Vector  #: of force [N, N m]
    moment: Vector  #: of force [N, N m]
    plugin: Text  #: of plugin: library, or name of `flange.plugins`
    parameters: Named  #: of plugin


class SchemeOptions(TypedDict, total=False):
    """How subsystems that interfaces join are brought together."""
    scheme: Text  #: "monolithic", "sequential", "parallel", ...: docs/coupling.md
    form: Text  #: "auto", "admittance", "mass"
    reconcile: Text  #: "auto", "none", "one", "both"
    pose: Text  #: "auto", "none", "resynchronise", "feedback"
    feedback: Number  #: share of the drift that is taken back
    causality: Text  #: "first" or "second"
    order: Texts  #: subsystems, first to last
    contacts: Text  #: "nonsmooth", "smooth", "opening", "regularised"
    elastic: Text  #: "modal", "implicit", "constant", "paper", "literal"
    potential: Texts  #: what may touch: subsystem/body
    stiffness: Number  #: of regularised contacts [N/m, N s/m]
    damping: Number  #: of regularised contacts [N/m, N s/m]
    step: Number  #: of all that is solved as one [s]
    integrator: Text  #: likewise
    capacity: Integer  #: contact points of subsystems that meet, at one time at most


class EventOptions(TypedDict, total=False):
    """Something that happens at a time."""
    at: Number  #: when; past the end: only by `Trigger.fire` [s]
    lock: Texts  #: subsystem/joint
    unlock: Texts  #: subsystem/joint
    enable: Texts  #: subsystem/controller or subsystem/force
    disable: Texts  #: subsystem/controller or subsystem/force
    set: Named  #: positions by subsystem/joint
    set_velocity: Named  #: velocities by subsystem/joint
    weld: Pair  #: two of subsystem/body, of one component
    release: Texts  #: the same two, or subsystem/name of the weld
    name: Text  #: of the weld


class CompareOptions(TypedDict, total=False):
    """What `flange.compare` runs."""
    reference_step: Number  #: of the reference, solved as one [s]
    reference_integrator: Text  #: of the reference
    couplings: Texts  #: "sequential", "parallel contacts=smooth", ...
    macro: Numbers  #: macro steps [s]
    micro: Text  #: "own", or "same": that of the reference for all


class TouchOptions(TypedDict, total=False):
    """How contacts are solved."""
    friction: Text  #: "cone" or "box"
    restitution: Text  #: "newton" or "poisson"
    capacity: Integer  #: contact points of a subsystem at one time, at most
    correction: Number  #: part of a penetration that is taken out in a step
    material: Text  #: of shapes that have none


def _fields(options: type) -> list[tuple[str, Any]]:
    """Of the struct: names that are words of Python have an underscore here."""
    hints = get_type_hints(options, include_extras=True)
    types = {name.rstrip("_"): hint.__metadata__[0] for name, hint in hints.items()}
    return [("size", c.c_size_t)] + [(name, c.c_int if kind is c.c_bool else kind)
                                     for name, kind in types.items()]


KINDS: tuple[type, ...] = (
    BodyOptions, JointOptions, ShapeOptions, SurfaceOptions, SpringOptions, ForceOptions,
    BushingOptions, SensorOptions, FrameOptions, SignalOptions, MotorOptions, EffortOptions,
    ModelOptions, InputOptions, ConfigurationOptions, PartOptions, FlexibleOptions, PieceOptions,
    ModeOptions, NodeOptions, SystemOptions, SubsystemOptions, ControllerOptions, SchemeOptions,
    EventOptions, CompareOptions, TouchOptions)
STRUCTS: dict[type, type[c.Structure]] = {
    kind: type(kind.__name__, (c.Structure,), {"_fields_": _fields(kind)}) for kind in KINDS}


def _numbers(values: Sequence[float]) -> c.Array:
    return (c.c_double * len(values))(*[float(value) for value in values])


def _text(value: object) -> bytes:
    return str(value).encode()


def _named(values: Mapping[str, Any] | float) -> s.NamedList:
    """Numbers, lists of them or texts by name; a number alone has no name."""
    if not isinstance(values, Mapping):
        values = {"": float(values)}
    items = []
    for name, value in values.items():
        item = s.Named(name=_text(name) if name else None)
        if isinstance(value, str):
            item.text = _text(value)
        else:
            numbers = list(value) if hasattr(value, "__len__") else [value]
            item.numbers = s.NumberList(len(numbers), _numbers(numbers))
        items.append(item)
    return s.NamedList(len(items), (s.Named * len(items))(*items))


def _points(times: Sequence[float], values: Sequence[Any]) -> s.PointList:
    rows = [list(row) if hasattr(row, "__len__") else [row] for row in values]
    if len(rows) != len(times) or any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("as many values as times are expected, all of one width")
    return s.PointList(len(rows), len(rows[0]) if rows else 0, _numbers(times),
                       _numbers([value for row in rows for value in row]))


def _name(kind: type) -> str:
    """flg_NAME_options"""
    return kind.__name__.removesuffix("Options").lower()


def _value(hint: Any, value: Any) -> Any:
    """A value as the member of a struct takes it; TypeError or ValueError if it is another kind."""
    kind = hint.__metadata__[0]
    if kind is c.c_double or kind is c.c_int:
        return kind(value)
    if kind is c.c_bool:
        return 1 if value else 2
    if kind is c.c_char_p:
        return _text(value)
    if kind is s.NamedList:
        return _named(value)
    if isinstance(value, str):
        raise TypeError("a list is expected")
    if kind is s.PointList:
        return _points(*value)
    if kind is s.NumberList:
        return s.NumberList(len(value), _numbers(value))
    if kind is s.TextList:
        return s.TextList(len(value), (c.c_char_p * len(value))(*map(_text, value)))
    if len(value) != kind._length_:
        raise ValueError(f"{kind._length_} values are expected")
    return kind(*(map(_text, value) if kind._type_ is c.c_char_p else map(float, value)))


def struct_of(kind: type, given: dict[str, Any]) -> c.Structure:
    """The struct with what is given; None counts as not given."""
    struct = STRUCTS[kind]()
    lib.flg_options_clear(_name(kind).encode(), c.addressof(struct), c.sizeof(struct))
    hints = get_type_hints(kind, include_extras=True)
    for name, value in given.items():
        if name not in hints:
            raise UsageError(f"There is no option '{name}'; there are {', '.join(hints)}.")
        if value is None:
            continue
        try:
            setattr(struct, name.rstrip("_"), _value(hints[name], value))
        except (TypeError, ValueError) as error:
            raise UsageError(f"Option '{name}' cannot be {value!r}: {error}.") from None
    return struct
