"""Pages that are made from the program itself, so that they cannot differ from it.

Three directives: ``scenario-reference`` (from the JSON Schema), ``command-help`` (of every verb) and ``mutant-table``
(the deliberate faults of ``tests/mutants``).

A page has its directives in comments, so that a code host shows none of them: ``<!-- site: NAME ARGUMENT -->``, or with
the directive's lines before the ``-->``. ``<!-- site: pages -->`` is the hidden list of the pages that the page's own
lists link, and ``<!-- site: explorer -->`` opens the explorer if it was built. What stands between ``<!-- host -->`` and ``<!-- /host -->`` is for a code host alone.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from acklab import Analysis, Run, _core
from acklab.cli import NAMES, brought, parser
from acklab.scenario._part import Part

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EXPLORER = Path(__file__).resolve().parents[2] / "dist" / "explorer"
MUTANTS = Path(__file__).resolve().parents[2] / "tests" / "mutants" / "mutants.toml"
#: Definitions of the schema that have a section of their own, in the order a file is written: name, heading, an
#: example of the table.
SECTIONS = (
    ("", "The whole file", ""),
    ("LinkTable", "[[link]]", '[[link]]\nbetween = ["G", "R"]\nrate = "1.5Mbps"\ndelay = "48ms"'),
    ("BackTable", "back", 'back = { rate = "128kbps", queue = { kind = "drop-tail", packets = 10 } }'),
    ("VaryingRate", "rate", 'rate = { kind = "table", rows = [["0s", "1.5Mbps"], ["2s", "0bps"]], every = "3s" }'),
    ("QueueSpec", "queue", 'queue = { kind = "drop-tail", packets = 22 }'),
    ("FilterSpec", "filter", 'filter = { kind = "cake" }'),
    ("LossSpec", "loss", 'loss = { list = [15, 19], only = "data" }'),
    ("GilbertElliott", "gilbert_elliott", 'loss = { gilbert_elliott = { good = "1s", bad = "50ms" } }'),
    ("StageSpec", "stages", 'stages = [{ kind = "jitter", mean = "2ms" }]'),
    ("FlowTable", "[[flow]]", '[[flow]]\nname = "f"\nfrom = "S"\nto = "R"\nsize = { segments = 200 }'),
    ("SizeEntry", "size", 'size = { bytes = "200kB" }'),
    ("ParetoTable", "pareto", 'size = { pareto = { least = "2kB", most = "1MB", shape = 1.1 } }'),
    ("Source", "source", 'source = { kind = "telnet", mean = "1s", write = "1B" }'),
    ("RepeatTable", "repeat", 'repeat = { times = 5, think = "1s" }'),
    ("SenderTable", "sender", 'sender = { stack = "rfc", recovery = "sack", window = 40 }'),
    ("RecoveryKind", "recovery", 'recovery = { kind = "rack", frto = "linux" }'),
    ("ControlKind", "control", 'control = { kind = "veno", beta = 3 }'),
    ("CreditKind", "credit", 'credit = { kind = "abc", limit = 2 }'),
    ("Sequence", "sequence", 'sequence = { kind = "bytes", nagle = "on" }'),
    ("RttFilter", "rtt_filter", 'rtt_filter = { kind = "integer", phase = "5ms" }'),
    ("Pacing", "pacing", 'pacing = { kind = "spread", share = 0.8 }'),
    ("AckRequest", "ack_request", 'ack_request = { kind = "on", segments = 16 }'),
    ("ReceiverTable", "receiver", 'receiver = { ack = { policy = "every" }, ack_size = 40 }'),
    ("AckPolicyKind", "ack", 'ack = { policy = "delayed", timer = "100ms", segments = 2 }'),
    ("SynAnswer", "syn_answer", 'syn_answer = { kind = "repeated", timeout = "1s" }'),
    ("EstimateKind", "estimate", 'estimate = { kind = "probe", initial = 10 }'),
    ("ProgramTable", "[[program]]", '[[program]]\nat = "S"\nrun = "iperf3 -s -1"\nready = { port = 5201 }'),
    ("Ready", "ready", 'ready = { line = "listening" }'),
    ("ExpectTable", "[[expect]]", '[[expect]]\nflow = "f"\nat = "2s"\nwhat = "cwnd_segments"\nabove = 20'),
    ("StackTable", "[stack.NAME]", '[stack.mine]\nbase = "ns2-1998"\nmin_rto = "200ms"'),
    ("StopTable", "stop", 'stop = { when = "flows-complete", at_most = "1000s" }'),
    ("RecordTable", "record", "record = { series = true, queue = true, packets = true }"),
    (
        "Topology",
        "[topology]",
        """[topology]\nkind = "dumbbell"\npairs = 2
