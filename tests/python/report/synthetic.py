"""A few hundred packets of something TCP-like, to have data to draw.

This is not a simulator anybody should believe: slow start, congestion avoidance, a
drop-tail queue, fast retransmit, a fixed retransmission timer, delayed ACKs. What
matters is that its tables have the columns, the units and the oddities (drops,
duplicates, SACK blocks, silences) of real runs, and that they never change.
"""

from __future__ import annotations

import heapq
from collections import deque

import polars as pl

SEGMENT, ACK = 1000, 40


class Link:
    """One direction: a drop-tail queue of `limit` packets and a wire."""

    def __init__(self, net, src, dst, rate, delay, limit, lose=()):
        self.net, self.src, self.dst = net, src, dst
        self.rate, self.delay, self.limit, self.lose = rate, delay, limit, set(lose)
        self.name = f"{src}->{dst}"
        self.waiting, self.busy, self.offered = deque(), False, 0
        self.stats = {"packets": 0, "bytes": 0, "drops": 0, "lost": 0, "filtered": 0}
        self.area = self.busy_s = self.max = self.last = self.held = 0

    def tell(self, packet, event):
        self.net.packets.append(
            dict(time_s=self.net.now, link=self.name, event=event, **{k: v for k, v in packet.items() if k != "echo"})
        )

    def length(self):
        now = self.net.now
        self.area += self.held * (now - self.last)
        self.last, self.held = now, len(self.waiting)
        total = len(self.waiting) + self.busy
        self.net.queue.append(
            {
                "time_s": now,
                "link": self.name,
                "queue_packets": total,
                "queue_bytes": sum(p["size_bytes"] for p in self.waiting),
            }
        )
        self.max = max(self.max, len(self.waiting))

    def offer(self, packet):
        self.offered += 1
        if self.offered - 1 in self.lose:
            self.stats["lost"] += 1
            return self.tell(packet, "lose")
        self.tell(packet, "enqueue")
        if len(self.waiting) + self.busy >= self.limit:
            self.stats["drops"] += 1
            return self.tell(packet, "drop")
        self.waiting.append(packet)
        self.length()
        if not self.busy:
            self.serve()

    def serve(self):
        packet = self.waiting.popleft()
        self.busy = True
        self.tell(packet, "dequeue")
        took = packet["size_bytes"] * 8 / self.rate
        self.busy_s += took
        self.stats["packets"] += 1
        self.stats["bytes"] += packet["size_bytes"]
        self.net.at(took, self.sent)
        self.net.at(took + self.delay, self.deliver, packet)

    def sent(self):
        self.busy = False
        self.length()
        if self.waiting:
            self.serve()

    def deliver(self, packet):
        self.tell(packet, "deliver")
        self.net.arrive(self.dst, packet)


