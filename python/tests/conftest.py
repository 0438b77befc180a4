"""Where the examples are, and the package of this checkout in front of any other."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))


@pytest.fixture
def root() -> pathlib.Path:
    return ROOT


@pytest.fixture
def examples() -> pathlib.Path:
    return ROOT / "examples"
