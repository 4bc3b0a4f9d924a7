"""Every sentence that a verb prints: a template a kind of fact, of at most 20 words.

A field has a format of :class:`Words`: ``{time:seconds}``, ``{seeds:count seed}``, ``{cases:list}``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from .numbers import amount, change, counted, digits, listing, percent, quoted, seconds

#: Kind of fact -> its template.
TEMPLATES: Mapping[str, str] = {
    # A run.
    "invalid": "Invalid: {why}",
    "invalid-chart": "Invalid run: these numbers do not show what the scenario does",
    "runs-completion": "Completion: {values:texts}",
    "runs-carried": "Carried: {values:texts}",
    "moved": "While {visitors} sent ({from_s:seconds} to {to_s:seconds}), {flows} had {beside:amount b/s} instead of {alone:amount b/s}",
    "finished": "{flow} finished in {took:seconds}, at {rate:amount b/s}",
    "still-sending": "{flow} was still sending at {end:seconds}, at {rate:amount b/s}",
    "completions": "{flows} of {of:count flow} finished, in {least:seconds} to {most:seconds}",
    "busy": "{link} was busy {share:percent} of the run",
    "latency": "{flows}: median round trip {median:seconds} ({low:seconds} to {high:seconds}, {samples:count sample}){when:where}",
    "carried": "{flows}: {rate:amount b/s}{when:where}",
    "carried-of": "{flows}: {rate:amount b/s}, {share:percent} of the rate of {link}{when:where}",
    "fairness": "{flows}: Jain's index {index:digits}",
    "apart": "{flows} begin up to {apart:seconds} apart: no fairness index",
    "waited": "{what} waited {wait:seconds} for {link} on average; shortest round trip {shortest:seconds}{longest:where}",
    "losses": "{lost:count packet} lost ({where:list}){when:where}; {retransmits:count retransmission}, {timeouts:count timeout}, {fast_retransmits:count fast retransmit}",
    "needless": "At least {needless} of {retransmits:count retransmission} had no loss to repair",
    "no-loss": "No packet was lost or sent again",
    "acks": "An ACK for each {ratio:digits} segments that arrived",
    "acks-missing": "An ACK for each {ratio:digits} segments that arrived; {gone} of {sent:count ACK} did not reach the sender",
    "no-upload": "No upload in this run: --set upload=1s starts one",
    "late": "{count:count flow} not begun when the run ended: {flows:list}",
    "path": "{nodes}: {trip:seconds} there and back; slowest links {there} {rate:amount b/s}, {back} {rate_back:amount b/s}",
    "thinned": "The charts show {parts:texts}; closer up, rows are missing",
    "program-failed": "The program of {node} failed, exit status {status}: {run}",
    "program-took": "The program of {node} took {took:seconds}",
    "stream": "{name} carried {payload:amount B} of payload at {rate:amount b/s}",
    # A capture.
    "file": "{packets:count packet}, {bytes:amount B}, {span:seconds}, {connections:count TCP connection}",
    "log": "{connections:count QUIC connection}, {acks:count ACK frame}",
    "log-limit": "What limits the transfer is not judged of a log",
    "log-trips": "Round trip: {least:seconds} at least, median {median:seconds}",
    "only": "{shown} of {all} directions are of {names:any}",
    "more-directions": "... and {more} more with less {sort}: {policies:list} (--json and --out have them all)",
    "no-data": "No data; {opened}{reset:where}",
    "no-connection": "No connection with data: nothing is known of ACKs",
    "most-data": "Of {directions:count direction}, that with most data: {name}",
    "drawn-directions": "{shown} of {all} directions are drawn, those with most data; the tables have all",
    "spans": "Begins at {start:seconds}, lasts {took:seconds}",
    # Captions of charts.
    "chart-sequence": "Dots: first numbers of segments. Lines: the highest acknowledged, and the right edge of the receiver's window",
    "chart-limits": "The cause that held the sender back, over time; without a colour: not known",
    "chart-throughput": "Payload acknowledged, a mean over bins that follow the zoom",
    "chart-capacity": "the rate that trains of packets show, headers included",
    "chart-trips": "From a segment to its ACK, where they were captured",
    "chart-flight": "Sent and not acknowledged, where it was captured; the receiver's window where it is not much larger",
    "chart-flight-near": "Near the receiver an ACK leaves as data come: this is not what the sender has outstanding",
    "chart-delay": "From the segment that completes what an ACK covers to the ACK, where it was captured",
    "chart-acked": "Highest number acknowledged, at the place of the capture, from the first data",
    "chart-lag": "When the model acknowledges the same data, less when the capture does; below 0 it is earlier",
    "chart-acks": "A dot is an ACK of new data",
    "chart-what-if": "A dot is the median of the draws, a line its range; each panel begins at 0",
    # Many captures.
    "dataset": "{captures:count capture}, {directions:count direction}",
    "refused-files": "{files:count file} left out (captures.parquet says why)",
    "unfollowed-segments": "{segments:count segment} not looked at: {followed:count connection} of a file are followed (captures.parquet)",
    "limits-most": "{limit} limits {share:percent} of the data, in {directions:percent} of the directions",
    "first-directions": "The {shown} with most acknowledged data; connections.parquet has all",
    # What limits a direction of a capture.
    "limit": "Limit: {cause}, {share:percent} of {limits_s:seconds}",
    "limit-mixed": "Limit: no cause for more than half of {limits_s:seconds}",
    "limit-network": "Limit: not known for {share:percent} of {limits_s:seconds}",
    "limit-short": "Limit: too few data, {segments} segments in {limits_s:seconds}",
    "limit-unknown": "Limit: not known, because {why}",
    # The evidence of a limit.
    "evidence-application": "nothing to send",
    "evidence-receiver-window": "up to {window_limit_max_bytes:amount B}",
    "evidence-receiver-window-rate": "up to {window_limit_max_bytes:amount B} in {path_rtt_min_s:seconds}: {window_bps:amount b/s}",
    "evidence-closed-window": "window of 0 for {zero_window_s:seconds}",
    "evidence-recovery": "{resent} resent, {late} late, timeouts {timeout_wait_s:seconds}",
    "evidence-slow-start": "initial window {initial_window_bytes:amount B}",
    "evidence-path-rate": "link {bottleneck_bps:amount b/s}, full without a queue {path_filled_s:seconds}",
    "evidence-path-rate-queue": "a queue stands",
    "evidence-ack-path": "ACKs late by {acks_late_median_s:seconds}",
    "evidence-cwnd": "no queue stands",
    "evidence-sender-window": "never more than {max_flight_bytes:amount B} in flight",
    # The receiver's policy.
    "policy-every": "An ACK for every segment, at once: {policy_evidence} of {policy_of} ACKs",
    "policy-delayed": "An ACK for every {ack_every} segments: {policy_evidence} of {policy_of} ACKs",
    "policy-quick-then-delayed": "After {quick_segments} quick ACKs, one for every {ack_every} segments: {policy_evidence} of {policy_of} ACKs",
    "policy-by-phase": "Outside quick phases an ACK for every {ack_every} segments: {policy_evidence} of {policy_of} ACKs",
    "policy-waits": "ACKs wait for a timer: {policy_evidence} of {policy_of}",
    "policy-periodic": "An ACK about every {ack_period_s:seconds}; {policy_evidence} of {policy_of} cover three segments or more",
    "policy-varying": "No fixed number of segments an ACK; the commonest has {policy_evidence} of {policy_of} ACKs",
    "policy-divided": "Divided ACKs: {policy_evidence} of {policy_of} segments were acknowledged in parts",
    "policy-spoofed": "Duplicate ACKs that no segment called for: {policy_evidence} of {policy_of} ACKs",
    "policy-optimistic": "ACKs before their data arrive: {policy_evidence} of {policy_of} ACKs",
    "policy-thinned": "ACKs are lost or filtered before here: {policy_evidence}, beside {policy_of} that passed",
    "policy-undecided": "ACK policy not decided: {why}",
    # What else a direction shows.
    "seen-timer": "Delayed-ACK timer: {timer_low_s:seconds} to {timer_high_s:seconds}, by {lone_held} lone segments",
    "seen-again": "Quick ACKs again {quick_again} times, for {quick_again_segments} segments; {after_loss} after a loss",
    "seen-late-answer": "The SYN was answered late, after {late_answer_s:seconds}",
    "seen-late-ack": "The handshake's last ACK was late, after {late_ack_s:seconds}",
    "seen-split": "Handshake answered after {split_answer_s:seconds}, data from nearer: a proxy, or a late answer",
    "seen-series": "Two series of sequence numbers alternate ({series_returns} changes): a device rewrites them, or two connections",
    "seen-copies": "{copies} packets passed twice, the same in everything; copies count as resent",
    "seen-lacking": "The capture lacks {lacking_bytes:amount B} of {acked_bytes:amount B} that were acknowledged",
    "seen-bottleneck": "Bottleneck: {bottleneck_bps:amount b/s}{bottleneck_range_bps:interval b/s}, by {bottleneck_trains} trains that met a queue",
    "seen-offloaded": "{offloaded} packets hold several segments (TSO or GRO): their own times are not seen",
    "seen-compressed": "{compressed_acks} ACKs come closer than what they acknowledge",
    "seen-probes": "{probes} keep-alives of the receiver, or answers to keep-alives",
    "seen-echoes": "{ece} ACKs with the ECE bit, {ce} data packets marked; ECN {ecn}",
    "seen-counter": "Marks by the ACKs' counter: {ace_marks}; data packets marked here: {ce}",
    "seen-fell-back": "Accurate ECN was asked for; agreed on: {ecn}",
    "seen-closed": "{zero_window} segments advertise a window of 0",
    "seen-held": "Waits for delayed ACKs: {delayed_ack_wait_s:seconds}",
    # Where it was captured.
    "place-receiver": "Captured near the receiver: {receiver} to it and back, {sender} to the sender",
    "place-sender": "Captured near the sender: {sender} to it and back, {receiver} to the receiver; delays contain the path",
    "place-both": "Captured near both ends: {receiver} to the receiver and back, {sender} to the sender",
    "place-between": "Captured between the ends: {receiver} to the receiver and back, {sender} to the sender",
    "place-unknown": "Captured at an unknown place: {receiver} to the receiver and back, {sender} to the sender",
    "place-no-acks": "Only one direction was captured: no ACK passed here",
    "place-no-data": "Only one direction was captured: no data passed here",
    # Comments at a capture's packets.
    "note-held": "ACK held {delay:seconds}",
    "note-duplicate": "duplicate ACK",
    "note-resent": "retransmission",
    "note-spurious": "spurious retransmission",
    "note-late": "out of order",
    "note-limit": "limit from here: {cause}",
    # A fault of RFC 2525, and its evidence.
    "fault": "Fault of RFC 2525, section {section}: {name}{when:where} ({shown})",
    "fault-no initial slow start": "{segments} segments before the first ACK of data; RFC 6928 allows {allowed}",
    "fault-initial RTO too low": "the SYN was sent again after {wait_s:seconds}; RFC 6298 begins with 1 s",
    "fault-the retransmission timer does not back off": "the same segment again after {shortest_s:seconds} to {longest_s:seconds}",
    "fault-no slow start after a timeout": "the first ACK after it released {segments} segments",
    "fault-the window is not deflated after a recovery": "{segments} segments at its last ACK; {flight_bytes:amount B} in flight, {before_bytes:amount B} before",
    "fault-data above a gap is not retained": "the ACK of the retransmission covers it alone; {segments} segments above had passed",
    "fault-stretch ACKs": "{acks_of_more} of {plain_acks} ACKs are for more than two segments",
    "fault-options are missing from the MSS calculation": "{largest_bytes:amount B} beside timestamps; the MSS leaves {allowed_bytes:amount B}",
    # Why a limit or a policy is not known.
    "why-two-series": "two series of sequence numbers alternate",
    "why-no-acks": "no ACK passed here",
    "why-no-data": "no data passed here",
    "why-lacks-data": "the capture lacks too much of the data",
    "why-lacks-acks": "data beyond the receiver's window, so the capture lacks ACKs",
    "why-distance-late": "only the other direction shows the distance to the sender",
    "why-no-distance": "no handshake and no timestamps show the distance to the sender",
    "why-coarse-clock": "the capture's clock is too coarse",
    "why-few-acks": "plain ACKs: {policy_evidence}, needed: {policy_of}",
    "why-few-plain-acks": "{policy_evidence} of {policy_of} ACKs are plain",
    "why-few-outside-quick": "ACKs outside quick phases: {policy_evidence}, needed: {policy_of}",
    "why-unexplained-duplicates": "{policy_evidence} of {policy_of} ACKs are duplicates without a cause",
    "why-partial-acks": "{policy_evidence} of {policy_of} ACKs end inside a packet",
    "why-acks-missing": "ACKs may be missing between those that passed",
    "why-as-it-comes": "most ACKs cover all that had come",
    "why-waits": "the others waited",
    "why-others": "no rule fits the others",
    # What a log of a QUIC endpoint shows.
    "qlog-rule": "An ACK for every {usual_packets} packets in order: {usual_acks} of {ordered_acks} ACKs",
    "qlog-every": "An ACK for every packet in order: {usual_acks} of {ordered_acks} ACKs",
    "qlog-mean": "No fixed number of packets an ACK: {packets_per_ack} in the mean of {new_acks}",
    "qlog-none": "No ACK frame covers a packet that asks for one",
    "qlog-gaps": "ACKs at gaps or for late packets: {around} of {new_acks}",
    "qlog-timer": "ACKs that a timer sent: {timer_acks}, {timer_s:seconds} after the oldest packet (median)",
    "qlog-no-timer": "No ACK in order waited for a timer; a packet waited {hold_max_s:seconds} at most",
    "qlog-missing": "Missing packet numbers: {missing}, lost or skipped by the sender",
    "qlog-field": "ACK Delay {delay_field_median_s:seconds}, from the newest packet (RFC 9000 section 13.2.5); held {hold_median_s:seconds} from the oldest (medians)",
    "qlog-traces": "Traces without events were left out: {traces}",
    "qlog-records": "Records that are no JSON objects were left out: {records}",
    "qlog-untimed": "{records:count record} without a time or a name were left out",
    "qlog-broken": "The file breaks off; what stands before counts",
    "qlog-no-frames": "No packet is logged with an ACK frame: nothing follows about ACKs (the other end's log may have them)",
    "qlog-quinn": "quinn 0.11 logs round trips in seconds: if this log is of it, each is 1,000 times as long",
    # What is odd about a file.
    "file-not_ip": "passed over: {not_ip} packets without IP",
    "file-not_tcp": "passed over: {not_tcp} packets without TCP",
    "file-udp": "UDP among them: {udp}; like QUIC: {quic}",
    "file-cut": "passed over: {cut} packets cut before the end of their TCP header",
    "file-malformed": "passed over: {malformed} malformed packets",
    "file-tunnels": "tunnels opened, whose connections count: {kinds}",
    "file-fragments": "{fragments} fragments, put together to {reassembled} segments; {overlapping} left out, whose parts overlap",
    "file-links": "link types that are not read: {links}",
    "file-backward": "{backward} packets earlier than the one before, by up to {backward_s:seconds}: simultaneous with their connection's last",
    "file-clock_steps": "the clock goes back by more than a second {clock_steps} times; time goes on from where it was",
    "file-tick_s": "the clock counts in steps of {tick_s:seconds}: spans below ten steps are not known",
    "file-still": "all packets have the same time: no span and no rate is known",
    "file-wild_times": "{wild_times} times that do not go with those before and after: taken as that before",
    "file-options_cut": "{options_cut} packets cut within the TCP options, which may be missing (capture 128 bytes of each)",
    "file-untimed": "{untimed} packets without a time, not read (simple packet blocks)",
    "file-unfollowed": "{unfollowed} segments not looked at: of connections beyond {followed} (split or filter the capture)",
    "file-forgotten": "{forgotten} segments and gaps forgotten, too many were outstanding: later ACKs may be counted wrongly",
    "file-rows_left_out": "{rows_left_out} rows left out of the tables of ACKs and segments, which have room for {room}",
    "file-damaged": "the file is damaged, what stands before counts: {damaged}",
    "file-broken_off": "the file breaks off, within a packet or its compressed data; what stands before counts",
    # A run between kernels or programs, and its plan.
    "clock": "{how} on Linux {kernel}, seed {seed}, ended at {end:seconds}",
    "clock-virtual": "In virtual time, seed {seed}, ended at {end:seconds}",
    "lateness": "Lateness of packets: median {median:seconds}, 99th percentile {high:seconds}, maximum {most:seconds}",
    "not-compared": "Not compared with the simulator: the run is invalid",
    "not-followed": "The kernel does not follow {rules:count rule} of the scenario (the last table)",
    "beside": "Live: {live}. Simulated: {simulated}. One run each",
    "beside-run": "{took}, {segments:count segment}, {acks:count ACK}",
    "note": "Note: {text}",
    "ends": "Ends after {end:seconds}{complete:where}; segments of {segment} B, MTU {mtu} B",
    "astray": "{astray:count packet} went to no program's node, {overrun} found no room in a kernel",
    "more-lines": "... {more} more before (--json and --out have them)",
    "more-streams": "... and {more} more (--json and --out have them all)",
    "chart-rtt-live": "Simulated: each sample when the sender took it. Live: the kernel's smoothed value, every 5 ms",
    # A study.
    "study": "{cases:count case}, {situations:count situation}, {seeds:count seed}",
    "loses-nothing": "Loses nothing: {cases:list}",
    "each-loses": "Each case is worse or undecided in a metric",
    "best": "Best {metric}{situation:where}: {case:name}, {value:digits} {unit} ({base:name}: {base_value:digits})",
    "no-gain": "No case is shown to be better than {base:name}",
    "too-few-seeds": "{seeds:count seed}; intervals and verdicts need {least}",
    "one-run": "One deterministic run each: no intervals, no verdicts",
    "sweep": "{points:count point}, {runs:count run}, {seeds:count seed} a point",
    "sweep-adaptive": "{points:count point}, {runs:count run}: {low} to {high} seeds, until half an interval is {share:percent} of the mean",
    "range": "{metric}: from {least:digits} {unit} at {least_at} to {most:digits} {unit} at {most_at}",
    "unfinished": "{metric}: at {points} of {all} points not every run finished",
    "same-seeds": "{seeds:count seed} gave the same result at each point",
    "panels": "{shown} of {all} combinations are drawn; the tables have all",
    "drawn": "{shown} of {all} points of a line are drawn; the tables have all",
    "rows": "{shown} of {all} rows are drawn; the tables have all",
    "kept": "{runs} of them done before",
    # Causes.
    "why": "{metric}: {value:digits} {unit}, a mean of {nudges:count nudge}; {causes:count mechanism}, {runs:count run}",
    "why-most": "{value:digits} {unit} without {case:name}, {base_value:digits} as it is",
    "why-none": "No row is shown to change {metric} by more than {margin:percent}",
    "why-alone": "Shown alone, but not by its absence: {cases:list}",
    "why-all": "Without all of these: {value:digits} {unit}",
    "why-open": "The capture does not determine, so no row has: {names:list}",
    "why-asks": "Causes, in the directory of this page: acklab why scenario.toml",
    "demo": "Pages: {run}, {paper}",
    # A search.
    "search": "{trials:count trial}, {runs:count run}, {paths:count path}, {seeds:count seed} each",
    "baseline-stays": "None of {trials:count trial} has a better mean {objectives:list} than the baseline",
    "baseline": "Baseline: {choice}",
    "best-trial": "Best of {trials:count trial}: {choice}",
    "middle-trial": "Middle of the front ({front} of {trials:count trial}): {choice}",
    "judged": "{objective}: {value:digits 4} {unit}, baseline {base:digits 4}; difference {low:digits} to {high:digits} on {paths:count fresh path}: {verdict}",
    "judged-ratio": "{objective}: {value:digits} times the baseline's ({low:digits} to {high:digits}) on {paths:count fresh path}: {verdict}",
    "in-search": "{objective}: {value:digits 4} {unit}, baseline {base:digits 4}, on the paths that chose it",
    "no-value-on": "{objective} has no value on {paths} of {of:count fresh path}",
    "loses": "Loses on {lost} of {paths}, most on {path}: {objective} {value:digits 4} {unit}, baseline {base:digits 4}",
    "loses-none": "Loses on none of {paths:count path}",
    "alike": "{trials} of {of:count trial} are not distinguished from it on {paths:count path}",
    "at-bound": "{key} {value} is at the bound {bound} of its range",
    "own-interval": "intervals: 95 %, each by itself",
    "chosen-for": "Chosen for {objectives:list}: others may be better here; not ranked: {stopped:count trial} stopped early",
    "beside-middle": "in parentheses: beside the middle, path by path, 95 % interval",
    # An inference.
    "inference": "{readings:count reading}, {nudges:count nudge} each, {runs:count run}",
    "most-probable": "Most probable together: {choice} (probability {probability:weight})",
    "explains": "Explains {within} of {values:count fitted value} within the tolerance (baseline: {baseline})",
    "predicts": "Predicts {within} of {values:count held-out value} within the tolerance (baseline: {baseline})",
    "check-holds": "Check holds ({check}): {missed} of {groups} predicted groups missed",
    "check-fails": "Check fails ({check}): {missed} of {groups} predicted groups missed",
    "not-reached": "No reading reaches {value}: printed {printed:digits} ± {tolerance:digits} {unit}, nearest {nearest:digits}",
    "dependent": "{values} of {of} fitted values are of one run ({run}), but count as independent",
    "decided": "decided: probability {share} or more; excluded: below {excluded} of its prior; favoured, unlikely: a check fails",
    "effective": "The readings drawn weigh as {effective:digits} of equal weight (to decide: {least})",
    "moves": "moves: how many of the {values} values its values alone change by {share} of the tolerance or more",
    "deviation": "in parentheses: the standard deviation over the nudges",
    # A fit of a capture.
    "fitted": "{bytes:amount B} acknowledged in {took:seconds}; {simulations:count simulation}",
    "answers": "--what-if is answered, also of a queue or a sender",
    "answers-but": "--what-if is answered, but not of a queue or a sender: {why}",
    "answers-none": "Not to be trusted, and --what-if is not answered: {why}",
    "receiver-like": "Acknowledges like {names:any}, the likeliest of the known receivers: {odds:odds} before {next}",
    "receiver-alone": "Acknowledges like {names:any}, of the known receivers",
    "receiver-unknown": "A receiver that acklab does not know may look the same: in a test 1 of 34 did",
    "held-out": "The first half predicts the second's time: {low:change} to {high:change} off",
    "held-out-missed": "The first half misses the second's time: it predicts {low:change} to {high:change} of it",
    "not-held-out": "Nothing was held out: {why}",
    "held-open": "The first half alone does not show: {names:list}",
    "given": "The last write is replayed at {last:seconds} of {took:seconds}: the completion is given, not predicted",
    "writes-replayed": "The application's writes are replayed at their times, on any path",
    "first-part": "Only the first {segments:count segment} are fitted (at most {most})",
    "clocks": "The receiver's clock is {offset:seconds} ahead, if both directions are equally long",
    "between-captures": "Lost between the captures: {lost:count data packet}, {lost_acks} of {acks:count ACK}",
    "scored": "Curve: how far apart in time both acknowledge the same data, a mean, as a share of the time",
    "sized": "Other sizes: ACKs for another amount of data than the capture's. Round trips: median, 95th of 100",
    "determined": "Determined: the capture shows the value. Else the model has it, and others may fit as well",
    "bad-writes": "a write for every {segments:digits} segments repeats the captured departures (at most one for {least:digits})",
    "bad-curve": "the simulation's curve of acknowledged data is off by {share:percent} of the time in the mean (at most {most:percent})",
    "bad-end": "the simulation's time differs by {share:change} from the capture's (at most {most:percent})",
    "bad-limit": "the capture is limited by {limit} for {captured:percent} of its time, the simulation for {simulated:percent} (at least half)",
    "bad-half": "fitted to its first half, it misses the time of the second by {share:change} (at most {most:percent})",
    "bad-whole": "no part of the connection could be held out to check the fit: {why}",
    "bad-acks": "the simulation's number of ACKs differs by {share:change} from the capture's (at most {most:percent})",
    "bad-half-acks": "fitted to its first half, the second half's number of ACKs differs by {share:change} (at most {most:percent})",
    "outside": "as fitted, the model leaves the fit's interval of {key}: {value}, fitted: {allowed}",
    "blind-place": "near the receiver, a capture does not show the round trips that a queue changes",
    "blind-models": "no model that fits has the captured round trips: {simulated:seconds} for {captured:seconds} (at most {most:percent} apart)",
    "blind-half": "fitted to its first half, it has round trips of {simulated:seconds} for {captured:seconds} (at most {most:percent} apart)",
    # The evidence of a fitted parameter.
    "how-trains": "{trains:count train} of {packets} that met a queue",
    "how-spacings": "{spacings:count packet spacing} that agree",
    "how-queued": "largest rate that passed while a queue stood",
    "how-passed": "largest rate that passed, a bound; the model has {times} times it",
    "how-least-trip": "least round trip, to the handshake's",
    "how-both-ends": "least times of both directions",
    "how-behind": "not seen behind the bottleneck",
    "how-no-rate": "the bottleneck's rate is not known",
    "how-longest-lossy": "longest round trip, with losses",
    "how-longest": "longest round trip; no loss, so a bound",
    "how-queues": "search: queues of {low} to {high} packets fit alike",
    "how-queue": "search: the best of the queues tried",
    "how-random": "losses at random fit better than a queue's",
    "how-no-loss": "none of {segments:count segment} lost",
    "how-lost": "{lost} of {segments:count segment} lost",
    "how-resent": "{lost} of {segments:count segment} resent; some may have arrived",
    "how-lone": "waits of lone segments",
    "how-waits": "{waits:count wait} with fewer segments than usual",
    "how-no-waits": "too few waits agree",
    "how-most-in-flight": "the sender's own limit: the most in flight",
    "how-wide": "largest advertised; does not limit",
    "how-varies": "limits, and varies; the model has the largest",
    "how-limits": "largest advertised; limits",
    "how-no-handshake": "no handshake; {usual} is usual (RFC 6928)",
    "how-small-write": "the first write was smaller; {usual} is usual (RFC 6928)",
    "how-first-trip": "data within the first round trip",
    "how-payload": "largest payload of a packet",
    "how-writes": "pauses that network and window do not explain",
    "how-no-pause": "network and window explain nearly every pause",
    "how-alike": "search: {names:list} fit as well",
    "how-alone": "search: no other fits as well",
    "how-misfit": "search: the misfit is too large to tell",
    "how-no-trips": "search: no model has the captured round trips",
    "how-sizes": "search: {share:percent} of its ACKs are for other amounts",
    "how-no-quick": "search: without the capture's quick ACKs",
    "how-search": "search",
    # The answer of a what-if.
    "what-if": "{quantity}: {fitted} as fitted, {changed} changed ({low:change} to {high:change})",
    "unchanged": "No quantity differs by {share:percent} in any draw",
    "no-change-shown": "No change is shown: {quantities:texts}",
    "doubt": "ACKs in doubt: a fit of the first half predicts {share:change} of those captured in the second (at most {most:percent})",
    "draws": "Medians of {draws:count draw} from {models:count model} that fit alike, with their range, wider by what models missed",
    "unfinished-draws": "{unfinished} of {draws:count draw} did not finish with the changes, and are left out",
    "claim": "Each range by itself has the true value in {share:percent} of such questions (in tests {least:percent} to {most:percent})",
    "claim-question": "How often a range is right is not known: only FQ-CoDel at the bottleneck was compared with the truth",
    "claim-rate": "How often a range is right is not known: the rate is not, and {low:amount b/s} to {high:amount b/s} were drawn",
    "claim-half": "How often a range is right is not known: the second half took a time outside its prediction",
    "claim-trips": "How often a range is right is not known: no round trip was compared with the capture's",
    "never-real": "No answer was compared with a network that was really changed",
    "away": "Completion is the sender's, to the ACK of its last data; the capture is {near:seconds} of round trip away",
    # A paper.
    "changed": "Changed: not the paper. Every run has {keys}",
    "claims": "Of {of} claims that test the paper, {total} judged: {reproduced} reproduced, {differs} differ, {undecided} undecided",
    "claims-changed": "Of {total:count claim}: {reproduced} hold, {differs} do not, {undecided} undecided",
    "not-drawn": "{figure} is not drawn: it compares values of {key}",
    "no-change": "No result of {figure} changed, in {runs:count run}",
    "scale": "Scale: the shaded band is what is allowed, a mark the measured value, a line its interval",
    "paper": "{figures:count figure}, {runs:count run}, {seconds:seconds}",
    "paper-quick": "{figures:count figure}, {runs:count run}, {seconds:seconds}; quick: fewer seeds and cells",
    # Feet of tables.
    "more-points": "the first {shown} of {all:digits} points",
    "of-finished": "finished: runs that gave a value before their end{end:where}",
    "still-wide": "{points:count point} with {seeds:count seed}: the interval of {metric} is still wider",
    "glyphs": "+ better · - worse · = within {margin:percent} · ? undecided · ~ differs, neither is better",
    "until-decided": "Seeds until each verdict is decided, at most {most}: {looks:count look} share the error (Bonferroni)",
    "changes": "Changes are beside {base:name}; intervals hold together with 95 % ({family:count comparison}, Bonferroni)",
    "why-changes": "without: beside the scenario; alone: beside all neutral; intervals hold together with 95 % ({family:count comparison}, Bonferroni)",
    "why-unused": "Without a row, for no packet changed: {cases:list}",
    "why-adds": "Rows need not add up: after the first changed packet two runs are no pair",
    "no-neutral": "No neutral value: {keys:list}",
    "means": "± is half the 95 % interval of a mean",
    "mark": "* no metric is worse or undecided, in any situation",
    "best-mean": "Bold: the best mean, where a metric has a better direction",
    "device": "DEV is the device that sends onto the link; if it is faster than the link, shape it first",
    "origin-simulated": "Simulated, not measured on a network",
    "origin-virtual": "Measured between kernels in virtual time",
    # A run's tables on a terminal.
    "trips-out": "Median and range of round trips: --out DIR",
}


@dataclass(frozen=True)
class Fact:
    """A kind of fact and its values; :func:`sentence` is its only wording."""

    kind: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """As plain values, for JSON, which has no infinity."""
        return {"kind": self.kind, **{name: _plain(value) for name, value in self.values.items()}}


def _plain(value: Any) -> Any:
    if isinstance(value, Fact):
        return value.plain()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def fact(kind: str, **values: Any) -> Fact:
    """A fact of a kind in :data:`TEMPLATES`.

    >>> sentence(fact("loses-nothing", cases=["codel", "no filter"]))
    'Loses nothing: codel and “no filter”'
    """
    return Fact(kind, values)


def fact_of(kind: str, row: Mapping[str, Any]) -> Fact:
    """A fact with the values of a row that its template names."""
    return Fact(kind, {name: row[name] for name in fields(kind)})


def fields(kind: str) -> list[str]:
    """The values that a template names.

    >>> fields("file-udp")
    ['udp', 'quic']
    """
    return [name for _, name, _, _ in _WORDS.parse(TEMPLATES[kind]) if name is not None]


def sentence(told: Fact) -> str:
    """The fact by its template.

    Raises:
        KeyError: there is no template of its kind, or it lacks a value.
    """
    text = _WORDS.vformat(TEMPLATES[told.kind], (), told.values)
    return re.sub(r" +(?=[ ,;:)]|$)", "", text)  # a metric without a unit leaves a space


class Words(Formatter):
    """Formats of the templates' fields."""

    def format_field(self, value: Any, spec: str) -> str:
        """A value in one of the formats: a number, a time, a rate, a share, a count with its noun, names, or ``where``."""
        kind, _, noun = spec.partition(" ")
        if isinstance(value, Fact):
            return sentence(value)
        if value is None:
            return "none" if kind == "digits" else "-"
        formats = {
            "": lambda: digits(value) if isinstance(value, (int, float)) else str(value),
            "digits": lambda: digits(value, int(noun or 3)),
            "weight": lambda: "<0.001" if value < 0.001 else ">0.999" if value > 0.999 else f"{value:.2g}",
            "seconds": lambda: seconds(value),
            "percent": lambda: percent(value),
            "change": lambda: change(value),
            "amount": lambda: amount(value, noun),
            "interval": lambda: (
                "" if len(ends := {amount(end, noun): None for end in value}) < 2 else f" ({' to '.join(ends)})"
            ),
            "count": lambda: counted(value, *noun.split("/")),
            "name": lambda: quoted(value),
            "list": lambda: listing([quoted(name) for name in value]),
            "texts": lambda: listing(value),
            "any": lambda: listing([quoted(name) for name in value], "or"),
            "odds": lambda: f"{value:.0f} to 1" if value <= 1000 else "more than 1,000 to 1",
            "where": lambda: f", {value}" if value else "",
        }
        return formats[kind]()


_WORDS = Words()
