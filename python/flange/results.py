"""Results: what a run recorded, a row for each communication point.

    results = sim.run()
    results["time"]                      (rows)
    results["hand/box/U.position"]       (rows, 3)

Columns are views of one table: nothing is copied.
"""

from __future__ import annotations

import html
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .errors import FlangeError, UsageError
from .signals import Signal

if TYPE_CHECKING:
    from .simulation import Simulation

Array = NDArray[np.float64]


class Results(Mapping[str, Array]):
    """Columns by name: "time", then what the scenario records."""

    def __init__(self, name: str, signals: Sequence[Signal], table: Array, status: str,
                 scenario: str = "", path: str | None = None,
                 replay: tuple[Simulation, NDArray[np.uint8]] | None = None) -> None:
        self.name = name
        self.signals = tuple(signals)  #: all but the time
        self.table = table  #: (rows, 1 + widths): time, then all signals
        #: "complete", "unsolved", "interrupted", "diverged" or "error"
        self.status = status
        self.scenario = scenario  #: as text
        self.path = path  #: of the file that they are in, if any
        self._replay = replay
        self._columns: dict[str, tuple[Signal, int]] = {}
        column = 1
        for signal in self.signals:
            self._columns[signal.name] = signal, column
            column += signal.width

    def __getitem__(self, name: str) -> Array:
        """The times, or the values of a signal: (rows) of a scalar, else (rows, width)."""
        if name == "time":
            return self.table[:, 0]
        signal, column = self._column(name)
        if signal.is_scalar:
            return self.table[:, column]
        return self.table[:, column:column + signal.width]

    def __iter__(self) -> Iterator[str]:
        yield "time"
        yield from self._columns

    def __len__(self) -> int:
        return 1 + len(self._columns)

    def __repr__(self) -> str:
        return f"<flange.Results of '{self.name}', {len(self.table)} rows, {self.status}>"

    def unit(self, name: str) -> str:
        """The unit of a column; empty if it has none."""
        return "s" if name == "time" else self._column(name)[0].unit

    def _column(self, name: str) -> tuple[Signal, int]:
        if name not in self._columns:
            raise KeyError(f"'{name}' was not recorded; there are time, {', '.join(self._columns)}")
        return self._columns[name]

    def __getstate__(self) -> dict[str, object]:
        """For pickle and copies: all but the simulation that can run again for a page."""
        return self.__dict__ | {"_replay": None}

    # --- files and pages ----------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the table to a file, .h5 or .csv. For a file that `flange report` shows in space
        use `run(file=...)`."""
        from .files import save

        save(self, path)

    def page(self) -> str:
        """The page of `flange report` as HTML: the 3-D view, plots, and a summary.

        A run that was not written to a file is done again for it, from the state that it started
        in, bit for bit; the simulation is then where it was. Raises UsageError where that cannot
        be: a run with `each`, a simulation that is closed or has new inputs.
        """
        from .tool import report

        with tempfile.TemporaryDirectory() as folder:
            source, page = self.path, os.path.join(folder, "report.html")
            if source is None or source.endswith(".csv"):
                source = os.path.join(folder, "run.h5")
                self._write_again(source)
            report(source, page)
            with open(page, encoding="utf-8") as file:
                return file.read()

    def _write_again(self, path: str) -> None:
        if self._replay is None:
            raise UsageError("These results have no view in space; a run that is written to a "
                             "file has: run(file='results.h5').")
        simulation, start = self._replay
        simulation._write_again(path, start, len(self.table), self.status)

    def _repr_html_(self) -> str:
        """In a notebook: the page in a frame; a line if it cannot be had, with the reason."""
        try:
            page = html.escape(self.page(), quote=True)
        except FlangeError as error:
            return f"<p>{html.escape(repr(self))}</p><p>{html.escape(str(error))}</p>"
        return (f'<iframe srcdoc="{page}" width="100%" height="640" '
                f'style="border: 1px solid #ccc"></iframe>')
