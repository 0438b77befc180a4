"""Systems, components and robots put together in code.

    rod = flange.Robot("pendulum")
    rod.body("rod", mass=1, centre=[0.5, 0, 0], inertia=[0.01, 0.1, 0.1])
    rod.joint("hinge", kind="revolute", child="rod", axis=[0, 1, 0])
    system = flange.System("swing", end=3, macro=0.01, record=["arm/hinge.position"])
    system.subsystem("arm", model=rod, step=1e-3)
    results = system.simulate().run()

Whatever a file can say can be said here. Methods take the options of `flange.options`, a member for
every key; keys of files do as well: `rod["bodies.rod.mass"] = 1`. Values are checked by `simulate`
alone, which tells all mistakes at once.
"""

from __future__ import annotations

import ctypes as c
import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, Unpack

from . import _structs as s
from . import options as o
from ._library import encoded, lib, text, texts
from .errors import ErrorPlace, fail_mistakes
from .overrides import Coupling, Value, overrides_of, yaml
from .simulation import Simulation, made

Self = TypeVar("Self", bound="Definition")


class Definition:
    """What robots, components and systems share: keys, and what they are made of."""

    _kind = 0

    def __init__(self, name: str) -> None:
        self.name = name
        self._error = ErrorPlace()
        handle = c.c_void_p()
        self._error.check(lib.flg_definition_build(c.addressof(handle), self._kind, encoded(name),
                                                   self._error.address))
        self._take(handle)

    def _take(self, handle: c.c_void_p) -> None:
        self._at = handle.value
        self._used: dict[str, Definition] = {}
        self._finalizer = weakref.finalize(self, lib.flg_definition_release, self._at)

    @classmethod
    def read(cls: type[Self], name: str, definition: str) -> Self:
        """One with all that a text in YAML says."""
        return cls._read(name, lib.flg_definition_read, encoded(definition))

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str]) -> Self:
        """One with all that a file in YAML says; its path is its name."""
        return cls._read(os.fspath(path), lib.flg_definition_load)

    @classmethod
    def _read(cls: type[Self], name: str, read: Callable[..., int], *source: bytes) -> Self:
        new = cls.__new__(cls)
        new.name, new._error = name, ErrorPlace()
        handle, mistakes = c.c_void_p(), s.Mistakes()
        status = read(c.addressof(handle), cls._kind, encoded(name), *source, c.addressof(mistakes))
        if status:
            fail_mistakes(status, mistakes)
        new._take(handle)
        return new

    def __str__(self) -> str:
        """The definition as YAML, without its parts."""
        return text(lib.flg_definition_text(self._at))

    def __setitem__(self, path: str, value: Value) -> None:
        """Sets what stands at a path: keys with dots between them. In a list `+` is a new item and
        `-` the last one: "events.+.at", then "events.-.lock"."""
        at, error, key = self._at, self._error.address, encoded(path)
        if isinstance(value, bool):
            status = lib.flg_define_flag(at, key, value, error)
        elif isinstance(value, str):
            status = lib.flg_define_text(at, key, encoded(value), error)
        elif isinstance(value, (int, float)):
            status = lib.flg_define_number(at, key, value, error)
        else:
            status = lib.flg_define_yaml(at, key, encoded(yaml(value)), error)
        self._error.check(status)

    def use(self, part: Definition) -> None:
        """Copies a robot or a component as it is now, so that this one can use it by its name."""
        if self._used.get(part.name) is part:
            return
        self._error.check(lib.flg_define_part(self._at, part._at, self._error.address))
        self._used[part.name] = part

    def _model(self, given: dict[str, Any]) -> dict[str, Any]:
        """Options in which a model may be a definition: it is copied, and used by its name."""
        for key in ("model", "file"):
            part = given.get(key)
            if isinstance(part, Definition):
                self.use(part)
                given = given | {key: part.name}
        return given

    def _define(self, what: str, kind: type, given: Mapping[str, Any], *name: str | None) -> None:
        options = o.struct_of(kind, dict(given))
        names = [None if one is None else encoded(one) for one in name]
        self._error.check(getattr(lib, f"flg_define_{what}")(
            self._at, *names, c.addressof(options), self._error.address))


