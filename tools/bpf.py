"""Compiles crates/live/bpf/sender.c, the congestion control of live runs, to the listing that is built into acklab.

    tools/bpf.py            rewrite crates/live/bpf/sender.code, after a change to the sources; needs clang
    tools/bpf.py --check    compare it with what the sources give

The listing has each program's instructions, eight bytes a line, and beside a number that is known when the program is
loaded its name. So acklab needs no compiler and no library when it runs, and one can see what changed.
"""

from __future__ import annotations

import argparse
import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parent.parent / "crates" / "live" / "bpf"
LISTING = SOURCES / "sender.code"
PREFIX = "tcp/"
#: R_BPF_64_64: a 64-bit number in two instructions.
NUMBER = 1


def clang() -> str | None:
    """The compiler's major version; none where there is no compiler."""
    try:
        said = subprocess.run(["clang", "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    found = re.search(r"clang version (\d+)", said)
    return found[1] if found else None


def compiled() -> bytes:
    """The object file."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "sender.o"
        flags = ["-target", "bpf", "-mcpu=v2", "-O2", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"]
        subprocess.run(["clang", *flags, "-c", SOURCES / "sender.c", "-o", out], check=True)
        return out.read_bytes()


def sections(elf: bytes) -> Iterator[tuple[str, int, bytes, int]]:
    """Name, type, contents and the section it is about."""
    (start,) = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", elf, start + size * index) for index in range(count)]
    text = headers[names][4]
    for name, kind, _, _, offset, length, _, info, _, _ in headers:
        yield word(elf, text + name), kind, elf[offset : offset + length], info


def word(data: bytes, at: int) -> str:
    """A string that ends with a zero."""
    return data[at : data.index(b"\0", at)].decode()


def listing(elf: bytes, version: str) -> str:
    """What is built in."""
    found = list(sections(elf))
    strings = next(data for name, _, data, _ in found if name == ".strtab")
    symbols = next(data for name, _, data, _ in found if name == ".symtab")
    lines = [
        "# Made by tools/bpf.py of sender.c and rules.h; not to be edited. SPDX-License-Identifier: MIT OR GPL-2.0-only",
        f"# clang {version}",
    ]
    for index, (name, _, code, _) in enumerate(found):
        if not name.startswith(PREFIX):
            continue
        numbers = {}
        for relocations in (data for _, kind, data, about in found if kind == 9 and about == index):
            for at, info in struct.iter_unpack("<QQ", relocations):
                if info & 0xFFFFFFFF != NUMBER:
                    raise SystemExit(f"{name}: relocation {info & 0xFFFFFFFF}: sender.c may only have LINKED numbers")
                (symbol,) = struct.unpack_from("<I", symbols, 24 * (info >> 32))
                numbers[at] = word(strings, symbol)
        lines += ["", f"program {name.removeprefix(PREFIX)}"]
        for at in range(0, len(code), 8):
            lines.append(f"{code[at : at + 8].hex()} {numbers.get(at, '')}".rstrip())
    return "\n".join(lines) + "\n"


def main() -> int:
    """Writes or compares; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check = parser.parse_args().check
    if (version := clang()) is None:
        print("tools/bpf.py: no clang (Debian package clang)", file=sys.stderr)
        return 1
    text = listing(compiled(), version)
    if not check:
        LISTING.write_text(text, encoding="utf-8")
        return 0
    before = LISTING.read_text(encoding="utf-8")
    if f"# clang {version}\n" not in before:
        print(f"tools/bpf.py: made by another clang than {version}, which may choose other instructions: not compared")
        return 0
    if text != before:
        print(f"tools/bpf.py: {LISTING.name} is not what the sources give; run tools/bpf.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
