"""Names, units and widths of quantities."""

from __future__ import annotations

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
