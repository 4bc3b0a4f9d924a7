"""The ns-2 scripts as acklab scenarios: one class a script.

`scenarios(options)` says the experiment, `results(options, outcomes)` turns what acklab answers into the columns the script
prints, in its own formats. Options are the script's arguments, as text; absent ones mean the script's default.
"""

import math

from boot_order import tcl_order, uniform_index
from endpoints import OPTIONS, receiver, sender, tick
from mrg32k3a import Mrg32k3a, uniforms
from values import Unsupported, bps, flag, rate, seconds, time

AMPLE = 100000  # the scripts' queue limit wherever they mean "never drops"


def drop_tail(packets):
    return {"kind": "drop-tail", "packets": int(float(packets))}


RED = {
    "red_min",
    "red_max",
    "red_wq",
    "red_linterm",
    "red_gentle",
    "red_wait",
    "red_mps",
    "red_usemarkp",
    "red_qib",
    "gentle",
    "wait",
    "droprand",
}


def queue_of(options, limit, seed, skip):
    """The bottleneck's queue (lib.tcl's qdefaults). RED draws from ns-2's default generator, after `skip` other draws."""
    if options.get("qtype", "DropTail") == "DropTail":
        return drop_tail(limit)
    if options["qtype"] != "RED":
        raise Unsupported(f"queue {options['qtype']} is not mapped")
    for option in ("red_usemarkp", "droprand", "red_qib"):
        if flag(options.get(option, "0")):
            raise Unsupported(f"{option} is not mapped")
    number = lambda option, default: float(options.get(option, default))
    return {
        "kind": "red",
        "packets": int(float(limit)) + 1,
        "min": number("red_min", "7"),
        "max": number("red_max", "21"),
        "weight": number("red_wq", "0.002"),
        "max_p": 1.0 / number("red_linterm", "10"),
        "gentle": flag(options.get("gentle", options.get("red_gentle", "0"))),
        "wait": flag(options.get("wait", options.get("red_wait", "1"))),
        "mean_packet": f"{int(number('red_mps', '1000'))}B",
        "seed": int(seed),
        "skip": skip,
    }


def link(a, b, bits, delay, queue, back=None, loss=None):
    queue = queue if isinstance(queue, dict) else drop_tail(queue)
    table = {"between": [a, b], "rate": bps(bits), "delay": seconds(delay), "queue": queue, "back": back or {}}
    if loss:
        table["loss"] = loss
    return table


def flow(name, source, sink, start, segments, send, receive):
    size = {"segments": segments} if segments else "unlimited"
    return {
        "name": name,
        "from": source,
        "to": sink,
        "start": seconds(start),
        "size": size,
        "sender": send,
        "receiver": receive,
    }


def until_done(at_most):
    return {"when": "flows-complete", "at_most": seconds(time(at_most))}


def loss_rate(options):
    """`plr`, `lseed`: independent losses at the input of the forward link."""
    probability = float(options.get("plr", "0"))
    return {"rate": probability, "seed": int(options.get("lseed", "1"))} if probability > 0 else None


def loss_list(options, name):
    numbers = [int(n) for n in options.get(name, "").split(";") if n.strip()]
    return {"list": numbers} if numbers else None


def only_drop_tail(options):
    if options.get("qtype", "DropTail") != "DropTail":
        raise Unsupported(f"queue {options['qtype']} is not mapped")


def direction(outcome, a, b):
    return next(l for l in outcome["links"] if (l["from"], l["to"]) == (a, b))


def g17(x):
    return "%.17g" % x


def mean_queue(outcome, a, b):
    return "%.9g" % direction(outcome, a, b)["mean_queue_packets"]


def mechanism(options, send, receive):
    """hook.tcl's `mech`: what it does to the sender or the receiver."""
    mech = options.get("mech", "none")
    growth = "steps" if mech.endswith("step") else "all-then-one"
    if mech == "daass":
        if receive["ack"]["policy"] != "delayed":
            raise Unsupported("daass needs ack=delack")
        receive["ack"] = {"policy": "daass", "phase": "oracle", "timer": receive["ack"]["timer"]}
    elif mech in ("ubc", "ubcstep"):
        send["credit"] = {"kind": "ubc", "growth": growth}
    elif mech in ("lbc", "lbcstep"):
        send["credit"] = {"kind": "lbc", "limit": 2.0, "growth": growth}
    elif mech != "none":
        raise Unsupported(f"mechanism {mech} is not known")


