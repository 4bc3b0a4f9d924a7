"""The forms that each ledger entry had, as fingerprints: the first, and one for each change.

``ledger_forms.py`` writes the fingerprint of an entry that was changed behind its former ones, if its history has a line for it.
``ledger_forms.txt`` has a line an entry.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from acklab.reproduce.ledger import fingerprint
from acklab.text.input import loads

ROOT = Path(__file__).resolve().parents[3]
FORMS = Path(__file__).with_suffix(".txt")


def entries() -> dict[str, Mapping[str, Any]]:
    """Every entry of every ledger, by id."""
    homes = (ROOT / "python/acklab/papers/ledger", ROOT / "packages/acklab-studies/acklab_studies/ledger")
    ledgers = sorted(path for home in homes for path in home.glob("*.toml"))
    return {one["id"]: one for path in ledgers for one in loads(path.read_text("utf-8"))["claim"]}


def forms() -> dict[str, list[str]]:
    """The fingerprints of each entry's forms, the first one first."""
    return {line.split()[0]: line.split()[1:] for line in FORMS.read_text("utf-8").splitlines()}


def wrong(found: Mapping[str, Mapping[str, Any]], known: Mapping[str, list[str]]) -> list[str]:
    """Entries that changed without a line of history, or whose form is not noted."""
    said = [f"{id}: not in {FORMS.name}" for id in found if id not in known]
    said += [f"{id}: gone from the ledger" for id in known if id not in found]
    for id in found.keys() & known.keys():
        lines, changes = len(found[id].get("history", ())), len(known[id]) - 1
        if fingerprint(found[id]) != known[id][-1]:
            said.append(f"{id}: changed; add a line to its history, then run {Path(__file__).name}")
        elif lines < changes:
            said.append(f"{id}: {changes} changes, and {lines} lines of history")
    return sorted(said)


def noted(found: Mapping[str, Mapping[str, Any]], known: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The forms with those of entries that were changed and have a line for it, and those of new entries."""
    all_forms = {id: list(prints) for id, prints in known.items() if id in found}
    for id, entry in found.items():
        now, prints = fingerprint(entry), all_forms.setdefault(id, [])
        if not prints or (now != prints[-1] and len(entry.get("history", ())) >= len(prints)):
            prints.append(now)
    return all_forms


def main() -> int:
    """Writes the file; says what is still wrong."""
    found = entries()
    made = noted(found, forms() if FORMS.exists() else {})
    FORMS.write_text("".join(f"{id} {' '.join(prints)}\n" for id, prints in sorted(made.items())), "utf-8")
    left = wrong(found, made)
    print(
        "\n".join(left)
        or f"{FORMS.name}: {len(made)} entries, {sum(len(p) > 1 for p in made.values())} of them changed"
    )
    return bool(left)


if __name__ == "__main__":
    sys.exit(main())
