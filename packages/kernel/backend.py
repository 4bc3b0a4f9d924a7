"""Builds the wheel of acklab-kernel (PEP 517, PEP 427): the program that KERNEL names, what built it, licence and offer.

KERNEL is a file as `tools/kernel/build.sh` names it, linux-VERSION-SUM; LICENCE is another copy of the GPL, version 2.
"""

import base64
import hashlib
import os
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
RECIPE = HERE.parents[1] / "tools" / "kernel"
#: Debian has it on every system.
LICENCE = "/usr/share/common-licenses/GPL-2"
TAG = "py3-none-linux_x86_64"
#: The same files give the same bytes: the first date that a zip can have.
DATE = (1980, 1, 1, 0, 0, 0)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel and returns its name."""
    if not os.environ.get("KERNEL"):
        raise SystemExit("KERNEL names no kernel: `make kernel-wheel` in acklab's source does")
    kernel = Path(os.environ["KERNEL"]).resolve()
    version = kernel.name.split("-")[1]
    about = f"acklab_kernel-{version}.dist-info"
    licence = Path(os.environ.get("LICENCE", LICENCE)).read_bytes()
    files = {f"acklab_kernel/{name}": (HERE / name).read_bytes() for name in ("README.md", "OFFER.md")}
    files["acklab_kernel/__init__.py"] = (HERE / "acklab_kernel" / "__init__.py").read_bytes()
    files["acklab_kernel/linux"] = kernel.read_bytes()
    files["acklab_kernel/COPYING"] = licence
    for path in sorted(RECIPE.rglob("*")):
        if path.is_file():
            files[f"acklab_kernel/source/{path.relative_to(RECIPE)}"] = path.read_bytes()
    metadata = (
        f"Metadata-Version: 2.4\nName: acklab-kernel\nVersion: {version}\nSummary: A user-mode Linux with a virtual clock, for acklab\n"
        "License-Expression: GPL-2.0-only\nLicense-File: COPYING\nDescription-Content-Type: text/markdown\n\n"
    )
    files[f"{about}/METADATA"] = metadata.encode() + (HERE / "README.md").read_bytes()
    files[f"{about}/licenses/COPYING"] = licence
    files[f"{about}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: acklab\nRoot-Is-Purelib: false\nTag: {TAG}\n".encode()
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    lines = [f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files.items()]
    files[f"{about}/RECORD"] = "".join([*lines, f"{about}/RECORD,,\n"]).encode()
    name = f"acklab_kernel-{version}-{TAG}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w") as wheel:
        for path, data in files.items():
            info = zipfile.ZipInfo(path, DATE)
            info.external_attr = (0o100755 if path.endswith(("/linux", ".sh")) else 0o100644) << 16
            wheel.writestr(info, data, zipfile.ZIP_DEFLATED, 9)
    return name
