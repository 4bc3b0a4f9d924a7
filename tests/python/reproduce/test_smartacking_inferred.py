"""What the smartacking page says of the inference: the runs of the readings whose values it prints are made again."""

from __future__ import annotations

import numpy as np
import pytest

from acklab.experiments.infer.plan import Plan, from_tree
from acklab.papers import inferred
from acklab.papers.smartacking.edge import QUEUES, posterior
from acklab.papers.smartacking.setting import EDGE_QUEUE


@pytest.fixture(scope="module")
def plan() -> Plan:
    tree = inferred("smartacking")
    assert tree is not None
    return from_tree(tree, "smartacking")


def test_the_edge_queue_that_is_used_is_the_most_probable() -> None:
    rates = {other: np.full((len(QUEUES), 5), 31.0) for other in ("newreno", "acc")}
    rates["newreno"][QUEUES.index(EDGE_QUEUE)], rates["acc"][QUEUES.index(EDGE_QUEUE)] = 16.5, 22.8
    weights = posterior(rates)
    assert weights.sum() == pytest.approx(1)
    assert QUEUES[int(weights.argmax())] == EDGE_QUEUE
