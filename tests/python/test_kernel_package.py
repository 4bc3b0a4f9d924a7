"""The package acklab-kernel, with a stand-in for the kernel: what its wheel has, and that acklab finds the program in it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from acklab import _core
from acklab.engines import kernel

ROOT = Path(__file__).parents[2]
FIND = "from acklab.engines.kernel import find; print(find())"


def test_the_program_of_the_wheel_is_found(tmp_path: Path) -> None:
    stand_in = tmp_path / "linux-6.12.9-0123456789ab"
    stand_in.write_text("#!/bin/sh\necho booted\n")
    (tmp_path / "GPL").write_text("the licence")
    environment = os.environ | {"KERNEL": str(stand_in), "LICENCE": str(tmp_path / "GPL")}
    words = [
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--wheel-dir",
        str(tmp_path),
        str(ROOT / "packages" / "kernel"),
    ]
    subprocess.run([sys.executable, *words], env=environment, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == "acklab_kernel-6.12.9-py3-none-linux_x86_64.whl"
    names = set(zipfile.ZipFile(wheel).namelist())
    for name in (
        "COPYING",
        "OFFER.md",
        "source/config",
        "source/build.sh",
        "source/clock.patch",
        "source/6.1/traces.patch",
        "source/7.3/traces.patch",
    ):
        assert f"acklab_kernel/{name}" in names
    place = tmp_path / "installed"
    install = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(place), str(wheel)]
    subprocess.run([sys.executable, *install], check=True, capture_output=True)
    cache = {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(place)}
    without = {name: value for name, value in os.environ.items() if name != "ACKLAB_KERNEL"}
    found = subprocess.run(
        [sys.executable, "-c", FIND], env=without | cache, check=True, capture_output=True, text=True
    ).stdout
    assert Path(found.strip()) == place / "acklab_kernel" / "linux"
    assert subprocess.run([found.strip()], check=True, capture_output=True).stdout == b"booted\n"
    # A kernel that was built comes first.
    built = tmp_path / "acklab" / "kernel" / "linux"
    built.parent.mkdir(parents=True)
    built.write_text("")
    built.chmod(0o755)
    found = subprocess.run(
        [sys.executable, "-c", FIND], env=without | cache, check=True, capture_output=True, text=True
    ).stdout
    assert Path(found.strip()) == built


def test_a_version_chooses_the_newest_kernel_of_its_series(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "acklab" / "kernel"
    folder.mkdir(parents=True)
    for name in ("linux-6.12.117-0a", "linux-7.3.4-0b", "linux-7.3.10-0c", "linux-7.30.1-0d", "linux-7.4.0-tree-0e"):
        (folder / name).write_text("")
        (folder / name).chmod(0o755)
    (folder / "linux").symlink_to("linux-6.12.117-0a")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(kernel.VARIABLE, raising=False)
    found = {wanted: kernel.find(wanted).name for wanted in (None, "7.3", "7.3.4", "7.4", "6.12")}
    assert found == {
        None: "linux-6.12.117-0a", "7.3": "linux-7.3.10-0c", "7.3.4": "linux-7.3.4-0b", "7.4": "linux-7.4.0-tree-0e", "6.12": "linux-6.12.117-0a",
    }  # fmt: skip
    monkeypatch.setenv(kernel.VARIABLE, "7.3")
    assert kernel.find().name == "linux-7.3.10-0c"
    with pytest.raises(_core.LiveError, match="there is no kernel 7.2 .*`LINUX=7.2 make kernel`"):
        kernel.find("7.2")


def test_each_patch_has_a_form_for_a_tree_and_the_script_names_what_is_missing(tmp_path: Path) -> None:
    script = ROOT / "tools" / "kernel" / "build.sh"
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}

    def told(**given: str) -> str:
        done = subprocess.run(["sh", str(script)], env=environment | given, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        return done.stderr

    for given, words in (
        ({"TREE": str(tmp_path)}, "is no kernel tree: it has no arch/um/Kconfig"),
        ({"SOURCE": "nothing.tar.xz"}, "there is no file SOURCE=nothing.tar.xz"),
        ({"LINUX": "0.1"}, "there is no package linux-source-0.1 here"),
    ):
        said = told(**given)
        assert words in said or "these are missing" in said
    names = {path.name for path in script.parent.glob("*.patch")}
    assert {path.name for path in script.parent.glob("*/*.patch")} <= names