class _Flexible(Definition):
    """Bodies that bend, twist and stretch: docs/flexible.md."""

    def flexible(self, body: str, **given: Unpack[o.FlexibleOptions]) -> None:
        """Makes a body flexible; "robot/body" of a robot in a component, "subsystem/body" in a
        system."""
        self._define("flexible", o.FlexibleOptions, given, body)

    def piece(self, body: str, **given: Unpack[o.PieceOptions]) -> None:
        """Adds a piece of another section to the beam of a flexible body."""
        self._define("piece", o.PieceOptions, given, body)

    def mode(self, body: str, **given: Unpack[o.ModeOptions]) -> None:
        """Adds a function that the beam of a flexible body deforms by."""
        self._define("mode", o.ModeOptions, given, body)

    def node(self, body: str, **given: Unpack[o.NodeOptions]) -> None:
        """Adds a node of a reduced finite-element model to a flexible body."""
        self._define("node", o.NodeOptions, given, body)


class _Mechanism(_Flexible):
    """What robots and components are both made of."""

    def model(self, **given: Unpack[o.ModelOptions]) -> None:
        """Says what it says of itself: parameters, outputs, bodies that never touch."""
        self._define("model", o.ModelOptions, given)

    def configuration(self, name: str, **positions: float | Sequence[float]) -> None:
        """Adds a pose by joint; in a component its name is "robot/name"."""
        self._define("configuration", o.ConfigurationOptions, {"positions": positions}, name)

    def material_pair(self, **given: Unpack[o.SurfaceOptions]) -> None:
        """Says what holds between two materials."""
        self._define("material_pair", o.SurfaceOptions, given)

    def body(self, name: str, **given: Unpack[o.BodyOptions]) -> None:
        """Adds a body."""
        self._define("body", o.BodyOptions, given, name)

    def joint(self, name: str, **given: Unpack[o.JointOptions]) -> None:
        """Adds a joint."""
        self._define("joint", o.JointOptions, given, name)

    def shape(self, body: str | None, **given: Unpack[o.ShapeOptions]) -> None:
        """Adds a shape to a body; None: it stands on the ground."""
        self._define("shape", o.ShapeOptions, given, body)

    def material(self, name: str, **given: Unpack[o.SurfaceOptions]) -> None:
        """Adds a material."""
        self._define("material", o.SurfaceOptions, given, name)

    def port(self, name: str, **given: Unpack[o.FrameOptions]) -> None:
        """Adds a port: a frame where others are joined."""
        self._define("port", o.FrameOptions, given, name)

    def marker(self, name: str, **given: Unpack[o.FrameOptions]) -> None:
        """Adds a marker: a frame to look at."""
        self._define("marker", o.FrameOptions, given, name)


class Robot(_Mechanism):
    """A tree of bodies in joint coordinates: a model file."""

    _kind = 2


class Component(_Mechanism):
    """Bodies with joints between them, loops too: a component file."""

    _kind = 1

    def spring(self, name: str, **given: Unpack[o.SpringOptions]) -> None:
        """Adds a spring with a damper."""
        self._define("spring", o.SpringOptions, given, name)

    def force(self, name: str, **given: Unpack[o.ForceOptions]) -> None:
        """Adds a constant force on a body, or effort on a coordinate."""
        self._define("force", o.ForceOptions, given, name)

    def bushing(self, name: str, **given: Unpack[o.BushingOptions]) -> None:
        """Adds springs and dampers in six directions between two frames."""
        self._define("bushing", o.BushingOptions, given, name)

    def sensor(self, name: str, **given: Unpack[o.SensorOptions]) -> None:
        """Adds a number that is measured between two ends."""
        self._define("sensor", o.SensorOptions, given, name)

    def signal(self, name: str, **given: Unpack[o.SignalOptions]) -> None:
        """Adds a signal: source, formula, controller or filter."""
        self._define("signal", o.SignalOptions, given, name)

    def input(self, name: str, **given: Unpack[o.InputOptions]) -> None:
        """Adds a signal that whoever uses the component connects."""
        self._define("input", o.InputOptions, given, name)

    def motor(self, name: str, **given: Unpack[o.MotorOptions]) -> None:
        """Adds a motor on a coordinate."""
        self._define("motor", o.MotorOptions, given, name)

    def effort(self, name: str, **given: Unpack[o.EffortOptions]) -> None:
        """Adds an effort that a signal drives."""
        self._define("effort", o.EffortOptions, given, name)

    def motion(self, name: str, **given: Unpack[o.EffortOptions]) -> None:
        """Adds a coordinate that follows a signal."""
        self._define("motion", o.EffortOptions, given, name)

    def robot(self, name: str, **given: Unpack[o.PartOptions]) -> None:
        """Adds a robot as a part; `model` is a file or a Robot."""
        self._define("robot", o.PartOptions, self._model(dict(given)), name)

    def component(self, name: str, **given: Unpack[o.PartOptions]) -> None:
        """Adds another component as a part; `file` is a file or a Component."""
        self._define("component", o.PartOptions, self._model(dict(given)), name)


