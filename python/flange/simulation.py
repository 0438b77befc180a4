"""Simulations: loaded, run, read and written by name.

    sim = flange.load("capture.yaml", coupling="sequential")
    results = sim.run(until=4)
    sim["hand/box/U.position"]

A simulation is used by one thread at a time. While it steps, the interpreter lock is released:
other threads run, several simulations step at once. Ctrl-C takes effect between two macro steps.
"""

from __future__ import annotations

import ctypes as c
import math
import os
import warnings
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _structs as s
from ._library import bound, encoded, lib, quick, text, texts
from .access import Array, Input, Inputs, Output, Outputs, Trigger
from .errors import (FAILED_IN_PYTHON, DivergedError, ErrorPlace, FlangeError, NoticeWarning,
                     UnsolvedError, UnsolvedWarning, UsageError, fail_mistakes, pending)
from .files import Writer
from .interrupts import Interrupts
from .overrides import Coupling, Value, overrides_of
from .ports import Ports
from .results import Results
from .signals import Signal, signal_of

#: A communication point counts as reached if it is nearer than this part of a macro step.
_SLACK = 1e-9
#: FLG_THREADS_MAX of flange/threads.h.
_THREADS = 256
#: Rows that are laid out at once at most; longer runs take more as they go.
_ROWS = 1 << 16


@dataclass(frozen=True)
class Contact:
    """A contact point between shapes A and B."""

    position: Array  #: in the world [m]
    normal: Array  #: from A to B
    gap: float  #: negative: they overlap [m]
    force: Array  #: on B, mean over the last micro step [N]
    pressure: float  #: the part of the force along the normal [N]
    state: str  #: "open", "sliding" or "sticking"
    shapes: tuple[str, str]  #: A and B


@dataclass(frozen=True)
class Energy:
    """Kinetic and potential energy at macro steps [J]."""

    initial: float
    final: float
    least: float
    most: float


@dataclass(frozen=True)
class Interface:
    """How the coupling did at an interface, over all macro steps so far."""

    name: str
    pose_drift: float  #: largest distance of its ends before they were brought together [m]
    energy_residual: float  #: most that vanished or appeared there in a macro step [J]
    rank: float  #: lowest of the admittance of its rows; NaN before the first step
    condition: float  #: highest of it
    is_unique: bool  #: False: redundant rows leave forces open


