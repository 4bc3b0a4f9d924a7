//! Every way in which a scenario can be wrong that we have thought of, and what is said about it.

use acklab_scenario::{Format, Overrides, parse, parse_bytes, parse_json, parse_toml, parse_with};

const GOOD: &str = r#"
title = "good"
seed = 1
stop = { when = "flows-complete", at_most = "100s" }

[[link]]
between = ["S", "G"]
rate = "10Mbps"
delay = "2ms"
queue = { kind = "drop-tail", packets = 22 }
loss = { rate = 0.01 }
back = { rate = "1Mbps" }

[[link]]
between = ["G", "R"]
rate = "1.5Mbps"
delay = "48ms"

[[flow]]
name = "f"
from = "S"
to = "R"
start = "0s"
size = { segments = 200 }
repeat = { times = 2, think = "1s" }
sender = { stack = "mine", recovery = "sack", window = 40 }
receiver = { ack = { policy = "delayed", timer = "100ms", segments = 2 } }

[stack.mine]
base = "ns2-1998"
tick = "10ms"

[record]
series = true
"#;

/// What is replaced in the good scenario, the key the error names, and parts of what it says.
type Case = (&'static [(&'static str, &'static str)], &'static str, &'static [&'static str]);

const BACK: &str = "back = { rate = \"1Mbps\" }";
/// Before a second flow, of which a case gives the rest.
const SECOND: &str = "[stack.mine]";
const SIZE: &str = "size = { segments = 200 }";
const STOP: &str = "stop = { when = \"flows-complete\", at_most = \"100s\" }";
const QUEUE: &str = "queue = { kind = \"drop-tail\", packets = 22 }";
const LOSS: &str = "loss = { rate = 0.01 }";
const SENDER: &str = "sender = { stack = \"mine\", recovery = \"sack\", window = 40 }";
const ACK: &str = "ack = { policy = \"delayed\", timer = \"100ms\", segments = 2 }";
const RTO: &str = "tick = \"10ms\"";

