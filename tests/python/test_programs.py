"""Programs on kernels at a scenario's nodes."""

import hashlib
import html
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from acklab import _core, run
from acklab.cli.examples import example
from acklab.engines import kernel, programs, view

PATH = "[[link]]\nbetween = ['S', 'R']\nrate = '20Mbps'\ndelay = '10ms'\nqueue = { kind = 'codel' }\n"
FOLDER = Path(__file__).parent / "programs"


def has_kernel(version: str | None = None) -> bool:
    try:
        kernel.find(version)
    except _core.LiveError:
        return False
    return True


#: `make kernel` builds one; without it what needs one is not tested here.
with_kernel = pytest.mark.skipif(not has_kernel(), reason="there is no kernel; make kernel builds one")


def acklab(*words, **given):
    command = [sys.executable, "-m", "acklab", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=280, check=False, **given)


@pytest.fixture
def transfer(tmp_path):
    """A scenario with a server and a client of TCP."""
    server, client = (
        json.dumps(f"{sys.executable} -S {FOLDER / name}") for name in ("server.py", "client.py {server}")
    )
    text = f"""{PATH}
[[program]]
at = "@server"
run = {server}
ready = {{ port = 80 }}
[[program]]
at = "@client"
run = {client}
start = "100ms"
"""
    (tmp_path / "transfer.toml").write_text(text)
    return tmp_path / "transfer.toml"


@with_kernel
def test_python_runs_a_server_and_a_client(transfer):
    server, client = (f"{sys.executable} -S {FOLDER / name}" for name in ("server.py", "client.py {server}"))
    told = run(PATH, engine="kernel", server=server, client=client)
    assert [(program["at"], program["status"]) for program in told.programs] == [("S", 0), ("R", 0)]
    assert told.programs[0]["output"] == "300000\n" and sum(stream["bytes"] for stream in told.streams) > 300_000
    with pytest.raises(ValueError, match="names 2 commands.*allow_programs=True"):
        run(transfer, engine="kernel")
    assert run(transfer, engine="kernel", allow_programs=True).programs[0]["output"] == "300000\n"


