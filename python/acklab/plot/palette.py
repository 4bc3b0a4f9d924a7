"""One colour per mechanism, in every chart of the project.

Nine *slots* hold the colours, each with a shade for light and one for dark
backgrounds. A search found them. Every pair is at least 0.09 apart in OKLab, for
normal sight and under simulated protanopia, deuteranopia and tritanopia. Every
shade has at least 3:1 contrast with its background (the WCAG rule for graphics).
``tests/python/report/test_palette.py`` checks both.

A mechanism is bound to a slot for the whole project. There are more mechanisms
than colours that the eye can distinguish. So two mechanisms that no experiment
compares may share one. :data:`FAMILIES` lists those that are compared, and within
a family all colours differ. A colour is never the only difference: the charts also
vary the dash, the marker or the letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

#: The page backgrounds the shades were searched against.
BACKGROUND = {"light": "#ffffff", "dark": "#12161c"}

#: Slot name -> shade on a light and on a dark background.
SLOTS: dict[str, dict[str, str]] = {
    "blue": {"light": "#2651c5", "dark": "#4486ff"},
    "orange": {"light": "#b55405", "dark": "#f58c17"},
    "green": {"light": "#098c6e", "dark": "#34c581"},
    "red": {"light": "#9d0625", "dark": "#e94d46"},
    "purple": {"light": "#561c8c", "dark": "#9461c4"},
    "sky": {"light": "#389dd9", "dark": "#8bd2ff"},
    "pink": {"light": "#e153a2", "dark": "#ffa3bf"},
    "gold": {"light": "#a5932a", "dark": "#e7d75e"},
    "slate": {"light": "#645969", "dark": "#9b93a9"},
}

#: Mechanism -> slot. Keys are lower case, words joined by ``-``.
MECHANISMS: dict[str, str] = {
    # when the receiver acknowledges
    "every": "blue",
    "delayed": "orange",
    "daass": "green",
    "smart": "sky",
    "divide": "pink",
    "acc": "gold",
    "tack": "purple",
    "linux": "slate",
    # what the sender makes of an acknowledgment
    "ack-counting": "slate",
    "ubc": "red",
    "lbc": "purple",
    "abc": "green",
    "sabc": "purple",
    # how the sender recovers and how it sets its window
    "tahoe": "slate",
    "reno": "blue",
    "newreno": "orange",
    "sack": "green",
    "rfc6675": "gold",
    "fack": "sky",
    "veno": "red",
    "sack-veno": "pink",
    "cubic": "purple",
    # what the path does to acknowledgments
    "none": "slate",
    "static": "blue",
    "classic": "orange",
    "delayed-single": "green",
    "delayed-perconn": "purple",
    "delayed-aggregate": "red",
    "header-compression": "sky",
    "cake": "pink",
    # queues
    "drop-tail": "blue",
    "red": "orange",
    "round-robin": "green",
}

#: Other names under which the same mechanism is known.
ALIASES: dict[str, str] = {
    "ackevery": "every",
    "ack-every": "every",
    "delack": "delayed",
    "delayed-ack": "delayed",
    "smartacking": "smart",
    "periodic": "tack",
    "divacks": "divide",
    "no-filter": "none",
    "nofilter": "none",
    "droptail": "drop-tail",
}

#: Mechanisms that experiments set side by side; all colours within one differ.
FAMILIES: dict[str, tuple[str, ...]] = {
    "acknowledging": ("every", "delayed", "daass", "ubc", "lbc", "smart", "divide", "acc", "linux"),
    "counting": ("ack-counting", "ubc", "lbc", "abc", "every", "delayed"),
    "smart": ("every", "newreno", "smart", "acc", "abc", "sabc"),
    "paths": ("every", "delayed", "abc", "smart", "acc", "cake", "tack"),
    "recovery": ("tahoe", "reno", "newreno", "sack", "rfc6675", "fack", "veno", "sack-veno", "cubic"),
    "filtering": (
        "none",
        "static",
        "classic",
        "delayed-single",
        "delayed-perconn",
        "delayed-aggregate",
        "acc",
        "header-compression",
        "cake",
    ),
    "queues": ("drop-tail", "red", "round-robin"),
}

#: What a mark means when only one flow is drawn: tcptrace's colours where it has one
#: (ACK line green, retransmits red, SACK purple, advertised window yellow).
ROLES: dict[str, str] = {
    "data": "blue",
    "ack": "green",
    "retransmit": "red",
    "sack": "purple",
    "window": "gold",
    "drop": "red",
    "cwnd": "blue",
    "ssthresh": "orange",
    "flight": "slate",
    "rtt": "blue",
    "rto": "orange",
    "queue": "blue",
    "goodput": "blue",
    "capacity": "slate",
    # where a flow's time went
    "slow start": "sky",
    "path": "blue",
    "recovery": "orange",
    "timeout": "red",
}

#: Slots of runs that are compared: first those that no packet has (data blue, ACKs green, losses and repeats red).
RUNS = ("orange", "purple", "sky", "pink", "gold", "slate", "blue", "green", "red")

#: Slots in the order they are handed to things without a mechanism of their own.
ORDER = ("blue", "orange", "green", "purple", "sky", "red", "pink", "gold", "slate")


def register(mechanism: str, slot: str) -> None:
    """Bind a new mechanism to a slot, for the whole process.

    >>> register("my-policy", "gold")
    >>> slot_of("my-policy")
    'gold'
    """
    if slot not in SLOTS:
        raise ValueError(f"no colour slot {slot!r}; there are {', '.join(SLOTS)}")
    MECHANISMS[_normal(mechanism)] = slot


def slot_of(mechanism: str) -> str | None:
    """The slot a mechanism is bound to, or None for a name the palette does not know.

    >>> slot_of("DAASS"), slot_of("delayed ACK"), slot_of("something")
    ('green', 'orange', None)
    """
    name = _normal(mechanism)
    return MECHANISMS.get(ALIASES.get(name, name))


def colour(mechanism: str, theme: str = "light") -> str:
    """The colour of a mechanism or a slot as ``#rrggbb``.

    >>> colour("every") == SLOTS["blue"]["light"]
    True
    """
    slot = slot_of(mechanism) or (mechanism if mechanism in SLOTS else None)
    if slot is None:
        raise KeyError(f"the palette has no colour for {mechanism!r}; give it one with register()")
    return SLOTS[slot][theme]


def role_colour(role: str, theme: str = "light") -> str:
    """The colour of a role: what a mark means, not whose it is.

    >>> role_colour("ack") == SLOTS["green"]["light"]
    True
    """
    return SLOTS[ROLES[role]][theme]


def slots_for(names: Iterable[str]) -> list[str]:
    """One slot for each name, no two alike as long as there are slots left.

    A name that is a mechanism, or has one among its words ("sack + delayed"), takes
    that mechanism's slot. All other names take the next free slot. So do names whose
    mechanism's slot is already taken.

    >>> slots_for(["delayed", "every", "run 3"])
    ['orange', 'blue', 'green']
    """
    names = list(names)
    given: list[str | None] = [None] * len(names)
    # Exact names first: they have the stronger claim to their own colour.
    for finder in (_slot_of_name, _slots_in_words):
        for i, name in enumerate(names):
            if given[i] is None:
                given[i] = next((s for s in finder(name) if s not in given), None)
    for i in range(len(names)):
        if given[i] is None:
            free = [s for s in ORDER if s not in given]
            given[i] = free[0] if free else ORDER[i % len(ORDER)]
    return [s for s in given if s is not None]


def run_slots(count: int) -> list[str]:
    """One slot for each of so many runs.

    >>> run_slots(3)
    ['orange', 'purple', 'sky']
    """
    return [RUNS[i % len(RUNS)] for i in range(count)]


def _slot_of_name(name: str) -> list[str]:
    slot = slot_of(name)
    return [slot] if slot else []


def _slots_in_words(name: str) -> list[str]:
    words = re.split(r"[^a-z0-9-]+", name.lower())
    return [slot for word in words if (slot := slot_of(word))]


def _normal(name: str) -> str:
    return re.sub(r"[\s_]+", "-", name.strip().lower())
