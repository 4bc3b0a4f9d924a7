"""The expectations of scenarios on the command line."""

from __future__ import annotations

import json
from typing import Any

from ..results.expected import unmet
from ..text.terminal import complain, say


def checked(*results: Any, quiet: bool = False) -> int:
    """Says which expectations of these runs do not hold, and returns the exit status; ``quiet``: only those."""
    checks = [check for result in results for check in json.loads(result.json(records=False)).get("checks", ())]
    wrong = unmet(checks)
    if checks and not quiet:
        say(f"\nexpectations: {len(checks) - len(wrong)} of {len(checks)} hold")
    for sentence in wrong:
        complain(sentence)
    return 1 if wrong else 0
