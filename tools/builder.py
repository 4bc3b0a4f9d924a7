"""Writes the Python builder from the scenario's JSON Schema, so that both always say the same.

`make setup` runs it after each build of the extension. With ``-`` the schema is read from standard input.

A table of the file becomes a keyword-only dataclass, a choice between words a ``Literal``. A table that its ``kind`` or
``policy`` distinguishes becomes a class of its own. Descriptions become docstrings.
"""

from __future__ import annotations

import importlib.util
import json
import keyword
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent.parent / "python" / "acklab" / "scenario"
WIDTH = 120
TAGS = ("kind", "policy")
#: Keys that come first in their table, in this order; the others follow by the alphabet.
LEADING = (
    *(
        "stack",
        "base",
        "kind",
        "policy",
        "title",
        "seed",
        "stop",
        "topology",
        "link",
        "wlan",
        "flow",
        "name",
        "between",
    ),
    *(
        "ap",
        "stations",
        "phy",
        "from",
        "to",
        "pairs",
        "hops",
        "rate",
        "delay",
        "queue",
        "loss",
        "back",
        "start",
        "size",
        "times",
    ),
    *("recovery", "control", "credit", "packet", "window", "ack", "ack_size", "timer", "segments"),
)
#: What Python calls the scenario's own lists and tables.
PLURALS = {"link": "links", "wlan": "wlans", "flow": "flows", "stack": "stacks"}
#: Module -> what it is about and the definitions it starts from; each takes what they need and no earlier one has.
MODULES = {
    "mechanisms": (
        "What senders and receivers may choose between.",
        ["AckPolicyKind", "CreditKind", "RecoveryKind", "ControlKind", "Halving", "IdleRestart", "RecoveryExit"],
    ),
    "rules": ("The rules of senders and receivers.", ["SenderTable", "ReceiverTable", "StackTable"]),
    "network": (
        "Links, what stands on them, and common networks in a few words.",
        ["LinkTable", "WlanTable", "Topology"],
    ),
    "experiment": ("Flows, and the scenario that holds them.", ["FlowTable", "StopTable", "RecordTable", "Scenario"]),
}
#: Definitions whose own name would mislead in Python.
RENAMED = {
    "Sequence": "SequenceUnit",
    **{"RateKind": "FilterRate", "Per": "FilterPer", "Slot": "FilterPlace", "Older": "FilterOlder"},
}
#: Choices that also take a class in Python, and the class of the table that names one.
CODE = {
    "AckPolicy": ("PythonPolicy", "own.PolicyClass"),
    "Control": ("PythonControl", "own.ControlClass"),
}
#: What is added to the names of a choice's tables, which alone would say too little.
SUFFIXES = {
    **{"Filter": "Filter", "Recovery": "Recovery", "SequenceUnit": "Sequence", "RttFilter": "RttFilter"},
    **{"Pacing": "Pacing", "Estimate": "Estimate"},
}
#: What the schema does not say.
ABOUT = {
    "Sender": "A flow's sender: a stack, and the rules in which it differs from it.",
    "Receiver": "A flow's receiver: a stack, and the rules in which it differs from it.",
    "Stack": "A derived stack: another stack with some rules of either side replaced.",
}
HEADER = '''"""{about} One to one with the scenario file.

Units are texts: rates ``"1.5Mbps"``, times ``"45ms"``, sizes ``"200kB"`` (1 kB = 1000 B, 1 KiB = 1024 B). What is
left at None is left out of the file, so the simulator's default holds.

Written by tools/builder.py from the JSON Schema (``make setup``); changes belong in the Rust types.
"""
'''


