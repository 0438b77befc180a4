"""Results in files, .h5 or .csv: written row by row, and read again.

Calls keep the interpreter lock: HDF5 is not built for threads.
"""

from __future__ import annotations

import ctypes as c
import os
from typing import TYPE_CHECKING

import numpy as np

from . import _structs as s
from ._library import bound, quick, text
from .errors import ErrorPlace
from .results import Results
from .signals import signal_of, struct_of

if TYPE_CHECKING:
    from .simulation import Simulation

#: What a viewer needs has names below this.
_VIEW = "@view/"


class Writer:
    """A file that rows of a simulation go to; .h5 with all that `flange report` shows."""

    def __init__(self, path: str | os.PathLike[str], simulation: Simulation) -> None:
        self._error, self._handle = ErrorPlace(), c.c_void_p()
        opened = (quick.flg_writer_open if os.fspath(path).endswith(".csv")
                  else quick.flg_writer_open_view)
        self._error.check(opened(c.addressof(self._handle), os.fsencode(path),
                                 simulation._open(), self._error.address))
        self._record = bound(quick, "flg_writer_record", self._handle, simulation._pointer,
                             self._error.pointer)

    def record(self) -> None:
        """Writes a row: now. The first one is written already."""
        self._error.check(self._record())

    def close(self, status: str) -> None:
        """Ends the file: "complete", "interrupted", "diverged", ..."""
        handle, self._handle.value = self._handle.value, None
        self._error.check(quick.flg_writer_close(handle, status.encode(), self._error.address))


def save(results: Results, path: str | os.PathLike[str]) -> None:
    """Writes a table that is there already."""
    error, handle = ErrorPlace(), c.c_void_p()
    signals = (s.Signal * max(len(results.signals), 1))(*map(struct_of, results.signals))
    error.check(quick.flg_writer_open_signals(
        c.addressof(handle), os.fsencode(path), results.name.encode(), c.addressof(signals),
        len(results.signals), error.address))
    table = np.ascontiguousarray(results.table)
    try:
        for time, row in zip(table[:, 0], table):
            error.check(quick.flg_writer_row(handle, time, row.ctypes.data + 8, len(row) - 1,
                                             error.address))
    except BaseException:
        quick.flg_writer_close(handle, None, None)
        raise
    error.check(quick.flg_writer_close(handle, results.status.encode(), error.address))


def read(path: str | os.PathLike[str]) -> Results:
    """Reads results that `flange run -o`, `run(file=...)` or `Results.save` wrote, .h5 or .csv."""
    error, handle = ErrorPlace(), c.c_void_p()
    error.check(quick.flg_reader_open(c.addressof(handle), os.fsencode(path), error.address))
    try:
        return _read(handle, error, os.fspath(path))
    finally:
        quick.flg_reader_close(handle)


def _read(handle: c.c_void_p, error: ErrorPlace, path: str) -> Results:
    count = c.c_int()
    listed = quick.flg_reader_signals(handle, c.byref(count))
    signals = {k: signal_of(listed[k]) for k in range(count.value)}
    shown = {k: signal for k, signal in signals.items() if not signal.name.startswith(_VIEW)}
    rows = quick.flg_reader_rows(handle)
    table = np.zeros((rows, 1 + sum(signal.width for signal in shown.values())))
    column = 0
    for number, width in [(-1, 1), *((k, signal.width) for k, signal in shown.items())]:
        values = np.zeros((rows, width))
        error.check(quick.flg_reader_read(handle, number, 0, rows, values.ctypes.data,
                                          error.address))
        table[:, column:column + width] = values
        column += width
    return Results(os.path.basename(path), list(shown.values()), table,
                   text(quick.flg_reader_status(handle)), text(quick.flg_reader_scenario(handle)),
                   path=path)
