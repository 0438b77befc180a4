"""Subsystems and controllers written in Python.

    class Ball(flange.Subsystem):
        ports = ("centre",)

        def __init__(self, setup):
            self.state = np.concatenate([setup.position, np.zeros(3)])
        ...

    flange.provide("ball", Ball)

A subsystem with `plugin: ball`, in a file or in code, is then an instance of it. The rules are those
of plug-ins in C (docs/plugins.md): an answer depends on the arguments, the set-up and the state
alone, since Flange copies states away and puts them back as it likes. Arrays that functions are
handed are views of memory that lives as long as the call.
"""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _structs as s
from ._library import lib, text
from .errors import ErrorPlace, UsageError, pending
from .signals import Signal

Array = NDArray[np.float64]
_TEXT, _ROWS = 256, 6


@dataclass(frozen=True)
class Setup:
    """What an instance is made from."""

    name: str  #: of the subsystem or controller in the scenario
    parameters: dict[str, Array]  #: numbers below `parameters`, by name
    gravity: Array  #: [m/s^2]
    position: Array  #: where the scenario puts it: `at` ...
    rotation: Array  #: ... and `turn`, (3, 3)
    joint_count: int  #: of controllers: how many joints it drives

    def parameter(self, name: str, usual: float) -> float:
        """A parameter that is one number, or what it is if it is not given."""
        if name not in self.parameters:
            return usual
        if len(self.parameters[name]) != 1:
            raise ValueError(f"parameter '{name}' is one number")
        return float(self.parameters[name][0])


@dataclass(frozen=True)
class Frame:
    """Where a port is and how it moves, in world axes."""

    position: ArrayLike  #: [m]
    rotation: ArrayLike = field(default_factory=lambda: np.eye(3))  #: columns: axes of the port
    velocity: ArrayLike = field(default_factory=lambda: np.zeros(6))  #: of its origin, then angular


@dataclass(frozen=True)
class Answer:
    """How n rows of ports answer to forces; views to be filled, zero before the call.

        acceleration = r + D force,    velocity+ = w + tau r + D impulse
    """

    D: Array  #: admittance (n, n), symmetric
    r: Array  #: accelerations without forces on the rows (n)
    w: Array  #: velocities (n)
    turning: Array  #: the part of r that comes of velocities alone (n); 0 of a point


class Subsystem:
    """A subsystem of your own: derive from it, and hand the class to `provide`.

    `__init__` sets `state`, an array of all that changes, positions and velocities first. Later on
    it is changed in place; an assignment copies into it.
    """

    ports: Sequence[str] = ()  #: names of ports, the same all along
    signals: Sequence[Signal] = ()  #: what `read` can tell: name "mass3.position", unit, width
    flags: int = 0  #: of flange/plugin.h

    def __init__(self, setup: Setup) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no __init__(setup) that sets state")

    @property
    def state(self) -> Array:
        """All that changes from step to step."""
        return self._state

    @state.setter
    def state(self, values: ArrayLike) -> None:
        if not hasattr(self, "_state"):
            self._state: Array = np.array(values, dtype=float).reshape(-1)
        else:
            self._state[:] = values

    @property
    def motion(self) -> int:
        """How many numbers of the state, from the first, are positions and velocities."""
        return len(self.state)

    def energy(self) -> float:
        """Kinetic plus potential [J]."""
        raise NotImplementedError

    def step(self, time: float, h: float, impulses: Array) -> None:
        """From time to time + h, under impulses (6 a port) on its ports: the forces impulses / h."""
        raise NotImplementedError

    # --- of subsystems with ports

    def frame(self, port: int) -> Frame:
        """Where a port is and how it moves."""
        raise NotImplementedError

    def reduce(self, time: float, tau: float, answer: Answer) -> None:
        """Fills in how its ports answer now, for use over tau."""
        raise NotImplementedError

    # --- of subsystems whose ports are moved at once; both or neither

    def impulse(self, impulses: Array) -> None:
        """velocities += W A^T impulses: W the inverse mass, A the rows of the ports."""
        raise NotImplementedError

    def displace(self, x: Array) -> None:
        """positions += W A^T x, for small x."""
        raise NotImplementedError

    # --- of subsystems with signals

    def read(self, signal: int) -> ArrayLike:
        """The values of a signal, by its number in `signals`."""
        raise NotImplementedError