class Builder:
    """The schema, and the Python text made of it so far."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.definitions: dict[str, Any] = {**schema["$defs"], "Scenario": schema}
        self.made: dict[str, str] = {}  # definition -> the name that stands for it in annotations
        self.names: dict[str, str] = {}  # Python name -> module
        self.module = ""
        self.blocks: list[str] = []
        self.uses: set[str] = set()

    def write_module(self, module: str) -> str:
        """The text of ``module``."""
        about, roots = MODULES[module]
        self.module, self.blocks, self.uses = module, [], set()
        for root in roots:
            self.need(root)
        body = "\n\n".join(self.blocks)
        gap = "\n\n" if body.startswith("@") else "\n"
        return f"{HEADER.format(about=about)}\n{self.imports(body)}{gap}{body}"

    def imports(self, body: str) -> str:
        """The import lines that ``body`` needs."""
        wanted = {
            "collections.abc": [name for name in ("Mapping", "Sequence") if f"{name}[" in body],
            "dataclasses": ["dataclass"],
            "typing": [name for name in ("Any", "ClassVar", "Literal") if re.search(rf"\b{name}\b", body)],
        }
        lines = ["from __future__ import annotations", "", *(["import os"] if "os.PathLike" in body else [])]
        lines += [f"from {source} import {', '.join(names)}" for source, names in wanted.items() if names]
        if "_toml." in body:
            lines += ["", "from . import _file, _toml", "from ._part import Part"]
        else:
            lines += ["", *(["from . import own"] if "| own." in body else []), "from ._part import Part"]
        for module in sorted(MODULES):
            if names := sorted(name for name in self.uses if self.names[name] == module):
                lines.append(f"from .{module} import {', '.join(names)}")
        return "\n".join(lines) + "\n"

    def need(self, definition: str) -> str:
        """The Python name of a definition, which is written first if it has not been."""
        if definition not in self.made:
            name = RENAMED.get(definition) or re.sub(r"(Table|Spec|Kind|Entry)$", "", definition)
            self.made[definition] = self.define(name, self.definitions[definition])
        name = self.made[definition]
        if self.names[name] != self.module:
            self.uses.add(name)
        return name

    def claim(self, name: str) -> str:
        if name in self.names:
            sys.exit(f"tools/builder.py: two tables would be called {name}; give one another name here")
        self.names[name] = self.module
        return name

    def define(self, name: str, schema: dict[str, Any]) -> str:
        """Writes what ``schema`` describes and gives the name that stands for it."""
        variants = schema.get("oneOf", schema.get("anyOf"))
        if variants is None:
            self.write_class(self.claim(name), schema)
            return name
        types, merged = [], {}
        for variant in variants:
            if "const" in variant:
                continue
            if "properties" not in variant:
                types.append(self.type_of(variant))
            elif self.tag(variant):
                if name in SUFFIXES and len(variant["properties"]) == 1:  # its word says all
                    continue
                types.append(self.variant(name, variant))
            else:  # a table with one of several keys: one class for all of them
                ((key, entry),) = variant["properties"].items()
                merged[key] = {"description": variant["description"], **entry}
        if merged:
            about = f"{schema['description']} Exactly one must be given."
            self.write_class(self.claim(name), {"description": about, "properties": merged})
            types.append(name)
            name = f"Any{name}"
        if name in CODE:
            types.append(CODE[name][1])
        words = [variant for variant in variants if "const" in variant]
        if words:
            types.append(f"Literal[{', '.join(quoted(word['const']) for word in words)}]")
        said = [f"{quoted(word['const'])}: {one_line(word['description'])}" for word in words]
        self.alias(self.claim(name), " | ".join(types), one_line(schema.get("description", "")), said)
        return name

    def tag(self, table: dict[str, Any]) -> str:
        """The key whose fixed word distinguishes this table from its siblings; empty if there is no such key."""
        return next((key for key in TAGS if "const" in table["properties"].get(key, {})), "")

    def variant(self, choice: str, table: dict[str, Any]) -> str:
        """Writes the class of one of several tables and gives its name."""
        word = table["properties"][self.tag(table)]["const"]
        name = "".join(part.capitalize() for part in word.split("-")) + SUFFIXES.get(choice, "")
        if word == "python":
            name, _ = CODE[choice]
        self.write_class(self.claim(name), table)
        return name

    def alias(self, name: str, types: str, about: str, words: list[str]) -> None:
        """Writes a name for a choice, and what each word means."""
        line = f"{name} = {types}"
        if len(line) > WIDTH and "[" not in line:
            line = line.replace("= ", "= (\n    ").replace(" | ", "\n    | ") + "\n)"
        elif len(line) > WIDTH:
            line = line.replace("[", "[\n    ").replace(", ", ",\n    ").replace("]", ",\n]")
        self.blocks.append(f"{line}\n{docstring(about, '', words)}\n")

    def type_of(self, schema: dict[str, Any]) -> str:
        """The annotation of a value."""
        if "$ref" in schema:
            definition = schema["$ref"].rsplit("/", 1)[1]
            target = self.definitions[definition]
            if "additionalProperties" in target and "properties" not in target:  # a table of tables by name
                return f"Mapping[str, {self.type_of(target['additionalProperties'])}]"
            if target.get("type") == "string" and "pattern" in target:
                return "str"
            name = self.need(definition)
            return f"{name} | Mapping[str, Any]" if holds_tables(target) else name
        kind: str = schema["type"]
        if kind == "object":
            return "Mapping[str, Any]"
        if kind == "array":
            places = schema.get("prefixItems") or [schema["items"]]
            return f"Sequence[{' | '.join(dict.fromkeys(map(self.type_of, places)))}]"
        return {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}[kind]

    def write_class(self, name: str, schema: dict[str, Any]) -> None:
        """Writes a table's class."""
        keys, fields, required = {}, [], schema.get("required", ())
        for key in sorted(filter(str.isidentifier, schema["properties"]), key=place):  # not $schema
            entry = schema["properties"][key]
            field = PLURALS.get(key, key) if name == "Scenario" else f"{key}_" if keyword.iskeyword(key) else key
            if field != key:
                keys[field] = key
            if "const" in entry:
                fields.append(f"    {field}: Literal[{quoted(entry['const'])}] = {quoted(entry['const'])}")
                continue
            line = f"    {field}: {self.type_of(entry)}"
            fields.append(line if key in required else f"{line} | None = None")
            about = one_line(entry.get("description", ""))
            if "default" in entry:
                about = f"{about.rstrip('.')}; default {json.dumps(entry['default'])}."
            fields.append(docstring(about, "    "))
        lines = ["@dataclass(kw_only=True, repr=False)", f"class {name}(Part):"]
        lines += [docstring(one_line(schema.get("description", ABOUT.get(name, ""))), "    "), ""]
        if keys:
            pairs = ", ".join(f"{quoted(field)}: {quoted(key)}" for field, key in keys.items())
            lines += [f"    _keys: ClassVar[dict[str, str]] = {{{pairs}}}", ""]
        lines += fields or ["    pass"]
        if name == "Scenario":
            lines += ["", TO_TOML]
        self.blocks.append("\n".join(lines) + "\n")


