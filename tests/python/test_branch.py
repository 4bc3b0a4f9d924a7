"""Branches: exactly what their scenarios give from the beginning, and refused where they cannot be."""

from __future__ import annotations

from dataclasses import replace

import pytest

import acklab
from acklab import _core
from acklab.papers.divack.setting import Client, Path, download

SHORT = Path(warm_s=20.0, file_bytes=150_000)


@pytest.mark.parametrize(
    "client",
    [
        Client("delayed"),
        Client("divss1"),
        Client("divca2", 4),
        Client("divss1", credit="abc", limit=2.0),
        Client("optimistic", ack=(("ahead", 20),), sender=(("skip", 50), ("unsent_ack", "restart"))),
    ],
)
def test_a_branch_is_its_scenario_run_from_the_beginning(client: Client) -> None:
    warm = _core.Simulation(download(Client("every"), 4, 3, SHORT))
    warm.run_until(SHORT.warm_s)
    text = download(client, 4, 3, SHORT)
    assert warm.branch(text).run().json() == _core.Simulation(text).run().json()


def test_a_branch_may_be_of_another_size() -> None:
    warm = _core.Simulation(download(Client("every"), 4, 3, SHORT))
    warm.run_until(SHORT.warm_s)
    texts = [download(Client("delayed"), 4, 3, replace(SHORT, file_bytes=size)) for size in (15_000, 300_000)]
    branches = [warm.branch(text).run().json() for text in texts]
    assert branches == [_core.Simulation(text).run().json() for text in texts]
    assert branches[0] != branches[1]
    with pytest.raises(_core.ScenarioError, match="flow client differs in more than"):
        warm.branch(texts[0].replace('"size":{"bytes":"15000B"}', '"size":"unlimited"'))


def test_what_has_played_a_part_may_not_change() -> None:
    warm = acklab.simulation(download(Client("every"), 2, 1, SHORT))
    warm.run_until(SHORT.warm_s + 0.5)
    for text, why in (
        (download(Client("delayed"), 2, 1, SHORT), "flow client has begun"),
        (download(Client("every"), 3, 1, SHORT), "differ in more than flows"),
        (
            download(Client("every"), 2, 1, SHORT).replace('"size":{"bytes":"150000B"}', '"size":"unlimited"'),
            "flow client differs in more than",
        ),
    ):
        with pytest.raises(_core.ScenarioError, match=why):
            warm.branch(text)