class Single:
    """One transfer S - G - R."""

    script = "single.tcl"
    results_printed = (
        "status",
        "time",
        "acked",
        "sent",
        "rexmit",
        "rto",
        "cuts",
        "nack",
        "drops",
        "dtime",
        "meanq",
        "cwnd",
        "ssthresh",
    )
    options = (
        OPTIONS
        | {
            "bw1",
            "bw2",
            "rbw",
            "d1",
            "d2",
            "q",
            "rq",
            "segs",
            "start",
            "tmax",
            "dt",
            "plr",
            "lseed",
            "dl",
            "adl",
            "mech",
            "bugfix98",
            "qtype",
        }
        | RED
    )

    @staticmethod
    def scenarios(o):
        if loss_rate(o) and loss_list(o, "dl"):
            raise Unsupported("two loss models on one link")
        forward, kind = o.get("bw2", "1.5e6"), o.get("kind", "Reno")
        back = {"rate": bps(rate(o.get("rbw", forward))), "queue": drop_tail(o.get("rq", AMPLE))}
        if loss_list(o, "adl"):
            back["loss"] = loss_list(o, "adl")
        phase = float(o["boot"]) if "boot" in o else uniforms(1, 2)[1] * tick(o)
        send, receive = sender(o, kind, phase), receiver(o, o.get("ack", "each"))
        mechanism(o, send, receive)
        if flag(o.get("bugfix98", "0")):
            send["second_fast_retransmit"] = "unless-timeout"
        start = time(o.get("start", "0"))
        return [
            {
                "stop": until_done(o.get("tmax", "3000")),
                "link": [
                    link("S", "G", rate(o.get("bw1", "1e7")), time(o.get("d1", "0.002")), AMPLE),
                    link(
                        "G",
                        "R",
                        rate(forward),
                        time(o.get("d2", "0.048")),
                        queue_of(o, o.get("q", "22"), 1, 2),
                        back,
                        loss_rate(o) or loss_list(o, "dl"),
                    ),
                ],
                "flow": [flow("f", "S", "R", start, int(o.get("segs", "200")), send, receive)],
            }
        ]

    @staticmethod
    def results(o, outcomes):
        f = outcomes[0]["flows"][0]
        received = f["last_data_s"] if flag(o.get("dt", "0")) else None
        return {
            "status": "done" if f["completed"] else "timeout",
            "time": g17(outcomes[0]["end_s"]),
            "acked": str(f["segments_acked"]),
            "sent": str(f["segments_sent"]),
            "rexmit": str(f["retransmits"]),
            "rto": str(f["timeouts"]),
            "cuts": str(f["window_cuts"]),
            "nack": str(f["acks_received"]),
            "drops": str(direction(outcomes[0], "G", "R")["drops"]),
            "dtime": "-1" if received is None else g17(f["first_data_s"] + received),
            "meanq": mean_queue(outcomes[0], "G", "R"),
            "cwnd": "%g" % f["cwnd_segments"],
            "ssthresh": "%g" % f["ssthresh_segments"],
        }


