#!/usr/bin/env python3
"""A wheel for Pyodide, Python in a browser: pyodide.py FOLDER (`make wheel-pyodide`). Needs neither emscripten nor Python's headers.

rustc calls this file in place of emscripten's linker. A side module takes the C library and Python from the program that loads it,
so that Rust's own wasm-ld is enough.
"""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python" / "acklab"
TARGET = "wasm32-unknown-emscripten"
# Python's stable interface, from 3.10; of Pyodide the releases with CPython 3.14, whose exceptions are WebAssembly's, as Rust's.
TAG = "cp310-abi3-pyemscripten_2026_0_wasm32"
EXAMPLES = (".toml", ".pcap", ".pkt")


def link(given: list[str]) -> None:
    """Links the objects and libraries of rustc's call of emcc to a side module."""
    out = given[given.index("-o") + 1]
    objects = [arg for arg in given if arg.endswith((".o", ".rlib")) and arg != out]
    host = next(line[6:] for line in output("rustc", "-vV").splitlines() if line.startswith("host: "))
    lld = Path(output("rustc", "--print", "sysroot").strip(), "lib/rustlib", host, "bin/rust-lld")
    shared = "-shared --experimental-pic --no-entry --import-memory --unresolved-symbols=import-dynamic -Bsymbolic --gc-sections --strip-debug"
    subprocess.run([lld, "-flavor", "wasm", *shared.split(), "--export=PyInit__core", "-o", out, *objects], check=True)


def output(*command: str) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def core() -> bytes:
    """The extension, compiled."""
    env = {
        **os.environ,
        "CARGO_TARGET_WASM32_UNKNOWN_EMSCRIPTEN_LINKER": str(Path(__file__).resolve()),
        "PYO3_NO_PYTHON": "1",
    }
    env.pop("PYO3_PYTHON", None)
    subprocess.run(
        ["cargo", "build", "-q", "--release", "-p", "acklab-python", "--target", TARGET], cwd=ROOT, env=env, check=True
    )
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"), TARGET, "release/acklab_core.wasm").read_bytes()


def files() -> dict[str, bytes]:
    """What a wheel has of the package but its extension and the explorer: its place in the wheel, and what it holds."""
    found = {}
    for path in sorted(Path(folder, name) for folder, _, names in os.walk(PACKAGE, followlinks=True) for name in names):
        inside = path.relative_to(PACKAGE)
        unwanted = path.suffix in (".pyc", ".so", ".pyd") or path.name == "explorer.wasm.gz"
        if not unwanted and (inside.parts[0] != "examples" or path.suffix in EXAMPLES):
            found[f"acklab/{inside.as_posix()}"] = path.read_bytes()
    return found


def metadata() -> dict[str, bytes]:
    """The wheel's own folder, as maturin writes it for this machine, with the tag of Pyodide."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["maturin", "pep517", "write-dist-info", "--metadata-directory", folder, "--interpreter", sys.executable],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        found = {
            path.relative_to(folder).as_posix(): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()
        }
    name = next(name for name in found if name.endswith("/WHEEL"))
    kept = [line for line in found[name].decode().splitlines() if not line.startswith("Tag:")]
    return {**found, name: "\n".join([*kept, f"Tag: {TAG}", ""]).encode()}


def record(name: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def wheel(folder: Path) -> Path:
    told = metadata()
    parts = {**files(), "acklab/_core.abi3.so": core(), **told}
    info = next(name for name in told if name.endswith("/WHEEL")).removesuffix("/WHEEL")
    listed = "".join(record(name, data) for name, data in parts.items()) + f"{info}/RECORD,,\n"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{info.removesuffix('.dist-info')}-{TAG}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {**parts, f"{info}/RECORD": listed.encode()}.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return path


if "-o" in sys.argv:
    link(sys.argv[1:])
else:
    made = wheel(Path(sys.argv[1]))
    print(f"{made}: {made.stat().st_size / 1e6:.1f} MB")