class System(_Flexible):
    """Subsystems, interfaces, coupling and events: a scenario file."""

    _kind = 0

    def __init__(self, name: str, **given: Unpack[o.SystemOptions]) -> None:
        """Options say when it ends, under which gravity, and what is recorded."""
        super().__init__(name)
        self._define("system", o.SystemOptions, {"name": name} | dict(given))

    def subsystem(self, name: str, **given: Unpack[o.SubsystemOptions]) -> None:
        """Adds a subsystem; `model` is a file, a Robot or a Component."""
        self._define("subsystem", o.SubsystemOptions, self._model(dict(given)), name)

    def controller(self, name: str, **given: Unpack[o.ControllerOptions]) -> None:
        """Adds a controller; its name is "subsystem/controller"."""
        self._define("controller", o.ControllerOptions, given, name)

    def interface(self, name: str, **given: Unpack[o.JointOptions]) -> None:
        """Adds a joint between two subsystems."""
        self._define("interface", o.JointOptions, given, name)

    def bushing(self, name: str, **given: Unpack[o.BushingOptions]) -> None:
        """Adds springs and dampers in six directions between two subsystems."""
        self._define("bushing", o.BushingOptions, given, name)

    def configuration(self, name: str, **positions: float | Sequence[float]) -> None:
        """Adds a pose by joint; its name is "subsystem/name"."""
        self._define("configuration", o.ConfigurationOptions, {"positions": positions}, name)

    def compare(self, **given: Unpack[o.CompareOptions]) -> None:
        """Says what is compared."""
        self._define("compare", o.CompareOptions, given)

    def coupling(self, **given: Unpack[o.SchemeOptions]) -> None:
        """Says how interfaces are coupled."""
        self._define("coupling", o.SchemeOptions, given)

    def event(self, **given: Unpack[o.EventOptions]) -> None:
        """Adds an event."""
        self._define("event", o.EventOptions, given)

    def contacts(self, subsystem: str | None = None, **given: Unpack[o.TouchOptions]) -> None:
        """Says how contacts are solved, of one subsystem or of all."""
        self._define("contacts", o.TouchOptions, given, subsystem)

    def material(self, name: str, **given: Unpack[o.SurfaceOptions]) -> None:
        """Adds a material."""
        self._define("material", o.SurfaceOptions, given, name)

    def material_pair(self, **given: Unpack[o.SurfaceOptions]) -> None:
        """Says what holds between two materials."""
        self._define("material_pair", o.SurfaceOptions, given)

    def force(self, name: str, **given: Unpack[o.ForceOptions]) -> None:
        """Adds a force; its name is "subsystem/force"."""
        self._define("force", o.ForceOptions, given, name)

    def ground(self, **given: Unpack[o.ShapeOptions]) -> None:
        """Adds a shape to the ground, which is there for all subsystems."""
        self._define("shape", o.ShapeOptions, given, None)

    def simulate(self, *, coupling: Coupling | None = None, macro: float | str | None = None,
                 end: float | str | None = None, set: Mapping[str, Value] | None = None,
                 threads: int = 1) -> Simulation:
        """Builds a simulation; arguments as those of `load`. It keeps nothing of the system, which
        can be changed and simulated again."""
        changed = overrides_of(coupling, macro, end, set)
        handle, mistakes = c.c_void_p(), s.Mistakes()
        status = lib.flg_definition_simulate(self._at, texts(changed), len(changed),
                                             c.addressof(handle), c.addressof(mistakes))
        return made(status, handle, mistakes, threads)