#[rustfmt::skip]
const CASES: &[Case] = &[
    // 802.11 networks.
    (&[("[record]", "[[wlan]]\nap = \"R\"\nstations = []\n[record]")], "wlan[0].stations", &["from 1 to 1000"]),
    (&[("[record]", "[[wlan]]\nap = \"R\"\nstations = [\"R\"]\n[record]")], "wlan[0].stations[0]", &["is the access point", "\"R\""]),
    (&[("[record]", "[[wlan]]\nap = \"R\"\nstations = [\"M\", \"M\"]\n[record]")], "wlan[0].stations[1]", &["is stations[0] already"]),
    (&[("[record]", "[[wlan]]\nap = \"R\"\nstations = [\"G\"]\n[record]")], "wlan[0].stations[0]", &["already linked by link[1]"]),
    (&[("[record]", "[[wlan]]\nap = \"R\"\n[record]")], "wlan[0].stations", &["missing"]),
    (&[("[record]", "[[wlan]]\nap = \"R\"\nstation = [\"M\"]\n[record]")], "wlan[0].station", &["did you mean `stations`"]),
    (&[("[record]", "[[wlan]]\nap = \"R\"\nstations = [\"M\"]\nmac.cw_min = 2000\n[record]")], "wlan[0].mac.cw_min", &["at most cw_max, 1023"]),
    (&[("[record]", "[[wlan]]\nap = \"R\"\nstations = [\"M\"]\nmac.eifs = \"20us\"\n[record]")], "wlan[0].mac.eifs", &["at least DIFS"]),
    (&[("[record]", "[[wlan]]\nap = \"R\"\nstations = [\"M\"]\nmac.phy = \"802.11g\"\n[record]")], "wlan[0].mac.phy", &["802.11b", "802.11n"]),
    (&[("[record]", "[[wlan]]\nap = \"R\"\nstations = [\"M\"]\nmac = { phy = \"802.11n\", preamble = \"short\" }\n[record]")], "wlan[0].mac.preamble", &["is 802.11b's"]),
    (&[("[record]", "[[wlan]]\nap = \"R\"\nstations = [\"M\"]\nmac.frame_loss = 1.5\n[record]")], "wlan[0].mac.frame_loss", &["from 0 to 1"]),
    (&[("[record]", "[[wlan]]\nap = \"R\"\nstations = [\"M\"]\nqueue = { kind = \"drop-tail\", packets = 0 }\n[record]")], "wlan[0].queue.packets", &["at least 1"]),
    (&[("[record]", "[[wlan]]\nap = \"R\"\nstations = [\"M\"]\nap_queue = { kind = \"drop-tail\", packets = 1, waiting = 1 }\n[record]")], "wlan[0].ap_queue", &["give one of them"]),
    // Unknown keys, at every level.
    (&[("title =", "titel =")], "titel", &["unknown key", "did you mean `title`"]),
    (&[("[[link]]", "[[lnik]]")], "lnik", &["did you mean `link`"]),
    (&[("at_most", "atmost")], "stop.atmost", &["did you mean `at_most`"]),
    (&[("delay = \"2ms\"", "dealy = \"2ms\"")], "link[0].dealy", &["did you mean `delay`"]),
    (&[("packets = 22", "pakets = 22")], "link[0].queue.pakets", &["did you mean `packets`"]),
    (&[("packets = 22", "colour = 22")], "link[0].queue.colour", &["unknown key", "known here: ", "`waiting_bytes`"]),
    // A parameter that another form of the table has; words of other tools.
    (&[("policy = \"delayed\"", "policy = \"every\"")], "flow[0].receiver.ack.segments",
        &["unknown key with policy = \"every\"; known here: `policy`", "flow[0].receiver.ack={policy=\"every\"}"]),
    (&[("policy = \"delayed\"", "policy = \"quic\"")], "flow[0].receiver.ack.timer", &["unknown key with policy = \"quic\"", "`max_ack_delay`"]),
    (&[("rate = \"10Mbps\"", "bandwidth = \"10Mbps\"")], "link[0].bandwidth", &["did you mean `rate`"]),
    (&[("delay = \"2ms\"", "rtt = \"4ms\"")], "link[0].rtt", &["a link has a `delay`, one way"]),
    (&[("window = 40", "cc = \"cubic\"")], "flow[0].sender.cc", &["did you mean `control`"]),
    (&[(LOSS, "loss = { raet = 0.1 }")], "link[0].loss.raet", &["did you mean `rate`"]),
    (&[(BACK, "back = { dellay = \"1ms\" }")], "link[0].back.dellay", &["did you mean `delay`"]),
    (&[("from = \"S\"", "form = \"S\"")], "flow[0].form", &["did you mean `from`"]),
    (&[("times = 2", "tims = 2")], "flow[0].repeat.tims", &["did you mean `times`"]),
    (&[("window = 40", "windw = 40")], "flow[0].sender.windw", &["unknown key; did you mean `window`?"]),
    (&[("window = 40", "ack_size = 40")], "flow[0].sender.ack_size", &["it is a receiver's rule"]),
    (&[("start = \"0s\"", "tick = \"0.1s\"")], "flow[0].tick", &["it is a sender's rule"]),
    (&[("receiver = {", "receiver = { sak = true, ")], "flow[0].receiver.sak", &["did you mean `sack`"]),
    (&[("timer = ", "timr = ")], "flow[0].receiver.ack.timr", &["did you mean `timer`"]),
    (&[("recovery =", "credit = { kin = \"rfc5681\" }, recovery =")], "flow[0].sender.credit.kin", &["did you mean `kind`"]),
    (&[("window = 40", "credit = { kind = \"rfc5681\", limt = 2 }")], "flow[0].sender.credit.limt", &["unknown key"]),
    (&[("tick =", "tik =")], "stack.mine.tik", &["did you mean `tick`"]),
    (&[("series", "serie")], "record.serie", &["did you mean `series`"]),
    // Units.
    (&[("rate = \"10Mbps\"", "rate = \"10ms\"")], "link[0].rate", &["= \"10ms\"", "unknown unit `ms`", "1.5Mbps"]),
    (&[("rate = \"10Mbps\"", "rate = \"10\"")], "link[0].rate", &["`10` has no unit", "1.5Mbps"]),
    (&[("rate = \"10Mbps\"", "rate = 10")], "link[0].rate", &["= 10: `10` has no unit", "1.5Mbps"]),
    (&[("rate = \"10Mbps\"", "rate = \"10mbps\"")], "link[0].rate", &["did you mean `Mbps`? It counts bits", "as in tc, write 8 times as many"]),
    (&[("delay = \"2ms\"", "delay = 2")], "link[0].delay", &["= 2", "`2` has no unit", "100ms"]),
    (&[("delay = \"2ms\"", "delay = \"2 parsec\"")], "link[0].delay", &["unknown unit `parsec`"]),
    (&[("rate = \"10Mbps\"", "rate = \"-1Mbps\"")], "link[0].rate", &["is negative"]),
    (&[("delay = \"2ms\"", "delay = \"-2ms\"")], "link[0].delay", &["is negative"]),
    (&[(SIZE, "size = { bytes = \"-1kB\" }")], "flow[0].size.bytes", &["is negative"]),
    (&[(SIZE, "size = { bytes = \"0.5B\" }")], "flow[0].size.bytes", &["not a whole number of bytes"]),
    (&[(SIZE, "size = { bytes = \"0B\" }")], "flow[0].size.bytes", &["at least 1B"]),
    (&[(SIZE, "size = { bytes = 200 }")], "flow[0].size.bytes", &["`200` has no unit", "200kB"]),
    (&[("rate = \"10Mbps\"", "rate = \"0Mbps\"")], "link[0].rate", &["is not positive"]),
    (&[("rate = \"10Mbps\"", "rate = \"1e9Gbps\"")], "link[0].rate", &["from 1bps to 1e6Gbps"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"tabel\", rows = [[\"0s\", \"1Mbps\"]] }")], "link[0].rate.kind", &["must be one of `table`", "did you mean `table`"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"table\", rows = [[\"1s\", \"1Mbps\"]] }")], "link[0].rate.rows", &["= [[\"1s\", \"1000000bps\"]]:", "must begin at 0s"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"table\", rows = [[\"0s\", \"1Mbps\"], [\"1s\", \"0bps\"]] }")], "link[0].rate.rows", &["end with a rate above 0bps"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"table\", rows = [[\"0s\", \"1Mbps\"]], every = \"0s\" }")], "link[0].rate.every", &["at least 1ms"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"table\", rows = [[\"0s\", \"1Mb\"]] }")], "link[0].rate.rows[0][1]", &["= \"1Mb\"", "a rate"]),
    (&[(QUEUE, "queue = { kind = \"codel\", target = \"200ms\" }")], "link[0].queue.target", &["= \"0.2s\"", "at most `interval`"]),
    (&[(QUEUE, "queue = { kind = \"codel\", interval = \"0.1ms\" }")], "link[0].queue.interval", &["from 1ms to 100s"]),
    (&[(QUEUE, "queue = { kind = \"codel\", packets = 1 }")], "link[0].queue.packets", &["= 1:", "at least 2"]),
    (&[(QUEUE, "queue = { kind = \"fq-codel\", flows = 0 }")], "link[0].queue.flows", &["from 1 to 65536"]),
    (&[(QUEUE, "queue = { kind = \"fq-codel\", quantum = \"0B\" }")], "link[0].queue.quantum", &["= \"0B\"", "from 1B"]),
    (&[(QUEUE, "queue = { kind = \"fq-codel\", waiting = 0 }")], "link[0].queue.waiting", &["at least 1"]),
    (&[(QUEUE, "queue = { kind = \"fq-codel\", memory = \"0B\" }")], "link[0].queue.memory", &["at least 1B"]),
    (&[(QUEUE, "queue = { kind = \"fq-codel\", drop_batch = 0 }")], "link[0].queue.drop_batch", &["= 0:", "at least 1"]),
    (&[(QUEUE, "queue = { kind = \"pie\", packets = 1 }")], "link[0].queue.packets", &["at least 2"]),
    (&[(QUEUE, "queue = { kind = \"pie\", update = \"0s\" }")], "link[0].queue.update", &["from 1ms to 10s"]),
    (&[(QUEUE, "queue = { kind = \"pie\", max_p = 0 }")], "link[0].queue.max_p", &["= 0:", "at most 256"]),
    (&[(QUEUE, "queue = { kind = \"docsis-pie\", buffer = \"0B\" }")], "link[0].queue.buffer", &["at least 1B"]),
    (&[(QUEUE, "queue = { kind = \"docsis-pie\", buffer = \"9kB\", mean = \"2Mbps\", peak = \"1Mbps\" }")], "link[0].queue.peak", &["not less than `mean`"]),
    (&[(QUEUE, "queue = { kind = \"cobalt\", target = \"1s\" }")], "link[0].queue.target", &["at most `interval`"]),
    (&[(QUEUE, "queue = { kind = \"fq-cobalt\", flows = 0 }")], "link[0].queue.flows", &["from 1 to 65536"]),
    (&[(QUEUE, "queue = { kind = \"dual-pi2\", coupling = 0 }")], "link[0].queue.coupling", &["from 1 to 255"]),
    (&[(QUEUE, "queue = { kind = \"fq-pie\", alpha = -1 }")], "link[0].queue.alpha", &["= -1:", "from 0 to 100"]),
    (&[(QUEUE, "queue = { kind = \"cake\", bandwidth = \"1bps\" }")], "link[0].queue.bandwidth", &["at least 1kbps"]),
    (&[(QUEUE, "queue = { kind = \"cake\", overhead = 300 }")], "link[0].queue.overhead", &["= 300:", "from -64 to 256"]),
    (&[(QUEUE, "queue = { kind = \"cake\", rtt = \"0s\" }")], "link[0].queue.rtt", &["from 1ms to 100s"]),
    (&[(QUEUE, "queue = { kind = \"policer\", mean = \"1Mbps\", burst = \"0B\" }")], "link[0].queue.burst", &["at least 1B"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"mahimahi\", milliseconds = [] }")], "link[0].rate.milliseconds", &["a number above 0"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"mahimahi\", milliseconds = [3, 2] }")], "link[0].rate.milliseconds", &["= 3, 2:", "must not fall"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"token-bucket\", mean = \"2Mbps\", burst = \"3kB\", peak = \"1Mbps\" }")], "link[0].rate.mean", &["at most `peak`"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"docsis\", rate = \"10Mbps\", map_interval = \"0s\" }")], "link[0].rate.map_interval", &["from 200us to 100ms"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"docsis\", rate = \"1bps\" }")], "link[0].rate.rate", &["at least a byte"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"docsis\", rate = \"10Mbps\", channel = \"9Mbps\" }")], "link[0].rate.channel", &["at least `rate`"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"docsis\", rate = \"10Mbps\", map_advance = \"2s\" }")], "link[0].rate.map_advance", &["from 0s to 1s"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"docsis\", rate = \"10Mbps\", burst = \"63B\" }")], "link[0].rate.burst", &["at least 64B"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"docsis\", rate = \"10Mbps\", backoff = 16 }")], "link[0].rate.backoff", &["= 16:", "0 to 15"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"docsis\", rate = \"10Mbps\", opportunities = 0 }")], "link[0].rate.opportunities", &["1 to 100"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"docsis\", rate = \"10Mbps\", proactive = \"11Mbps\" }")], "link[0].rate.proactive", &["at most `rate`"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"docsis\", rate = \"10Mbps\", requests = \"packet\", proactive = \"1Mbps\" }")], "link[0].rate.proactive", &["needs `requests`"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"docsis\", rate = \"2000000Gbps\" }")], "link[0].rate.rate", &["1e6Gbps"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"lte\", rate = \"10Mbps\", sr_period = \"1.5ms\" }")], "link[0].rate.sr_period", &["whole milliseconds"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"lte\", rate = \"10Mbps\", bler = 1 }")], "link[0].rate.bler", &["= 1:", "below 1"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"lte\", rate = \"10Mbps\", attempts = 0 }")], "link[0].rate.attempts", &["1 to 28"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"lte\", rate = \"10Mbps\", first = \"0B\" }")], "link[0].rate.first", &["= \"0B\"", "at least 1B"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"nr\", rate = \"10Mbps\", pattern = \"DDD\" }")], "link[0].rate.pattern", &["= \"DDD\":", "a U and a D or S"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"nr\", rate = \"10Mbps\", pattern = \"\" }")], "link[0].rate.pattern", &["at most 80 letters"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"nr\", rate = \"10Mbps\", numerology = 5 }")], "link[0].rate.numerology", &["0 to 4"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"nr\", rate = \"10Mbps\", sr_period = 0 }")], "link[0].rate.sr_period", &["1 to 640"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"nr\", rate = \"10Mbps\", k2 = 33 }")], "link[0].rate.k2", &["0 to 32"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"pon\", rate = \"10Mbps\", cycle = \"130us\" }")], "link[0].rate.cycle", &["multiple of 125us"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"pon\", rate = \"2Gbps\" }")], "link[0].rate.line", &["at least `rate`"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"pon\", rate = \"10Mbps\", response = \"1s\" }")], "link[0].rate.response", &["from 0s to 100ms"]),
    (&[("rate = \"10Mbps\"", "rate = { kind = \"pon\", rate = \"10Mbps\", fixed = \"20Mbps\" }")], "link[0].rate.fixed", &["at most `rate`"]),
    (&[(BACK, "back = { rate = \"0.1bps\" }")], "link[0].back.rate", &["= \"0.1bps\"", "from 1bps"]),
    (&[("delay = \"2ms\"", "delay = \"1e308min\"")], "link[0].delay", &["longer than 1e12 s"]),
    (&[("delay = \"2ms\"", "delay = \"infs\"")], "link[0].delay", &["unknown unit `infs`"]),
    (&[("timer = \"100ms\"", "timer = \"100\"")], "flow[0].receiver.ack.timer", &["no unit"]),
    (&[("window = 40", "window = \"64 kb\"")], "flow[0].sender.window", &["unknown unit `kb`", "kB"]),
    (&[("tick = \"10ms\"", "tick = 0.01")], "stack.mine.tick", &["`0.01` has no unit"]),
    // Numbers.
    (&[("window = 40", "packet = 0")], "flow[0].sender.packet", &["= 0", "from 1 to 1000000"]),
    (&[("window = 40", "packet = -1")], "flow[0].sender.packet", &["= -1", "from 1 to 1000000"]),
    (&[("window = 40", "packet = 1e3")], "flow[0].sender.packet", &["= 1000.0", "a whole number"]),
    (&[("window = 40", "window = 0")], "flow[0].sender.window", &["less than one packet"]),
    (&[("window = 40", "window = \"100B\"")], "flow[0].sender.window", &["less than one packet of 1000 bytes"]),
    (&[("window = 40", "window = 3000000000")], "flow[0].sender.window", &["more than 2147483647"]),
    (&[("window = 40", "window = -4")], "flow[0].sender.window", &["= -4", "a whole number from 0"]),
    (&[("window = 40", "initial_window = 0")], "flow[0].sender.initial_window", &["from 1"]),
    (&[("window = 40", "initial_window = nan")], "flow[0].sender.initial_window", &["= NaN", "from 1"]),
    (&[("window = 40", "initial_window = inf")], "flow[0].sender.initial_window", &["= inf", "from 1"]),
    (&[(RTO, "dup_thresh = 0")], "stack.mine.dup_thresh", &["= 0", "from 1"]),
    (&[(RTO, "max_sack_blocks = 4")], "stack.mine.max_sack_blocks", &["= 4", "from 0 to 3"]),
    (&[("receiver = {", "receiver = { ack_size = 0, ")], "flow[0].receiver.ack_size", &["from 1"]),
    (&[("segments = 2 }", "segments = 0 }")], "flow[0].receiver.ack.segments", &["from 1"]),
    (&[(SIZE, "size = { segments = 0 }")], "flow[0].size.segments", &["at least 1"]),
    (&[(SIZE, "size = { segments = 9223372036854775807 }")], "flow[0].size.segments", &["at most 9000000000000000"]),
    (&[(SIZE, r#"size = { uniform = ["2kB", "1kB"] }"#)], "flow[0].size.uniform", &["2000B down to 1000B"]),
    (&[(SIZE, r#"size = { uniform = ["0B", "1kB"] }"#)], "flow[0].size.uniform[0]", &["at least 1B"]),
    (&[(SIZE, r#"size = { pareto = { least = "0B", most = "1kB", shape = 1 } }"#)], "flow[0].size.pareto.least", &["at least 1B"]),
    (&[(SIZE, r#"size = { pareto = { least = "2kB", most = "1kB", shape = 1 } }"#)], "flow[0].size.pareto.most", &["is 1000B, below least = 2000B"]),
    (&[(SIZE, r#"size = { pareto = { least = "1kB", most = "2kB", shape = 0 } }"#)], "flow[0].size.pareto.shape", &["is 0; must be from 0.01 to 100"]),
    (&[(SECOND, "[[flow]]\nfrom = \"S\"\nto = \"R\"\nafter = \"g\"\n[stack.mine]")], "flow[1].after", &["= \"g\"", "is no flow listed above this one; these are `f`"]),
    (&[(SIZE, "size = { segments = 2 }\nafter = \"f\"")], "flow[0].after", &["is no flow listed above this one; this one is the first"]),
    (&[(SIZE, "size = \"unlimited\""), (SECOND, "[[flow]]\nfrom = \"S\"\nto = \"R\"\nafter = \"f\"\n[stack.mine]")], "flow[1].after", &["never ends"]),
    (&[("start =", "count = 2\nstart ="), (SECOND, "[[flow]]\nfrom = \"S\"\nto = \"R\"\ncount = 3\nafter = \"f\"\n[stack.mine]")], "flow[1].count", &["= 3:", "no multiple of 2"]),
    (&[(SECOND, "[[flow]]\nfrom = \"S\"\nto = \"R\"\nrepeat = { times = 2 }\nafter = \"f\"\n[stack.mine]")], "flow[1].after", &["together with `repeat`"]),
    (&[(SECOND, "[[flow]]\nfrom = \"S\"\nto = \"R\"\nafter = \"f\"\n[stack.mine]")], "flow[1].after", &["repeats once this flow has ended"]),
    (&[(SECOND, "[[flow]]\nfrom = \"S\"\nto = \"R\"\nsource = { kind = \"telnet\" }\nafter = \"f\"\n[stack.mine]")], "flow[1].after", &["a flow with a source can not"]),
    (&[("times = 2", "times = 60000"), ("[[flow]]", "[[flow]]\ncount = 160"), (SECOND, "[[flow]]\nfrom = \"S\"\nto = \"R\"\ncount = 160\nsize = { segments = 1 }\nafter = \"f\"\n[stack.mine]")], "flow[1].after", &["10000000 in all"]),
    (&[("think = \"1s\"", "think = \"1s\", think_to = \"500ms\"")], "flow[0].repeat.think_to", &["0.5s", "longest pause"]),
    (&[("times = 2", "times = 0")], "flow[0].repeat.times", &["at least 1"]),
    (&[("times = 2", "times = 4294967296")], "flow[0].repeat.times", &["from 1 to 4294967295"]),
    (&[("start =", "count = 0\nstart =")], "flow[0].count", &["at least 1"]),
    (&[("start =", "count = 1000000000000\nstart =")], "flow[0].count", &["1000000000000", "at most 1000000"]),
    (&[("packets = 22", "packets = 0")], "link[0].queue.packets", &["at least 1"]),
    (&[("packets = 22", "packets = -1")], "link[0].queue.packets", &["= -1", "from 1 to 18446744073709551615"]),
    (&[("packets = 22", "packets = 99999999999999999999")], "link[0].queue.packets", &["99999999999999999999", "64 bits"]),
    (&[("packets = 22", "bytes = \"0B\"")], "link[0].queue.bytes", &["at least 1B"]),
    (&[("seed = 1", "seed = -1")], "seed", &["= -1", "from 0 to 18446744073709551615"]),
    (&[("seed = 1", "seed = 99999999999999999999999999")], "seed", &["99999999999999999999999999"]),
    (&[("seed = 1", "seed = 1.5")], "seed", &["= 1.5", "a whole number"]),
    (&[("rate = 0.01", "rate = 1.5")], "link[0].loss.rate", &["= 1.5", "from 0 to 1"]),
    (&[("rate = 0.01", "rate = -0.5")], "link[0].loss.rate", &["= -0.5", "from 0 to 1"]),
    (&[("rate = 0.01", "rate = nan")], "link[0].loss.rate", &["= NaN", "from 0 to 1"]),
    (&[("rate = 0.01", "rate = 0.1, seed = 0")], "link[0].loss.seed", &["from 1 to 4294944442"]),
    (&[("rate = 0.01", "list = [1, -1]")], "link[0].loss.list[1]", &["= -1", "from 0 to 18446744073709551615"]),
    // Buffers in bytes or in time.
    (&[("packets = 22", "bytes = \"40\"")], "link[0].queue.bytes", &["`40` has no unit", "\"200kB\", or a time as \"40ms\""]),
    (&[("packets = 22", "bytes = 40")], "link[0].queue.bytes", &["`40` has no unit", "or a time as \"40ms\""]),
    (&[("packets = 22", "bytes = \"40lb\"")], "link[0].queue.bytes", &["unknown unit `lb`", "or a time as \"40ms\""]),
    (&[("packets = 22", "bytes = \"40MS\"")], "link[0].queue.bytes", &["did you mean `ms`", "or a size as \"200kB\""]),
    (&[("packets = 22", "bytes = \"-40ms\"")], "link[0].queue.bytes", &["is negative", "or a size as \"200kB\""]),
    (&[("packets = 22", "bytes = \"0ms\"")], "link[0].queue.bytes", &["= \"0s\"", "the time that the link needs for a byte"]),
    (&[("packets = 22", "bytes = \"300ns\"")], "link[0].queue.bytes", &["= \"0.0000003s\"", "needs for a byte"]),
    (&[("packets = 22", "waiting_bytes = \"1e11s\"")], "link[0].queue.waiting_bytes", &["at most 9 PB at the link's rate"]),
    (&[("packets = 22", "bytes = \"40ms\", packets = 3")], "link[0].queue", &["give one of them"]),
    (&[(QUEUE, "queue = { kind = \"docsis-pie\" }")], "link[0].queue.buffer", &["missing", "a size such as \"200kB\", or a time such as \"40ms\""]),
    (&[(QUEUE, "queue = { kind = \"docsis-pie\", buffer = \"0ms\" }")], "link[0].queue.buffer", &["needs for a byte"]),
    (&[("rate = \"10Mbps\"", "rate = \"0bps\""), ("packets = 22", "bytes = \"40ms\"")], "link[0].rate", &["not positive"]),
    (&[("[record]", "[[wlan]]\nap = \"R\"\nstations = [\"M\"]\nqueue = { kind = \"drop-tail\", bytes = \"40ms\" }\n[record]")], "wlan[0].queue.bytes", &["wireless medium has no rate"]),
    (&[("[record]", "[[wlan]]\nap = \"R\"\nstations = [\"M\"]\nap_queue = { kind = \"docsis-pie\", buffer = \"40ms\" }\n[record]")], "wlan[0].ap_queue.buffer", &["wireless medium has no rate"]),
    // ACK filters.
    (&[(QUEUE, "queue = { kind = \"fq-codel\", filter = { kind = \"static\", threshold = 0 } }")], "link[0].queue.filter.threshold", &["at least 1"]),
    (&[(QUEUE, "queue = { kind = \"docsis-pie\", buffer = \"40ms\", filter = { kind = \"delayed\", window = \"0s\" } }")], "link[0].queue.filter.window", &["longer than 0s"]),
    (&[(QUEUE, "queue = { kind = \"cake\", filter = { kind = \"cake\" } }")], "link[0].queue.filter", &["unknown key", "ack_filter"]),
    (&[("packets = 22", "filter = { kind = \"static\", threshold = 0 }")], "link[0].queue.filter.threshold", &["at least 1"]),
    (&[("packets = 22", "filter = { kind = \"static\" }")], "link[0].queue.filter.threshold", &["missing"]),
    (&[("packets = 22", "filter = { kind = \"static\", threshold = 1, delta = 1 }")], "link[0].queue.filter.delta", &["unknown key"]),
    (&[("packets = 22", "filter = { kind = \"statik\", threshold = 1 }")], "link[0].queue.filter.kind", &["did you mean `static`"]),
    (&[("packets = 22", "filter = { kind = \"static\", threshold = 3, place = \"slot\" }")], "link[0].queue.filter.place", &["overtake older ACKs"]),
    (&[("packets = 22", "filter = { kind = \"static\", threshold = 1, place = \"slot\", older = \"number\" }")], "link[0].queue.filter.place", &["`older = \"number\"`", "overtake"]),
    (&[("packets = 22", "filter = { kind = \"delayed\", place = \"slot\", conservative = true }")], "link[0].queue.filter.place", &["`conservative`", "overtake"]),
    (&[("packets = 22", "filter = { kind = \"delayed\", window = \"0s\" }")], "link[0].queue.filter.window", &["longer than 0s"]),
    (&[("packets = 22", "filter = { kind = \"delayed\", share = 1.5 }")], "link[0].queue.filter.share", &["= 1.5", "at most 1"]),
    (&[("packets = 22", "filter = { kind = \"delayed\", share = nan }")], "link[0].queue.filter.share", &["= NaN", "at most 1"]),
    (&[("packets = 22", "filter = { kind = \"delayed\", release = 0.95 }")], "link[0].queue.filter.release", &["= 0.95", "at most 0.9"]),
    (&[("packets = 22", "filter = { kind = \"delayed\", floor = 1.0 }")], "link[0].queue.filter.floor", &["= 1", "below 1"]),
    (&[("packets = 22", "filter = { kind = \"delayed\", per = \"connection\", rate = \"presence\" }")], "link[0].queue.filter.rate", &["`rate = \"tsw\"`"]),
    (&[("packets = 22", "filter = { kind = \"cake\", agressive = true }")], "link[0].queue.filter.agressive", &["did you mean `aggressive`"]),
    (&[("packets = 22", "drop = \"head\"")], "link[0].queue.drop", &["`longest-front`"]),
    (&[("packets = 22", "scheduler = \"roundrobin\"")], "link[0].queue.scheduler", &["did you mean `round-robin`"]),
    (&[("policy = \"delayed\", timer = \"100ms\", segments = 2", "policy = \"acc\", d_max = 0")], "flow[0].receiver.ack.d_max", &["from 1"]),
    // Either, or; one of.
    (&[("rate = 0.01", "rate = 0.1, list = [1]")], "link[0].loss", &["both `rate` and `list`"]),
    (&[("rate = 0.01", "where = \"after-queue\"")], "link[0].loss", &["give one of `rate`, `gilbert_elliott`, `list`"]),
    (&[("rate = 0.01", "list = [1], seed = 3")], "link[0].loss.seed", &["draws nothing"]),
    (&[("rate = 0.01", "rate = 0.01, gilbert_elliott = { good = 99, bad = 1 }")], "link[0].loss", &["one of them"]),
    (&[("rate = 0.01", "gilbert_elliott = { good = 99 }")], "link[0].loss.gilbert_elliott.bad", &["missing"]),
    (&[("rate = 0.01", "gilbert_elliott = { good = 99, bad = \"1s\" }")], "link[0].loss.gilbert_elliott", &["count both alike"]),
    (&[("rate = 0.01", "gilbert_elliott = { good = 0.5, bad = 1 }")], "link[0].loss.gilbert_elliott.good", &["at least 1"]),
    (&[("rate = 0.01", "gilbert_elliott = { good = \"1s\", bad = \"1us\" }")], "link[0].loss.gilbert_elliott.bad", &["at least 0.1ms"]),
    (&[("rate = 0.01", "gilbert_elliott = { good = \"1s\", bad = \"1m\" }")], "link[0].loss.gilbert_elliott.bad", &["unknown unit"]),
    (&[("rate = 0.01", "gilbert_elliott = { good = 9, bad = 1, loss_bad = 2 }")], "link[0].loss.gilbert_elliott.loss_bad", &["0 to 1"]),
    (&[("delay = \"2ms\"", "delay = \"2ms\"\ncrossings = 0")], "link[0].crossings", &["1 to 16"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", crossings = 17")], "link[0].back.crossings", &["1 to 16"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"header-compresion\" }]")], "link[0].back.stages[0].kind", &["did you mean `header-compression`"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"header-compression\", size = \"41B\" }]")], "link[0].back.stages[0].size", &["1B to 40B", "41B"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"header-compression\", slots = 0 }]")], "link[0].back.stages[0].slots", &["1 to 256"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"header-compression\", repair = \"ask\" }]")], "link[0].back.stages[0].repair", &["`none`", "`request`"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"header-compression\" }, { kind = \"header-compression\" }]")], "link[0].back.stages", &["twice"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"ack-reconstruction\", step = 0 }]")], "link[0].back.stages[0].step", &["at least 1"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"rbscp\" }, { kind = \"ack-reconstruction\", most = 1 }]")], "link[0].back.stages[1].most", &["2 to 65536"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"ack-reconstruction\", spacing = \"5\" }]")], "link[0].back.stages[0].spacing", &["no unit"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"rbscp\", pieces = 65 }]")], "link[0].back.stages[0].pieces", &["2 to 64"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"spack\", pieces = 1 }]")], "link[0].back.stages[0].pieces", &["2 to 64"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"spack\", timer = \"0s\" }]")], "link[0].back.stages[0].timer", &["longer than 0s"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"gro\", budget = 0 }]")], "link[0].back.stages[0].budget", &["= 0", "1 to 65535"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"gro\", bytes = 600000 }]")], "link[0].back.stages[0].bytes", &["1 to 524280"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"gro\", segments = 0 }]")], "link[0].back.stages[0].segments", &["1 to 65535"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"gro\", frames = 70000 }]")], "link[0].back.stages[0].frames", &["0 to 65535"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"gro\", coalesce = \"50\" }]")], "link[0].back.stages[0].coalesce", &["no unit"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"gro\" }, { kind = \"rbscp\" }]")], "link[0].back.stages[0]", &["must be the last stage"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"reorder\", by = \"5ms\" }]")], "link[0].back.stages[0]", &["neither `rate` nor `list`"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"reorder\", by = \"5ms\", rate = 0.1, list = [3] }]")], "link[0].back.stages[0]", &["both `rate` and `list`"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"reorder\", by = \"5ms\", rate = 1.5 }]")], "link[0].back.stages[0].rate", &["0 to 1", "1.5"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"reorder\", by = \"0s\", rate = 0.5 }]")], "link[0].back.stages[0].by", &["longer than 0s"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"reorder\", rate = 0.5 }]")], "link[0].back.stages[0].by", &["missing"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"reorder\", by = \"5ms\", rate = 0.5, overtaken = 0 }]")], "link[0].back.stages[0].overtaken", &["1 to 4294967295"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"reorder\", by = \"5ms\", rate = 0.5, only = \"syns\" }]")], "link[0].back.stages[0].only", &["`acks`"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"jitter\", mean = \"0s\" }]")], "link[0].back.stages[0].mean", &["longer than 0s"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"jitter\", mean = \"5ms\", most = \"0s\" }]")], "link[0].back.stages[0].most", &["longer than 0s"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"jitter\", mean = \"5ms\", distribution = \"normal\" }]")], "link[0].back.stages[0].distribution", &["`pareto`"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"jitter\", mean = \"5ms\", order = \"none\" }]")], "link[0].back.stages[0].order", &["`kept`", "`free`"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"duplicate\", after = \"1ms\" }]")], "link[0].back.stages[0]", &["neither `rate` nor `list`"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"duplicate\", rate = -0.5 }]")], "link[0].back.stages[0].rate", &["0 to 1", "-0.5"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"pause\", at = [], length = \"1s\" }]")], "link[0].back.stages[0].at", &["names no pause"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"pause\", at = [\"2s\", \"1.5s\"], length = \"600ms\" }]")], "link[0].back.stages[0].at", &["2s", "0.6s", "not over"]),
    (&[("rate = \"1Mbps\"", "rate = \"1Mbps\", stages = [{ kind = \"pause\", at = [\"2s\"], length = \"0s\" }]")], "link[0].back.stages[0].length", &["longer than 0s"]),
    (&[("packets = 22", "packets = 22, waiting = 21")], "link[0].queue", &["`packets`, `waiting`", "one of them"]),
    (&[(STOP, "stop = { at = \"1s\", when = \"flows-complete\" }")], "stop", &["either `at`, or `when`"]),
    (&[(SIZE, "size = { segments = 1, bytes = \"1kB\" }")], "flow[0].size", &["a table with `segments` or a table with `bytes`"]),
    (&[(SIZE, "size = {}")], "flow[0].size", &["a table with `segments`", "`unlimited`"]),
    (&[(SIZE, "size = { segmnts = 1 }")], "flow[0].size.segmnts", &["did you mean `segments`"]),
    (&[(SIZE, "size = 200")], "flow[0].size", &["= 200", "a table with `segments`", "`unlimited`"]),
    // Names of choices.
    (&[("\"drop-tail\"", "\"droptail\"")], "link[0].queue.kind", &["\"droptail\"", "did you mean `drop-tail`"]),
    (&[("kind = \"drop-tail\", ", "")], "link[0].queue.kind", &["missing", "`drop-tail`"]),
    (&[("policy = \"delayed\"", "policy = \"delay\"")], "flow[0].receiver.ack.policy", &["`every`", "did you mean `delayed`"]),
    (&[(ACK, "ack = { policy = \"smart\", rtt = \"guess\" }")], "flow[0].receiver.ack.rtt", &["`probe`", "`timestamps`", "`fixed`", "`sender`"]),
    (&[(ACK, "ack = { policy = \"smart\", window = \"oracle\" }")], "flow[0].receiver.ack.window", &["`estimate`", "`sender`"]),
    (&[(ACK, "ack = { policy = \"smart\", initial = 0 }")], "flow[0].receiver.ack.initial", &["from 1"]),
    (&[(ACK, "ack = { policy = \"smart\", interval = \"0s\" }")], "flow[0].receiver.ack.interval", &["at least 1us"]),
    (&[(ACK, "ack = { policy = \"smart\", delta = 4 }")], "flow[0].receiver.ack.delta", &["unknown key"]),
    (&[(ACK, "ack = { policy = \"periodic\", beta = 0 }")], "flow[0].receiver.ack.beta", &["= 0", "from 0.000001"]),
    (&[(ACK, "ack = { policy = \"periodic\", segments = 0 }")], "flow[0].receiver.ack.segments", &["from 1"]),
    (&[(ACK, "ack = { policy = \"linux\", quick = 256 }")], "flow[0].receiver.ack.quick", &["= 256", "from 0 to 255"]),
    (&[(ACK, "ack = { policy = \"linux\", window = 0 }")], "flow[0].receiver.ack.window", &["= 0", "from 1 to"]),
    (&[(ACK, "ack = { policy = \"linux\", window = 60 }")], "flow[0].receiver.ack.buffer", &["is 57", "window = 60"]),
    (&[(ACK, "ack = { policy = \"linux\", sack_most = 999 }")], "flow[0].receiver.ack.sack_most", &["from 0 to 255"]),
    (&[(ACK, "ack = { policy = \"linux\", sack_share = 33 }")], "flow[0].receiver.ack.sack_share", &["from 0.01 to 10"]),
    (&[(ACK, "ack = { policy = \"linux\", low_water = 0 }")], "flow[0].receiver.ack.low_water", &["= 0", "from 1 to"]),
    (&[(ACK, "ack = { policy = \"linux\", least = \"300ms\" }")], "flow[0].receiver.ack.least", &["above timer = 0.2s"]),
    (&[(ACK, "ack = { policy = \"linux\", tick = \"1s\" }")], "flow[0].receiver.ack.tick", &["above timer = 0.2s"]),
    (&[(ACK, "ack = { policy = \"quic\", segments = 0 }")], "flow[0].receiver.ack.segments", &["= 0", "from 1 to 1000000"]),
    (&[(ACK, "ack = { policy = \"quic\", reordering = 256 }")], "flow[0].receiver.ack.reordering", &["= 256", "from 0 to 255"]),
    (&[(ACK, "ack = { policy = \"quic\", rtt_share = -0.1 }")], "flow[0].receiver.ack.rtt_share", &["= -0.1", "from 0 to 10"]),
    (&[("recovery = \"sack\"", "recovery = \"rfc9002\", timestamps = true")], "flow[0].sender.timestamps", &["times each packet itself", "must be false"]),
    (&[("recovery = \"sack\"", "recovery = \"rfc9002\", timestamps = false, skip = 5")], "flow[0].sender.skip", &["is 5", "rfc9002", "must be 0"]),
    (&[("recovery = \"sack\"", "recovery = { kind = \"rfc9002\", packet_numbers = true }, timestamps = false")], "flow[0].sender.recovery.packet_numbers", &["is true", "not \"quic\"", "must be false"]),
    (&[(ACK, "ack = { policy = \"quic\", packet_numbers = true }")], "flow[0].receiver.ack.packet_numbers", &["is true", "not \"rfc9002\"", "must be false"]),
    (&[("recovery = \"sack\"", "recovery = { kind = \"rfc9002\", packet_numbers = false }, timestamps = false"), (ACK, "ack = { policy = \"quic\", packet_numbers = true }")], "flow[0].receiver.ack.packet_numbers", &["is true", "the sender's is false"]),
    (&[("recovery = \"sack\"", "recovery = \"rfc9002\", timestamps = false"), (ACK, "ack = { policy = \"quic\" }, estimate = \"timestamps\"")], "flow[0].receiver.estimate", &["packet numbers", "\"probe\""]),
    // Rules that do not go together.
    (&[(QUEUE, "queue = { kind = \"red\", skip = 5 }")], "link[0].queue.skip", &["= 5", "must be 0 without a `seed`"]),
    (&[("recovery = \"sack\"", "recovery = { kind = \"fack\", frto = \"linux\" }")], "flow[0].sender.recovery.frto", &["unknown key with kind = \"fack\"", "`undo`, `window`"]),
    (&[("recovery = \"sack\"", "recovery = { undo = \"both\" }")], "flow[0].sender.recovery.undo", &["unknown key with kind = \"reno\"", "`inflation_limit`"]),
    (&[("recovery = \"sack\"", "recovery = { kind = \"rack\", undo = \"timestamps\" }, timestamps = false")], "flow[0].sender.recovery.undo", &["is \"timestamps\"", "timestamps = false"]),
    (&[("recovery = \"sack\"", "recovery = { kind = \"rfc6675\", undo = \"dsack\" }"), ("receiver = {", "receiver = { dsack = false, ")], "flow[0].sender.recovery.undo", &["is \"dsack\"", "dsack = false"]),
    (&[("recovery = \"sack\"", "recovery = { kind = \"reno\", window = \"prr\" }")], "flow[0].sender.recovery.window", &["unknown key"]),
    (&[("recovery = \"sack\"", "recovery = { kind = \"rack\", window = \"rate-halving\" }")], "flow[0].sender.recovery.window", &["`at-once`", "`prr`"]),
    (&[("window = 40", "control = { kind = \"veno\", slow_start = \"hystart\" }")], "flow[0].sender.control.slow_start", &["`standard`, `hystart++`"]),
    (&[("window = 40", "pacing = 0.5")], "flow[0].sender.pacing", &["= 0.5", "one of `off`, `spread`", "{ kind = \"spread\", share = 0.5 }"]),
    (&[("window = 40", "sequence = { kind = \"segments\", nagle = \"on\" }")], "flow[0].sender.sequence.nagle", &["unknown key with kind = \"segments\""]),
    (&[("window = 40", "pacing = { kind = \"spread\", share = 0 }")], "flow[0].sender.pacing.share", &["= 0", "from 0.000001 to 10"]),
    (&[("window = 40", "pacing = { kind = \"spread\", burst = 0 }")], "flow[0].sender.pacing.burst", &["from 1 to 1000000"]),
    // Keys of earlier versions.
    (&[("window = 40", "frto = \"linux\"")], "flow[0].sender.frto", &["unknown key; it is now `recovery.frto`"]),
    (&[("window = 40", "slow_start = \"hystart\"")], "flow[0].sender.slow_start", &["it is now `control.slow_start`"]),
    (&[(RTO, "tick_phase = \"1ms\"")], "stack.mine.tick_phase", &["it is now `rtt_filter.phase`"]),
    (&[(ACK, "estimate_initial = 4")], "flow[0].receiver.estimate_initial", &["it is now `estimate.initial`"]),
    (&[(ACK, "ack = { policy = \"quic\", timer = \"25ms\" }")], "flow[0].receiver.ack.timer", &["unknown key"]),
    (&[(ACK, "ack = { policy = \"linux\", quik = 1 }")], "flow[0].receiver.ack.quik", &["quick"]),
    (&[(SIZE, "source = { kind = \"udp\" }"), (", recovery = \"sack\"", "")], "flow[0].source.rate", &["missing"]),
    (&[(SIZE, "source = { kind = \"udp\", rate = \"1Mbps\", packet = 27 }")], "flow[0].source.packet", &["is 27", "from 28"]),
    (&[(SIZE, "source = { kind = \"udp\", rate = \"1Mbps\", on = \"0s\" }")], "flow[0].source.on", &["is 0s", "at least 1us"]),
    (&[(SIZE, "source = { kind = \"udp\", rate = \"1Mbps\", off = \"1e-300s\" }")], "flow[0].source.off", &["is 1e-300s", "at least 1us"]),
    (&[(SIZE, "source = { kind = \"udp\", rate = \"1e300bps\" }")], "flow[0].source.rate", &["1e6Gbps"]),
    (&[("repeat = { times = 2, think = \"1s\" }", "source = { kind = \"telnet\", mean = \"0s\" }")], "flow[0].source.mean", &["is 0s", "at least 1us"]),
    (&[("at_most = \"100s\"", "at_most = \"1e10s\"")], "stop.at_most", &["at most 1000000000s"]),
    (&[(SIZE, "count = 1000000"), ("repeat = { times = 2, think = \"1s\" }", ""), ("tick = \"10ms\"", "initial_window = 17.0")], "flow[0].sender.initial_window",
        &["17000000 packets", "at most 16000000"]),
    (&[("back = { rate", "stages = [{ kind = \"rbscp\", pieces = 64 }, { kind = \"rbscp\", pieces = 64 }, { kind = \"duplicate\", rate = 1.0 }, \
        { kind = \"rbscp\", pieces = 9 }]\nback = { rate")], "link[0].stages", &["73728 packets of one", "at most 65536"]),
    (&[("repeat = { times = 2, think = \"1s\" }", "source = { kind = \"listed\", writes = [] }")], "flow[0].source.writes", &["has 0 rows"]),
    (&[("repeat = { times = 2, think = \"1s\" }", "source = { kind = \"listed\", writes = [[\"1s\", \"5B\"], [\"0.5s\", \"5B\"]] }")],
        "flow[0].source.writes[1]", &["is at 0.5s", "must not be earlier"]),
    (&[("repeat = { times = 2, think = \"1s\" }", "source = { kind = \"listed\", writes = [[\"1s\", \"0B\"]] }")],
        "flow[0].source.writes[0]", &["writes 0B"]),
    (&[(SIZE, "source = { kind = \"listed\", writes = [[\"1s\", \"5B\"]] }")], "flow[0].repeat", &["list them all"]),
    (&[("name = \"f\"", "count = 1000000"), ("repeat = { times = 2, think = \"1s\" }", "source = { kind = \"listed\", writes = [[\"1s\", \"5B\"], [\"1s\", \"5B\"], [\"1s\", \"5B\"], [\"1s\", \"5B\"], [\"1s\", \"5B\"], [\"1s\", \"5B\"], [\"1s\", \"5B\"], [\"1s\", \"5B\"], [\"1s\", \"5B\"], [\"1s\", \"5B\"], [\"1s\", \"5B\"]] }")],
        "flow[0].count", &["makes 11000000 listed writes in all; at most 10000000"]),
    (&[(ACK, "ack = { policy = \"acc-ns2\" }"), ("window = 40 }", "window = 40, carry_allowance = false }")],
        "flow[0].sender.carry_allowance", &["does not go with the policy \"acc-ns2\""]),
    (&[(SIZE, "source = { kind = \"udp\", rate = \"1Mbps\", spans = \"pareto\" }")], "flow[0].source.spans", &["`constant`", "`exponential`"]),
    (&[(SIZE, "source = { kind = \"udp\", rate = \"1Mbps\", size = 5 }")], "flow[0].source.size", &["unknown key"]),
    (&[(ACK, "estimate = \"on\"")], "flow[0].receiver.estimate", &["`off`", "`timestamps`", "`probe`"]),
    (&[(ACK, "estimate = { kind = \"probe\", initial = 0 }")], "flow[0].receiver.estimate.initial", &["from 1"]),
    (&[(ACK, "estimate = { initial = 2 }")], "flow[0].receiver.estimate.initial", &["unknown key with kind = \"off\""]),
    (&[("policy = \"delayed\", ", "colour = 1, ")], "flow[0].receiver.ack.colour", &["unknown key", "`heartbeat`"]),
    (&[("policy = \"delayed\"", "policy = \"every\"")], "flow[0].receiver.ack.segments", &["unknown key"]),
    (&[("recovery = \"sack\"", "recovery = \"new-reno\"")], "flow[0].sender.recovery", &["did you mean `newreno`"]),
    (&[("recovery = \"sack\"", "recovery = \"frto\"")], "flow[0].sender.recovery", &["one of `tahoe`"]),
    (&[("window = 40", "control = \"nonesuch\"")], "flow[0].sender.control", &["= \"nonesuch\"", "`reno`"]),
    (&[("window = 40", "control = { kind = \"vneo\" }")], "flow[0].sender.control.kind", &["did you mean `veno`"]),
    (&[("window = 40", "control = \"cubc\"")], "flow[0].sender.control", &["did you mean `cubic`"]),
    (&[("window = 40", "control = { kind = \"veno\", gamma = 1 }")], "flow[0].sender.control.gamma", &["unknown key"]),
    (&[("window = 40", "control = { kind = \"reno\", beta = 1 }")], "flow[0].sender.control.beta", &["unknown key"]),
    (&[("window = 40", "control = { kind = \"cubic\", seek = 2 }")], "flow[0].sender.control.seek", &["= 2", "from 0 to 1"]),
    (&[("window = 40", "control = { kind = \"veno\", beta = \"3\" }")], "flow[0].sender.control.beta", &["= \"3\"", "a number"]),
    (&[("window = 40", "control = { kind = \"veno\", alpha = -1 }")], "flow[0].sender.control.alpha", &["= -1", "from 0"]),
    (&[("window = 40", "control = { kind = \"veno\", clock = \"2s\" }")], "flow[0].sender.control.clock", &["is 2", "at most 1s"]),
    (&[("window = 40", "control = { kind = \"veno\", estimate = \"rtt\" }")], "flow[0].sender.control.estimate", &["`per-rtt`"]),
    (&[("window = 40", "control = { kind = \"veno\", base_rtt = \"always\" }")], "flow[0].sender.control.base_rtt", &["`since-loss`", "`ever`"]),
    (&[("window = 40", "control = { kind = \"cubic\", beta = 1.0 }")], "flow[0].sender.control.beta", &["= 1", "to 0.999999"]),
    (&[("window = 40", "control = { kind = \"cubic\", c = 0.0 }")], "flow[0].sender.control.c", &["= 0"]),
    (&[("window = 40", "control = { kind = \"westwood\", gain = 1.5 }")], "flow[0].sender.control.gain", &["= 1.5", "to 0.999999"]),
    (&[("window = 40", "control = { kind = \"vegas\", alpha = 5.0 }")], "flow[0].sender.control.alpha", &["is 5", "at most beta = 4"]),
    (&[("window = 40", "control = { kind = \"vegas\", pace = \"second\" }")], "flow[0].sender.control.pace", &["`every-rtt`", "`second-rtt`"]),
    (&[("window = 40", "control = \"bbr\"")], "flow[0].sender.control", &["is \"bbr\"", "reports losses", "\"rack\""]),
    (&[("window = 40", "control = { kind = \"bbr\", gain = 2 }")], "flow[0].sender.control.gain", &["unknown key"]),
    (&[("recovery = \"sack\"", "recovery = \"rack\", control = \"bbr\", pacing = \"spread\"")], "flow[0].sender.pacing", &["is on", "must be \"off\""]),
    (&[("recovery = \"sack\"", "recovery = \"rack\", control = { kind = \"bbr\", slow_start = \"hystart++\" }")], "flow[0].sender.control.slow_start", &["unknown key with kind = \"bbr\""]),
    (&[("recovery = \"sack\"", "recovery = \"fackk\"")], "flow[0].sender.recovery", &["did you mean `fack`"]),
    (&[("recovery = \"sack\"", "recovery = { kind = \"fack\", window = \"halving\" }")], "flow[0].sender.recovery.window", &["`at-once`", "`rate-halving`", "`prr`"]),
    (&[("window = 40", "validation = \"rfc7661\"")], "flow[0].sender.validation", &["`off`", "`linux`"]),
    (&[("recovery = \"sack\"", "recovery = { kind = \"rack\", undo = \"eifel\" }")], "flow[0].sender.recovery.undo", &["`timestamps`", "`dsack`", "`both`"]),
    (&[("window = 40", "rtt_filter = \"linus\"")], "flow[0].sender.rtt_filter", &["did you mean `linux`", "`rfc6298`"]),
    (&[("window = 40", "rto_floor = \"variances\"")], "flow[0].sender.rto_floor", &["did you mean `variance`"]),
    (&[("recovery = \"sack\"", "recovery = { kind = \"fack\", duplicates_restart_timer = 1 }")], "flow[0].sender.recovery.duplicates_restart_timer", &["true or false"]),
    (&[("window = 40", "slow_start_at_ssthresh = \"yes\"")], "flow[0].sender.slow_start_at_ssthresh", &["true or false"]),
    (&[("window = 40", "credit = { kind = \"counter\", limit = 2 }")], "flow[0].sender.credit.limit", &["unknown key"]),
    (&[("window = 40", "credit = { kind = \"segment-counter\", limit = 2 }")], "flow[0].sender.credit.limit", &["unknown key"]),
    (&[("window = 40", "credit = { kind = \"abx\" }")], "flow[0].sender.credit.kind", &["`ack-counting`"]),
    (&[("when = \"flows-complete\"", "when = \"flow-complete\"")], "stop.when", &["did you mean `flows-complete`"]),
    (&[("rate = 0.01", "rate = 0.1, where = \"before\"")], "link[0].loss.where", &["did you mean `before-queue`"]),
    (&[("stack = \"mine\"", "stack = \"mien\"")], "flow[0].sender.stack", &["no such stack", "did you mean `mine`", "`ns2-2.35`"]),
    (&[("receiver = {", "receiver = { stack = \"linux7\", ")], "flow[0].receiver.stack", &["no such stack"]),
    // Stacks.
    (&[("base = \"ns2-1998\"", "base = \"ns2-1999\"")], "stack.mine.base", &["did you mean `ns2-1998`"]),
    (&[("base = \"ns2-1998\"", "base = \"mine\"")], "stack.mine.base", &["in a circle", "mine -> mine"]),
    (&[("base = \"ns2-1998\"", "base = \"b\""), ("[record]", "[stack.b]\nbase = \"c\"\n[stack.c]\nbase = \"b\"\n[record]")],
        "stack.c.base", &["= \"b\"", "b -> c -> b"]),
    (&[("[stack.mine]", "[stack.rfc]")], "stack.rfc", &["built-in"]),
    (&[("[stack.mine]", "[stack]\nmine = \"rfc\"\n[stack.x]")], "stack.mine", &["must be a table"]),
    // Rules that do not go together.
    (&[(RTO, "tick = \"0s\"")], "flow[0].sender.tick", &["rtt_filter = \"integer\""]),
    (&[(RTO, "min_rto = \"65s\"")], "flow[0].sender.min_rto", &["above max_rto"]),
    (&[(RTO, "max_rto = \"0s\"")], "flow[0].sender.max_rto", &["is 0s", "at least 1us"]),
    (&[(RTO, "initial_rto = \"0s\"")], "flow[0].sender.initial_rto", &["is 0s", "at least 1us"]),
    (&[(SENDER, "sender = { packet = 12 }")], "flow[0].sender.packet", &["timestamps take 12 bytes"]),
    (&[("timer = \"100ms\"", "timer = \"0s\", heartbeat = true")], "flow[0].receiver.ack.timer", &["heartbeat needs a timer"]),
    (&[("repeat = { times = 2, think = \"1s\" }", "source = { kind = \"telnet\", mean = \"1s\", pauses = \"tcplib\" }")],
        "flow[0].source.pauses", &["together with `mean`"]),
    (&[("repeat = { times = 2, think = \"1s\" }", "source = { kind = \"telnet\", pauses = \"tcplb\" }")],
        "flow[0].source.pauses", &["did you mean `tcplib`"]),
    (&[("policy = \"delayed\", timer = \"100ms\", segments = 2", "policy = \"divide\", pieces = 65")], "flow[0].receiver.ack.pieces", &["= 65", "from 2 to 64"]),
    (&[("policy = \"delayed\", timer = \"100ms\", segments = 2", "policy = \"divide\", pieces = 4, when = \"recovery\"")], "flow[0].receiver.ack.when", &["slow-start"]),
    (&[("policy = \"delayed\", timer = \"100ms\", segments = 2", "policy = \"divide\", pieces = 4, segments = 0")], "flow[0].receiver.ack.segments", &["from 1"]),
    (&[("policy = \"delayed\", timer = \"100ms\", segments = 2", "policy = \"restore\", pieces = 1")], "flow[0].receiver.ack.pieces", &["from 2 to 64"]),
    (&[("policy = \"delayed\", timer = \"100ms\", segments = 2", "policy = \"restore\", share = 1.5")], "flow[0].receiver.ack.share", &["from 0 to 1"]),
    (&[("policy = \"delayed\", timer = \"100ms\", segments = 2", "policy = \"spoof\", duplicates = 0")], "flow[0].receiver.ack.duplicates", &["from 1 to 1000"]),
    (&[("policy = \"delayed\", timer = \"100ms\", segments = 2", "policy = \"optimistic\", ahead = 0")], "flow[0].receiver.ack.ahead", &["from 1 to 1000000"]),
    (&[("window = 40", "control = { kind = \"cubic\", slow_start = \"hystar\" }")], "flow[0].sender.control.slow_start", &["did you mean `hystart`"]),
    (&[("window = 40", "control = { kind = \"vegas\", slow_start = \"hystart++\" }")], "flow[0].sender.control.slow_start", &["unknown key with kind = \"vegas\""]),
    (&[("recovery = \"sack\"", "recovery = \"rackk\"")], "flow[0].sender.recovery", &["did you mean `rack`"]),
    (&[("recovery = \"sack\"", "recovery = \"rack\", skip = 50")], "flow[0].sender.skip", &["is 50", "must be 0"]),
    (&[("recovery = \"sack\"", "recovery = \"newreno\""), ("receiver = {", "receiver = { dsack = true,")], "flow[0].receiver.dsack", &["is true", "sack is false", "must be false"]),
    (&[("receiver = {", "receiver = { dsack = true,")], "flow[0].receiver.dsack", &["sack", "must be false"]),
    (&[("window = 40", "sequence = { kind = \"bytes\", nagle = \"yes\" }")], "flow[0].sender.sequence.nagle", &["minshall"]),
    (&[("window = 40", "unsent_ack = \"reset\"")], "flow[0].sender.unsent_ack", &["restart"]),
    (&[("window = 40", "skip = 2000000")], "flow[0].sender.skip", &["from 0 to 1000000"]),
    (&[("policy = \"delayed\", timer = \"100ms\", segments = 2", "policy = \"daass\", phase = \"share\"")],
        "flow[0].receiver.ack.phase", &["did you mean `shared`"]),
    // The network.
    (&[("to = \"R\"", "to = \"X\"")], "flow[0].to", &["= \"X\"", "no link has this node", "`S`, `G`, `R`"]),
    (&[("from = \"S\"", "from = \"s\"")], "flow[0].from", &["did you mean `S`"]),
    (&[("to = \"R\"", "to = \"S\"")], "flow[0].to", &["sender's own node"]),
    (&[("\"G\", \"R\"", "\"H\", \"R\"")], "flow[0].to", &["= \"R\"", "no links lead there from `S`"]),
    (&[("\"G\", \"R\"", "\"G\", \"G\"")], "link[1].between", &["with itself"]),
    (&[("\"G\", \"R\"", "\"G\", \"S\"")], "link[1].between", &["already linked by link[0]", "one link per pair"]),
    (&[("\"G\", \"R\"", "\"G\", \"\"")], "link[1].between", &["= \"\"", "a node's name must not be empty"]),
    (&[("\"G\", \"R\"", "\"G\", \"R\", \"T\"")], "link[1].between", &["a list of 2"]),
    (&[("[record]", "[[flow]]\nname = \"f\"\nfrom = \"S\"\nto = \"G\"\n[record]")], "flow[1].name", &["flow[0] has this name"]),
    (&[("name = \"f\"", "name = \"f\"\ncount = 3"), ("[record]", "[[flow]]\nname = \"f2\"\nfrom = \"S\"\nto = \"G\"\n[record]")],
        "flow[1].name", &["= \"f2\"", "name0, name1"]),
    (&[("name = \"f\"", "name = \"flow1\""), ("[record]", "[[flow]]\nfrom = \"S\"\nto = \"G\"\n[record]")],
        "flow[1].name", &["= \"flow1\""]),
    (&[("name = \"f\"", "name = \"\"")], "flow[0].name", &["must not be empty"]),
    (&[("name = \"f\"", "name = \"f\\ng\"")], "flow[0].name", &["must not contain control characters"]),
    (&[("\"G\", \"R\"", "\"G\", \"R\\u001b[2J\"")], "link[1].between", &["= \"R\\u{1b}[2J\"", "a node's name", "control characters"]),
    (&[("[record]", "[[wlan]]\nap = \"R\"\nstations = [\"M\\u0000\"]\n[record]")], "wlan[0].stations[0]", &["control characters"]),
    (&[("[record]", "[topology]\nkind = \"ring\"\n[record]")], "topology.kind", &["`dumbbell`, `parking-lot`"]),
    (&[("[record]", "[topology]\nkind = \"dumbel\"\n[record]")], "topology.kind", &["did you mean `dumbbell`"]),
    (&[("[record]", "[topology]\nkind = \"dumbbell\"\npairs = 2\n[record]")], "topology.bottleneck", &["missing", "`rate`, `delay`"]),
    (&[("[record]", "[topology]\nkind = \"parking-lot\"\nhops = 0\nhop = { rate = \"1Mbps\", delay = \"0s\" }\n\
        access = { rate = \"1Mbps\", delay = \"0s\" }\n[record]")], "topology.hops", &["= 0", "from 1 to 10000"]),
    (&[("[record]", "[topology]\nkind = \"asymmetric\"\ndown = { rate = \"1Mbps\", delay = \"0s\" }\nup = {}\n\
        server = { rate = \"1Mbps\", delay = \"0s\" }\n[record]")], "topology.up.rate", &["missing", "128kbps"]),
    (&[("[record]", "[topology]\nkind = \"dumbbell\"\nbottleneck = { rate = \"1Mbps\", delay = \"0s\", queue = { kind = 0 } }\n\
        access = { rate = \"1Mbps\", delay = \"0s\" }\n[record]")], "topology.bottleneck.queue.kind", &["= 0", "`drop-tail`"]),
    (&[("[record]", "[topology]\nkind = \"dumbbell\"\nhops = 2\nbottleneck = { rate = \"1Mbps\", delay = \"0s\" }\n\
        access = { rate = \"1Mbps\", delay = \"0s\" }\n[record]")], "topology.hops", &["unknown key"]),
    // The end.
    (&[(STOP, "stop = { at = \"0s\" }")], "stop.at", &["after 0s"]),
    (&[(STOP, "stop = { at = \"-1s\" }")], "stop.at", &["is negative"]),
    (&[(STOP, "stop = { at = \"1s\" }"), ("start = \"0s\"", "start = \"5s\"")], "stop.at", &["before any flow starts"]),
    (&[(STOP, ""), (SIZE, "size = \"unlimited\"")], "stop", &["every flow is unlimited", "stop = { at = \"60s\" }"]),
    (&[(STOP, "stop = \"60s\"")], "stop", &["= \"60s\"", "must be a table with some of `at`, `at_most`, `when`"]),
    // Types.
    (&[("title = \"good\"", "title = 7")], "title", &["= 7", "a text"]),
    (&[("title = \"good\"", "title = 1979-05-27")], "title", &["1979-05-27", "is a date"]),
    (&[("window = 40", "packet = \"1460\"")], "flow[0].sender.packet", &["= \"1460\"", "a whole number"]),
    (&[("series = true", "series = 1")], "record.series", &["= 1", "true or false"]),
    (&[("receiver = {", "receiver = { sack = \"yes\", ")], "flow[0].receiver.sack", &["true or false"]),
    (&[("between = [\"S\", \"G\"]", "between = \"S-G\"")], "link[0].between", &["= \"S-G\"", "a list of 2, each a text"]),
    (&[(SENDER, "sender = \"rfc\"")], "flow[0].sender", &["= \"rfc\"", "a table; write { stack = \"rfc\" }"]),
    (&[(LOSS, "loss = 0.01")], "link[0].loss", &["= 0.01", "a table with some of", "write { rate = 0.01 }"]),
    (&[(SIZE, "size = \"200kB\"")], "flow[0].size", &["write { bytes = \"200kB\" }"]),
    (&[(SIZE, "size = 200")], "flow[0].size", &["write { segments = 200 }"]),
    (&[(QUEUE, "queue = 22")], "link[0].queue", &["= 22", "a table with `kind`"]),
    (&[(ACK, "ack = 2")], "flow[0].receiver.ack", &["= 2", "one of `every`", "as `policy` of a table"]),
    (&[(QUEUE, "queue = \"droptail\"")], "link[0].queue", &["a table with `kind`, one of `drop-tail`, `red`,", "; write { kind = \"drop-tail\" }"]),
    (&[("[[flow]]", "[flow]")], "flow", &["must be a list; write [[flow]]"]),
    // What is missing.
    (&[("rate = \"10Mbps\"\n", "")], "link[0].rate", &["missing", "a rate such as \"1.5Mbps\""]),
    (&[("delay = \"2ms\"\n", "")], "link[0].delay", &["missing", "a time such as"]),
    (&[("between = [\"S\", \"G\"]\n", "")], "link[0].between", &["missing", "a list of 2"]),
    (&[("to = \"R\"\n", "")], "flow[0].to", &["missing"]),
    (&[("times = 2, ", "")], "flow[0].repeat.times", &["missing", "a whole number"]),
    // The text.
    (&[("[record]", "[record]\nseries = true")], "", &["duplicate key"]),
    (&[("[record]", "[record")], "", &["x.toml:3"]),
    (&[("\"good\"", "\"good")], "", &["x.toml:2:"]),
];