TO_TOML = '''    def to_toml(self) -> str:
        """The scenario file's text.

        Raises:
            TypeError: a value is of a kind a scenario file does not have.
        """
        return _toml.dumps(self.to_dict())

    @classmethod
    def load(cls, scenario: str | bytes | os.PathLike[str]) -> Scenario:
        """A scenario file, or its text, with links and flows as parts; tables inside them stay dicts.

        A path below ``examples`` that is not there is the package's.

        Raises:
            ScenarioError: it is no scenario; the message names key, value and what is allowed.
            OSError: it cannot be read.
        """
        made: Scenario = cls._of(_file.tree(scenario), {"link": Link, "flow": Flow})
        return made'''


def place(key: str) -> tuple[int, str]:
    """Where a key stands in its table."""
    return (LEADING.index(key) if key in LEADING else len(LEADING), key)


def holds_tables(schema: dict[str, Any]) -> bool:
    """Whether a value may be a table, which a plain dict may then stand for."""
    return "properties" in schema or any(holds_tables(each) for each in schema.get("oneOf", schema.get("anyOf", ())))


def one_line(text: str) -> str:
    """A description without line breaks and links into the Rust sources."""
    text = re.sub(r" \(see \[`[^`]*`\]\)", "", text)
    return " ".join(text.replace("\\", "\\\\").split())


def docstring(text: str, indent: str, points: list[str] | None = None) -> str:
    """``text`` and a list of points as a docstring, wrapped."""
    room = WIDTH - len(indent)
    if not points and len(text) + 6 <= room:
        return f'{indent}"""{text}"""'
    lines = textwrap.wrap(f'"""{text}', room)
    if points:
        lines.append("")
    for point in points or ():
        lines += textwrap.wrap(f"- {point}", room, subsequent_indent="  ")
    return "\n".join(f"{indent}{line}".rstrip() for line in [*lines, '"""'])


def quoted(word: str) -> str:
    return json.dumps(word)


def generate(schema: dict[str, Any]) -> dict[Path, str]:
    """The builder's files and their texts."""
    builder = Builder(schema)
    files = {PACKAGE / f"{module}.py": builder.write_module(module) for module in MODULES}
    names = sorted(name for name in builder.names if not name.startswith("_"))
    lines = [f'"""{INIT}"""', ""]
    for module in sorted(MODULES):
        here = ", ".join(name for name in names if builder.names[name] == module)
        lines += [f"from .{module} import (", *(f"    {name}," for name in here.split(", ")), ")"]
    lines += ["", "__all__ = [", *(f"    {quoted(name)}," for name in names), "]", ""]
    files[PACKAGE / "__init__.py"] = "\n".join(lines)
    return files


INIT = """Scenarios in Python, one to one with the scenario file.

A :class:`Scenario` is a plain tree of typed parts; ``to_toml()`` writes the file, ``acklab.run`` takes it as it is.
An unknown keyword raises TypeError and names the nearest known one; values are checked by the simulator, which raises
:class:`acklab.ScenarioError` with the key, the value and what is allowed.

    >>> from acklab.scenario import DropTail, Flow, Link, Scenario, Size
    >>> one_hop = Scenario(
    ...     links=[Link(between=["S", "R"], rate="1.5Mbps", delay="50ms", queue=DropTail(packets=20))],
    ...     flows=[Flow(from_="S", to="R", size=Size(segments=200))],
    ... )
    >>> print(one_hop.to_toml().splitlines()[1])
    [[link]]

Written by tools/builder.py from the JSON Schema (``make setup``).
"""


def core_schema() -> dict[str, Any]:
    """The schema of the extension as built; loaded by itself, since the package needs what is written here."""
    (library,) = PACKAGE.parent.glob("_core*.so")
    spec = importlib.util.spec_from_file_location("_core", library)
    assert spec and spec.loader
    core = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(core)
    schema: dict[str, Any] = json.loads(core.schema())
    return schema


if __name__ == "__main__":
    for path, text in generate(json.load(sys.stdin) if sys.argv[1:] == ["-"] else core_schema()).items():
        path.write_text(text, encoding="utf-8")
