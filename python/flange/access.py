"""What is read, written and fired by name between steps: handles of a simulation.

    angles = sim.outputs("arm/joint1.position", "arm/joint2.position")
    efforts = sim.inputs("arm/joint1.effort", "arm/joint2.effort")
    efforts.write(-100 * angles.read())

Names are looked up once, when a handle is made: `Simulation.output`, `input`, `trigger`.
"""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _structs as s
from ._library import bound, encoded, lib, quick
from .errors import UsageError
from .signals import Signal, signal_of

if TYPE_CHECKING:
    from .simulation import Simulation

Array: TypeAlias = NDArray[np.float64]


class Output:
    """A quantity that is read often: its name is looked up once.

    `values` is memory that `read` fills and hands out again, without copies.
    """

    def __init__(self, simulation: Simulation, name: str) -> None:
        self._simulation = simulation
        self._handle = s.Handle()
        error = simulation._error
        error.check(lib.flg_output_find(simulation._at, encoded(name), c.addressof(self._handle),
                                        error.address))
        self.signal: Signal = signal_of(
            lib.flg_output_signal(simulation._at, self._handle).contents)
        self.values: Array = np.zeros(self.signal.width)
        self._read = bound(quick, "flg_output_read", simulation._pointer, self._handle,
                           c.c_void_p(self.values.ctypes.data), c.c_int(self.signal.width),
                           error.pointer)

    def read(self) -> Array:
        """Reads it as it is now; returns `values`, always the same array."""
        if self._read():
            self._simulation._fail()
        return self.values


class Outputs:
    """Several quantities that are read together.

    `values` has their numbers one after the other; `read` fills it and hands it out again.
    """

    def __init__(self, simulation: Simulation, outputs: Sequence[Output]) -> None:
        self._simulation = simulation
        #: Names, units and widths, in the order of `values`.
        self.signals: list[Signal] = [output.signal for output in outputs]
        self.values: Array = np.zeros(sum(signal.width for signal in self.signals))
        self._handles = (s.Handle * len(outputs))(*[output._handle for output in outputs])
        self._read = bound(quick, "flg_output_read_many", simulation._pointer, self._handles,
                           c.c_int(len(outputs)), c.c_void_p(self.values.ctypes.data),
                           c.c_int(self.values.size), simulation._error.pointer)

    def read(self) -> Array:
        """Reads all of them as they are now; returns `values`, always the same array."""
        if self._read():
            self._simulation._fail()
        return self.values


def _fill(room: Array, values: ArrayLike, taker: str) -> None:
    """Copies numbers for a call; `taker` begins the sentence if there are too few or too many."""
    try:
        room[:] = values
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"The {taker} {room.size} numbers, not {values!r}.") from None


class Input:
    """Something that is written between steps, and held until it is written again."""

    def __init__(self, simulation: Simulation, name: str) -> None:
        self.name = name
        self._simulation = simulation
        self._handle = s.Handle()
        error = simulation._error
        error.check(lib.flg_input_find(simulation._at, encoded(name), c.addressof(self._handle),
                                       error.address))
        #: How many numbers it takes.
        self.width: int = lib.flg_input_width(simulation._at, self._handle)
        self._values: Array = np.zeros(self.width)
        self._first = c.c_double.from_buffer(self._values)
        self._write = bound(quick, "flg_input_write", simulation._pointer, self._handle,
                            c.c_void_p(self._values.ctypes.data), c.c_int(self.width),
                            error.pointer)

    def write(self, values: ArrayLike) -> None:
        """Writes it: one number for all, or `width` of them."""
        if self.width == 1 and isinstance(values, float):
            self._first.value = values  # a tenth of the time that numpy takes for it
        else:
            _fill(self._values, values, f"input '{self.name}' takes")
        if self._write():
            self._simulation._fail()

    def read(self) -> Array:
        """What was written last; NaN: nothing was."""
        values = np.zeros(self.width)
        self._simulation._check(quick.flg_input_read(
            self._simulation._at, self._handle, values.ctypes.data, self.width,
            self._simulation._error.address))
        return values

    def clear(self) -> None:
        """Takes it back, as if it had never been written."""
        self._simulation._check(quick.flg_input_clear(
            self._simulation._at, self._handle, self._simulation._error.address))


class Inputs:
    """Several inputs that are written together."""

    def __init__(self, simulation: Simulation, inputs: Sequence[Input]) -> None:
        self._simulation = simulation
        #: Their names, in the order in which they take numbers.
        self.names: list[str] = [one.name for one in inputs]
        #: How many numbers they take together.
        self.width: int = sum(one.width for one in inputs)
        self._values: Array = np.zeros(self.width)
        self._handles = (s.Handle * len(inputs))(*[one._handle for one in inputs])
        self._write = bound(quick, "flg_input_write_many", simulation._pointer, self._handles,
                            c.c_int(len(inputs)), c.c_void_p(self._values.ctypes.data),
                            c.c_int(self.width), simulation._error.pointer)

    def write(self, values: ArrayLike) -> None:
        """Writes all of them or none: one number for all, or `width` of them."""
        _fill(self._values, values, f"inputs {', '.join(self.names)} take")
        if self._write():
            self._simulation._fail()


class Trigger:
    """An event that is fired by hand."""

    def __init__(self, simulation: Simulation, action: str, target: str, count: int) -> None:
        self._simulation = simulation
        self._count = count
        self._handle = s.Handle()
        error = simulation._error
        error.check(lib.flg_trigger_find(simulation._at, encoded(action), encoded(target), count,
                                         c.addressof(self._handle), error.address))

    def fire(self, values: ArrayLike = ()) -> None:
        """Makes it happen now, with the numbers that it sets."""
        given = np.ascontiguousarray(values, dtype=float).reshape(-1)
        self._simulation._check(lib.flg_trigger_fire(
            self._simulation._at, self._handle, given.ctypes.data if given.size else None,
            given.size, self._simulation._error.address))
