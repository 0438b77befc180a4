"""Changes of a scenario, as texts `key.key=value`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias, Union

import numpy as np

Value: TypeAlias = Union[str, float, bool, Sequence["Value"], Mapping[str, "Value"]]
#: A scheme with options after it, or a mapping of all options.
Coupling: TypeAlias = Union[str, Mapping[str, Value]]


def plain(value: object) -> object:
    """numpy's numbers and arrays as Python's own."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"{value!r} is no value of a scenario: texts, numbers, flags, lists and maps are")


def yaml(value: object) -> str:
    """A value as YAML on one line, which JSON is."""
    if isinstance(value, str):
        return value
    return json.dumps(value, default=plain)


def _coupling(coupling: Coupling) -> dict[str, object]:
    if isinstance(coupling, Mapping):
        return dict(coupling)
    if not isinstance(coupling, str) or not coupling.strip():
        raise TypeError(f"{coupling!r} is no coupling: a scheme with options after it, or a mapping "
                        f"is expected.")
    scheme, *options = coupling.split()
    return {"scheme": scheme} | dict(option.partition("=")[::2] for option in options)


def overrides_of(coupling: Coupling | None, macro: float | str | None, end: float | str | None,
                 set: Mapping[str, Value] | None) -> list[str]:
    """All of them; those of `set` first."""
    if set is not None and not isinstance(set, Mapping):
        raise TypeError(f"{set!r} is no mapping of keys to values, as {{'time.end': 2}}.")
    changes: dict[str, object] = dict(set or {})
    if macro is not None:
        changes["time.macro"] = macro
    if end is not None:
        changes["time.end"] = end
    if coupling is not None:
        changes |= {f"coupling.{key}": value for key, value in _coupling(coupling).items()}
    return [f"{key}={yaml(value)}" for key, value in changes.items()]
