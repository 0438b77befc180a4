"""Packs the package into a wheel, with the standard library alone.

pip calls the functions below (PEP 517). There is nothing to compile, so no tool has to be fetched
and `pip install ./python` works without a network.
"""

import base64
import hashlib
import pathlib
import tarfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
STEM = f"{PROJECT['name']}-{PROJECT['version']}"


def _metadata() -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {PROJECT['name']}", f"Version: {PROJECT['version']}",
             f"Summary: {PROJECT['description']}", f"License: {PROJECT['license']['text']}",
             f"Requires-Python: {PROJECT['requires-python']}"]
    lines += [f"Requires-Dist: {name}" for name in PROJECT["dependencies"]]
    lines += [f"Classifier: {name}" for name in PROJECT["classifiers"]]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / "README.md").read_text()]
    return "\n".join(lines)


def _sources() -> list[pathlib.Path]:
    return sorted(path for path in (ROOT / "flange").rglob("*")
                  if path.suffix == ".py" or path.name == "py.typed")


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def build_wheel(wheel_directory: str, config_settings=None, metadata_directory=None) -> str:
    """Writes the wheel; returns its file name."""
    info = f"{STEM}.dist-info"
    files = {str(path.relative_to(ROOT)): path.read_bytes() for path in _sources()}
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = (b"Wheel-Version: 1.0\nGenerator: flange\n"
                              b"Root-Is-Purelib: true\nTag: py3-none-any\n")
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = f"{STEM}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
    return name


def build_sdist(sdist_directory: str, config_settings=None) -> str:
    """Writes the sources; returns the file name."""
    name = f"{STEM}.tar.gz"
    paths = [ROOT / "pyproject.toml", ROOT / "README.md", pathlib.Path(__file__), *_sources()]
    with tarfile.open(pathlib.Path(sdist_directory) / name, "w:gz") as archive:
        for path in paths:
            archive.add(path, f"{STEM}/{path.relative_to(ROOT)}")
    return name
