"""Input files that are read whole: scenarios, plans, cases and drill scripts, with the same limit of bytes."""

from __future__ import annotations

import os
from typing import IO

#: Most bytes of a text (the scenario reader's ``MOST_BYTES``).
MOST_BYTES = 32 << 20

#: First bytes of pcap in both byte orders, with micro- and nanoseconds, of pcapng, and of snoop.
CAPTURES = (
    b"snoop\0",
    b"\xd4\xc3\xb2\xa1",
    b"\xa1\xb2\xc3\xd4",
    b"\x4d\x3c\xb2\xa1",
    b"\xa1\xb2\x3c\x4d",
    b"\n\r\r\n",
)


def read_file(path: str | os.PathLike[str]) -> bytes:
    """A file's bytes. Of a longer one only ``MOST_BYTES + 1`` are read, which every reader refuses.

    A device such as ``/dev/zero`` has no end, and would fill the memory.

    Raises:
        OSError: it cannot be read.
    """
    with open(path, "rb") as file:
        return read_open(file)


def read_open(file: IO[bytes]) -> bytes:
    """The rest of an open file, as :func:`read_file`."""
    return file.read(MOST_BYTES + 1)


def too_long(data: bytes | str, name: str) -> str | None:
    """What is wrong with a text that is too long, or None."""
    return (
        f"{name}: more than {MOST_BYTES >> 20} MiB long; at most {MOST_BYTES >> 20} MiB"
        if len(data) > MOST_BYTES
        else None
    )
