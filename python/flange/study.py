"""What a coupling costs, and how the sides of an interface answer to forces."""

from __future__ import annotations

import ctypes as c
import math
import os
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _structs as s
from ._library import lib, text, texts
from .errors import ErrorPlace, InputError, UsageError, fail_mistakes, pending
from .models import System
from .overrides import Value, overrides_of
from .simulation import Simulation, load, made

Array = NDArray[np.float64]
Path = str | os.PathLike[str]

#: Seconds between looks for Ctrl-C while the runs of a comparison go on.
_PATIENCE = 0.05


def _list(values: str | float | Sequence[str | float] | None) -> bytes | None:
    """A list with commas; None as it is."""
    if values is None:
        return None
    many = [values] if isinstance(values, str | float | int) else values
    return ",".join(map(str, many)).encode()


@dataclass(frozen=True)
class ComparedRun:
    """One coupling with one macro step, against the monolithic solution."""

    coupling: str
    macro: float  #: macro step [s]
    status: str  #: "complete" or "diverged"
    diverged_at: float | None  #: when [s]
    errors: dict[str, dict[str, float]]  #: by signal: "max", "rms", "final"; NaN: there is none
    wall_seconds: float
    integrator: str  #: by which it steps


@dataclass(frozen=True)
class Comparison:
    """What `compare` found."""

    runs: tuple[ComparedRun, ...]
    reference: ComparedRun  #: the monolithic solution

    def error(self, signal: str, coupling: str, macro: float | None = None,
              kind: str = "max") -> float:
        """The error of a signal with a coupling: "max", "rms" or "final"; NaN if there is none."""
        for run in self.runs:
            if run.coupling == coupling and (macro is None or np.isclose(run.macro, macro)):
                return run.errors[signal][kind]
        raise KeyError(f"coupling '{coupling}' was not run with that macro step; there are "
                       f"{', '.join(sorted({run.coupling for run in self.runs}))}")

    def __str__(self) -> str:
        """A table of the largest errors."""
        lines = []
        for signal in self.runs[0].errors if self.runs else ():
            lines.append(signal)
            lines += [f"  {run.coupling:24} {run.macro:10.6g} s  "
                      f"{run.errors[signal]['max']:>10.3g}  {run.status}" for run in self.runs]
        return "\n".join(lines)


class _Study:
    """A flg_study: built, run, asked."""

    def __init__(self, scenario: Path | System, couplings: bytes | None, macros: bytes | None,
                 changed: list[str]) -> None:
        self.error = ErrorPlace()
        handle, mistakes = c.c_void_p(), s.Mistakes()
        build, source = ((lib.flg_study_build, scenario._at) if isinstance(scenario, System)
                         else (lib.flg_study_load, os.fsencode(scenario)))
        status = build(c.addressof(handle), source, couplings, macros, texts(changed),
                       len(changed), c.addressof(mistakes))
        if status or pending.list:
            lib.flg_study_release(handle)
            fail_mistakes(status, mistakes)
        self.at = handle.value
        self.stop = c.c_int(0)
        self.finalizer = weakref.finalize(self, lib.flg_study_release, self.at)
        lib.flg_study_watch(self.at, c.addressof(self.stop))

    def run(self, threads: int) -> None:
        """All runs, while this thread looks for Ctrl-C."""
        pool, status, raised = c.c_void_p(), [0], []
        if threads != 1:
            self.error.check(lib.flg_threads_build(c.addressof(pool), threads, self.error.address))

        # an event: Thread.join takes a thread for ended once Ctrl-C has interrupted it
        done = threading.Event()

        def work() -> None:
            status[0] = lib.flg_study_run(self.at, pool, self.error.address)
            raised.extend(pending.list)
            done.set()

        threading.Thread(target=work).start()
        try:
            while not done.wait(_PATIENCE):
                pass
        finally:
            self.stop.value = 1
            done.wait()
            lib.flg_threads_release(pool)
        pending.list.extend(raised)
        self.error.check(status[0])

    def signals(self) -> list[str]:
        """Names of what is recorded."""
        reference = lib.flg_study_simulation(self.at, -1)
        listed = lib.flg_simulation_signals(reference)
        return [text(listed[k].name) for k in range(lib.flg_simulation_signal_count(reference))]

    def errors(self, run: int) -> dict[str, dict[str, float]]:
        """By signal; those that tell how a run does are left out."""
        found, of = {}, s.Difference()
        for name in self.signals():
            status = lib.flg_study_difference(self.at, run, name.encode(), c.addressof(of),
                                              self.error.address)
            if status == 0:
                found[name] = {"max": of.max, "rms": of.rms, "final": of.final}
        return found

    def look(self, run: int) -> ComparedRun:
        """One run; -1: the reference."""
        of = s.StudyOutcome()
        self.error.check(lib.flg_study_look(self.at, run, c.addressof(of), self.error.address))
        diverged = None if math.isnan(of.diverged_at) else of.diverged_at
        return ComparedRun(text(of.coupling), of.macro, "diverged" if of.status else "complete",
                           diverged, self.errors(run), of.wall, text(of.integrator))


