"""The package acklab-kernel, with a stand-in for the kernel: what its wheel has, and that acklab finds the program in it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
FIND = "from acklab.engines.kernel import find; print(find())"


def test_the_program_of_the_wheel_is_found(tmp_path: Path) -> None:
    stand_in = tmp_path / "linux-6.12.9-0123456789ab"
    stand_in.write_text("#!/bin/sh\necho booted\n")
    (tmp_path / "GPL").write_text("the licence")
    environment = os.environ | {"KERNEL": str(stand_in), "LICENCE": str(tmp_path / "GPL")}
    words = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--wheel-dir", str(tmp_path), str(ROOT / "packages" / "kernel")]
    subprocess.run([sys.executable, *words], env=environment, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == "acklab_kernel-6.12.9-py3-none-linux_x86_64.whl"
    names = set(zipfile.ZipFile(wheel).namelist())
    for name in ("COPYING", "OFFER.md", "source/config", "source/build.sh", "source/clock.patch", "source/6.1/traces.patch"):
        assert f"acklab_kernel/{name}" in names
    place = tmp_path / "installed"
    install = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(place), str(wheel)]
    subprocess.run([sys.executable, *install], check=True, capture_output=True)
    cache = {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(place)}
    without = {name: value for name, value in os.environ.items() if name != "ACKLAB_KERNEL"}
    found = subprocess.run([sys.executable, "-c", FIND], env=without | cache, check=True, capture_output=True, text=True).stdout
    assert Path(found.strip()) == place / "acklab_kernel" / "linux"
    assert subprocess.run([found.strip()], check=True, capture_output=True).stdout == b"booted\n"
    # A kernel that was built comes first.
    built = tmp_path / "acklab" / "kernel" / "linux"
    built.parent.mkdir(parents=True)
    built.write_text("")
    built.chmod(0o755)
    found = subprocess.run([sys.executable, "-c", FIND], env=without | cache, check=True, capture_output=True, text=True).stdout
    assert Path(found.strip()) == built
