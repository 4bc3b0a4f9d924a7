"""The paper's entry, to which the sections add their figures and claims."""

from __future__ import annotations

from ...reproduce.paper import Paper
from .setting import PARAMETERS

PAPER = Paper(
    id="smartacking",
    title="Smartacking: Improving TCP Performance from the Receiving End",
    citation="Daniel K. Blandford, Sally A. Goldman, Sergey Gorinsky, Yan Zhou, Daniel R. Dooly, Journal of Internet Engineering 1(1), 2007",
    about="A receiver that sees when the bottleneck is full, and then acknowledges as late as keeps it busy. Where a figure's "
    "scale is not in the text we have, shape and order are the claim.",
    sections={
        "3": "The estimator",
        "4": "Configurations",
        "5.1": "Dynamics",
        "5.2": "Drop-tail routers",
        "5.3": "RED routers",
        "5.4": "Asymmetric networks",
        "5.5": "Changes in capacity",
        "5.6": "Many connections",
        "5.7": "Fairness",
        "6": "Conclusions",
    },
    parameters=PARAMETERS,
    unprinted=("Parking-Lot", "Figure 17"),
    terms={
        "smartacking": "the paper's receiver: it estimates the sender's window and the bottleneck's pace, and sends fewer ACKs once the bottleneck is busy",
        "plain, paced, extended": "smartacking alone; with a sender that spaces its segments; with an alpha that falls after losses",
        "alpha": "the share of a round trip by which the ACK leaves before the last segment under way comes",
        "FQ": "a bottleneck that serves connections in turn",
        "ACC": "ACK congestion control: the receiver sends fewer ACKs when the way back is congested",
        "ABC, SABC": "appropriate byte counting, in which the sender's window grows by the bytes that are acknowledged; a scaled form, which the paper only names",
        "ISAT": "the time between arrivals of segments at the receiver",
        "1-0, 2-2": "connections of one direction and of the other",
        "T1 to T8": "the transitions of the listing that estimates the window",
        "slope": "how fast the window grows",
        "reduction": "how much shorter a transfer takes than with NewReno",
    },
)