bottleneck = { rate = "1.5Mbps", delay = "48ms" }\naccess = { rate = "10Mbps", delay = "2ms" }""",
    ),
    ("Pipe", "links of a topology", ""),
    ("Direction", "one direction of a topology's link", ""),
    ("WlanTable", "[[wlan]]", '[[wlan]]\nap = "AP"\nstations = ["laptop", "phone"]'),
    ("DcfSpec", "mac", 'mac = { phy = "802.11n", rate = "65Mbps" }'),
)
HEADINGS = {name: heading for name, heading, _ in SECTIONS}
#: Keys in the order in which people write them; rules follow in the order of their tables.
FIRST = (
    *("title", "seed", "stop", "topology", "name", "between", "rate", "delay", "queue", "loss", "back"),
    *("list", "only", "where", "from", "to", "start", "size", "count", "stagger", "source", "repeat", "times", "think"),
    *("sender", "receiver", "link", "flow", "base", "stack", "record", "packets", "waiting", "bytes", "waiting_bytes"),
    *("timer", "segments", "phase", "heartbeat", "hops", "hop", "pairs", "bottleneck", "access", "access_right"),
    *("min", "max", "max_p", "weight", "recovery", "control", "credit"),
    *("threshold", "share", "per", "rate", "good", "bad", "ap", "stations", "mac", "phy"),
)
#: The key that tells the forms of a table apart.
TAGS = ("kind", "policy")


class Reference:
    """The schema as Markdown."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema, self.defs = schema, schema["$defs"]
        self.rules = [row["rule"] for row in json.loads(_core.stacks())]

    def markdown(self) -> str:
        unknown = {name for name in HEADINGS if name and name not in self.defs}
        if unknown:
            raise ValueError(f"the schema has no {', '.join(sorted(unknown))}")
        if untold := [name for name, table in self.defs.items() if name not in HEADINGS and tables_of(table)]:
            raise ValueError(f"no section tells the keys of {', '.join(untold)}")
        return "\n".join(line for name, *rest in SECTIONS for line in self._section(name, *rest))

    def _section(self, name: str, heading: str, example: str) -> Iterator[str]:
        table = self.defs[name] if name else self.schema
        yield f"## {code_heading(heading)}\n"
        yield sentence(table.get("description", "")) + "\n"
        if example:
            yield f"```toml\n{example}\n```\n"
        forms = forms_of(table)
        tables = tables_of(table)
        if any(tag in form["properties"] for form in tables for tag in TAGS):
            forms = tables  # the words beside them stand for these with every default
        for form in forms:
            yield from self._form(form, alone=len(forms) == 1)

    def _form(self, form: dict[str, Any], *, alone: bool) -> Iterator[str]:
        properties = form.get("properties", {})
        tag = next((key for key in TAGS if "const" in properties.get(key, {})), None)
        if tag:
            yield f"### `{tag} = {json.dumps(properties[tag]['const'])}`\n"
            yield sentence(form.get("description", "")) + "\n"
        elif not alone:
            what = f"`{json.dumps(form['const'])}`" if "const" in form else f"`{{ {next(iter(properties))} = … }}`"
            yield f"{what}\n: {sentence(form['description'])}\n"
            return
        rows = [self._row(key, properties[key], form) for key in self._order(properties) if key != tag]
        if rows:
            yield from table_of(("key", "value", "what it says"), rows)

    def _order(self, properties: dict[str, Any]) -> list[str]:
        """Keys as people write them, where somebody has said how."""
        place = {key: at for at, key in reversed(list(enumerate([*FIRST, *self.rules])))}
        return sorted(properties, key=lambda key: (place.get(key, len(FIRST) + len(self.rules)), key))

    def _row(self, key: str, entry: dict[str, Any], form: dict[str, Any]) -> tuple[str, ...]:
        value, default = self._type(entry), shown(entry.get("default"))
        if key in form.get("required", []):
            value += "; must be given"
        elif default:
            value += f"; {default} if left out"
        return f"`{key}`", value, sentence(entry.get("description", "")) + self._choices(entry)

    def _choices(self, entry: dict[str, Any]) -> str:
        """The values of a key that has a few named ones, each with what it means."""
        target = self.defs.get(entry.get("$ref", "").removeprefix("#/$defs/"), {})
        named = [form for form in forms_of(target) if "const" in form]
        if not named or len(named) != len(forms_of(target)):
            return ""
        return "".join(f"<br>`{json.dumps(form['const'])}`: {sentence(form['description'])}" for form in named)

    def _type(self, entry: dict[str, Any]) -> str:
        if "$ref" in entry:
            name = entry["$ref"].removeprefix("#/$defs/")
            target = self.defs[name]
            if name in HEADINGS:
                return f"[{HEADINGS[name].strip('[]')}](#{anchor(HEADINGS[name])})"
            if target.get("type") == "string":
                return sentence(target["description"]).removesuffix(".")
            if "anyOf" in target:
                return " or ".join(self._type(form) for form in target["anyOf"])
            if "additionalProperties" in target and isinstance(target["additionalProperties"], dict):
                return "tables by name, each " + self._type(target["additionalProperties"])
            return "one of the words here" if "oneOf" in target else "text"
        kind = entry.get("type", "")
        if kind == "array":
            places = entry.get("prefixItems") or [entry["items"]]
            return f"list of {' and '.join(map(self._type, places))}"
        words = {"integer": "whole number", "boolean": "true or false", "string": "text"}.get(kind, kind)
        low, high = entry.get("minimum"), entry.get("maximum")
        if high is not None:
            return f"{words}, {shown(low)} to {shown(high)}"
        return f"{words}, at least {shown(low)}" if low else words