def compare(scenario: Path | System, coupling: str | Sequence[str] | None = None,
            macro: str | float | Sequence[str | float] | None = None, *,
            set: Mapping[str, Value] | None = None, threads: int = 0) -> Comparison:
    """Runs a scenario file or a system as a whole, exactly, and with each coupling and macro step;
    tells by how much what is recorded differs. As `flange compare`.

    coupling, macro: those of the scenario if not given
    threads: runs at once; 0: one on each core, 1 for true wall times
    """
    study = _Study(scenario, _list(coupling), _list(macro), overrides_of(None, None, None, set))
    study.run(threads)
    runs = tuple(study.look(k) for k in range(lib.flg_study_count(study.at)))
    return Comparison(runs, study.look(-1))


@dataclass(frozen=True)
class Side:
    """How one side of an interface answers to forces."""

    admittance: Array  #: D (6, 6), rows of [linear; angular] in world axes
    rank: int
    condition: float  #: infinite where the rank is below 6
    singular_values: Array
    effective_mass: Array | None  #: D^-1, where it exists
    masses: Array  #: of translation, along `axes` [kg]
    axes: Array  #: (3, 3), an axis a row
    closed_contacts: int
    effective_stiffness: Array | None  #: of elastic links
    effective_damping: Array | None  #: likewise
    position: Array  #: of the port [m]


@dataclass(frozen=True)
class Analysis:
    """What `analyze` found."""

    interface: str
    sides: dict[str, Side]  #: by subsystem

    def __getitem__(self, subsystem: str) -> Side:
        return self.sides[subsystem]


def _matrix(numbers: Any, rows: int = 6) -> Array:
    return np.array(numbers).reshape(rows, -1)


def _known(numbers: Any) -> Array | None:
    matrix = _matrix(numbers)
    return None if np.isnan(matrix).any() else matrix


def _look(sim: Simulation, interface: str | None, end: int, smooth: bool) -> tuple[str, Side]:
    of = s.Side(size=c.sizeof(s.Side))
    name = None if interface is None else interface.encode()
    sim._error.check(lib.flg_side_look(sim._at, name, end, smooth, c.addressof(of),
                                       sim._error.address))
    return text(of.subsystem), Side(
        _matrix(of.admittance), of.rank, of.condition, np.array(of.singular), _known(of.mass),
        np.array(of.masses), _matrix(of.axes, 3), of.closed_contacts, _known(of.stiffness),
        _known(of.damping), np.array(of.position))


def _number(value: float | str) -> float:
    """As in files: 0.5, "1/3", "45 deg"."""
    if not isinstance(value, str):
        return float(value)
    number, scale = value.strip(), 1.0
    if number.endswith("deg"):
        number, scale = number.removesuffix("deg"), math.pi / 180
    above, _, below = number.partition("/")
    try:
        return float(above) / float(below or 1) * scale
    except (ValueError, ZeroDivisionError):
        raise UsageError(f"'{value}' is no position; expected a number, as in 0.5 or '45 deg'.") \
            from None