class Flow:
    """Sender at S and receiver at R, in one object because this is a toy."""

    def __init__(self, net, name, start, segments, window, every, timer):
        self.net, self.name, self.start, self.segments, self.window = net, name, start, segments, window
        self.every, self.timer = every, timer
        self.cwnd, self.ssthresh, self.una, self.next, self.high = 1.0, 64.0, 0, 0, 0
        self.dup, self.recover, self.rto, self.rto_at, self.rtt = 0, -1, 1.0, None, 0.25
        self.got, self.expect, self.unacked, self.ack_at, self.echo = set(), 0, 0, None, None
        self.n = dict.fromkeys(
            ["segments_sent", "retransmits", "timeouts", "fast_retransmits", "acks_sent", "acks_received"], 0
        )
        self.first = self.finished = self.last_data = None
        self.sample = None
        net.at(start, self.push)

    def state(self):
        if self.recover >= 0:
            return "recovery"
        return "slow-start" if self.cwnd < self.ssthresh else "congestion-avoidance"

    def note(self):
        self.net.series.append(
            {"time_s": self.net.now, "flow": self.name, "cwnd_segments": self.cwnd, "ssthresh_segments": self.ssthresh,
                 "flight_segments": float(self.next - self.una), "rtt_s": self.sample, "rto_s": self.rto, "state": self.state()}
        )  # fmt: skip
        self.sample = None

    def send(self, seq, again):
        self.n["segments_sent"] += 1
        self.n["retransmits"] += again
        self.first = self.net.now if self.first is None else self.first
        self.net.offer("S", {"flow": self.name, "kind": "data", "seq": seq, "len": 1, "ack": 0, "sack": "", "size_bytes": SEGMENT,
                                 "retransmit": again, "syn": False, "fin": False, "echo": (self.net.now, again)})  # fmt: skip
        if self.rto_at is None:
            self.arm()

    def arm(self):
        self.rto_at = at = self.net.now + self.rto
        self.net.at(self.rto, self.timeout, at)

    def timeout(self, at):
        if self.rto_at != at or self.finished is not None:
            return
        self.n["timeouts"] += 1
        self.ssthresh, self.cwnd, self.next = max(2.0, (self.next - self.una) // 2), 1.0, self.una
        self.recover, self.dup, self.rto_at, self.rto = -1, 0, None, min(2 * self.rto, 8)
        self.push()

    def push(self):
        extra = self.dup if self.recover >= 0 else 0
        while self.next < self.segments and self.next - self.una < min(self.cwnd + extra, self.window):
            self.send(self.next, self.next < self.high)
            self.next += 1
            self.high = max(self.high, self.next)
        self.note()

    def data(self, packet):
        seq, before = packet["seq"], self.expect
        self.got.add(seq)
        while self.expect in self.got:
            self.expect += 1
        if self.expect == self.segments and self.last_data is None:
            self.last_data = self.net.now - self.first
        self.unacked += 1
        self.echo = self.echo if self.unacked > 1 else packet["echo"]
        inorder = seq == before
        if not inorder or self.unacked >= self.every or self.expect > before + 1:
            self.acknowledge()
        elif self.ack_at is None:
            self.ack_at = at = self.net.now + self.timer
            self.net.at(self.timer, self.late, at)

    def late(self, at):
        if self.ack_at == at:
            self.acknowledge()

    def acknowledge(self):
        self.ack_at, self.unacked = None, 0
        self.n["acks_sent"] += 1
        blocks, run = [], []
        for s in sorted(s for s in self.got if s > self.expect):
            if run and run[1] == s:
                run[1] = s + 1
            else:
                run = [s, s + 1]
                blocks.append(run)
        sack = ",".join(f"{a}-{b}" for a, b in blocks[-3:][::-1])
        self.net.offer("R", {"flow": self.name, "kind": "ack", "seq": 0, "len": 0, "ack": self.expect, "sack": sack, "size_bytes": ACK,
                                 "retransmit": False, "syn": False, "fin": False, "echo": self.echo})  # fmt: skip

    def acked(self, packet):
        self.n["acks_received"] += 1
        ack, (sent, again) = packet["ack"], packet["echo"]
        if ack > self.una:
            if not again:
                self.sample = self.net.now - sent
                self.rto = max(0.6, 2 * self.sample)
            if self.recover >= 0 and ack > self.recover:
                self.recover, self.cwnd = -1, self.ssthresh
            elif self.recover < 0:
                self.cwnd += 1 if self.cwnd < self.ssthresh else 1 / self.cwnd
            self.una, self.dup = ack, 0
            self.next = max(self.next, ack)
            self.rto_at = None
            if ack == self.segments:
                self.finished = self.net.now
                return self.note()
            self.arm()
        else:
            self.dup += 1
            if self.dup == 3 and self.recover < 0:
                self.n["fast_retransmits"] += 1
                self.ssthresh = max(2.0, (self.next - self.una) // 2)
                self.cwnd, self.recover = self.ssthresh, self.high
                self.send(self.una, True)
        self.push()


class Net:
    """S - G - R with a slow second hop."""

    def __init__(self, rate, queue, lose, lose_acks, back_queue, back_rate):
        self.now, self.count, self.heap = 0.0, 0, []
        self.packets, self.series, self.queue, self.flows = [], [], [], {}
        self.links = [
            Link(self, "S", "G", 10e6, 0.002, 1000),
            Link(self, "G", "S", 10e6, 0.002, 1000),
            Link(self, "G", "R", rate, 0.048, queue, lose),
            Link(self, "R", "G", back_rate or rate, 0.048, back_queue, lose_acks),
        ]

    def at(self, wait, what, *args):
        self.count += 1
        heapq.heappush(self.heap, (self.now + wait, self.count, what, args))

    def offer(self, node, packet):
        toward = {"S": "G", "R": "G", "G": "R" if packet["kind"] == "data" else "S"}[node]
        next(k for k in self.links if (k.src, k.dst) == (node, toward)).offer(packet)

    def arrive(self, node, packet):
        if node == "G":
            self.offer(node, packet)
        elif node == "R":
            self.flows[packet["flow"]].data(packet)
        else:
            self.flows[packet["flow"]].acked(packet)


def run(label="run", *, flows=1, segments=200, window=40, every=1, timer=0.1, rate=1.5e6, queue=10, lose=(),
        lose_acks=(), back_queue=1000, back_rate=None, stagger=0.3, until=1000.0, mechanism=None):  # fmt: skip
    """One run with all its tables, in the shape the report reads."""
    net = Net(rate, queue, lose, lose_acks, back_queue, back_rate)
    for i in range(flows):
        name = f"f{i}" if flows > 1 else "f"
        net.flows[name] = Flow(net, name, i * stagger, segments, window, every, timer)
    while net.heap and net.heap[0][0] <= until and any(f.finished is None for f in net.flows.values()):
        net.now, _, what, args = heapq.heappop(net.heap)
        what(*args)
    rows = []
    for f in net.flows.values():
        done = f.finished is not None
        took = (f.finished if done else net.now) - f.first
        rows.append(
            {"name": f.name, "from": "S", "to": "R", "completed": done, "start_s": f.start, "first_data_s": f.first,
             "finished_s": f.finished, "completion_s": took if done else None, "last_data_s": f.last_data,
             "bytes": f.una * SEGMENT, "goodput_bps": f.una * SEGMENT * 8 / took, "unit_bytes": SEGMENT, **f.n,
             "acks_dropped": f.n["acks_sent"] - f.n["acks_received"], "acks_filtered": 0,
             "cwnd_segments": f.cwnd, "ssthresh_segments": f.ssthresh, "mean_rtt_s": None, "min_rtt_s": None}
        )  # fmt: skip
    links = [
        {"from": k.src, "to": k.dst, "rate_bps": k.rate, "delay_s": k.delay, **k.stats,
         "mean_queue_packets": k.area / net.now, "max_queue_packets": k.max, "utilisation": k.busy_s / net.now}
        for k in net.links
    ]  # fmt: skip
    return {
        "label": label, "title": "a toy transfer over a slow hop", "seed": 1, "end_s": net.now, "mechanism": mechanism,
        "flows": pl.DataFrame(rows), "links": pl.DataFrame(links), "series": pl.DataFrame(net.series),
        "queue": pl.DataFrame(net.queue), "packets": pl.DataFrame(net.packets),
    }  # fmt: skip


def tiled(source, times):
    """The same run over and over, in time and in sequence: a cheap way to a million packets."""
    span = source["end_s"] + 0.05
    high = source["packets"]["seq"].max() + 1
    copies = pl.DataFrame({"copy": range(times)})

    def repeat(frame, extra=()):
        out = copies.join(frame, how="cross").with_columns(pl.col("time_s") + pl.col("copy") * span, *extra)
        return out.drop("copy")

    data = pl.col("kind") == "data"
    packets = repeat(
        source["packets"].with_columns(sack=pl.lit("")),
        [
            pl.when(data).then(pl.col("seq") + pl.col("copy") * high).otherwise(0).alias("seq"),
            pl.when(data).then(0).otherwise(pl.col("ack") + pl.col("copy") * high).alias("ack"),
        ],
    )
    grown = ["bytes", "segments_sent", "retransmits", "timeouts", "fast_retransmits", "acks_sent", "acks_received"]
    end = span * times
    flows = source["flows"].with_columns(
        *[pl.col(c) * times for c in grown], finished_s=pl.lit(end), completion_s=pl.lit(end)
    )
    return {
        **source, "label": "long", "title": "a long transfer", "end_s": end, "flows": flows, "packets": packets,
        "links": source["links"].with_columns(pl.col("packets", "bytes", "drops") * times),
        "series": repeat(source["series"]), "queue": repeat(source["queue"]),
    }  # fmt: skip
