"""Reports, which the tool `flange` makes: their page is a part of the tool, not of the library.

It runs as a process of its own, and what it prints with `--json` (docs/json.md) is read. It is
looked for in FLANGE_TOOL, beside the library, and on the path.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

from ._library import lib
from .errors import InputError, Mistake, MissingError, ToolError, UnsolvedError, UsageError

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


def report(results: Path | Sequence[Path], output: Path) -> None:
    """Writes one HTML file with the 3-D view and plots of results files (.h5). As `flange report`."""
    files = [results] if isinstance(results, str | os.PathLike) else list(results)
    call("report", *map(os.fspath, files), "--output", os.fspath(output))
