"""Interface models: how ports answer to forces, and what becomes of models that are joined.

    a = D x + r

with forces x on the ports, the admittance D, and the accelerations r without forces on them. A port
has six rows: [linear; angular] at its origin, in world axes.
"""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _structs as s
from ._library import lib, texts
from .errors import ErrorPlace, UsageError

if TYPE_CHECKING:
    from .simulation import Simulation

Array = NDArray[np.float64]


@dataclass(frozen=True)
class InterfaceModel:
    """A model a = D x + r of n rows, with their velocities w."""

    D: Array  #: admittance (n, n), symmetric, semidefinite
    r: Array  #: accelerations without forces on the rows (n)
    w: Array  #: velocities (n)

    def _figures(self) -> s.AdmittanceFigures:
        error, figures = ErrorPlace(), s.AdmittanceFigures()
        matrix, work = _square(self.D)
        error.check(lib.flg_admittance_measure(len(matrix), matrix.ctypes.data, work.ctypes.data,
                                               c.addressof(figures), error.address))
        return figures

    @property
    def rank(self) -> int:
        """Directions in which it yields."""
        return self._figures().rank

    @property
    def condition(self) -> float:
        """Largest by smallest singular value of D; infinite where the rank is below the rows."""
        return self._figures().condition

    @property
    def mass(self) -> Array:
        """The effective mass D^-1. Raises PhysicsError if D has none."""
        error = ErrorPlace()
        matrix, work = _square(self.D)
        mass = np.zeros_like(matrix)
        error.check(lib.flg_admittance_mass(len(matrix), matrix.ctypes.data, work.ctypes.data,
                                            mass.ctypes.data, error.address))
        return mass

    def mass_along(self, direction: ArrayLike) -> float:
        """What resists a force along a direction of n numbers [kg or kg m^2]; infinite if nothing
        yields that way."""
        matrix, _ = _square(self.D)
        along = np.ascontiguousarray(direction, dtype=float).reshape(-1)
        if len(along) != len(matrix) or not along.any():
            raise UsageError(f"A direction has {len(matrix)} numbers that are not all zero.")
        return lib.flg_admittance_along(len(matrix), matrix.ctypes.data, along.ctypes.data)


class Ports:
    """A set of ports of a running simulation."""

    def __init__(self, simulation: Simulation, names: Sequence[str]) -> None:
        self._simulation = simulation
        self._handle = s.Handle()
        self.names = tuple(names)
        error = simulation._error
        error.check(lib.flg_ports_find(simulation._at, texts(list(names)), len(names),
                                       c.addressof(self._handle), error.address))
        #: Six a port.
        self.rows: int = lib.flg_ports_rows(simulation._at, self._handle)

    def model(self, tau: float | None = None) -> InterfaceModel:
        """The model now. tau: for how long it will be used, the macro step if not given [s]."""
        at = self._simulation._open()
        model = InterfaceModel(np.zeros((self.rows, self.rows)), np.zeros(self.rows),
                               np.zeros(self.rows))
        self._simulation._check(lib.flg_ports_reduce(
            at, self._handle, self._simulation.macro if tau is None else tau, self.rows,
            model.D.ctypes.data, model.r.ctypes.data, model.w.ctypes.data,
            self._simulation._error.address))
        return model


@dataclass(frozen=True)
class Eliminated:
    """What `eliminate` leaves: y_keep = H x_keep + b, and the way back to the reactions."""

    H: Array  #: (k, k)
    b: Array  #: (k)
    rank: int  #: rows of G that are not redundant
    _memory: NDArray[np.uint8]
    _sizes: tuple[int, int]

    def back(self, forces: ArrayLike | None = None) -> tuple[Array, Array]:
        """The reactions (m) and the forces on all rows (n), under forces (k) on those kept."""
        error = ErrorPlace()
        reactions, everywhere = (np.zeros(size) for size in self._sizes)
        given = np.zeros(len(self.b)) if forces is None else _vector(forces, len(self.b), "forces")
        error.check(lib.flg_eliminate_back(self._memory.ctypes.data, given.ctypes.data,
                                           reactions.ctypes.data, everywhere.ctypes.data,
                                           error.address))
        return reactions, everywhere


def eliminate(models: Sequence[tuple[ArrayLike, ArrayLike]], G: ArrayLike, keep: Sequence[int],
              gamma: ArrayLike | None = None) -> Eliminated:
    """Closes rows of one or two models, put one under the other.

        y = H x + b,   G y = gamma,   x = x_keep + G^T l

    models: (D, r) of each; keep: rows that stay, in the order they come out. With one model this
    closes a loop or holds a port, with two it joins them. Redundant rows of G are left out.
    """
    if len(models) not in (1, 2):
        raise UsageError(f"One or two models are eliminated at once, not {len(models)}.")
    matrices = [_square(D)[0] for D, _ in models]
    biases = [_vector(r, len(D), "r") for (_, r), D in zip(models, matrices)]
    rows = sum(len(D) for D in matrices)
    closed = np.ascontiguousarray(G, dtype=float).reshape(-1, rows)
    kept = np.ascontiguousarray(keep, dtype=np.intc).reshape(-1)
    target = np.zeros(len(closed)) if gamma is None else _vector(gamma, len(closed), "gamma")
    stack = s.Stack()
    lib.flg_stack_clear(c.addressof(stack), c.sizeof(stack))
    for k, (D, r) in enumerate(zip(matrices, biases)):
        stack.rows[k], stack.admittance[k], stack.bias[k] = len(D), D.ctypes.data, r.ctypes.data
    stack.constraints, stack.matrix, stack.target = (len(closed), closed.ctypes.data,
                                                     target.ctypes.data)
    stack.kept, stack.keep = len(kept), kept.ctypes.data
    return _eliminate(stack, len(closed), rows)


def _eliminate(stack: s.Stack, constraints: int, rows: int) -> Eliminated:
    error, rank = ErrorPlace(), c.c_int()
    memory = np.zeros(lib.flg_eliminate_bytes(c.addressof(stack)), dtype=np.uint8)
    H, b = np.zeros((stack.kept, stack.kept)), np.zeros(stack.kept)
    error.check(lib.flg_eliminate(c.addressof(stack), memory.ctypes.data, memory.nbytes,
                                  H.ctypes.data, b.ctypes.data, c.addressof(rank), error.address))
    return Eliminated(H, b, rank.value, memory, (constraints, rows))


def join(first: InterfaceModel, second: InterfaceModel, pairs: Sequence[tuple[int, int]],
         keep: Sequence[int]) -> Eliminated:
    """Joins two models: row i of the first and j of the second move alike, for each pair."""
    n = len(first.r)
    G = np.zeros((len(pairs), n + len(second.r)))
    for row, (i, j) in enumerate(pairs):
        G[row, i], G[row, n + j] = 1, -1
    return eliminate([(first.D, first.r), (second.D, second.r)], G, keep)


def _square(matrix: ArrayLike) -> tuple[Array, Array]:
    """The matrix row by row, and work space for it."""
    rows = np.ascontiguousarray(matrix, dtype=float)
    if rows.ndim != 2 or rows.shape[0] != rows.shape[1]:
        raise UsageError(f"An admittance is a square matrix, not of shape {rows.shape}.")
    return rows, np.zeros(lib.flg_admittance_numbers(len(rows)))


def _vector(values: ArrayLike, count: int, name: str) -> Array:
    vector = np.ascontiguousarray(values, dtype=float).reshape(-1)
    if len(vector) != count:
        raise UsageError(f"{name} has {count} numbers, not {len(vector)}.")
    return vector
