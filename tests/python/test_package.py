"""The package as people install it: what it weighs, what it needs, and a wheel tried without a tool chain."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zlib
from importlib import metadata
from pathlib import Path

import pytest

import acklab

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "acklab"
LONG = bool(os.environ.get("ACKLAB_LONG"))

# Budgets, in bytes; what was measured for 0.1.0 (CPython 3.11 and 3.12, x86-64) stands behind each.
WHEEL = 7_800_000  # 6.9 MB, of which the explorer takes 1.3
INSTALLED = 17_900_000  # 17.1 MB without compiled Python, of which the core takes 13.2
NEEDED = 290_000_000  # 240 MB: polars 183, numpy 57
IMPORTED = 200  # 119 modules


def files() -> list[Path]:
    """What a wheel has of the package."""
    found = (path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return [
        path for path in found if path.relative_to(PACKAGE).parts[0] != "examples" or path.suffix in (".toml", ".pcap")
    ]


def test_the_package_is_small() -> None:
    texts = [path.read_bytes() for path in files()]
    assert sum(map(len, texts)) <= INSTALLED
    assert sum(len(zlib.compress(text, 6)) for text in texts) <= WHEEL


def needed(name: str, found: dict[str, int]) -> None:
    """Sizes of a distribution and of what it needs here, without extras."""
    name = re.sub(r"[-_.]+", "-", name).lower()
    try:
        distribution = metadata.distribution(name)
    except metadata.PackageNotFoundError:  # for another Python or system
        return
    if name in found:
        return
    found[name] = sum(file.size or 0 for file in distribution.files or []) if name != "acklab" else 0
    for requirement in distribution.requires or []:
        if "extra ==" not in requirement:
            needed(re.match(r"[\w.-]+", requirement)[0], found)  # type: ignore[index]


def test_what_the_package_needs_is_within_its_budget() -> None:
    sizes: dict[str, int] = {}
    needed("acklab", sizes)
    assert sum(sizes.values()) <= NEEDED, sizes
    assert not sizes.keys() & {"altair", "vl-convert-python", "pandas", "pyarrow", "duckdb", "optuna", "ray"}


def test_the_import_is_small() -> None:
    program = (
        "import sys; before = set(sys.modules); import acklab; new = set(sys.modules) - before\n"
        "print(len(new), *{name.partition('.')[0] for name in new} - set(sys.stdlib_module_names))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    count, *names = done.stdout.split()
    assert int(count) <= IMPORTED
    assert {name.rstrip("0123456789") for name in names} <= {"acklab", "tomli", "__editable___acklab"}


def test_the_metadata_are_whole() -> None:
    told = metadata.metadata("acklab")
    assert told["Version"] == acklab.__version__
    assert told["Requires-Python"] == ">=3.10" and told["License-Expression"] == "MIT OR Apache-2.0"
    assert "pip install acklab" in str(told.get_payload() or told["Description"])
    assert (PACKAGE / "py.typed").exists()
    for name in told.get_all("License-File") or []:
        assert (ROOT / name).exists()
    assert re.search(
        rf"^version: {re.escape(acklab.__version__)}$",
        (ROOT / "CITATION.cff").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert f"\n## {acklab.__version__} - " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_no_extra_names_the_package() -> None:
    """`acklab[ray]` within an extra cannot be resolved where acklab is not yet published."""
    wanted = metadata.metadata("acklab").get_all("Requires-Dist") or []
    assert not [it for it in wanted if it.lower().startswith("acklab")]
    extras = set(metadata.metadata("acklab").get_all("Provides-Extra") or [])
    recipe = re.search(r"--extras (\S+)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert recipe and {*recipe[1].split(","), "lint"} == extras


def test_a_missing_extra_is_named() -> None:
    program = "import sys; sys.modules['altair'] = None; import acklab.plot; acklab.plot.cwnd"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode and "pip install 'acklab[charts]'" in done.stderr.splitlines()[-1]


def test_the_command_needs_no_unix() -> None:
    """What only drills and kernels use is not there on Windows."""
    absent = "import sys; sys.modules.update(dict.fromkeys(['fcntl', 'termios', 'resource', 'pwd', 'grp']))"
    program = f"{absent}; from acklab.cli import main; raise SystemExit(main(['run', 'examples/t1.toml']))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr


@pytest.mark.skipif(not LONG, reason="builds a wheel and downloads what it needs: make test-all")
def test_a_wheel_runs_without_a_tool_chain(tmp_path: Path) -> None:
    environment = {**os.environ, "PYO3_BUILD_EXTENSION_MODULE": "1"}
    maturin = Path(sys.executable).with_name("maturin")
    subprocess.run([maturin, "build", "--release", "--quiet", "--out", tmp_path], cwd=ROOT, env=environment, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.stat().st_size <= WHEEL
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    there = tmp_path / "venv" / "bin"
    subprocess.run([there / "python", "-m", "pip", "install", "--quiet", wheel], check=True)
    bare = {"PATH": str(there), "HOME": str(tmp_path)}
    for command in ("doctor", "run examples/t1.toml --out first", "demo", "reproduce allman1998 --quick"):
        subprocess.run([there / "acklab", *command.split()], cwd=tmp_path, env=bare, check=True, timeout=600)
    assert (tmp_path / "first" / "report.html").exists() and (
        tmp_path / "acklab-out" / "papers" / "index.html"
    ).exists()