def tables_of(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The forms of a definition that have keys."""
    return [form for form in forms_of(entry) if form.get("properties")]


def forms_of(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The forms of a definition: of tables told apart by a key, and of words."""
    forms: list[dict[str, Any]] = entry.get("oneOf", entry.get("anyOf", []))
    return forms if any("const" in form or "properties" in form for form in forms) else [entry]


def table_of(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    """A Markdown table."""
    for cells in (heads, ("---",) * len(heads), *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    yield ""


def sentence(text: str) -> str:
    """A docstring's text on one line, without the links that only Rust's own documentation can follow."""
    text = re.sub(r" \(see \[`crate::[^]]*\]\)", "", text)
    return re.sub(r"\[(`[^`]*`)\](\([^)]*\))?", r"\1", " ".join(text.split()))


def shown(value: Any) -> str:
    """A value as a scenario file would write it."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and value < 1e15:
        value = int(value)
    if value in ({}, []):
        return ""
    if isinstance(value, dict):
        return "`{ " + ", ".join(f"{key} = {json.dumps(it)}" for key, it in value.items()) + " }`"
    return f"`{json.dumps(value)}`"


def code_heading(heading: str) -> str:
    """The heading in code font, where it is what a file says."""
    return heading if " " in heading else f"`{heading}`"


def anchor(heading: str) -> str:
    """The heading's address on its page."""
    return re.sub(r"[^a-z_ -]", "", heading.lower()).replace(" ", "-")


def mutant_table() -> Iterator[str]:
    """Every deliberate fault, and the test that must fail with it."""
    rows = []
    for mutant in tomllib.loads(MUTANTS.read_text("utf-8"))["mutant"]:
        package, file, test = mutant["test"].split()
        rows.append((f"`{mutant['name']}`", mutant["what"], mutant["why"], f"{package}, `{file}`: `{test}`"))
    yield from table_of(("mutant", "fault", "why it matters", "the test that must fail"), rows)


HOST = re.compile(r"^<!-- host -->$.*?^<!-- /host -->$", re.MULTILINE | re.DOTALL)
SITE = re.compile(
    r"^<!-- site: (?P<name>\S+)(?: (?!-->)(?P<argument>[^\n]*?))?(?: -->|\n(?P<lines>.*?)^-->)$",
    re.MULTILINE | re.DOTALL,
)


def for_site(text: str) -> str:
    """A page with its directives, and without what only a code host shows."""
    links = re.findall(r"^- .*?\]\((\w[\w-]*)\.md\)", text, re.MULTILINE)

    def directive(found: re.Match[str]) -> str:
        if found["name"] == "explorer":
            return (
                '<p><a href="explorer/index.html">Open the explorer</a>: move sliders, and watch TCP change.</p>'
                if EXPLORER.exists()
                else ""
            )
        if found["name"] == "pages":
            return "\n".join(["```{toctree}", ":hidden:", "", *links, "```"])
        return f"```{{{found['name']}}} {found['argument'] or ''}\n{found['lines'] or ''}```"

    return SITE.sub(directive, HOST.sub("", text))


def read(app: Sphinx, page: str, source: list[str]) -> None:
    """Makes a page's text the site's."""
    source[0] = for_site(source[0])


def add_explorer(app: Sphinx, failed: Exception | None) -> None:
    """Puts the explorer beside the pages."""
    if not failed and app.builder.format == "html" and EXPLORER.exists():
        shutil.copytree(EXPLORER, Path(app.outdir) / "explorer", dirs_exist_ok=True)


TERMINAL = re.compile(r'(<div class="highlight-console[^>]*><div class="highlight"><pre>)(.*?)(</pre>)', re.DOTALL)


def mark_commands(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Marks what is typed in terminals, so that a command wraps where what it prints is pushed along."""
    context["body"] = TERMINAL.sub(lambda found: f"{found[1]}{terminal(found[2])}{found[3]}", context.get("body", ""))


def terminal(text: str) -> str:
    """A terminal's lines: those after a prompt, and those that continue one, are marked."""
    lines, goes_on = [], False
    for line in text.split("\n"):
        command = goes_on or line.removeprefix("<span></span>").startswith('<span class="gp">$ </span>')
        goes_on = command and re.sub(r"<[^>]*>", "", line).endswith("\\")
        whole = line.count("<span") == line.count("</span")
        lines.append(f'<span class="typed">{line}</span>' if command and whole else line)
    return "\n".join(lines)


class ScenarioReference(SphinxDirective):
    """The reference of scenario files."""

    def run(self) -> list[nodes.Node]:
        text = Reference(json.loads(_core.schema())).markdown()
        return self.parse_text_to_nodes(text, allow_section_headings=True)


class MutantTable(SphinxDirective):
    """The deliberate faults."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(MUTANTS))
        return self.parse_text_to_nodes("\n".join(mutant_table()))


class CommandHelp(SphinxDirective):
    """What ``acklab VERB --help`` prints, for every verb."""

    def run(self) -> list[nodes.Node]:
        verbs = next(action for action in parser((*NAMES, *brought()))._actions if action.dest == "verb").choices
        sections = (f"## acklab {name}\n\n```text\n{verb.format_help()}```\n" for name, verb in verbs.items())  # type: ignore[attr-defined, union-attr]
        return self.parse_text_to_nodes("\n".join(sections), allow_section_headings=True)


def signature(app: Sphinx, what: str, name: str, thing: Any, *_: Any) -> tuple[str, None] | None:
    """A builder's parts take what stands below them, and a run is not made by hand: neither shows its constructor."""
    return ("", None) if what == "class" and (issubclass(thing, Part) or thing in (Analysis, Run)) else None


class AttributesAsTheyAre:
    """Keeps napoleon from reading the docstring of an attribute as ``type: meaning`` where it has a colon."""

    def __init__(self, app: Sphinx) -> None:
        self._lines: list[str] = []
        app.connect("autodoc-process-docstring", self.put_by, priority=400)
        app.connect("autodoc-process-docstring", self.put_back, priority=600)

    def put_by(self, app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
        if what == "attribute":
            self._lines, lines[:] = lines[:], []

    def put_back(self, app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
        if what == "attribute":
            lines[:] = self._lines


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("scenario-reference", ScenarioReference)
    app.add_directive("command-help", CommandHelp)
    app.add_directive("mutant-table", MutantTable)
    app.connect("autodoc-process-signature", signature)
    app.connect("source-read", read)
    app.connect("html-page-context", mark_commands)
    app.connect("build-finished", add_explorer)
    AttributesAsTheyAre(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
