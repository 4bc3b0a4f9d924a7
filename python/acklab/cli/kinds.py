"""Files given in place of a scenario: a plan, the cases of a comparison, or a capture."""

from __future__ import annotations

from pathlib import Path

#: First bytes of pcap in both byte orders, with micro- and nanoseconds, of pcapng, and of snoop.
_CAPTURES = (b"snoop\0", b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d", b"\n\r\r\n")


def instead(file: str | None) -> str:
    """A second line for a message, if what ``file`` names is for another verb; else nothing."""
    from ..experiments.sweep.flags import is_plan
    from ..text.input import read_file
    from ..text.toml import loads

    path = Path(file) if file else None
    if path is None or not path.is_file():
        return ""
    text = read_file(path)
    if text.startswith(_CAPTURES):
        return f"\n  this is a capture: acklab analyze {file}"
    try:
        tree = loads(text.decode("utf-8"))
    except ValueError:
        return ""
    if "case" in tree or "situation" in tree:
        return f"\n  this has cases: acklab compare SCENARIO --cases {file}"
    return f"\n  this is a plan: acklab sweep {file}" if is_plan(tree) else ""