class Controller:
    """A controller of your own: `kind: plugin`, `plugin: name of provide`."""

    def __init__(self, setup: Setup) -> None:
        """Made for a simulation; one that keeps nothing need not have it."""

    def evaluate(self, time: float, positions: Array, velocities: Array) -> ArrayLike:
        """Forces on the joints that it drives, from their positions and velocities."""
        raise NotImplementedError


class _Instance(c.Structure):
    """What the library knows an instance by: flg_plugin_state_of reads the state here."""
    _fields_ = [("state", s.PluginState)]


#: Instances by address, with what they hand out: as long as simulations have them.
_instances: dict[int, tuple[_Instance, Any, list[Any]]] = {}
#: Tables that were provided, for good: simulations may still have them.
_tables: list[object] = []


def _view(address: int, count: int) -> Array:
    return np.frombuffer((c.c_double * count).from_address(address))


def _copy(address: int, count: int) -> Array:
    """What a class is handed it may keep; the memory of the library is another's after the call."""
    return _view(address, count).copy()


def _given(values: Any, name: str) -> Any:
    """What a function returned; numpy would take None for NaN."""
    if values is None:
        raise TypeError(f"{name} returned None; numbers are expected.")
    return values


def _tell(address: int, error: BaseException) -> None:
    """Writes why a function failed where the library looks for it."""
    message = f"{type(error).__name__}: {error}".encode()[:_TEXT - 1] + b"\0"
    c.memmove(address, message, len(message))


def _setup(struct: s.PluginSetup) -> Setup:
    given = [struct.parameters[k] for k in range(struct.parameter_count)]
    parameters = {text(one.name): np.array(one.values[:one.count]) for one in given}
    return Setup(text(struct.name), parameters, np.array(struct.gravity),
                 np.array(struct.position), np.array(struct.rotation).reshape(3, 3),
                 struct.joint_count)


def _creator(kind: type) -> Callable[..., int | None]:
    def create(setup: Any, place: int) -> int | None:
        try:
            made = kind(_setup(setup.contents))
            instance, held = _Instance(), [setup.contents.joint_count]
            if isinstance(made, Subsystem):
                state = made.state
                instance.state = s.PluginState(state.ctypes.data, len(state), made.motion)
                held = [_port_names(made), _signal_table(made)]
        except Exception as error:
            pending.list.append(error)
            _tell(place, error)
            return None
        _instances[c.addressof(instance)] = instance, made, held
        return c.addressof(instance)
    return create


def _destroy(address: int) -> None:
    _instances.pop(address, None)


def _port_names(made: Subsystem) -> c.Array:
    return (c.c_char_p * max(len(made.ports), 1))(*[name.encode() for name in made.ports])


def _signal_table(made: Subsystem) -> c.Array:
    def entry(signal: Signal) -> s.PluginSignal:
        path, dot, quantity = signal.name.partition(".")
        return s.PluginSignal(path.encode(), quantity.encode() if dot else None,
                              signal.unit.encode(), signal.width)
    return (s.PluginSignal * max(len(made.signals), 1))(*map(entry, made.signals))


def _energy(address: int) -> float:
    try:
        return float(_instances[address][1].energy())
    except BaseException as error:
        pending.list.append(error)
        return float("nan")


def _step(address: int, time: float, h: float, impulses: int, place: int) -> int:
    made = _instances[address][1]
    try:
        made.step(time, h, _copy(impulses, _ROWS * len(made.ports)) if made.ports else np.empty(0))
        return 0
    except BaseException as error:
        pending.list.append(error)
        _tell(place, error)
        return 1


def _ports(address: int, count: Any) -> int:
    _, made, held = _instances[address]
    count[0] = len(made.ports)
    return c.addressof(held[0])


