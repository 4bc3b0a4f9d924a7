"""Branches: exactly what their scenarios give from the beginning, and refused where they cannot be."""

from __future__ import annotations

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


def test_what_has_played_a_part_may_not_change() -> None:
    warm = acklab.simulation(download(Client("every"), 2, 1, SHORT))
    warm.run_until(SHORT.warm_s + 0.5)
    for text, why in (
        (download(Client("delayed"), 2, 1, SHORT), "flow client has begun"),
        (download(Client("every"), 3, 1, SHORT), "differ in more than flows"),
        (download(Client("every"), 2, 1, Path(warm_s=20.0)), "flow client differs in more than"),
    ):
        with pytest.raises(_core.ScenarioError, match=why):
            warm.branch(text)
