"""The file formats: which experiment a header means, what it leaves unsaid, and how its columns are called.

To add one, add a line to FORMATS (and a class to experiments.py if it runs another script).
"""

import csv
from dataclasses import dataclass, field

from experiments import AckFilter, Asym, Compete, Divack, Dumbbell, OnOff, Single
from values import Unsupported

LABELS = {"id", "cfg", "cc"}  # columns that only name a row


@dataclass(frozen=True)
class Format:
    name: str
    experiment: type
    marks: frozenset  # parameter columns that give it away
    unless: frozenset = frozenset()  # and columns it does not have
    defaults: dict = field(default_factory=dict)  # what was passed to the script and has no column
    renamed: dict = field(default_factory=dict)  # column: the script's own word

    def is_result(self, column):
        return self.renamed.get(column, column) in self.experiment.results_printed

    def options(self, row):
        """The script's arguments a row states, defaults filled in; its results are not looked at."""
        options = dict(self.defaults)
        for column, text in row.items():
            option = self.renamed.get(column, column)
            if not text or column in LABELS or self.is_result(column):
                continue
            if option not in self.experiment.options:
                raise Unsupported(f"column {column} is not known")
            options[option] = text
        return options


def _format(name, experiment, marks, **more):
    return Format(name, experiment, frozenset(marks.split()), frozenset(more.pop("unless", "").split()), **more)


_ALLMAN = {"profile": "ns1", "minrto": "1", "window": "40", "dt": "1"}
FORMATS = [  # the first that fits
    _format(
        "sweep",
        Single,
        "queue segments",
        defaults=_ALLMAN,
        renamed={
            "queue": "q",
            "segments": "segs",
            "completion_time_s": "time",
            "last_data_time_s": "dtime",
            "rexmits": "rexmit",
            "rtos": "rto",
        },
    ),
    _format("mechanisms", Single, "mech", defaults=_ALLMAN),
    _format("asymmetry", Asym, "acc sa af ar"),
    _format("ackfilter", AckFilter, "filter", defaults={"T": "10000"}),
    _format("compete", Compete, "scseed"),
    _format("divack", Divack, "cack jseed"),
    _format("on-off UDP", OnOff, "usize frac"),
    _format("veno", Dumbbell, "n plr", unless="stagger", defaults={"stagger": "0.01"}),
    _format("dumbbell", Dumbbell, "n abw"),
    _format("dumbbell", Dumbbell, "n bw"),
    _format("single", Single, "bw2"),
    _format("single", Single, "segs q"),
]


def detect(header):
    """The format with these columns, or None. Result columns play no part."""
    columns = set(header)
    return next((f for f in FORMATS if f.marks <= columns and not f.unless & columns), None)


def read(path):
    """(format, header, rows): rows are dicts of stripped text."""
    with open(path, newline="") as file:
        reader = csv.DictReader(file)
        header = [c.strip() for c in reader.fieldnames or []]
        reader.fieldnames = header
        rows = [{c: (row[c] or "").strip() for c in header} for row in reader]
    return detect(header), header, rows