def _joints(sim: Simulation, subsystem: str) -> list[str]:
    """Joints of a robot with one coordinate, in their order."""
    names = [signal.name for signal in sim.quantities if signal.width == 1]
    efforts = {name.removesuffix(".effort") for name in names if name.endswith(".effort")}
    found = (name.removesuffix(".position") for name in names if name.endswith(".position"))
    return [name.removeprefix(f"{subsystem}/") for name in found
            if name.startswith(f"{subsystem}/") and name in efforts]


def _act(sim: Simulation, subsystems: Sequence[str], action: str, joint: str,
         values: Sequence[float]) -> None:
    """On the first subsystem that has the joint."""
    for subsystem in subsystems:
        try:
            trigger = sim.trigger(action, f"{subsystem}/{joint}", len(values))
        except InputError as error:
            missed = error
            continue
        trigger.fire(values)
        return
    raise missed


def _set_pose(sim: Simulation, subsystems: Sequence[str],
              pose: Mapping[str, float | str] | Sequence[float | str]) -> None:
    if not isinstance(pose, Mapping):
        joints = next(filter(None, (_joints(sim, name) for name in subsystems)), [])
        if len(pose) > len(joints):
            raise UsageError(f"There are {len(pose)} positions for {len(joints)} joints.")
        pose = dict(zip(joints, pose))
    for joint, value in pose.items():
        _act(sim, subsystems, "set", joint, [_number(value)])


def _load_apart(scenario: Path | System, changed: list[str]) -> Simulation:
    handle, mistakes = c.c_void_p(), s.Mistakes()
    status = lib.flg_simulation_load_apart(c.addressof(handle), os.fsencode(scenario),
                                           texts(changed), len(changed), c.addressof(mistakes))
    return made(status, handle, mistakes, 1)


def _sides(sim: Simulation, interface: str | None, side: str | None,
           smooth: bool) -> dict[str, Side]:
    """Of both ends but the world."""
    found, missed = {}, None
    for end in (0, 1):
        try:
            name, one = _look(sim, interface, end, smooth)
        except InputError as error:
            missed = error
            continue
        if side in (None, name):
            found[name] = one
    if not found:
        raise missed or UsageError(f"The interface does not join '{side}'.")
    return found


def analyze(scenario: Path | Simulation, interface: str | None = None, *, side: str | None = None,
            pose: Mapping[str, float | str] | Sequence[float | str] | None = None,
            lock: Sequence[str] = (), at: float | None = None, contacts: str | None = None,
            set: Mapping[str, Value] | None = None) -> Analysis:
    """Looks at an interface between two subsystems from either side, at the start or at another
    pose or time. As `flange analyze`.

    scenario: a file; or a simulation, which is looked at as it is (and changed by pose and lock):
        one whose subsystems are coupled, not solved as one
    pose: positions of joints by name, or in their order, also as "45 deg"
    at: the scenario first runs to that time, one subsystem after the other
    contacts: closed ones are left open ("nonsmooth"), or joints ("smooth")
    """
    if contacts not in (None, "smooth", "nonsmooth"):
        raise UsageError(f"Contacts are 'smooth' or 'nonsmooth', not '{contacts}'.")
    if isinstance(scenario, Simulation):
        sim = scenario
    elif at is None:
        sim = _load_apart(scenario, overrides_of(None, None, None, set))
    else:
        sim = load(scenario, set={"coupling.scheme": "sequential"} | dict(set or {}))
    while at is not None and sim.time < at * (1 - 1e-12):
        sim.step()
    smooth = contacts == "smooth"
    sides = _sides(sim, interface, side, smooth)
    if pose is not None:
        _set_pose(sim, list(sides), pose)
    for joint in lock:
        _act(sim, list(sides), "lock", joint, [])
    name = interface if interface is not None else sim.interfaces[0].name
    return Analysis(name, _sides(sim, interface, side, smooth))