def _frame(address: int, port: int, to: Any) -> None:
    try:
        frame = _instances[address][1].frame(port)
        to[0].position[:] = np.asarray(frame.position, dtype=float).tolist()
        to[0].rotation[:] = np.asarray(frame.rotation, dtype=float).reshape(9).tolist()
        to[0].velocity[:] = np.asarray(frame.velocity, dtype=float).tolist()
    except BaseException as error:
        pending.list.append(error)
        to[0].position[:] = [float("nan")] * 3


def _reduce(address: int, time: float, tau: float, model: Any, place: int) -> int:
    made, to = _instances[address][1], model[0]
    n = _ROWS * len(made.ports)
    try:
        made.reduce(time, tau, Answer(_view(to.admittance, n * n).reshape(n, n), _view(to.bias, n),
                                      _view(to.velocity, n), _view(to.turning, n)))
        return 0
    except BaseException as error:
        pending.list.append(error)
        _tell(place, error)
        return 1


def _pusher(name: str) -> Callable[[int, int], None]:
    def push(address: int, values: int) -> None:
        made = _instances[address][1]
        try:
            getattr(made, name)(_copy(values, _ROWS * len(made.ports)))
        except BaseException as error:
            pending.list.append(error)
            made.state[:] = float("nan")
    return push


def _signals(address: int, count: Any) -> int:
    _, made, held = _instances[address]
    count[0] = len(made.signals)
    return c.addressof(held[1])


def _read(address: int, signal: int, values: int) -> None:
    made = _instances[address][1]
    view = _view(values, made.signals[signal].width)
    try:
        view[:] = _given(made.read(signal), "read")
    except BaseException as error:
        pending.list.append(error)
        view[:] = float("nan")


def _evaluate(address: int, time: float, positions: int, velocities: int, efforts: int) -> None:
    _, made, (count,) = _instances[address]
    view = _view(efforts, count)
    try:
        view[:] = _given(made.evaluate(time, _copy(positions, count), _copy(velocities, count)),
                         "evaluate")
    except BaseException as error:
        pending.list.append(error)
        view[:] = float("nan")


def _overrides(kind: type, base: type, name: str) -> bool:
    return getattr(kind, name) is not getattr(base, name)


def _subsystem(kind: type[Subsystem]) -> s.PluginSubsystem:
    table = s.PluginSubsystem(size=c.sizeof(s.PluginSubsystem), flags=kind.flags)
    table.create, table.destroy = s.CREATE(_creator(kind)), s.DESTROY(_destroy)
    table.state = c.cast(lib.flg_plugin_state_of, c.c_void_p)
    table.energy, table.step = s.ENERGY(_energy), s.STEP(_step)
    if _overrides(kind, Subsystem, "frame"):
        table.ports, table.frame, table.reduce = s.PORTS(_ports), s.FRAME(_frame), s.REDUCE(_reduce)
    if _overrides(kind, Subsystem, "impulse"):
        table.impulse, table.displace = s.PUSH(_pusher("impulse")), s.PUSH(_pusher("displace"))
    if _overrides(kind, Subsystem, "read"):
        table.signals, table.read = s.SIGNALS(_signals), s.READ(_read)
    return table


def _controller(kind: type[Controller]) -> s.PluginController:
    return s.PluginController(c.sizeof(s.PluginController), 0, s.CREATE(_creator(kind)),
                              s.DESTROY(_destroy), s.EVALUATE(_evaluate))


def provide(name: str, kind: type[Subsystem] | type[Controller]) -> None:
    """Makes a class known as a plug-in of that name, in this process: files and systems in code
    that say `plugin: name` get an instance of it."""
    table = s.Plugin(abi=1, size=c.sizeof(s.Plugin), name=name.encode(), version=b"1")
    if issubclass(kind, Subsystem):
        table.subsystem = c.pointer(_subsystem(kind))
    elif issubclass(kind, Controller):
        table.controller = c.pointer(_controller(kind))
    else:
        raise UsageError(f"{kind!r} is neither a flange.Subsystem nor a flange.Controller.")
    error = ErrorPlace()
    error.check(lib.flg_plugin_provide(name.encode(), c.addressof(table), error.address))
    _tables.append(table)
