"""Scenarios in Python, one to one with the scenario file.

A :class:`Scenario` is a plain tree of typed parts; ``to_toml()`` writes the file, ``acklab.run`` takes it as it is.
An unknown keyword raises TypeError and names the nearest known one; values are checked by the simulator, which raises
:class:`acklab.ScenarioError` with the key, the value and what is allowed.
"""

from .network import Asymmetric, Back, Direction, Dumbbell, Link, Loss, ParkingLot, Pipe, Queue, Topology
from .parts import Flow, Record, Repeat, Scenario, Size, Stop
from .rules import Ack, Credit, Receiver, Sender, Stack

__all__ = [
    "Ack",
    "Asymmetric",
    "Back",
    "Credit",
    "Direction",
    "Dumbbell",
    "Flow",
    "Link",
    "Loss",
    "ParkingLot",
    "Pipe",
    "Queue",
    "Receiver",
    "Record",
    "Repeat",
    "Scenario",
    "Sender",
    "Size",
    "Stack",
    "Stop",
    "Topology",
]
