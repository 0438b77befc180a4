"""Exceptions: one for each way in which the library can refuse."""

from __future__ import annotations

import ctypes as c
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from . import _structs as s
from ._library import lib, text

if TYPE_CHECKING:
    from .results import Results


@dataclass(frozen=True)
class Mistake:
    """One thing that is wrong with an input, and where."""

    message: str
    file: str
    line: int  #: from 1; 0: not known
    column: int  #: from 1; 0: not known

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        return f"{place}: {self.message}" if place else self.message


class FlangeError(Exception):
    """Something that the library refused, in a sentence.

    `mistakes` has all that is wrong with an input at once; `file`, `line` and `column` are those of
    the first. `results` holds the rows up to the failure, if a run failed.
    """

    def __init__(self, message: str, mistakes: tuple[Mistake, ...] = ()) -> None:
        super().__init__(message)
        self.mistakes = mistakes
        self.results: Results | None = None

    @property
    def file(self) -> str | None:
        """The file of the first mistake."""
        return self.mistakes[0].file if self.mistakes else None

    @property
    def line(self) -> int | None:
        """The line of the first mistake, from 1; 0: not known."""
        return self.mistakes[0].line if self.mistakes else None

    @property
    def column(self) -> int | None:
        """The column of the first mistake, from 1; 0: not known."""
        return self.mistakes[0].column if self.mistakes else None


class InputError(FlangeError, ValueError):
    """A file, a definition or a name has mistakes."""


class UsageError(FlangeError, ValueError):
    """An argument is outside its range or has a value that is not taken."""


class MissingError(FlangeError, FileNotFoundError):
    """A file cannot be opened for reading."""


class OutputError(FlangeError, OSError):
    """A file cannot be created or written."""


class PhysicsError(FlangeError, ValueError):
    """No mechanical system has this value."""


class DivergedError(FlangeError, ArithmeticError):
    """A state became NaN or infinite."""


class UnsolvedError(FlangeError, ArithmeticError):
    """Contacts or joints were not solved."""


class CapacityError(FlangeError):
    """A capacity chosen at set-up is too small."""


class ToolError(FlangeError):
    """The tool `flange` is missing or failed."""


class NoticeWarning(UserWarning):
    """What was changed to make a simulation start."""


class UnsolvedWarning(UserWarning):
    """A run came to its end, but its results are in doubt."""


class _NoMemory(FlangeError, MemoryError):
    """There is not enough memory."""


# in the order of FLG_STATUS_LIST
_KINDS: tuple[type[FlangeError], ...] = (
    FlangeError, UsageError, _NoMemory, PhysicsError, InputError, MissingError, OutputError,
    DivergedError, FlangeError, CapacityError, UsageError, UnsolvedError)


class _Pending(threading.local):
    """What callbacks in Python raised during a call of this thread: causes of its failure."""

    def __init__(self) -> None:
        self.list: list[BaseException] = []


pending = _Pending()
FAILED_IN_PYTHON = "A function in Python failed."


def _raise(error: FlangeError) -> NoReturn:
    cause = pending.list[0] if pending.list else None
    pending.list.clear()
    if cause is not None and not isinstance(cause, Exception):
        raise cause  # Ctrl-C inside a callback
    raise error from cause


def fail(status: int, error: s.Error) -> NoReturn:
    """Raises what a failed call with a flg_error tells."""
    message = text(error.message) or text(lib.flg_status_text(status))
    _raise(_KINDS[status](message))


def fail_mistakes(status: int, mistakes: s.Mistakes) -> NoReturn:
    """Raises what a failed call with flg_mistakes tells: all of them."""
    listed = mistakes.list[:min(mistakes.count, len(mistakes.list))]
    found = tuple(Mistake(text(m.message), text(m.file), m.line, m.column) for m in listed)
    lines = [str(mistake) for mistake in found] or [
        text(lib.flg_status_text(status)) if status else FAILED_IN_PYTHON]
    if mistakes.count > len(found):
        lines.append(f"... and {mistakes.count - len(found)} more")
    _raise(_KINDS[status]("\n".join(lines), found))


class ErrorPlace:
    """A flg_error with its address, made once for calls that are made often."""

    def __init__(self) -> None:
        self.struct = s.Error()
        self.address = c.addressof(self.struct)
        self.pointer = c.c_void_p(self.address)

    def check(self, status: int) -> None:
        """Raises if a call failed, or if a callback did."""
        if status:
            fail(status, self.struct)
