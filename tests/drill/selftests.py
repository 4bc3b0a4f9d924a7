#!/usr/bin/env python3
"""Runs a suite of packetdrill scripts: `python tests/drill/selftests.py SOURCE [--times N] [--page FILE] [--commit SHA] [--stack NAME --only WORD]`.

SOURCE is a kernel's source tree, whose `tools/testing/selftests/net/packetdrill` has the kernel's own scripts, and `ksft_runner.sh` there the
words that they use. Or it is packetdrill's repository, whose `gtests/net/tcp` has the public suite, and `run_all.py` its words. Both are
GPL-2.0 and no part of acklab. ACKLAB_KERNEL names the kernel, such as 7.3; with --stack a simulated stack runs them instead. The page says of each script that does not pass why, and in how
many of N runs each passed.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from acklab.engines import kernel
from acklab_drill.parser import parse
from acklab_drill.prepare import prepared
from acklab_drill.verb import on_kernel, on_stack
from acklab_drill.words import ScriptError

HEAD = """\
# The kernel's own scripts, on the kernel

Linux has scripts in [packetdrill's language](../howto/drill.md) among its tests: `tools/testing/selftests/net/packetdrill`. They are
GPL-2.0 and no part of acklab. `tests/drill/selftests.py` reads them from a kernel's source, runs them on a kernel of `make kernel`, over IPv4
unless they name IPv6, and writes this page:

```sh
ACKLAB_KERNEL={series} python tests/drill/selftests.py ~/linux-{series} --times {times} --page docs/oracle/linux-scripts.md
```

With `--ipv6` they run over IPv6, unless they name IPv4: the same number passed in one run of 7.3.4, and the same three did not.

A script that does not pass shows what acklab's runner lacks, or how the kernel in virtual time differs from the machine on which the
script was written.
"""
PUBLIC = """\
# The public packetdrill scripts, on the kernel

[packetdrill's repository](https://github.com/google/packetdrill) has scripts for Linux's TCP in `gtests/net/tcp`. They are GPL-2.0 and no part
of acklab. `tests/drill/selftests.py` reads them from a copy of the repository, runs them on a kernel of `make kernel`, over IPv4 unless their
names end with `v6`, and writes this page. The two that do have packetdrill's own peer and MTU: its runner names others, with which they fail.

```sh
ACKLAB_KERNEL={series} python tests/drill/selftests.py ~/packetdrill --times {times} --page docs/oracle/packetdrill-suite.md --commit {commit}
```

The scripts are those of commit {commit}.

The last column has the first difference, and its cause. Linux 6.12 and 7.3 differ from the script in the
same line and in the same way, but for the last one. The public suite changes seldom, and kernels have changed since;
[the kernel's own scripts](linux-scripts.md) belong to their kernel. The causes were read in its source, and none was proved by a kernel without it.
"""
SIMULATED = """\
# The kernel's scripts on accurate ECN, on the stack `{stack}`

Linux {series} has scripts on accurate ECN among [its own](linux-scripts.md) (GPL-2.0, no part of acklab), and passes all of them in virtual time. Here
the simulated stack `{stack}` runs them, and `tests/drill/selftests.py` writes this page:

```sh
python tests/drill/selftests.py ~/linux-{series} --stack {stack} --only accecn --page docs/oracle/accurate-ecn.md
```

What is judged is the two ends' counting: when the receiver acknowledges, what its counters are, which marks the sender takes from an ACK, and what both
agree on. [The host around them](../howto/drill.md#on-a-simulated-stack) writes SYNs, flags and the option's three fields as Linux does.
"""
#: Why the stack `linux` does otherwise in the scripts on accurate ECN.
SIMULATED_CAUSES = {
    "tcp_accecn_3rd_ack_ce_updates_received_ce": "a mark on a packet without data is not counted",
    "tcp_accecn_synack_ce": "a mark on a packet without data is not counted",
    "tcp_accecn_client_accecn_options_drop": "Linux ends the option where repeated segments show that the path drops packets with it; no rule does so here",
    "tcp_accecn_client_accecn_options_lost": "Linux pushes the middle of a write, two segments of which left in one burst",
    "tcp_accecn_close_local_close_then_remote_fin": "an ACK in TIME-WAIT has no counter in Linux; the host here has no such state",
    "tcp_accecn_delivered_updates": "a sender of ECT(0) does not read the option's field of ECT(1)",
    "tcp_accecn_synack_ce_updates_delivered_ce": "no answer to a SYN may be marked in the simulator, so the sender takes no mark from the handshake's ACK",
    "tcp_accecn_tsnoprogress": "Linux goes by the peer's own timestamp where an ACK acknowledges nothing; an ACK here has only the echo",
}
#: Causes of differences in the public suite, as read in the sources of 6.12 and 7.3. What each says of the numbers was worked out on paper.
GROWN = "`tcp_write_xmit` fills a group of segments from the next one (`tcp_grow_skb`): ten and ten leave, where the script has six and ten"
ROUNDS = "a round of HyStart begins at any cwnd (`hystart_update`), and once began at 16 segments and more only: it ends slow start at 36 segments, and would at 48"
OPENED = "the window is from the start as large as the buffer allows (`tcp_select_initial_window`), and once was 65,535 bytes at most"
CAUSES = {
    "cubic/cubic-bulk-166k": ROUNDS,
    "cubic/cubic-bulk-166k-idle-restart": ROUNDS,
    "cwnd_moderation/cwnd-moderation-ecn-enter-cwr-no-moderation-700": "`tcp_cwnd_reduction` counts one segment more if the ACK advances and nothing was lost",
    "eor/no-coalesce-retrans": "as in `tcp_eor_no-coalesce-retrans` of [the kernel's own](linux-scripts.md)",
    "epoll/epoll_out_edge": GROWN,
    "epoll/epoll_out_edge_default_notsent_lowat": GROWN,
    "epoll/epoll_out_edge_notsent_lowat": GROWN,
    "fast_retransmit/fr-4pkt-fack-last-mss": "the timer waits for a quarter of the round trip and 2 ms (`TCP_TIMEOUT_MIN_US`); the script fits two ticks of 4 ms",
    "fastopen/server/client-ack-dropped-then-recovery-ms-timestamps": f"{OPENED}; the kernel's own copy of the script has no window there",
    "gro/gro-mss-option": "the segment has no `ack`, so it acknowledges the SYN's own number; `tcp_ack` takes no ACK of what was never sent, and with `ack 1` the script passes",
    "ioctl/ioctl-siocinq-fin": f"{OPENED}: 267,640 bytes, and 68,455 may be said (`rcv_ssthresh`), so `__tcp_ack_snd_check` sees no advance, and the ACK of the FIN waits 40 ms",
    "notsent_lowat/notsent-lowat-default": GROWN,
    "shutdown/shutdown-rdwr-write-queue-close": "a FIN does not leave beyond cwnd any more (`tcp_cwnd_test`): a probe sends it later",
    "ts_recent/invalid_ack": "7.3 answers the segment before with a challenge ACK, and the kernel's own copy of the script has it; 6.12 passes",
}
#: The same in the kernel's own scripts, as read in the source of 7.3 and, of the last, in the socket's counts.
OWN_CAUSES = {
    "tcp_advmss_pmtu_ipv4": "`ipv4_default_advmss` of 7.3.4 still takes the MTU that was learned, not the device's",
    "tcp_advmss_pmtu_ipv6": "the same over IPv6, as the answer shows",
    "tcp_eor_no-coalesce-retrans": "the retransmission's round trip is no shorter than the least one here, so `tcp_rack_advance` takes it, "
    "`tcp_rack_detect_loss` finds the nine segments after it lost, too, and `tcp_cwnd_reduction` then allows one",
}
FOLDER, PUBLIC_FOLDER = "tools/testing/selftests/net/packetdrill", "gtests/net/tcp"


def definitions(source: Path, version: str) -> dict[str, str]:
    """The words that a suite's runner defines for a version of IP."""
    if (source / FOLDER).is_dir():
        found = re.search(rf'\[{version}\]="(.*?)"', (source / FOLDER / "ksft_runner.sh").read_text(), re.DOTALL)
    else:
        runner = source / "gtests/net/packetdrill/run_all.py"
        found = re.search(rf"'--ip_version={version} '(.*?)\)", runner.read_text(), re.DOTALL)
    return dict(re.findall(r"-D (\w+)=(\w+)", found[1] if found else ""))


def asked(text: str, name: str, everywhere: bool) -> tuple[str, str]:
    """A script as the runners call packetdrill, and its version of IP: that which it or its name says, or IPv6 `everywhere` else.

    Those of the public suite whose names say it are written for packetdrill's own peer and MTU, and not for those that its runner names.
    """
    named = re.search(r"^--ip_version=(ipv[46])$", text, re.MULTILINE)
    own = name.endswith("v6")
    version = named[1] if named else "ipv6" if everywhere or own else "ipv4"
    if version == "ipv4":
        return text, version
    # The device has room for the longer header, so that a segment has 1460 bytes, too.
    head = f"--ip_version=ipv6 {'--remote_ip=2001:db8::1' if own else '--mtu=1520'}"
    return (text.replace(named[0], head, 1) if named else f"{head} {text}"), version


def _version(source: Path) -> str:
    """The version in a tree's name, such as `linux-7.3.4`."""
    found = re.search(r"\d+\.\d+(\.\d+)?", source.name)
    return found[0] if found else "(version not known)"


def reason(told: dict[str, Any]) -> str:
    """Why a script did not pass, in one line."""
    if told["outcome"] == "unsupported":
        return "not supported: " + "; ".join(dict.fromkeys(what.split(": ", 1)[1] for what in told["unsupported"]))
    line = next((line for line in told["lines"] if line["outcome"] == "failed"), None)
    return f"line {line['line']}: {line['why']}" if line else "; ".join(told["notes"])[-200:]


def main() -> int:
    """Runs and prints; 0 if all passed each time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--ipv6", action="store_true", help="over IPv6 where a script names no version")
    parser.add_argument("--stack", help="a simulated stack instead of the kernel")
    parser.add_argument("--only", default="", help="scripts with this in their name")
    parser.add_argument("--commit", default="(not given)", help="the commit of the public suite")
    options = parser.parse_args()
    own = (options.source / FOLDER).is_dir()
    folder = options.source / (FOLDER if own else PUBLIC_FOLDER)
    words = {version: definitions(options.source, version) for version in ("ipv4", "ipv6")}
    scripts, why = [], {}
    for path in sorted(path for path in folder.rglob("*.pkt") if options.only in path.name):
        name = str(path.relative_to(folder).with_suffix(""))
        text, version = asked(path.read_text(), name, options.ipv6)
        text = prepared(text, path.parent, words[version])
        try:
            parse(text, name)
        except ScriptError as error:
            why[name] = f"not read: {error}"
        else:
            scripts.append((name, text))
    passed: Counter[str] = Counter()
    unsupported = set(why)
    for _ in range(options.times):
        for told in on_stack(scripts, options.stack) if options.stack else on_kernel(scripts):
            passed[told["script"]] += told["outcome"] == "passed"
            if told["outcome"] != "passed":
                why[told["script"]] = reason(told)
            if told["outcome"] == "unsupported":
                unsupported.add(told["script"])
    total, all_times = (
        len(scripts) + len(unsupported - dict(scripts).keys()),
        sum(count == options.times for count in passed.values()),
    )
    version = _version(options.source) if options.stack else kernel.find().name.split("-")[1]
    head = f"Linux {version}{', IPv6' if options.ipv6 else ''}: of {total} scripts {all_times} pass in each of {options.times} runs, {total - all_times - len(unsupported)} do not, "
    about, causes = (SIMULATED, SIMULATED_CAUSES) if options.stack else (HEAD, OWN_CAUSES) if own else (PUBLIC, CAUSES)
    lines = [
        about.format(
            series=".".join(version.split(".")[:2]), times=options.times, commit=options.commit, stack=options.stack
        )
    ]
    lines += [head + f"{len(unsupported)} are not supported.", "", "| script | passed | why not |", "|---|---|---|"]
    for name, because in sorted(why.items()):
        if cause := causes.get(name):
            because += f" ({cause})"
        escaped = because.replace("|", "\\|").replace("<", "&lt;")
        lines.append(f"| `{name}` | {passed[name]} | {escaped} |")
    print("\n".join(lines))
    if options.page:
        options.page.write_text("\n".join([*lines, ""]))
    return 0 if all_times == total else 1


if __name__ == "__main__":
    sys.exit(main())