@with_kernel
def test_a_run_leaves_a_page(transfer, tmp_path):
    file = tmp_path / "a.toml"
    file.write_text(transfer.read_text() + "[[program]]\nat = '@client'\nrun = 'echo \"<b>kept\"; exit 3'\n")
    done = acklab("run", file, "--virtual", "--allow-programs", "--out", tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    assert done.returncode == 1 and "<li>The program of R failed, exit status 3: " in page
    assert "<pre>300000</pre>" in page and "<pre>&lt;b&gt;kept</pre>" in page and "S: ended with exit status 0" in page
    streams = json.loads((tmp_path / "out" / "programs.json").read_text())["streams"]
    for row in streams:
        assert html.escape(row["name"]) in page and f"<td>{1e3 * row['delay_p95_s']:.3f}</td>" in page
    assert '"charts":[{"id":"queue"}]' in page, "the run page's own viewer"
    shown = re.search(r'<code id="command">(.*?)</code>', page)[1]
    assert shown.endswith("--virtual --allow-programs") and "acklab explore" not in page, (
        "the explorer runs no programs"
    )
    assert (tmp_path / "out" / "queue.parquet").is_file()


def test_a_files_commands_run_only_when_they_are_allowed(tmp_path):
    file = tmp_path / "stranger.toml"
    file.write_text(PATH + "[[program]]\nat = 'S'\nrun = 'touch /tmp/gone'\n")
    refused = acklab("run", file, "--virtual")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "touch /tmp/gone" in refused.stderr and "--allow-programs" in refused.stderr and "stranger" in refused.stderr
    simulated = acklab("run", file)
    assert simulated.returncode == 1 and "--allow-programs" in simulated.stderr


def test_without_a_kernel_the_remedy_is_told(tmp_path):
    file = tmp_path / "path.toml"
    file.write_text(PATH + "[[program]]\nat = 'S'\nrun = 'true'\n")
    missing = acklab(
        "run", file, "--virtual", "--allow-programs", env={**os.environ, "ACKLAB_KERNEL": str(tmp_path / "none")}
    )
    assert missing.returncode == 1 and "make kernel" in missing.stderr


def test_names_in_braces_are_addresses_and_other_braces_stay():
    told = _core.Programs(PATH + "[[program]]\nat = '@client'\nrun = 'x'\n").json()
    plan = json.loads(told)
    said = programs.with_addresses("x {server} {client} {S} {Q} ${HOME} awk '{print $1}'", plan)
    assert said == "x 10.0.0.1 10.0.0.2 10.0.0.1 {Q} ${HOME} awk '{print $1}'"
    assert programs.with_addresses("{server/6} {R/6} {Q/6}", plan) == "fd00::1 fd00::2 {Q/6}"


def test_many_runs_refuse_a_files_commands_too(tmp_path):
    """Each verb, a stream of scenarios, standard input, a file of cases, and Python: none runs what nobody has allowed."""
    file, plain, cases, plan = (tmp_path / name for name in ("stranger.toml", "plain.toml", "cases.toml", "plan.toml"))
    mark = tmp_path / "ran"
    table = f"[[program]]\nat = 'S'\nrun = 'touch {mark}'\n"
    file.write_text(PATH + table)
    plain.write_text(PATH + "[[flow]]\nfrom = 'S'\nto = 'R'\nsize = { segments = 3 }\n")
    alike = ["--case", "a", "--case", "b: link.0.delay=1ms", "--metric", "completion", "--seeds", "2"]
    for words in (["compare", file, *alike], ["sweep", file, "--vary", "link.0.delay=1ms,2ms"]):
        refused = acklab(*words, "--virtual")
        assert (refused.returncode, refused.stdout) == (2, "") and "--allow-programs" in refused.stderr, refused.stderr
        assert "touch" in refused.stderr or "programs" in acklab(*words).stderr
    cases.write_text(
        "scenario = 'plain.toml'\nmetrics = ['completion']\n[[case]]\nname = 'a'\n[[case]]\nname = 'b'\nset = { 'program' = [] }\n"
    )
    refused = acklab("compare", plain, "--cases", cases, "--virtual", "--client", "true", "--metric", "completion")
    assert refused.returncode == 2 and "--allow-programs" in refused.stderr, refused.stderr
    plan.write_text("scenario = 'plain.toml'\nmetrics = ['completion']\n[vary]\n'link.0.delay' = ['1ms', '2ms']\n")
    refused = acklab("sweep", plan, "--virtual", "--client", "true")
    assert refused.returncode == 2 and "--allow-programs" in refused.stderr, refused.stderr
    assert acklab("compare", plain, *alike, "--client", "true").returncode == 2
    line = json.dumps(
        {
            "link": [{"between": ["S", "R"], "rate": "1Mbps", "delay": "1ms"}],
            "program": [{"at": "S", "run": f"touch {mark}"}],
        }
    )
    streamed = acklab("run", "--batch", "-", input=line + "\n")
    assert "--allow-programs" in json.loads(streamed.stdout)["error"]
    for words in (["--virtual"], ["--live"]):
        refused = acklab("run", "-", *words, input=file.read_text())
        assert (refused.returncode, refused.stdout) == (2, "") and "--allow-programs" in refused.stderr
    with pytest.raises(_core.LiveError, match="allow-programs"):
        kernel.result(file.read_text())
    assert not mark.exists()


def test_one_word_for_each_clock(tmp_path):
    file = tmp_path / "path.toml"
    file.write_text(PATH)
    for words in (["--virtual", "--live"], ["--virtual", "--realtime"], ["--dry-run"], ["--client", "true"]):
        refused = acklab("run", file, *words)
        assert refused.returncode == 2 and "--live" in refused.stderr, words


def test_a_file_in_a_memory_of_the_node_is_named(tmp_path_factory):
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        data, script = Path(folder, "data"), Path(folder, "serve.py")
        assert view.hidden([f"cat {data}"]) is None, "it is not there"
        for file in (data, script):
            file.write_text("")
        assert view.hidden(["true", f"cat '{data}' > out"]) == str(data)
        assert view.hidden([f"python3 {script} {data}"]) is None, "a script's folder is shown"
        assert view.hidden(["ls /tmp", "cat /usr/bin/env"]) is None


@with_kernel
def test_a_transfer_between_two_kernels_is_the_same_each_time(transfer, tmp_path):
    told, packets = [], set()
    for name in ("one", "two"):
        done = acklab("run", transfer, "--virtual", "--allow-programs", "--json", "--out", tmp_path / name)
        assert done.returncode == 0, done.stderr
        told.append(done.stdout)
        packets.add(tuple(hashlib.sha256((tmp_path / name / f"{node}.pcap").read_bytes()).hexdigest() for node in "SR"))
    assert told[0] == told[1] and len(packets) == 1
    result = json.loads(told[0])
    server, client = result["programs"]
    assert (server["output"], server["status"], client["status"]) == ("300000\n", 0, 0)
    assert client["started_s"] >= 0.1 and (tmp_path / "one/nodes/R/files/mine.txt").read_text() == "kept"
    # 300 kB at 20 Mb/s, with headers, and the handshake's round trip.
    assert 0.12 + 0.02 < client["ended_s"] - 0.1 + 0.05 < 0.5
    there, back = result["streams"]
    assert (
        there["payload_bytes"] >= 300_000
        and there["name"].startswith("tcp R:")
        and back["name"].startswith("tcp S:80>")
    )
    assert there["delay_min_s"] >= 0.01 and there["arrived"] + there["dropped"] == there["packets"]
    assert [row["name"] for row in result["flows"]] == [there["name"], back["name"]]
    assert result["links"][1]["packets"] == there["arrived"]


@with_kernel
def test_a_kernel_has_the_same_memory_and_no_random_numbers_of_the_processor_in_each_boot(tmp_path):
    """Without fixed addresses `tcp_rmem[2]` of 6.12 differed by some kB from boot to boot."""
    file = tmp_path / "memory.toml"
    file.write_text(
        PATH + "[[program]]\nat = 'S'\nrun = 'cat /proc/sys/net/ipv4/tcp_rmem /proc/meminfo; echo $OPENSSL_ia32cap'\n"
    )
    words = ("run", file, "--virtual", "--allow-programs", "--json")
    told = [json.loads(acklab(*words).stdout)["programs"][0]["output"] for _ in range(3)]
    assert "MemTotal" in told[0] and told[0].splitlines()[-1] == "~0x4000000000000000:~0x40000"
    if fixed_addresses_are_allowed():
        assert len(set(told)) == 1


def fixed_addresses_are_allowed() -> bool:
    """Whether the machine lets a process have them: some containers do not."""
    words = [shutil.which("setarch"), "-R", "true"]
    return words[0] is not None and subprocess.run(words, check=False, capture_output=True).returncode == 0


@pytest.mark.skipif(
    not (has_kernel("6.12") and has_kernel("7.3")),
    reason="there are not both kernels; LINUX=7.3 make kernel builds one",
)
def test_two_kernels_of_different_age_stand_at_two_ends(tmp_path):
    file = tmp_path / "ages.toml"
    server = f"{sys.executable} -S {FOLDER / 'server.py'}; uname -r"
    client = f"{sys.executable} -S {FOLDER / 'client.py'} {{S}}; uname -r"
    file.write_text(
        f"{PATH}[[program]]\nat = 'S'\nrun = {json.dumps(server)}\nready = {{ port = 80 }}\nkernel = '7.3'\n"
        f"[[program]]\nat = 'R'\nrun = {json.dumps(client)}\n"
    )
    words = ("run", file, "--virtual", "--allow-programs", "--json", "--linux", "6.12")
    told = [acklab(*words) for _ in range(2)]
    assert told[0].returncode == 0, told[0].stderr
    assert told[0].stdout == told[1].stdout
    old, new = (json.loads(told[0].stdout)["programs"][index]["output"].splitlines()[-1] for index in (1, 0))
    assert old.startswith("6.12.") and new.startswith("7.3.")
    # The command line comes before the file.
    told = acklab(*words, "--linux", "S=6.12")
    assert all(
        program["output"].splitlines()[-1].startswith("6.12.") for program in json.loads(told.stdout)["programs"]
    )


def test_a_version_that_is_not_there_and_a_node_that_is_not(tmp_path):
    file = tmp_path / "path.toml"
    file.write_text(PATH + "[[program]]\nat = 'S'\nrun = 'true'\n")
    for words, status, told in (
        (("--linux", "0.1"), 2, "LINUX=0.1 make kernel"),
        (
            ("--linux", "X=7.3"),
            2,
            "there is no node X; there are S, R" if has_kernel("7.3") else "there is no kernel 7.3",
        ),
        (("--linux", "/bin/true"), 2, "names no version"),
    ):
        done = acklab("run", file, "--virtual", "--allow-programs", *words)
        assert (done.returncode, told in done.stderr) == (status, True), done.stderr


@with_kernel
def test_version_6_crosses_the_path(tmp_path):
    """If the kernel has it; one of `make kernel` does since IPv6 is in its configuration."""
    echo = f"{sys.executable} -S {FOLDER / 'echo6.py'}"
    file = tmp_path / "echo.toml"
    tables = f"[[program]]\nat = 'S'\nrun = {json.dumps(echo)}\nready = {{ port = 7 }}\n[[program]]\nat = 'R'\nrun = {json.dumps(echo + ' S')}\n"
    file.write_text("stop.at = '9s'\n" + PATH + tables)
    result = json.loads(acklab("run", file, "--virtual", "--allow-programs", "--json").stdout)
    server, client = result["programs"]
    if "Address family not supported" in server["output"]:
        pytest.skip("this kernel has no IPv6")
    assert client["output"] == "1000 fd00::1\n4000 fd00::1\n"
    # A datagram of 1000 bytes is 1048 with its headers: 0.42 ms at 20 Mb/s, before and after the 10 ms.
    first = next(row for row in result["streams"] if row["name"].endswith(">S:7 dscp 46"))
    assert abs(first["delay_min_s"] - 0.010419) < 1e-6


@with_kernel
def test_a_comparison_of_programs(transfer, tmp_path):
    """A program's time and a stream's packets are metrics; seeds lose other packets; what fails has no numbers."""
    words = ["--virtual", "--allow-programs", "--set", "link.0.loss={rate=0.02}", "--seeds", "2", "--json"]
    cases = ["--case", "near", "--case", "far: link.0.delay=30ms"]
    metrics = ["--metric", "time: completion@R", "--metric", "packets: segments_sent@tcp R>S:80"]
    done = acklab("compare", transfer, *words, *cases, *metrics)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    runs = {(run["case"], run["seed"]): run for run in told["runs"]} if "runs" in told else told
    assert runs, told.keys()
    swept = acklab(
        "sweep",
        transfer,
        "--virtual",
        "--allow-programs",
        "--vary",
        "link.0.rate=5Mbps,20Mbps",
        "--metric",
        "completion@R",
        "--json",
    )
    assert swept.returncode == 0, swept.stderr
    failing = acklab("compare", transfer, *words, "--case", "good", "--case", "bad: program.1.run='exit 3'", *metrics)
    assert "exit status 3" in failing.stdout + failing.stderr


@with_kernel
def test_what_hangs_is_stopped_at_the_end_and_what_fails_is_told(tmp_path):
    file = tmp_path / "unkind.toml"
    runs = ("sleep 1000000", "exit 3")
    tables = "".join(f"[[program]]\nat = 'S'\nrun = {json.dumps(run)}\n" for run in runs)
    file.write_text("stop.at = '3s'\n" + PATH + tables)
    done = acklab("run", file, "--virtual", "--allow-programs", "--json")
    sleeps, fails = json.loads(done.stdout)["programs"]
    assert (sleeps["stopped"], sleeps["status"], fails["status"], done.returncode) == (True, -15, 3, 1)


@with_kernel
def test_what_floods_and_what_forks_is_bounded(tmp_path):
    """The output is cut, and counted whole; a fork bomb meets the limit of tasks and ends with the kernel."""
    file = tmp_path / "unkind.toml"
    runs = ("head -c 20000000 /dev/zero | tr '\\0' x", "bomb() { bomb | bomb & }; bomb; sleep 1; exit 0")
    tables = "".join(f"[[program]]\nat = '{at}'\nrun = {json.dumps(run)}\n" for at, run in zip("SR", runs, strict=True))
    file.write_text("stop.at = '2s'\n" + PATH + tables)
    done = acklab("run", file, "--virtual", "--allow-programs", "--json")
    flood, bomb = json.loads(done.stdout)["programs"]
    assert (flood["printed_bytes"], len(flood["output"]), flood["status"]) == (20_000_000, 4 << 20, 0)
    assert bomb["started_s"] < 1e-6 and (bomb["ended_s"] or 0.0) <= 3.1, bomb


@with_kernel
def test_an_interrupt_ends_the_kernels_and_leaves_nothing(tmp_path):
    file = tmp_path / "long.toml"
    file.write_text(
        "stop.at = '1000000s'\n" + PATH + "[[program]]\nat = 'S'\nrun = 'while true; do sleep 0.001; done'\n"
    )
    command = [
        sys.executable,
        "-m",
        "acklab",
        "run",
        str(file),
        "--virtual",
        "--allow-programs",
        "--out",
        str(tmp_path / "out"),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    running = f"pgrep -P {process.pid}"
    while not (
        kernels := subprocess.run(running, shell=True, capture_output=True, text=True, check=False).stdout.split()
    ):
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, ""), err
    assert not any(Path(f"/proc/{kernel}").exists() for kernel in kernels)
    assert not (tmp_path / "out" / "acklab.json").exists()


@with_kernel
@pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl")
def test_a_web_server_and_curl_over_docsis():
    done = acklab("run", example("programs/web-docsis.toml"), "--virtual", "--allow-programs", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    server, client = json.loads(done.stdout)["programs"]
    assert server["stopped"] and "GET /megabyte" in server["output"]
    # At 100 Mb/s a megabyte takes 80 ms, and its requests wait for grants.
    assert client["output"].startswith("1000000 bytes in 0.1"), client["output"]


@with_kernel
@pytest.mark.skipif(not shutil.which("iperf3"), reason="there is no iperf3")
def test_iperf3_shares_cake_with_a_simulated_flow():
    done = acklab("run", example("programs/iperf3-cake.toml"), "--virtual", "--allow-programs", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    data = max(result["streams"], key=lambda row: row["bytes"])
    # A node's name has an address of either version, and iperf3 takes the one of version 6 where the kernel has it.
    assert data["name"].partition(" ")[2].startswith("server:5201>home:") and result["flows"][0]["bytes"] > 200_000
    # CAKE lets 9 Mb/s through, and half of it once there are two.
    assert 4.5e6 < 8 * data["payload_bytes"] / 2 < 8.6e6