fn broken(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(GOOD.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "no `{from}` to replace");
        text.replacen(from, to, 1)
    })
}

#[test]
fn the_scenario_that_is_broken_below_is_good() {
    let scenario = parse_toml(GOOD, "x.toml").unwrap();
    assert_eq!(scenario.nodes, ["S", "G", "R"]);
}

#[test]
fn every_error_names_file_key_value_and_what_is_allowed() {
    let mut wrong = Vec::new();
    for (changes, path, parts) in CASES {
        let text = broken(changes);
        let said = match parse_toml(&text, "x.toml") {
            Ok(_) => {
                wrong.push(format!("{changes:?} is accepted"));
                continue;
            }
            Err(error) => {
                if error.path() != *path {
                    wrong.push(format!("{changes:?} is at `{path}`, not `{}`", error.path()));
                }
                error.to_string()
            }
        };
        if std::env::var_os("SHOW").is_some() {
            println!("{said}");
        }
        if said.lines().count() > 2
            || said.matches("; write {").count() > 1
            || !said.starts_with("x.toml")
            || !parts.iter().all(|part| said.contains(part))
        {
            wrong.push(format!("{changes:?} wants {parts:?}, says\n    {said}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Errors have the names from the lists of the path's seams, and every queue that takes a filter checks it.
#[test]
fn a_kind_that_is_not_known_is_answered_with_all_that_are() {
    let schema = acklab_scenario::schema();
    let forms = |definition: &str| schema["$defs"][definition]["oneOf"].as_array().expect("kinds").clone();
    let error =
        |queue: &str| parse_toml(&broken(&[(QUEUE, &format!("queue = {queue}"))]), "x").unwrap_err().to_string();
    let names: Vec<_> = forms("QueueSpec").iter().map(|form| form["properties"]["kind"]["const"].clone()).collect();
    assert!(names.len() > 10);
    let unknown = error("{ kind = \"none\" }");
    assert!(names.iter().all(|name| unknown.contains(&format!("`{}`", name.as_str().expect("a name")))), "{unknown}");
    for form in forms("QueueSpec").iter().filter(|form| form["properties"].get("filter").is_some()) {
        let mut table =
            format!("kind = {}, filter = {{ kind = \"static\", threshold = 0 }}", form["properties"]["kind"]["const"]);
        for key in form["required"].as_array().expect("required").iter().filter_map(|key| key.as_str()) {
            let kind = form["properties"][key]["$ref"].as_str().unwrap_or_default();
            let value = if kind.ends_with("Rate") { "1Mbps" } else { "9kB" };
            table += &if key == "kind" { String::new() } else { format!(", {key} = \"{value}\"") };
        }
        let wrong = error(&format!("{{ {table} }}"));
        assert!(wrong.contains("link[0].queue.filter.threshold = 0: must be at least 1"), "{table}: {wrong}");
    }
}

#[test]
fn texts_that_are_no_scenarios_at_all() {
    let deep_list = "[".repeat(200_000);
    let deep_table = "{\"a\":".repeat(200_000);
    let dotted = format!("{} = 1", vec!["a"; 200_000].join("."));
    let header = format!("[{}]", vec!["a"; 200_000].join("."));
    let inline = format!("a = {}", "{a = ".repeat(200_000));
    let long = format!("title = \"{}\"", "x".repeat(20_000_000));
    let many = "[[link]]\n".repeat(200_000);
    for (format, text, parts) in [
        (Format::Toml, "", &["empty"] as &[&str]),
        (Format::Json, " \n", &["empty"]),
        (Format::Toml, "\u{feff}", &["empty"]),
        (Format::Toml, "seed = 1", &["link: missing", "[[link]]"]),
        (Format::Json, "{}", &["link: missing"]),
        (Format::Json, "[]", &["must be a table"]),
        (Format::Json, "7", &["must be a table"]),
        (Format::Json, "null", &["must be a table"]),
        (Format::Json, "{\"seed\": 1}}", &["x:1:12", "trailing characters"]),
        (Format::Json, "{\"seed\": 1", &["x:1:10", "EOF"]),
        (Format::Json, "{\"seed\": 1, \"seed\": 2}", &["seed: given twice"]),
        (Format::Json, "{\"record\": {\"queue\": true, \"queue\": true}}", &["record.queue: given twice"]),
        (Format::Json, "{\"stack\": {\"a\": {\"tick\": \"1s\", \"tick\": \"2s\"}}}", &["stack.a.tick: given twice"]),
        (Format::Json, "{\"seed\": NaN}", &["x:1:"]),
        (Format::Json, "{\"seed\": 1e999}", &["x:1:", "number out of range"]),
        (Format::Json, "{\"seed\": null}", &["seed: is null; leave the key out"]),
        (Format::Json, "{\"topology\": null}", &["link: missing"]),
        (Format::Json, "{\"title\": \"\\ud800\"}", &["x:1:"]),
        (Format::Json, &deep_list, &["nested more than 64 deep"]),
        (Format::Json, &deep_table, &["nested more than 64 deep"]),
        (Format::Toml, &deep_table, &["x:1:"]),
        (Format::Toml, &dotted, &["x"]),
        (Format::Toml, &header, &["x"]),
        (Format::Toml, &inline, &["x"]),
        (Format::Toml, &long, &["link: missing"]),
        (Format::Toml, &many, &["link[0].between: missing"]),
    ] {
        let name: String = text.chars().take(40).collect();
        let said = parse(text, "x", format).expect_err(&name).to_string();
        assert!(said.lines().count() <= 2 && said.len() < 3000, "{name}: {said}");
        assert!(parts.iter().all(|part| said.contains(part)), "{name}: wants {parts:?}, says {said}");
    }
}

#[test]
fn bytes_that_are_no_text_are_named_by_their_place() {
    let said = parse_bytes(b"seed = 1\ntitle = \"\xff\"", "x", Format::Toml).unwrap_err().to_string();
    assert_eq!(said, "x:2:10: not UTF-8 text: byte 18 is 0xff; save the file as UTF-8");
    assert!(parse_bytes(GOOD.as_bytes(), "x", Format::Toml).is_ok());
}

#[test]
fn strange_but_good_scenarios_are_accepted() {
    for changes in [
        &[("packets = 22", "packets = 1000000000000")] as &[_],
        &[("seed = 1", "seed = 18446744073709551615")],
        &[(LOSS, "loss = { list = [] }")],
        &[(QUEUE, "queue = { kind = \"drop-tail\" }")],
        &[("packets = 22", "waiting = 0")],
        &[("timer = \"100ms\"", "timer = \"0s\"")],
        &[(STOP, "stop = { at_most = \"9s\" }"), (SIZE, "size = \"unlimited\"")],
        &[("delay = \"2ms\"", "delay = \"0s\"")],
        &[
            ("name = \"f\"", "name = \"f\"\ncount = 3"),
            ("[record]", "[[flow]]\nname = \"f3\"\nfrom = \"S\"\nto = \"G\"\n[record]"),
        ],
        &[
            ("name = \"f\"", "name = \"f\"\ncount = 3"),
            ("[record]", "[[flow]]\nname = \"f01\"\nfrom = \"S\"\nto = \"G\"\n[record]"),
        ],
        &[("title = \"good\"", "title = \"\\u0000\\u007f \\\" é\"")],
        &[("title", "\u{feff}title")],
    ] {
        let text = broken(changes);
        let text = text.trim_start();
        let scenario = parse_toml(text, "x").unwrap_or_else(|error| panic!("{changes:?}: {error}"));
        let long = acklab_scenario::expanded_toml(&scenario);
        assert_eq!(parse_toml(&long, "long").unwrap(), scenario, "{long}");
    }
}

#[test]
fn json_says_the_same_as_toml() {
    for (changes, path, _) in CASES.iter().filter(|(_, path, _)| !path.is_empty()) {
        let Ok(tree) = toml::from_str::<serde_json::Value>(&broken(changes)) else { continue };
        // What JSON cannot say turns into null or text on the way; a table written for a date too.
        if broken(changes).contains("= nan") || broken(changes).contains("= inf") || broken(changes).contains("1979") {
            continue;
        }
        let error = parse_json(&tree.to_string(), "x.json").unwrap_err();
        assert_eq!(error.path(), *path, "{changes:?}: {error}");
    }
}

#[test]
fn overrides_reach_parameters_whatever_form_the_file_has() {
    use acklab_tcp::rules::{AckPolicyKind, Frto, RecoveryKind, Stack, Undo, Variants, named};
    let flow = |base: &str, assignments: &[&str]| {
        let mut overrides = Overrides::default();
        assignments.iter().for_each(|assignment| overrides.set(assignment).unwrap());
        let scenario = parse_with(&GOOD.replace(SENDER, base), "x.toml", Format::Toml, &overrides);
        scenario.map(|scenario| (scenario.flows[0].sender.recovery, scenario.flows[0].receiver.ack.clone()))
    };
    let linux = Stack::Linux.sender().recovery.with("frto", Frto::Off);
    let off = "flow.0.sender.recovery.frto=off";
    for sender in [
        "{ stack = 'linux' }",
        "{ stack = 'linux', recovery = 'rack' }",
        "{ stack = 'linux', recovery = { frto = 'rfc5682' } }",
    ] {
        assert_eq!(flow(&format!("sender = {sender}"), &[off]).unwrap().0, linux, "{sender}");
    }
    let rfc = |recovery| format!("flow.f.sender.recovery={recovery}");
    let two = flow("sender = { stack = 'linux' }", &[&rfc("rfc6675"), "flow.f.sender.recovery.undo=both"]).unwrap().0;
    assert_eq!(two, named::<RecoveryKind>("rfc6675").with("undo", Undo::Both));
    let word = flow("sender = { stack = 'linux' }", &[off, &rfc("fack")]).unwrap().0;
    assert_eq!(word, named("fack"), "the later value replaces the table");
    let AckPolicyKind::Delayed { timer, .. } = Stack::Ns2In1998.receiver().ack else { panic!() };
    let three = flow(SENDER, &["flow.f.receiver.ack=delayed", "flow.f.receiver.ack.segments=3"]).unwrap().1;
    assert_eq!(three, named::<AckPolicyKind>("delayed").with("segments", 3).with("timer", timer));
    let error = flow("sender = { stack = 'rfc', recovery = 'reno' }", &[off]).unwrap_err().to_string();
    assert!(error.contains("recovery.frto: unknown key with kind = \"reno\""), "{error}");
}

#[test]
fn overrides_are_checked_like_the_file() {
    let with = |assignments: &[&str]| {
        let mut overrides = Overrides::default();
        assignments.iter().for_each(|assignment| overrides.set(assignment).unwrap());
        parse_with(GOOD, "x.toml", Format::Toml, &overrides)
    };
    let scenario = with(&["flow.0.sender.window=20", "link.1.back.rate=128kbps", "flow.f.start=5ms"]).unwrap();
    assert_eq!(scenario.flows[0].sender.window, acklab_tcp::rules::Window::Segments(20));
    assert_eq!((scenario.links[3].rate.bps(), scenario.flows[0].start.secs()), (128e3, 0.005));
    for (assignment, path, part) in [
        ("flow.0.sender.windw=20", "flow[0].sender.windw", "did you mean `window`"),
        ("flow.1.start=20", "flow.1.start", "no entry `1`"),
        ("flow.g.start=20", "flow.g.start", "no entry `g`"),
        ("seed.x=20", "seed.x", "has no keys"),
        ("link.0.rate=fast", "link[0].rate", "`fast`"),
        ("title=7", "title", "a text"),
        ("stop.at=7s", "stop", "either `at`"),
        ("..=7", "", "is no path"),
    ] {
        let error = with(&[assignment]).unwrap_err();
        assert!(error.path() == path && error.to_string().contains(part), "{assignment}: {error}");
    }
    assert!(Overrides::default().set("=7").is_err() && Overrides::default().set("seed").is_err());
}

#[test]
fn the_first_mistake_in_the_text_is_named_by_line_and_column() {
    for (changes, expected) in [
        // An unknown key after a wrong value: the value is first.
        (
            &[("rate = \"1.5Mbps\"", "rate = 15"), ("delay = \"48ms\"", "dely = \"48ms\"")][..],
            "x.toml:16:1: link[1].rate = 15: ",
        ),
        // The flow's mistake stands after the link's, though `flow` comes before `link` in the alphabet.
        (&[("start = \"0s\"", "starts = \"0s\""), ("delay = \"2ms\"", "delay = 2")], "x.toml:9:1: link[0].delay = 2: "),
        // What only the resolver refuses.
        (&[("to = \"R\"", "to = \"Q\"")], "x.toml:22:1: flow[0].to = \"Q\""),
        // A key that is not there: the table that lacks it.
        (&[("to = \"R\"", "")], "x.toml:19:1: flow[0].to: missing"),
        (&[("window = 40", "window = 0")], "x.toml:26:47: flow[0].sender.window: is 0 bytes"),
    ] {
        let said = parse_toml(&broken(changes), "x.toml").unwrap_err().to_string();
        assert!(said.starts_with(expected), "{said}");
    }
}

#[test]
fn a_mistake_of_an_override_has_no_place_in_the_file() {
    let mut overrides = Overrides::default();
    overrides.set("flow.f.sender.window=0").unwrap();
    let said = |text: &str| parse_with(text, "x.toml", Format::Toml, &overrides).unwrap_err().to_string();
    assert!(said(GOOD).starts_with("x.toml: flow[0].sender.window: is 0 bytes"), "{}", said(GOOD));
    let text = broken(&[("start = \"0s\"", "starts = \"0s\"")]);
    assert!(said(&text).starts_with("x.toml:23:1: flow[0].starts"), "{}", said(&text));
}

#[test]
fn of_mistakes_that_only_the_resolver_finds_the_first_in_the_text_is_named() {
    let link = |rest: &str| format!("[[link]]\n{rest}rate = '1Mbps'\ndelay = '1ms'\nbetween = ['S', 'R']\n");
    let flow = |rest: &str| format!("[[flow]]\n{rest}from = 'S'\nto = 'R'\n");
    let stop = |at: &str| format!("stop = {{ at = '{at}' }}\n");
    let texts = [
        // The end of the run is checked after the flows, and needs them.
        (stop("0s") + &link("") + &flow("to = 'Q'\n").replacen("to = 'R'\n", "", 1), "t:1:10: stop.at"),
        // A flow before the links, and unknown nodes of two flows.
        (
            stop("1s") + &flow("").replace("'R'", "'Q'") + &link("queue = { kind = 'drop-tail', packets = 0 }\n"),
            "t:4:1: flow[0].to",
        ),
        (
            stop("1s") + &link("") + &flow("").replace("'S'", "'P'") + &flow("").replace("'R'", "'Q'"),
            "t:7:1: flow[0].from",
        ),
        // Parts of one link, and the return direction's before the other's.
        (
            stop("1s") + &link("crossings = 0\nqueue = { kind = 'drop-tail', packets = 0 }\n") + &flow(""),
            "t:3:1: link[0].crossings",
        ),
        (
            stop("1s") + &link("back = { crossings = 0 }\nloss = { rate = 7 }\n") + &flow(""),
            "t:3:10: link[0].back.crossings",
        ),
        // What the return direction takes over is wrong where it stands.
        (stop("1s") + &link("").replace("1Mbps", "0Mbps") + &flow(""), "t:3:1: link[0].rate"),
        // Rules of both ends, and two of one.
        (
            stop("1s")
                + &link("")
                + &flow("receiver = { ack = { policy = 'linux', least = '9s' } }\nsender = { window = 0 }\n"),
            "t:7:40: flow[0].receiver.ack.least",
        ),
        (
            stop("1s") + &link("") + &flow("sender = { window = 0, min_rto = '90s', max_rto = '60s' }\n"),
            "t:7:12: flow[0].sender.window",
        ),
        // A link that is wrong leaves no node unknown.
        (stop("1s") + &link("").replace("'R']", "'S']") + &flow(""), "t:5:1: link[0].between"),
        (
            stop("1s") + "[stack.mine]\nbase = 'none'\n" + &link("") + &flow("sender.stack = 'mine'\n"),
            "t:3:1: stack.mine.base",
        ),
    ];
    for (text, expected) in texts {
        let said = parse_toml(&text, "t").unwrap_err().to_string();
        assert!(said.starts_with(expected), "{expected}\n{said}\n{text}");
    }
}
