"""The command line that results are made by, without what does not change them; empty where Python makes them."""

from __future__ import annotations

line: list[str] = []