class Dumbbell:
    """`n` flows forward and `nr` back over one bottleneck, each between its own pair of hosts."""

    script = "dumbbell.tcl"
    results_printed = (
        "status",
        "end",
        "times",
        "acked",
        "sum",
        "rexmit",
        "rto",
        "sent",
        "drops",
        "rdrops",
        "meanq",
        "rmeanq",
    )
    options = OPTIONS | {
        "n",
        "nr",
        "bw",
        "delay",
        "abw",
        "ad",
        "q",
        "rq",
        "rbw",
        "rdelay",
        "segs",
        "stagger",
        "rstart",
        "T",
        "plr",
        "lseed",
        "jseed",
        "jitter",
        "qtype",
    }

    @staticmethod
    def scenarios(o):
        only_drop_tail(o)
        o = {"window": "100000", **o}
        forward, reverse = int(o.get("n", "1")), int(o.get("nr", "0"))
        bits, delay, queue = o.get("bw", "5e6"), o.get("delay", "0.02"), o.get("q", "50")
        access, access_delay = rate(o.get("abw", "1e7")), time(o.get("ad", "0.005"))
        stagger, segments = float(o.get("stagger", "0.1")), int(o.get("segs", "0"))
        kinds = o.get("kind", "Newreno").split(",")
        back = {
            "rate": bps(rate(o.get("rbw", bits))),
            "delay": seconds(time(o.get("rdelay", delay))),
            "queue": drop_tail(o.get("rq", queue)),
        }
        links = [link("g1", "g2", rate(bits), time(delay), queue, back, loss_rate(o))]
        jitter = Mrg32k3a(int(o["jseed"])) if "jseed" in o else None
        draws = uniforms(1, forward + reverse + 1)
        flows = []
        for i, draw in enumerate(uniform_index(forward + reverse)):
            near, far = ("g1", "g2") if i < forward else ("g2", "g1")
            start = i * stagger if i < forward else float(o.get("rstart", "0.1")) + (i - forward) * stagger
            if jitter:
                start += jitter.uniform(0, float(o.get("jitter", "0.1")))
            links.append(link(f"s{i}", near, access, access_delay, AMPLE))
            links.append(link(far, f"d{i}", access, access_delay, AMPLE))
            send = sender(o, kinds[i % len(kinds)], draws[draw] * tick(o))
            flows.append(flow(f"f{i}", f"s{i}", f"d{i}", start, segments, send, receiver(o, o.get("ack", "delack"))))
        stop = o.get("T", "0")
        if time(stop) > 0:
            end = {"at": seconds(time(stop))} if not segments else until_done(stop)
        else:
            end = until_done("5000")
        return [{"stop": end, "link": links, "flow": flows}]

    @staticmethod
    def results(o, outcomes):
        run = outcomes[0]
        flows = run["flows"]

        def each(key):
            return ";".join(str(f[key]) for f in flows)

        # a long list is printed as its sum
        some = (lambda key: str(sum(f[key] for f in flows))) if int(o.get("n", "1")) > 16 else each
        done = all(f["completed"] for f in flows)
        return {
            "status": "done" if done else "end" if time(o.get("T", "0")) > 0 else "timeout",
            "end": g17(run["end_s"]),
            "times": ";".join(g17(f["finished_s"]) if f["completed"] else "-1" for f in flows),
            "acked": each("segments_acked"),
            "sum": str(sum(f["segments_acked"] for f in flows)),
            "rexmit": some("retransmits"),
            "rto": some("timeouts"),
            "sent": some("segments_sent"),
            "drops": str(direction(run, "g1", "g2")["drops"]),
            "rdrops": str(direction(run, "g2", "g1")["drops"]),
            "meanq": mean_queue(run, "g1", "g2"),
            "rmeanq": mean_queue(run, "g2", "g1"),
        }


