"""`pip install ./python` into a clean environment, without a network."""

import os
import shutil
import subprocess
import sys
import zipfile

import pytest

from flange import _library


def _environment(tmp_path):
    """A virtual environment that sees Debian's numpy."""
    made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages",
                           "--without-pip", tmp_path / "venv"], check=False)
    if made.returncode != 0 or shutil.which("pip") is None:
        pytest.skip("there is no venv or no pip")
    return tmp_path / "venv" / "bin" / "python3"


def test_package_is_installed_by_pip(tmp_path, root):
    python = _environment(tmp_path)
    # pip builds in the folder: a copy keeps the checkout clean
    source = shutil.copytree(root / "python", tmp_path / "python",
                             ignore=shutil.ignore_patterns("__pycache__"))
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", "--quiet",
                    "--no-index", "--disable-pip-version-check", source], check=True, env=clean)
    library = os.environ.get("FLANGE_LIBRARY", _library.lib._name)
    run = subprocess.run(
        [python, "-c", "import flange; print(flange.__file__, flange.__version__)"],
        check=True, capture_output=True, text=True, cwd=tmp_path,
        env=clean | {"FLANGE_LIBRARY": library})
    path, version = run.stdout.split()
    assert str(tmp_path / "venv") in path and version == _library.VERSION


def test_wheel_has_the_package_and_nothing_else(tmp_path, root):
    sys.path.insert(0, str(root / "python" / "packing"))
    import pack

    with zipfile.ZipFile(tmp_path / pack.build_wheel(str(tmp_path))) as packed:
        names = packed.namelist()
    assert "flange/py.typed" in names and "flange/__init__.py" in names
    assert all(name.startswith(("flange/", "flange-")) for name in names)
