"""Scenarios in Python, one to one with the scenario file.

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

Written by tools/builder.py from the JSON Schema (``make builder``).
"""

from .experiment import (
    AnySize,
    Flow,
    Record,
    Repeat,
    Scenario,
    Size,
    Source,
    Stop,
    Telnet,
    When,
)
from .mechanisms import (
    Abc,
    AckCounting,
    AckPolicy,
    Control,
    Credit,
    Daass,
    Delayed,
    Every,
    Growth,
    Halving,
    IdleRestart,
    Lbc,
    PhaseSource,
    Recovery,
    RecoveryExit,
    Rfc5681,
    Sabc,
    Ubc,
)
from .network import (
    Asymmetric,
    Back,
    Direction,
    DropTail,
    Dumbbell,
    Link,
    Loss,
    LossPlace,
    LossTarget,
    ParkingLot,
    Pipe,
    Queue,
    Red,
    Topology,
)
from .rules import (
    PartialAckTimer,
    Receiver,
    RtoFloor,
    RttFilter,
    SackPartial,
    SecondFastRetransmit,
    Sender,
    SequenceUnit,
    Stack,
    TimerRestart,
    Window,
)

__all__ = [
    "Abc",
    "AckCounting",
    "AckPolicy",
    "AnySize",
    "Asymmetric",
    "Back",
    "Control",
    "Credit",
    "Daass",
    "Delayed",
    "Direction",
    "DropTail",
    "Dumbbell",
    "Every",
    "Flow",
    "Growth",
    "Halving",
    "IdleRestart",
    "Lbc",
    "Link",
    "Loss",
    "LossPlace",
    "LossTarget",
    "ParkingLot",
    "PartialAckTimer",
    "PhaseSource",
    "Pipe",
    "Queue",
    "Receiver",
    "Record",
    "Recovery",
    "RecoveryExit",
    "Red",
    "Repeat",
    "Rfc5681",
    "RtoFloor",
    "RttFilter",
    "Sabc",
    "SackPartial",
    "Scenario",
    "SecondFastRetransmit",
    "Sender",
    "SequenceUnit",
    "Size",
    "Source",
    "Stack",
    "Stop",
    "Telnet",
    "TimerRestart",
    "Topology",
    "Ubc",
    "When",
    "Window",
]
