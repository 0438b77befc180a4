"""The library is the one of the headers: structs, functions, versions; and it is found or missed."""

import ctypes
import os
import re
import shutil
import subprocess
import sys

import pytest

import flange
from flange import _library, _structs, options

HEADERS = ("simulation", "access", "state", "ports", "flexible", "system", "recordings",
           "study")


def _structs_of_c():
    """Structs in Python with their names in C."""
    for struct in vars(_structs).values():
        if isinstance(struct, type) and issubclass(struct, ctypes.Structure):
            for name in re.findall(r"fl[a-z]+_\w+", struct.__doc__ or ""):
                yield name, struct
    for kind, struct in options.STRUCTS.items():
        yield f"flg_{kind.__name__.removesuffix('Options').lower()}_options", struct


def _compiled(tmp_path, root, lines):
    """What a C program prints that includes all public headers."""
    source = tmp_path / "layout.c"
    includes = "".join(f'#include "flange/{name}.h"\n' for name in HEADERS)
    source.write_text(f"#include <stdio.h>\n#include <stddef.h>\n{includes}"
                      "int main(void) {\n" + "\n".join(lines) + "\nreturn 0;\n}\n")
    subprocess.run(["gcc", "-std=c11", "-I", root / "include", source, "-o", tmp_path / "layout"],
                   check=True)
    return subprocess.run([tmp_path / "layout"], check=True, capture_output=True,
                          text=True).stdout.splitlines()


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_structs_are_laid_out_as_in_c(tmp_path, root):
    lines, expected = [], []
    for name, struct in _structs_of_c():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        expected.append(f"{name} {ctypes.sizeof(struct)}")
        for field, *_ in struct._fields_:
            lines.append(f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
            expected.append(f"{name}.{field} {getattr(struct, field).offset}")
    assert len(expected) > 300
    assert _compiled(tmp_path, root, lines) == expected


def _declared(root):
    """Functions of the public headers, with how many arguments they take."""
    found = {}
    for header in (root / "include" / "flange").glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        for name, arguments in re.findall(r"FLG_API [^;]*?\b(flg_\w+)\(([^;]*?)\)\s*;", text):
            found[name] = 0 if arguments.strip() == "void" else arguments.count(",") + 1
    return found


def test_functions_take_what_the_headers_say(root):
    declared = _declared(root)
    for name, (_, *arguments) in _library.FUNCTIONS.items():
        if name != "flg_version":  # of a header that CMake makes
            assert declared[name] == len(arguments), name


def test_versions_agree(root):
    cmake = re.search(r"project\(flange VERSION (\S+)", (root / "CMakeLists.txt").read_text())
    project = re.search(r'^version = "(.*)"', (root / "python/pyproject.toml").read_text(), re.M)
    assert flange.__version__ == cmake[1] == project[1]


def _import(root, library):
    environment = os.environ | {"FLANGE_LIBRARY": str(library), "PYTHONPATH": str(root / "python")}
    return subprocess.run([sys.executable, "-c", "import flange"], env=environment, text=True,
                          capture_output=True, check=False)


def test_missing_library_is_told_in_a_sentence(root):
    run = _import(root, "/nowhere/libflange.so")
    assert run.returncode == 1
    assert "ImportError: The library of Flange cannot be opened" in run.stderr
    assert "FLANGE_LIBRARY" in run.stderr


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_library_of_another_version_is_told(tmp_path, root):
    source = tmp_path / "other.c"
    source.write_text('const char *flg_version(void) { return "0.9.3"; }\n')
    library = tmp_path / "libflange.so"
    subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", library], check=True)
    run = _import(root, library)
    assert "is version 0.9.3 of Flange, and this package needs 0.1.0" in run.stderr


def test_every_public_name_has_a_docstring():
    for name in flange.__all__:
        thing = getattr(flange, name)
        if isinstance(thing, type):
            members = [member for key, member in vars(thing).items() if not key.startswith("_")
                       and (callable(member) or isinstance(member, property | classmethod))]
            assert thing.__doc__ and all(member.__doc__ for member in members), name
        elif callable(thing):
            assert thing.__doc__, name
