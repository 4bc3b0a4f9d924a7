"""Every sentence of an output is a template of at most 20 words, and every template is used."""

from __future__ import annotations

import re
from pathlib import Path

from acklab.text.templates import TEMPLATES, Words, fields

PACKAGE = Path(__file__).parents[2] / "python" / "acklab"
SOURCES = "\n".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py") if path.name != "templates.py")


def test_a_template_is_short_and_used() -> None:
    for kind, text in TEMPLATES.items():
        assert len(re.sub(r"\{[^}]*\}", "x", text).split()) <= 20, kind
        assert all(name.isidentifier() for name in fields(kind)), kind
        family = kind.split("-")[0] + "-"
        makers = (f'"{kind}"', f'f"{family}{{', f'startswith("{family}")', f'caption("{kind.removeprefix(family)}")')
        assert any(maker in SOURCES for maker in makers), f"{kind}: nothing makes it"


def test_every_fact_that_is_made_has_a_template() -> None:
    made = set(re.findall(r'\b(?:fact|Fact|self\._note)\(\s*"([\w-]+)"', SOURCES))
    assert len(made) > 40 and made <= TEMPLATES.keys()


def test_formats() -> None:
    shown = Words().vformat("{a:digits} {b:seconds} {c:percent} {d:count run} {e:list}{f:where}{g:where} {h:amount b/s}", (), {
        "a": 1234.5, "b": 0.0123, "c": 0.5, "d": 2, "e": ["x", "y z"], "f": "up", "g": "", "h": 2e6})  # fmt: skip
    assert shown.replace("\u00a0", " ") == "1,234 12.3 ms 50 % 2 runs x and “y z”, up 2 Mb/s"
