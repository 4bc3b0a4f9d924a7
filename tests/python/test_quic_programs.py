"""Programs of quic-go and quinn on kernels at a scenario's nodes.

`ACKLAB_QUIC` names the directory into which `examples/programs/quic/build.sh` has built them.
"""

import itertools
import json
import os
from pathlib import Path

import pytest

from acklab import _core
from acklab.cli.examples import example
from acklab.engines import kernel

PROGRAMS = Path(os.environ.get("ACKLAB_QUIC", "")).resolve()


def ready() -> bool:
    try:
        kernel.find(None)
    except _core.LiveError:
        return False
    return all((PROGRAMS / name).is_file() for name in ("quic-go", "quinn"))


with_programs = pytest.mark.skipif(
    not ready(), reason="needs make kernel, and ACKLAB_QUIC with what build.sh has built"
)


def transfer(acklab_command, server, client, *, acks="", size=1_000_000):
    """What one download is, as JSON text."""
    words = [
        "--server",
        f"{PROGRAMS / server} serve 0.0.0.0:443 {acks}",
        "--client",
        f"{PROGRAMS / client} fetch {{server}}:443 {size}",
    ]
    done = acklab_command("run", str(example("programs/home-cake.toml")), "--virtual", *words, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def packets(told, beginning):
    return sum(row["packets"] for row in json.loads(told)["streams"] if row["name"].startswith(beginning))


@with_programs
@pytest.mark.parametrize(("server", "client"), list(itertools.product(("quic-go", "quinn"), repeat=2)))
def test_each_server_and_each_client_work_together(acklab_command, server, client):
    told = transfer(acklab_command, server, client)
    assert json.loads(told)["programs"][1]["output"].startswith("1000000 bytes in 0.")
    # RFC 9000 13.2.2: an ACK after at least two packets that elicit one; a delayed ACK may come earlier.
    data, acks = packets(told, "udp server:443>home:"), packets(told, "udp home:")
    assert 1_000_000 / 1500 < data < 1200 and data / 3 < acks < data


@with_programs
def test_the_extension_gives_fewer_acks_and_two_boots_the_same_bytes(acklab_command):
    without, *asked = (transfer(acklab_command, "quinn", "quinn", acks=acks) for acks in ("", "10", "10"))
    assert asked[0] == asked[1]
    assert packets(asked[0], "udp home:") < packets(without, "udp home:") / 2
