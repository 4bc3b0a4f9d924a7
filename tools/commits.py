"""The form of commit messages: a subject of at most 72 characters, and a body that says why.

python3 tools/commits.py              every commit after the first one with the rule
python3 tools/commits.py --file FILE  one message, before it is committed
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SUBJECT = 72
#: The rule holds for the commits after this one.
SINCE = "8922204c"


def faults(message: str) -> list[str]:
    """What is wrong with a message.

    >>> faults("Add CoDel (RFC 8289)\\n\\nAQMs were missing: bufferbloat could not be compared with a remedy.")
    []

    >>> faults("Mend things")
    ['no body: say why (what was wrong or missing, what was measured, what was tried)']
    """
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject, body = (lines[0] if lines else ""), "".join(lines[1:]).strip()
    if subject.startswith("Merge "):
        return []
    found = []
    if not subject or len(subject) > SUBJECT:
        found.append(f"the subject has {len(subject)} characters; it must have 1 to {SUBJECT}")
    if len(lines) > 1 and lines[1].strip():
        found.append("the second line must be empty")
    if not body:
        found.append("no body: say why (what was wrong or missing, what was measured, what was tried)")
    return found


def messages() -> list[tuple[str, str]]:
    """Hash and message of each commit to which the rule applies; none where the history is not at hand."""
    asked = ["git", "log", "--no-merges", "--format=%h%x00%B%x01", f"{SINCE}..HEAD"]
    done = subprocess.run(asked, capture_output=True, text=True, cwd=Path(__file__).parent, check=False)
    entries = done.stdout.split("\x01") if done.returncode == 0 else []
    return [(name, text) for name, _, text in (entry.strip().partition("\0") for entry in entries) if name]


def main(words: list[str]) -> int:
    """Prints the faults; 1 if there are any."""
    found = [("message", Path(words[1]).read_text("utf-8"))] if words[:1] == ["--file"] else messages()
    wrong = [f"{name}: {fault}" for name, text in found for fault in faults(text)]
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
