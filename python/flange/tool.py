"""What the tool `flange` does besides running: comparisons, analyses, reports.

The library has no functions for these, so the tool runs as a process of its own, and what it prints
with `--json` (docs/json.md) is read. It is looked for in FLANGE_TOOL, beside the library, and on the
path.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._library import lib
from .errors import InputError, Mistake, MissingError, ToolError, UnsolvedError, UsageError
from .overrides import Value, yaml

Array = NDArray[np.float64]
Path = str | os.PathLike[str]

#: By exit code of the tool (sysexits.h).
_KINDS = {64: UsageError, 65: InputError, 66: MissingError, 70: UnsolvedError}


def _find() -> str:
    named = os.environ.get("FLANGE_TOOL")
    if named:
        return named
    library = pathlib.Path(lib._name)
    for place in (library.parent / "flange", library.parent.parent / "bin" / "flange"):
        if library.is_absolute() and place.is_file():
            return str(place)
    found = shutil.which("flange")
    if found is None:
        raise ToolError("The tool 'flange' is not on the path: install it, or set FLANGE_TOOL to "
                        "where it is.")
    return found


def call(verb: str, *arguments: str) -> dict[str, Any]:
    """Runs a verb of the tool and returns what it prints as JSON."""
    try:
        run = subprocess.run([_find(), verb, "--json", *arguments], capture_output=True, text=True,
                             check=False)
    except OSError as error:
        raise ToolError(f"The tool 'flange' cannot be started: {error}.") from None
    try:
        told = json.loads(run.stdout)
    except ValueError:
        raise ToolError(f"'flange {verb}' ended with exit code {run.returncode}: "
                        f"{run.stderr.strip() or 'it said nothing'}") from None
    if run.returncode != 0:
        mistakes = tuple(Mistake(m["message"], m["file"], m["line"], m["column"])
                         for m in told.get("errors") or [])
        message = "\n".join(map(str, mistakes)) or told.get("error") or run.stderr.strip()
        raise _KINDS.get(run.returncode, ToolError)(message, mistakes)
    return told


def _set(changes: Mapping[str, Value] | None) -> list[str]:
    return [word for key, value in (changes or {}).items() for word in ("--set",
                                                                        f"{key}={yaml(value)}")]


def _list(values: str | float | Sequence[str | float]) -> str:
    return str(values) if isinstance(values, str | float | int) else ",".join(map(str, values))


@dataclass(frozen=True)
class ComparedRun:
    """One coupling with one macro step, against the monolithic solution."""

    coupling: str
    macro: float  #: macro step [s]
    status: str  #: "complete" or "diverged"
    diverged_at: float | None  #: when [s]
    errors: dict[str, dict[str, float | None]]  #: by signal: "max", "rms", "final"
    wall_seconds: float
    real_time_factor: float | None


@dataclass(frozen=True)
class Comparison:
    """What `compare` found."""

    runs: tuple[ComparedRun, ...]
    reference: dict[str, Any]  #: coupling, macro step, step and integrator of the reference

    def error(self, signal: str, coupling: str, macro: float | None = None,
              kind: str = "max") -> float:
        """The error of a signal with a coupling: "max", "rms" or "final"; NaN if there is none."""
        for run in self.runs:
            if run.coupling == coupling and (macro is None or np.isclose(run.macro, macro)):
                found = run.errors[signal][kind]
                return float("nan") if found is None else found
        raise KeyError(f"coupling '{coupling}' was not run with that macro step; there are "
                       f"{', '.join(sorted({run.coupling for run in self.runs}))}")

    def __str__(self) -> str:
        """A table of the largest errors."""
        lines = []
        for signal in self.runs[0].errors if self.runs else ():
            lines.append(signal)
            lines += [f"  {run.coupling:24} {run.macro:10.6g} s  "
                      f"{_number(run.errors[signal]['max']):>10}  {run.status}"
                      for run in self.runs]
        return "\n".join(lines)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def compare(scenario: Path, coupling: str | Sequence[str] | None = None,
            macro: str | float | Sequence[str | float] | None = None, *,
            set: Mapping[str, Value] | None = None, threads: int = 0) -> Comparison:
    """Runs a scenario file as a whole, exactly, and with each coupling and macro step; tells by how
    much what is recorded differs. As `flange compare`, which does the work."""
    words = [os.fspath(scenario), "--threads", str(threads), *_set(set)]
    if coupling is not None:
        words += ["--coupling", _list(coupling)]
    if macro is not None:
        words += ["--macro", _list(macro)]
    told = call("compare", *words)
    runs = tuple(ComparedRun(run["coupling"], run["macro"], run["status"], run.get("diverged_at"),
                             run["errors"], run["wall_seconds"], run.get("real_time_factor"))
                 for run in told["runs"])
    return Comparison(runs, told["reference"])


@dataclass(frozen=True)
class Side:
    """How one side of an interface answers to forces."""

    admittance: Array  #: D (6, 6), rows of [linear; angular] in world axes
    rank: int
    condition: float  #: infinite where the rank is below 6
    singular_values: Array
    effective_mass: Array | None  #: D^-1, where it exists
    masses: Array  #: of translation, along `axes` [kg]
    axes: Array  #: (3, 3), row by row
    closed_contacts: int


@dataclass(frozen=True)
class Analysis:
    """What `analyze` found."""

    interface: str
    sides: dict[str, Side]  #: by subsystem

    def __getitem__(self, subsystem: str) -> Side:
        return self.sides[subsystem]


def _side(told: dict[str, Any]) -> Side:
    mass, condition = told["effective_mass"], told["condition"]
    numbers = [np.array(values, dtype=float) for values in (
        told["admittance"], told["singular_values"], told["ellipsoid"]["masses"],
        told["ellipsoid"]["axes"])]
    return Side(numbers[0], told["rank"], float("inf") if condition is None else condition,
                numbers[1], None if mass is None else np.array(mass), numbers[2], numbers[3],
                told["closed_contacts"])


def analyze(scenario: Path, interface: str | None = None, *, side: str | None = None,
            pose: Mapping[str, float | str] | Sequence[float | str] | None = None,
            lock: Sequence[str] = (), at: float | None = None, contacts: str | None = None,
            set: Mapping[str, Value] | None = None) -> Analysis:
    """Looks at an interface between two subsystems from either side, at the start or at another
    pose or time. As `flange analyze`, which does the work."""
    words = [os.fspath(scenario), *_set(set)]
    if isinstance(pose, Mapping):
        pose = [f"{joint}={value}" for joint, value in pose.items()]
    for option, value in (("interface", interface), ("side", side), ("at", at),
                          ("contacts", contacts), ("pose", pose and _list(pose)),
                          ("lock", _list(lock))):
        if value:
            words += [f"--{option}", str(value)]
    told = call("analyze", *words)
    return Analysis(told["interface"], {name: _side(one) for name, one in told["sides"].items()})


def report(results: Path | Sequence[Path], output: Path) -> None:
    """Writes one HTML file with the 3-D view and plots of results files (.h5). As `flange report`."""
    files = [results] if isinstance(results, str | os.PathLike) else list(results)
    call("report", *map(os.fspath, files), "--output", os.fspath(output))
