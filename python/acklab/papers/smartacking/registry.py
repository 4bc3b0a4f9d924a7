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
)