class OnOff:
    """A TCP and an on-off UDP flow in each direction of the 2-2 dumbbell."""

    script = "udp.tcl"
    results_printed = ("status", "end", "times", "rexmit", "rto", "drops", "udp_rx")
    options = OPTIONS | {"bw", "delay", "q", "segs", "usize", "frac", "ustart", "per"}

    @staticmethod
    def scenarios(o):
        o = {"window": "100000", **o}
        bits, queue = o.get("bw", "8e6"), o.get("q", "31")
        links = [link("g1", "g2", rate(bits), time(o.get("delay", "0.02")), queue, {"queue": drop_tail(queue)})]
        draws, flows, span = uniforms(1, 3), [], seconds(time(o.get("per", "5")))
        order = [node for node in tcl_order(10) if node in (2, 6)]  # s0 and s1; the UDP hosts lie between
        for i, (near, far, start) in enumerate((("g1", "g2", 0.0), ("g2", "g1", 0.1))):
            for host in (f"s{i}", f"u{i}"):
                links.append(link(host, near, rate("1e7"), time("0.005"), AMPLE))
                links.append(link(far, f"d{host}", rate("1e7"), time("0.005"), AMPLE))
            send = sender(o, o.get("kind", "Newreno"), draws[1 + order.index(2 + 4 * i)] * tick(o))
            receive, segments = receiver(o, o.get("ack", "delack")), int(o.get("segs", "10000"))
            flows.append(flow(f"f{i}", f"s{i}", f"ds{i}", start, segments, send, receive))
            source = {
                "kind": "udp",
                "rate": bps(rate(bits) * float(o.get("frac", "0.5"))),
                "packet": int(o.get("usize", "1000")),
                "on": span,
                "off": span,
            }
            begin = seconds(float(o.get("ustart", "0")) + start)
            flows.append({"name": f"udp{i}", "from": f"u{i}", "to": f"du{i}", "start": begin, "source": source})
        return [{"stop": until_done("900"), "link": links, "flow": flows}]

    @staticmethod
    def results(o, outcomes):
        run = outcomes[0]
        tcp, udp = run["flows"][::2], run["flows"][1::2]
        each = lambda flows, key: ";".join(str(f[key]) for f in flows)
        return {
            "status": "done" if all(f["completed"] for f in tcp) else "timeout",
            "end": g17(run["end_s"]),
            "times": ";".join(g17(f["finished_s"]) if f["completed"] else "-1" for f in tcp),
            "rexmit": each(tcp, "retransmits"),
            "rto": each(tcp, "timeouts"),
            "drops": str(direction(run, "g1", "g2")["drops"]),
            "udp_rx": ";".join(str(f["bytes"] // f["unit_bytes"]) for f in udp),
        }


class AckFilter:
    """A fast link and a slow return path, with every older ACK in its queue erased (`filter=all`) or not (`none`)."""

    script = "ackfilter.tcl"
    results_printed = ("status", "end", "acked", "acks_received", "sent", "rexmit", "rto", "cwnd")
    options = OPTIONS | {"fbw", "fd", "rbw", "rd", "fq", "rq", "filter", "segs", "T"}

    @staticmethod
    def scenarios(o):
        o = {"profile": "ns1", "window": "1000000", "minrto": "1.0", **o}
        queue = drop_tail(o.get("rq", "1000000"))
        if o.get("filter", "none") == "all":
            # ns-2 looks for room before it filters, and leaves duplicates of the arriving ACK alone.
            queue["filter"] = {"kind": "static", "threshold": 1, "older": "number", "room_first": True}
        elif o.get("filter", "none") != "none":
            raise Unsupported(f"filter {o['filter']} is not mapped")
        back = {"rate": bps(rate(o.get("rbw", "1e5"))), "delay": seconds(time(o.get("rd", "0.1"))), "queue": queue}
        segments, stop = int(o.get("segs", "0")), o.get("T", "10")
        send = sender(o, o.get("kind", "Reno"), uniforms(1, 2)[1] * tick(o))
        return [
            {
                "stop": until_done(stop) if segments else {"at": seconds(time(stop))},
                "link": [
                    link("S", "D", rate(o.get("fbw", "1e7")), time(o.get("fd", "0.1")), o.get("fq", "1000000"), back)
                ],
                "flow": [flow("f", "S", "D", 0.0, segments, send, receiver(o, o.get("ack", "each")))],
            }
        ]

    @staticmethod
    def results(o, outcomes):
        f = outcomes[0]["flows"][0]
        return {
            "status": "done" if f["completed"] else "end",
            "end": g17(outcomes[0]["end_s"]),
            "acked": str(f["segments_acked"]),
            "acks_received": str(f["acks_received"]),
            "sent": str(f["segments_sent"]),
            "rexmit": str(f["retransmits"]),
            "rto": str(f["timeouts"]),
            "cwnd": "%g" % f["cwnd_segments"],
        }


class Asym:
    """One transfer over a slow return path: ACK congestion control, sender adaptation, ACK filtering and reconstruction."""

    script = "asym.tcl"
    results_printed = ("status", "time", "acked", "nack", "sent", "rexmit", "rto", "cwnd")
    options = OPTIONS | {
        "acc",
        "sa",
        "af",
        "ar",
        "mb",
        "maxd",
        "al",
        "dl",
        "rbw",
        "q",
        "rq",
        "thresh",
        "step",
        "spacing",
        "alpha",
        "segs",
        "T",
    }

    @staticmethod
    def scenarios(o):
        o = {"profile": "ns1", "window": "100", "minrto": "0.2", "tick": "0.1", "kind": "Reno", **o}
        adapts = flag(o.get("sa", "0")) or flag(o.get("acc", "0"))
        send = sender({**o, "maxburst": o.get("mb", "0")}, o["kind"], uniforms(1, 2)[1] * tick(o))
        receive = receiver({option: text for option, text in o.items() if option != "interval"}, "each")
        if adapts:
            send["credit"] = {"kind": "ubc", "growth": "steps"}
            if int(o.get("mb", "0")) > 0:
                send["pacing"] = {"kind": "bursts", "wakes": False}
        if flag(o.get("acc", "0")):
            receive["ack"] = {
                "policy": "acc-ns2",
                "d_max": int(o.get("maxd", "25")),
                "timer": seconds(time(o.get("interval", "0.1"))),
            }
        back = drop_tail(o.get("rq", "10"))
        if flag(o.get("af", "0")):
            back["filter"] = {"kind": "static", "threshold": 1, "older": "number", "room_first": True}
        stages = []
        if o.get("ar", "0") != "0":
            stages = [
                {
                    "kind": "ack-respacing",
                    "threshold": int(o.get("thresh", "2")),
                    "step": int(o.get("step", "2")),
                    "spacing": seconds(time(o.get("spacing", "0.010"))),
                    "gain": float(o.get("alpha", "0.25")),
                    "adaptive": o["ar"] == "1",
                }
            ]
        marks = loss_list(o, "al")
        marked = [{"kind": "mark", "only": "acks", **marks}] if marks else []
        slow = {"rate": bps(rate(o.get("rbw", "28.8e3"))), "delay": "50ms", "queue": back, "stages": stages}
        return [
            {
                "stop": until_done(o.get("T", "1000")),
                "link": [
                    link("S", "A", 1e7, 0.001, AMPLE, loss=loss_list(o, "dl")),
                    link("A", "B", 1e7, 0.005, o.get("q", AMPLE), slow),
                    link("B", "D", 1e7, 0.001, AMPLE, {"stages": marked}),
                ],
                "flow": [flow("f", "S", "D", 0.0, int(o.get("segs", "500")), send, receive)],
            }
        ]

    @staticmethod
    def results(o, outcomes):
        f = outcomes[0]["flows"][0]
        return {
            "status": "done" if f["completed"] else "timeout",
            "time": g17(outcomes[0]["end_s"]),
            "acked": str(f["segments_acked"]),
            "nack": str(f["acks_received"]),
            "sent": str(f["segments_sent"]),
            "rexmit": str(f["retransmits"]),
            "rto": str(f["timeouts"]),
            "cwnd": "%g" % f["cwnd_segments"],
        }


class Compete:
    """`n` short transfers of random sizes and starts that share both hosts and a gateway."""

    script = "compete.tcl"
    results_printed = ("status", "end", "done", "thr", "meantime", "goodput", "meanq", "drops", "rto")
    options = OPTIONS | {"n", "scseed", "redseed", "qtype", "q", "bw1", "bw2", "d1", "d2"} | RED

    @staticmethod
    def transfers(o):
        """(start, segments) of each transfer."""
        rng = Mrg32k3a(int(o.get("scseed", "1")))
        drawn = [(5 + int(rng.uniform(0, 96)), rng.uniform(0, 100)) for _ in range(int(o.get("n", "50")))]
        return [(start, segments) for segments, start in drawn]

    @staticmethod
    def scenarios(o):
        o = {"profile": "ns1", "window": "20", "minrto": "1.0", **o}
        transfers = Compete.transfers(o)
        # one draw in each constructor, then one at each reset, in the order of the shared node's agents
        seed = int(o.get("redseed", "1"))
        draws = uniforms(seed, 2 * len(transfers))[len(transfers) :]
        kind, ack = o.get("kind", "Sack1"), o.get("ack", "each")
        return [
            {
                "stop": until_done("5000"),
                "link": [
                    link("S", "G", rate(o.get("bw1", "1e7")), time(o.get("d1", "0.002")), AMPLE),
                    link(
                        "G",
                        "R",
                        rate(o.get("bw2", "1.5e6")),
                        time(o.get("d2", "0.048")),
                        queue_of(o, o.get("q", "40"), seed, 2 * len(transfers)),
                        {"queue": drop_tail(AMPLE)},
                    ),
                ],
                "flow": [
                    flow(f"f{i}", "S", "R", start, segments, sender(o, kind, draw * tick(o)), receiver(o, ack))
                    for i, ((start, segments), draw) in enumerate(zip(transfers, draws))
                ],
            }
        ]

    @staticmethod
    def results(o, outcomes):
        run = outcomes[0]
        throughput = taken = 0.0
        done = 0
        for (start, segments), f in zip(Compete.transfers(o), run["flows"]):
            if f["completed"]:
                throughput += segments * 1000.0 / (f["finished_s"] - start)
                taken += f["finished_s"] - start
                done += 1
        unique = sum(segments for _, segments in Compete.transfers(o))
        return {
            "status": "done" if done == len(run["flows"]) else "timeout",
            "end": g17(run["end_s"]),
            "done": str(done),
            "thr": "%.12g" % (throughput / done) if done else "",
            "meantime": "%.12g" % (taken / done) if done else "",
            "goodput": "%.12g" % (unique / sum(f["segments_sent"] for f in run["flows"])),
            "meanq": mean_queue(run, "G", "R"),
            "drops": str(direction(run, "G", "R")["drops"]),
            "rto": str(sum(f["timeouts"] for f in run["flows"])),
        }


class Divack:
    """`J` endless flows and one client that downloads a file after `warm` seconds; run once to `warm` and once to the end."""

    script = "divack.tcl"
    results_printed = (
        "status",
        "ctime",
        "rexmit",
        "rto",
        "bgacked_warm",
        "bgacked_during",
        "drops_warm",
        "drops_during",
    )
    options = OPTIONS | {"J", "jseed", "bw", "delay", "q", "cack", "warm", "file"}

    @staticmethod
    def scenarios(o):
        o = {"window": "100000", "psize": "1460", **o}
        background, warm = int(o.get("J", "1")), time(o.get("warm", "400"))
        bits, queue, kind = float(o.get("bw", "1e7")), o.get("q", "83"), o.get("kind", "Newreno")
        segments = math.ceil(float(o.get("file", "1500000")) / float(o["psize"]))
        links = [link("g1", "g2", bits, time(o.get("delay", "0.05")), queue)]
        starts = Mrg32k3a(int(o.get("jseed", "1")))
        draws = uniforms(1, background + 2)
        flows = []
        for i, draw in enumerate(uniform_index(background + 1)):
            client = i == background
            links.append(link(f"s{i}", "g1", 4 * bits, 0.001, AMPLE))
            links.append(link("g2", f"d{i}", 4 * bits, 0.001, AMPLE))
            ack = o.get("cack", "each") if client else "delack"
            flows.append(
                flow(
                    f"f{i}",
                    f"s{i}",
                    f"d{i}",
                    warm if client else starts.uniform(0, 10),
                    segments if client else 0,
                    sender(o, kind, draws[draw] * tick(o)),
                    receiver(o, ack),
                )
            )
        stops = {"at": seconds(warm)}, {"when": "flows-complete", "at_most": seconds(warm + 2000)}
        return [{"stop": stop, "link": links, "flow": flows} for stop in stops]

    @staticmethod
    def results(o, outcomes):
        warm, end = outcomes
        client = end["flows"][-1]
        acked = [sum(f["segments_acked"] - 1 for f in run["flows"][:-1]) for run in outcomes]
        drops = [direction(run, "g1", "g2")["drops"] for run in outcomes]
        return {
            "status": "done" if client["completed"] else "timeout",
            "ctime": g17(end["end_s"] - time(o.get("warm", "400"))),
            "rexmit": str(client["retransmits"]),
            "rto": str(client["timeouts"]),
            "bgacked_warm": str(acked[0]),
            "bgacked_during": str(acked[1] - acked[0]),
            "drops_warm": str(drops[0]),
            "drops_during": str(drops[1] - drops[0]),
        }
