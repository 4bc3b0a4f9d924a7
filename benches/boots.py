"""Whether programs on kernels give the same bytes in every boot: `python benches/boots.py [BOOTS] [QUIC]`.

For each example, and for bulk data at 100 Mb/s, a row: boots, number of different results (the JSON, and the packets of each node), packets, virtual time, real time a
boot. QUIC is the directory into which `examples/programs/quic/build.sh` has built its programs; without it those rows are left out. It
needs the kernel of `make kernel`, and iperf3 and curl; the row of two kernels needs those of `LINUX=6.12` and `LINUX=7.3`.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import programs

from acklab import _core
from acklab.engines import kernel

#: Stands for a scenario of `programs.py`: three seconds at 100 Mb/s.
BULK = "bulk"
FOLDER = Path(__file__).resolve().parents[1] / "examples" / "programs"


def examples(quic: Path | None) -> dict[str, list[str]]:
    """Words for `acklab run`, by name."""
    found = {
        "iperf3 over CAKE": [str(FOLDER / "iperf3-cake.toml"), "--allow-programs"],
        "curl over DOCSIS": [str(FOLDER / "web-docsis.toml"), "--allow-programs"],
    }
    with contextlib.suppress(_core.LiveError):
        for version in ("6.12", "7.3"):
            kernel.find(version)
        found["Linux 7.3 to 6.12"] = [*found["iperf3 over CAKE"], "--linux", "server=7.3", "--linux", "home=6.12"]
    if quic is not None:
        path = str(FOLDER / "home-cake.toml")
        for server, client in itertools.product(("quic-go", "quinn"), repeat=2):
            words = [
                "--server",
                f"{quic / server} serve 0.0.0.0:443",
                "--client",
                f"{quic / client} fetch {{server}}:443 5000000",
            ]
            found[f"{server} to {client}"] = [path, *words]
    for version in ("6.12", "7.3"):
        with contextlib.suppress(_core.LiveError):
            kernel.find(version)
            found[f"100 Mb/s, Linux {version}"] = [BULK, "--allow-programs", "--linux", version]
    return found


def boot(words: list[str]) -> tuple[str, dict[str, object]]:
    """A digest of everything that came out, and what came out."""
    with tempfile.TemporaryDirectory() as folder:
        out, bulk = Path(folder) / "out", Path(folder) / "bulk.toml"
        bulk.write_text(programs.scenario(1, 100.0, 3.0, idle=False))
        given = [str(bulk) if word == BULK else word for word in words]
        command = [sys.executable, "-m", "acklab", "run", *given, "--virtual", "--json", "--out", str(out)]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode:
            raise SystemExit((done.stderr + done.stdout[-2000:]).decode())
        digest = hashlib.sha256(done.stdout)
        for capture in sorted(out.glob("*.pcap")):
            digest.update(capture.read_bytes())
    return digest.hexdigest(), json.loads(done.stdout)


def main() -> None:
    """Prints a table."""
    boots = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    quic = Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
    print(f"{'example':<20} {'boots':>5} {'results':>7} {'packets':>8} {'virtual s':>9} {'real s':>7}")
    for name, words in examples(quic).items():
        since = time.monotonic()
        told = [boot(words) for _ in range(boots)]
        each = (time.monotonic() - since) / boots
        first: dict[str, object] = told[0][1]
        packets = sum(row["packets"] for row in first["streams"])  # type: ignore[attr-defined]
        ended = max(program["ended_s"] or 0.0 for program in first["programs"])  # type: ignore[attr-defined]
        print(
            f"{name:<20} {boots:>5} {len({digest for digest, _ in told}):>7} {packets:>8} {ended:>9.3f} {each:>7.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
