"""Signs of a page's words: minus, arrows, dashes, and numbers that no line parts from their units."""

from __future__ import annotations

import re

#: Tags, and elements whose text is code: neither has words.
_CODE = re.compile(r"(<(script|style|code|pre|kbd)\b.*?</\2>|<[^>]*>)", re.DOTALL)
_MINUS = re.compile(r"(?<![^\s(])-(?=\d)")
_UNIT = re.compile(r"(?<=[\d.]) (?=%|(?:[kMG]?b/s|[kMG]?B|[mµn]?s)\b)")


def unbroken(text: str) -> str:
    """A sentence in which numbers stay with their units.

    >>> unbroken("7 Mb/s, 2 %, 3 of 4") == "7\\xa0Mb/s, 2\\xa0%, 3 of 4"
    True
    """
    return _UNIT.sub("\u00a0", text)


def typeset(page: str) -> str:
    """A page whose words have the signs of print; what is code stays as it is typed.

    >>> typeset("<td>-</td><td>-3 to -1</td><p>G-&gt;R</p><code>tc -1 a-&gt;b</code>")
    '<td>–</td><td>−3 to −1</td><p>G→R</p><code>tc -1 a-&gt;b</code>'
    """
    parts = _CODE.split(page)  # words, what is code, its tag, words, ...
    words = (_words(text) if text else "" for text in parts[::3])
    codes = [*parts[1::3], ""]
    return "".join(f"{text}{code}" for text, code in zip(words, codes, strict=True))


def _words(text: str) -> str:
    if text == "-":
        return "–"
    return unbroken(_MINUS.sub("−", text).replace("-&gt;", "→"))