class Simulation:
    """A scenario, loaded and ready to run; made by `load`, `loads` or `System.simulate`."""

    def __init__(self, handle: int, threads: int = 1) -> None:
        self._at: int | None = handle
        # shared by all that is bound to it: after `close` they hand over NULL
        self._pointer = c.c_void_p(handle)
        self._pool = c.c_void_p()
        self._error = ErrorPlace()
        if not 0 <= threads <= _THREADS:
            lib.flg_simulation_release(handle)
            raise UsageError(f"A pool has 1 to {_THREADS} threads, or 0 for one on each core; "
                             f"{threads} is neither.")
        if threads != 1:
            status = lib.flg_threads_build(c.addressof(self._pool), threads, self._error.address)
            if status:
                lib.flg_simulation_release(handle)
                self._error.check(status)
            lib.flg_simulation_share(handle, self._pool)
        self._finalizer = weakref.finalize(self, _release, handle, self._pool.value)
        self._step = bound(lib, "flg_simulation_step", self._pointer, self._error.pointer)
        self._is_stepping = False
        self._outputs: dict[str, Output] = {}
        self._inputs: dict[str, Input] = {}
        self._triggers: dict[tuple[str, str, int], Trigger] = {}
        self._width: int = lib.flg_simulation_width(handle)
        #: What the last `run` gave, also if it was interrupted or failed.
        self.results: Results | None = None
        for notice in self.notices:
            warnings.warn(notice, NoticeWarning, stacklevel=4)

    # --- life ---------------------------------------------------------------------------------

    def close(self) -> None:
        """Frees it at once. Calls afterwards raise UsageError, as does this one while it steps."""
        if self._is_stepping:
            raise UsageError("This simulation steps just now, and cannot be closed.")
        self._at = self._pointer.value = None
        self._finalizer()

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._at is None:
            return "<flange.Simulation, closed>"
        return (f"<flange.Simulation '{self.name}', {self.coupling}, "
                f"{self.time:g} s of {self.end:g} s>")

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError("A simulation is not copied or pickled: load it again, and hand over its "
                        "`state()`.")

    def _check(self, status: int) -> None:
        if status or pending.list:
            self._fail(status)

    def _fail(self, status: int | None = None) -> None:
        if self._at is None:
            raise UsageError("This simulation is closed.")
        if not status and pending.list:
            status, self._error.struct.message = 1, FAILED_IN_PYTHON.encode()
        self._error.check(status or self._error.struct.status or 1)

    def _open(self) -> int:
        if self._at is None:
            raise UsageError("This simulation is closed.")
        return self._at

    # --- what it is ---------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Its name, for people."""
        return text(lib.flg_simulation_name(self._open()))

    @property
    def coupling(self) -> str:
        """How its subsystems are brought together: "monolithic", "sequential", ..."""
        return text(lib.flg_simulation_coupling(self._open()))

    @property
    def text(self) -> str:
        """The scenario file as text."""
        return text(lib.flg_simulation_text(self._open()))

    @property
    def integrators(self) -> dict[str, str]:
        """What steps by itself, and by which method."""
        at = self._open()
        return {text(lib.flg_simulation_stepper(at, k)): text(lib.flg_simulation_integrator(at, k))
                for k in range(lib.flg_simulation_stepper_count(at))}

    @property
    def notices(self) -> list[str]:
        """Sentences on what was changed to make it start."""
        found: list[str] = []
        while (notice := lib.flg_simulation_notice(self._open(), len(found))) is not None:
            found.append(text(notice))
        return found

    @property
    def time(self) -> float:
        """Time now [s]."""
        return quick.flg_simulation_time(self._open())

    @property
    def end(self) -> float:
        """Time at the end of the scenario [s]."""
        return lib.flg_simulation_end(self._open())

    @property
    def macro(self) -> float:
        """The macro step [s]."""
        return lib.flg_simulation_macro(self._open())

    @property
    def ended(self) -> bool:
        """True once the end of the scenario is reached."""
        return quick.flg_simulation_ended(self._open())

    @property
    def macro_steps(self) -> int:
        """Macro steps done so far."""
        return lib.flg_simulation_macro_steps(self._open())

    @property
    def micro_steps(self) -> int:
        """Steps of all subsystems so far."""
        return lib.flg_simulation_micro_steps(self._open())

    @property
    def signals(self) -> list[Signal]:
        """What the scenario records, and `run` returns."""
        at = self._open()
        listed = lib.flg_simulation_signals(at)
        return [signal_of(listed[k]) for k in range(lib.flg_simulation_signal_count(at))]

    @property
    def quantities(self) -> list[Signal]:
        """All that can be read by name."""
        count = c.c_int()
        listed = lib.flg_output_list(self._open(), c.byref(count))
        return [signal_of(listed[k]) for k in range(count.value)]

    @property
    def energy(self) -> Energy:
        """Energy at the start, now, and its least and most."""
        found = lib.flg_simulation_energy(self._open())
        return Energy(found.initial, found.final, found.least, found.most)

    @property
    def constraints(self) -> tuple[float, float]:
        """Largest violation of joints so far: position [m or rad], velocity [m/s or rad/s]."""
        position, velocity = c.c_double(), c.c_double()
        lib.flg_simulation_constraints(self._open(), c.addressof(position), c.addressof(velocity))
        return position.value, velocity.value

    @property
    def interfaces(self) -> list[Interface]:
        """How the coupling did at each interface."""
        at = self._open()
        found = [lib.flg_simulation_interface(at, k)
                 for k in range(lib.flg_simulation_interface_count(at))]
        return [Interface(text(one.name), one.pose_drift, one.energy_residual, one.rank,
                          one.condition, one.is_unique) for one in found]

    @property
    def hash(self) -> int:
        """64 bits that tell states apart."""
        return lib.flg_simulation_hash(self._open())

    # --- stepping -----------------------------------------------------------------------------

    def step(self, count: int = 1) -> None:
        """Advances by macro steps. Raises DivergedError if a state became NaN or infinite."""
        if count < 0:
            raise UsageError(f"A simulation advances by 0 steps or more, not by {count}.")
        if self._is_stepping:
            raise UsageError("This simulation steps already: in another thread, or in a function "
                             "that the step calls.")
        step = self._step
        self._is_stepping = True
        try:
            for _ in range(count):
                status = step()
                if status or pending.list:
                    self._fail(status)
        finally:
            self._is_stepping = False

    def run(self, until: float | None = None,
            each: Callable[[Simulation], object] | None = None,
            file: str | os.PathLike[str] | None = None) -> Results:
        """Runs on and returns what the scenario records, a row for each macro step, now included.

        until: time to stop at [s]; the end of the scenario if not given
        each: called before each step with the simulation, such as a controller that writes inputs
        file: .h5 or .csv that rows are written to as they come; .h5 with what `flange report` shows

        A run that fails keeps its rows: `error.results`, and `results` of the simulation, which is
        also where they are after Ctrl-C. That waits for the end of the macro step, but no longer
        than a second: the simulation is then inside of a step, and goes on from a state that is
        set, or from its start. Warns with UnsolvedWarning if results are in doubt.
        """
        run = _Run(self, self.end if until is None else float(until), each, file)
        try:
            run.go()
        except KeyboardInterrupt:
            self.results = run.results("interrupted")
            raise
        except FlangeError as error:
            status = "diverged" if isinstance(error, DivergedError) else "error"
            self.results = error.results = run.results(status)
            raise
        except BaseException:
            self.results = run.results("error")
            raise
        self.results = run.results(self._verdict())
        return self.results

    def _write_again(self, path: str, start: NDArray[np.uint8], rows: int, status: str) -> None:
        """Writes a run of so many rows from a state; leaves the simulation where it is."""
        now = self.state()
        self.set_state(start)
        try:
            writer = Writer(path, self)
            for _ in range(rows - 1):
                self.step()
                writer.record()
            writer.close(status)
        finally:
            self.set_state(now)

    def _verdict(self) -> str:
        try:
            self.judge()
        except UnsolvedError as error:
            warnings.warn(str(error), UnsolvedWarning, stacklevel=3)
            return "unsolved"
        return "complete"

    def judge(self) -> None:
        """Raises UnsolvedError if contacts or joints were not solved to their tolerance so far."""
        self._check(lib.flg_simulation_judge(self._open(), self._error.address))

    # --- reading and writing by name ----------------------------------------------------------

    def output(self, name: str) -> Output:
        """A quantity to be read often, such as "arm/tool.position"."""
        found = self._outputs.get(name) if isinstance(name, str) else None
        if found is None:
            self._open()
            found = self._outputs[name] = Output(self, name)
        return found

    def input(self, name: str) -> Input:
        """Something to be written between steps: "arm/joint2.effort", "arm/controller.target",
        "arm/tool.wrench" (force and moment in world axes), or a signal of a component."""
        found = self._inputs.get(name) if isinstance(name, str) else None
        if found is None:
            self._open()
            found = self._inputs[name] = Input(self, name)
        return found

    def outputs(self, *names: str) -> Outputs:
        """Several quantities to be read at once, faster than one by one."""
        self._open()
        return Outputs(self, [self.output(name) for name in names])

    def inputs(self, *names: str) -> Inputs:
        """Several inputs to be written at once."""
        self._open()
        return Inputs(self, [self.input(name) for name in names])

    def __getitem__(self, name: str) -> float | Array:
        """Reads a quantity as it is now: a number, or an array of the reader's own."""
        output = self.output(name)
        values = output.read()
        return float(values[0]) if output.signal.is_scalar else values.copy()

    def __setitem__(self, name: str, values: ArrayLike) -> None:
        """Writes an input, which holds until it is written again."""
        self.input(name).write(values)

    def trigger(self, action: str, target: str, count: int = 0) -> Trigger:
        """An event to be fired by hand; `action` is "lock", "unlock", "enable", "disable", "set",
        "set_velocity", "weld" or "release", `count` how many numbers it sets."""
        key = action, target, count
        if key not in self._triggers:
            self._open()
            self._triggers[key] = Trigger(self, *key)
        return self._triggers[key]

    def fire(self, action: str, target: str, values: ArrayLike = ()) -> None:
        """Finds an event and makes it happen now: `sim.fire("lock", "arm/joint2")`."""
        self.trigger(action, target, int(np.size(values))).fire(values)

    def contacts(self) -> list[Contact]:
        """All contact points that are near, at the last communication point."""
        most = lib.flg_touch_most(self._open())
        points, count = (s.TouchPoint * max(most, 1))(), c.c_int()
        self._check(lib.flg_touch_list(self._at, c.addressof(points), most, c.addressof(count),
                                       self._error.address))
        return [self._contact(points[k]) for k in range(count.value)]

    def _contact(self, point: s.TouchPoint) -> Contact:
        return Contact(np.array(point.position), np.array(point.normal), point.gap,
                       np.array(point.force), point.pressure,
                       ("open", "sliding", "sticking")[point.state],
                       (self._shape(point.shapes[0]), self._shape(point.shapes[1])))

    def _shape(self, shape: int) -> str:
        room = c.create_string_buffer(160)
        self._check(lib.flg_touch_shape(self._at, shape, c.addressof(room), self._error.address))
        return text(room.value)

    # --- states -------------------------------------------------------------------------------

    def state(self) -> NDArray[np.uint8]:
        """The state now, as bytes; `set_state` goes on from it bit for bit."""
        state = np.zeros(lib.flg_state_bytes(self._open()), dtype=np.uint8)
        self._check(lib.flg_state_get(self._at, state.ctypes.data, state.nbytes,
                                      self._error.address))
        return state

    def set_state(self, state: NDArray[np.uint8]) -> None:
        """Puts a state back that `state` gave, of this simulation or one of the same system."""
        given = np.ascontiguousarray(state)
        self._check(lib.flg_state_set(self._open(), given.ctypes.data, given.nbytes,
                                      self._error.address))

    def reset(self) -> None:
        """Back to the start: time 0, no input written."""
        self._check(lib.flg_state_reset(self._open(), self._error.address))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves the state in a file, as `flange run --checkpoint` does."""
        self._check(lib.flg_state_save(self._open(), os.fsencode(path), self._error.address))

    def restore(self, path: str | os.PathLike[str]) -> None:
        """Goes on from the state in a file."""
        self._check(lib.flg_state_restore(self._open(), os.fsencode(path), self._error.address))

    # --- interface models ---------------------------------------------------------------------

    def ports(self, *names: str) -> Ports:
        """A set of ports: bodies, markers or ports of what is solved together."""
        self._open()
        return Ports(self, names)


class _Run:
    """Rows of a run, filled in place by the library: time, then all signals."""

    def __init__(self, simulation: Simulation, until: float,
                 each: Callable[[Simulation], object] | None,
                 file: str | os.PathLike[str] | None) -> None:
        if not math.isfinite(until):
            raise UsageError(f"A run ends at a finite time, not at {until}.")
        self.simulation, self.each = simulation, each
        self.until = until - _SLACK * simulation.macro
        steps = max(until - simulation.time, 0) / simulation.macro
        self.table: Array = np.zeros((int(min(steps + 2, _ROWS)), 1 + simulation._width))
        self.rows = 0
        self.start = simulation.state()
        self.place = c.c_void_p(self.table.ctypes.data + 8)
        self.take = bound(quick, "flg_simulation_record", simulation._pointer, self.place)
        self.time = bound(quick, "flg_simulation_time", simulation._pointer)
        self.path = None if file is None else os.fspath(file)
        self.writer = None if file is None else Writer(file, simulation)

    def record(self) -> float:
        """Adds a row; returns its time."""
        if self.rows == len(self.table):
            self.table = np.concatenate([self.table, np.zeros_like(self.table)])
            self.place.value = self.table[self.rows].ctypes.data + 8
        time = self.table[self.rows, 0] = self.time()
        self.take()
        self.place.value += self.table.strides[0]  # type: ignore[operator]
        self.rows += 1
        return time

    def go(self) -> None:
        with Interrupts(self.simulation._open()) as interrupts:
            try:
                self.go_on()
            except FlangeError:
                if interrupts.has_stopped:
                    raise KeyboardInterrupt from None
                raise

    def go_on(self) -> None:
        while self.record() < self.until:
            if self.each is not None:
                self.each(self.simulation)
            self.simulation.step()
            if self.writer is not None:
                self.writer.record()

    def results(self, status: str) -> Results:
        simulation = self.simulation
        if self.writer is not None:
            self.writer.close(status)
        replay = None if self.each is not None else (simulation, self.start)
        return Results(simulation.name, simulation.signals, self.table[:self.rows], status,
                       simulation.text, path=self.path, replay=replay)


def _release(handle: int, pool: int | None) -> None:
    lib.flg_simulation_release(handle)
    lib.flg_threads_release(pool)


def made(status: int, handle: c.c_void_p, mistakes: s.Mistakes, threads: int) -> Simulation:
    """What a call that builds a simulation made, or an exception."""
    if status or pending.list:
        lib.flg_simulation_release(handle)
        fail_mistakes(status, mistakes)
    return Simulation(handle.value or 0, threads)


def load(path: str | os.PathLike[str], *, coupling: Coupling | None = None,
         macro: float | str | None = None, end: float | str | None = None,
         set: Mapping[str, Value] | None = None, threads: int = 1) -> Simulation:
    """Reads a scenario file and all that it names.

    coupling: a scheme, with options after it or as a mapping: "sequential",
        "parallel contacts=smooth", {"scheme": "parallel", "contacts": "smooth"}
    macro, end: macro step and end of the simulation [s], also as "1/60"
    set: keys of the scenario that are changed: {"subsystems.arm.step": 1e-3}
    threads: that share the work of a step; 0: one for each core. Results are bitwise the same.

    Raises InputError with all mistakes at once, MissingError if the file is not there.
    """
    changed = overrides_of(coupling, macro, end, set)
    handle, mistakes = c.c_void_p(), s.Mistakes()
    status = lib.flg_simulation_load(c.addressof(handle), os.fsencode(path), texts(changed),
                                     len(changed), c.addressof(mistakes))
    return made(status, handle, mistakes, threads)


def loads(scenario: str, *, path: str | os.PathLike[str] | None = None,
          coupling: Coupling | None = None, macro: float | str | None = None,
          end: float | str | None = None, set: Mapping[str, Value] | None = None,
          threads: int = 1) -> Simulation:
    """The same of a scenario as text. `path` is the file that it stands for, which need not exist:
    paths in the text are relative to its folder, and messages name it."""
    changed = overrides_of(coupling, macro, end, set)
    handle, mistakes = c.c_void_p(), s.Mistakes()
    status = lib.flg_simulation_load_text(
        c.addressof(handle), encoded(scenario), None if path is None else os.fsencode(path),
        texts(changed), len(changed), c.addressof(mistakes))
    return made(status, handle, mistakes, threads)
