"""Names, units and widths of quantities."""

from __future__ import annotations

import ctypes as c
from dataclasses import dataclass

from . import _structs as s
from ._library import text


@dataclass(frozen=True)
class Signal:
    """A quantity: what it is called, its unit, and how many numbers it has."""

    name: str  #: "hand/box/U.position"
    unit: str = ""  #: "m"; empty if it has none
    width: int = 1  #: numbers; 1 without components: a scalar
    components: tuple[str, ...] = ()  #: ("x", "y", "z"); empty: they are numbered from 0

    @property
    def is_scalar(self) -> bool:
        """True for one number that is not a vector of one."""
        return self.width == 1 and not self.components


def signal_of(struct: s.Signal) -> Signal:
    """The same in Python, copied."""
    components: tuple[str, ...] = ()
    if struct.components:
        components = tuple(text(struct.components[k]) for k in range(struct.width))
    return Signal(text(struct.name), text(struct.unit), struct.width, components)


def struct_of(signal: Signal) -> s.Signal:
    """The same for a call; texts live as long as the struct."""
    components = None
    if signal.components:
        words = [component.encode() for component in signal.components]
        components = (c.c_char_p * signal.width)(*words)
    return s.Signal(signal.name.encode(), signal.unit.encode(), signal.width, components)
