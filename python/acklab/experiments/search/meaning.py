"""What a free key means: the schema's words."""

from __future__ import annotations

import json


def meaning(key: str, within: str = "") -> str:
    """What a key of a scenario means, of the named choice ``within`` if there is one; empty where that is not certain.

    >>> meaning("flow.f.receiver.ack.beta", "periodic")
    'ACKs in a round trip where segments arrive faster.'
    """
    from ... import _core
    from ...text.schema import places

    first, *rest = key.split(".")
    wanted = [first, *(rest[1:] if first in ("flow", "link") else rest)]
    definitions = json.loads(_core.schema())["$defs"]
    found = set()
    for place in places():
        steps = [step for step in place.path if not step.startswith("(")]
        choices = [step.strip("()") for step in place.path if step.startswith("(")]
        if steps == wanted and (not choices or not within or within in choices):
            target = place.schema.get("$ref", "").rpartition("/")[2]
            found.add(
                str({**definitions.get(target, {}), **place.schema}.get("description", ""))
                .replace("\n", " ")
                .replace("`", "")
            )
    return found.pop() if len(found) == 1 else ""
