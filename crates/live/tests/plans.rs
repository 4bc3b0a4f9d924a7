//! What a live run is, and what it cannot be.

use acklab_live::plan::{Choice, Options, Plan};
use acklab_live::settings::Receiver;
use acklab_scenario::parse_toml;

fn planned(text: &str, options: &Options) -> Result<Plan, String> {
    let scenario = parse_toml(text, "t").expect("a scenario");
    Plan::new(scenario.into(), options).map_err(|refusal| refusal.to_string())
}

const LINK: &str = "stop.at = '1s'\n[[link]]\nbetween = ['S', 'R']\nrate = '1Mbps'\ndelay = '10ms'\n";

fn refusal(text: &str) -> String {
    planned(text, &Options::default()).map(|plan| plan.flows).unwrap_err()
}

#[test]
fn what_cannot_be_is_said_with_its_key() {
    let flow = |extra: &str| format!("{LINK}[[flow]]\nfrom = 'S'\nto = 'R'\n{extra}\n");
    for (text, key, part) in [
        (flow("receiver = { ack = { policy = 'daass', phase = 'oracle' } }"), "flow[0].receiver.ack", "heuristic"),
        (flow("receiver = { ack = { policy = 'smart' } }"), "flow[0].receiver.ack", "rtt = \"timestamps\""),
        (flow("receiver = { ack = { policy = 'acc' } }"), "flow[0].receiver.ack", "window"),
        (flow("receiver = { ack = { policy = 'optimistic' } }"), "flow[0].receiver.ack", "lose data"),
        (flow("sender = { packet = 60 }"), "flow[0].sender.packet", "from 128 to 65535"),
        (flow("source = { kind = 'telnet' }"), "flow[0].source", "`writes`"),
        (flow("count = 65"), "flow", "at most 64"),
        (
            flow("[[flow]]\nfrom = 'S'\nto = 'R'\nsender = { packet = 1000 }"),
            "flow[1].sender.packet",
            "differs from flow[0]'s",
        ),
    ] {
        let said = refusal(&text);
        assert!(said.starts_with(key) && said.contains(part), "{said}");
    }
    let staged = |stage: &str| flow("").replace("delay = '10ms'", &format!("delay = '10ms'\nstages = [{stage}]"));
    assert!(
        refusal(&staged("{ kind = 'header-compression' }")).starts_with("link S->R: not in a live run: compresses")
    );
    assert!(refusal(&staged("{ kind = 'spack' }")).contains("listens to the other direction"));
    let every = "{ kind = 'reorder', rate = 0.1, by = '5ms' }, { kind = 'jitter', mean = '1ms' }, { kind = 'rbscp' },
        { kind = 'ack-reconstruction' }, { kind = 'duplicate', rate = 0.1 }, { kind = 'pause', at = ['5s'], length = '1s' }";
    assert!(planned(&staged(&every.replace('\n', " ")), &Options::default()).is_ok());
}

#[test]
fn flows_may_go_against_each_other() {
    let sized = |from: &str, to: &str| format!("[[flow]]\nfrom = '{from}'\nto = '{to}'\nsize = {{ segments = 10 }}\n");
    let plan = planned(&[LINK, &sized("S", "R"), &sized("R", "S")].concat(), &Options::default()).unwrap();
    assert_eq!(plan.flows.iter().map(|flow| flow.side).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(plan.courses.each_ref().map(|course| course.links.clone()), [[0], [1]]);
    assert_eq!(plan.settings.route_options(0, false), plan.settings.route_options(1, false));
    let reserved = |plan: &Plan| plan.settings.variables().iter().any(|(name, _)| name.contains("reserved_ports"));
    assert!(reserved(&plan) && !reserved(&planned(&[LINK, &sized("S", "R")].concat(), &Options::default()).unwrap()));
    // A is a sender of the first flow and would be a receiver of the third, over a link that the second uses the other way.
    let links = "[[link]]\nbetween = ['R', 'T']\nrate = '1Mbps'\ndelay = '10ms'\n";
    let three = [LINK, links, &sized("S", "R"), &sized("R", "T"), &sized("T", "R"), &sized("S", "T")].concat();
    assert_eq!(planned(&three, &Options::default()).unwrap().flows[2].side, 1);
    let mixed = [LINK, links, &sized("S", "R"), &sized("T", "R"), &sized("S", "T")].concat();
    let said = planned(&mixed, &Options::default()).map(|plan| plan.flows).unwrap_err();
    assert!(said.starts_with("link R->T: not in a live run: would carry packets of both sides"), "{said}");
}

#[test]
fn writes_are_planned() {
    let flow =
        "[[flow]]\nfrom = 'S'\nto = 'R'\nsource = { kind = 'writes', write = '500B', every = '10ms', times = 7 }\n";
    let plan = planned(&[LINK, flow].concat(), &Options::default()).unwrap();
    assert_eq!((plan.flows[0].bytes, plan.flows[0].writes.unwrap().times), (Some(3500), 7));
}

#[test]
fn the_kernels_own_acks_need_no_policy_of_ours() {
    let text = format!("{LINK}[[flow]]\nfrom = 'S'\nto = 'R'\nreceiver = {{ ack = {{ policy = 'smart' }} }}\n");
    let plan =
        planned(&text, &Options { kernel_acks: true, control: Some("bbr".into()), ..Options::default() }).unwrap();
    assert!(
        plan.flows[0].shaped.is_none() && plan.flows[0].control == "bbr" && plan.settings.receiver != Receiver::Every
    );
    assert!(plan.notes.iter().any(|note| note.contains("acknowledges by itself")));
}

#[test]
fn a_dumbbell_has_a_way_there_and_a_way_back() {
    let text = "stop.at = '1s'\n\
        [[link]]\nbetween = ['A', 'G']\nrate = '10Mbps'\ndelay = '1ms'\n\
        [[link]]\nbetween = ['B', 'G']\nrate = '10Mbps'\ndelay = '2ms'\n\
        [[link]]\nbetween = ['G', 'R']\nrate = '1Mbps'\ndelay = '10ms'\n\
        [[flow]]\nfrom = 'A'\nto = 'R'\n[[flow]]\nfrom = 'B'\nto = 'R'\ncount = 2\nstagger = '100ms'\n";
    let plan = planned(text, &Options::default()).unwrap();
    let [there, back] = &plan.courses;
    assert_eq!((&there.links[..], &there.routes[..]), (&[0, 4, 2][..], &[vec![0, 1], vec![2, 1], vec![2, 1]][..]));
    assert_eq!((&back.links[..], &back.routes[..]), (&[5, 1, 3][..], &[vec![0, 1], vec![0, 2], vec![0, 2]][..]));
    let starts: Vec<_> = plan.flows.iter().map(|flow| (flow.name.as_str(), flow.start_s, flow.port)).collect();
    assert_eq!(starts, [("flow0", 0.0, 40000), ("flow10", 0.0, 40001), ("flow11", 0.1, 40002)]);
}

#[test]
fn sizes_follow_the_stack() {
    let of = |sender: &str| {
        let text =
            format!("{LINK}[[flow]]\nfrom = 'S'\nto = 'R'\nsize = {{ segments = 10 }}\nsender = {{ {sender} }}\n");
        let plan = planned(&text, &Options::default()).unwrap();
        (plan.settings.mtu, plan.settings.payload(), plan.flows[0].bytes, plan.settings.window)
    };
    assert_eq!(of(""), (1500, 1448, Some(14480), 6_291_456), "timestamps come out of the payload");
    assert_eq!(
        of("stack = 'ns2-1998', packet = 1000, window = 40"),
        (1000, 960, Some(9600), 38400),
        "size on the wire"
    );
    assert_eq!(of("stack = 'ns2-2.35', packet = 1000"), (1040, 1000, Some(10000), 20000), "a header is added");
    assert_eq!(of("options_in_packet = false"), (1512, 1460, Some(14600), 6_291_456));
}

#[test]
fn the_scenarios_sender_goes_into_the_kernel_where_linux_does_otherwise() {
    let of = |rules: &str, sender, control: Option<&str>| {
        let text = format!("{LINK}[[flow]]\nfrom = 'S'\nto = 'R'\nsender = {{ {rules} }}\n");
        let control = control.map(str::to_owned);
        let plan = planned(&text, &Options { sender, control, kernel_acks: true, ..Options::default() })?;
        Ok::<_, String>(plan.flows[0].ours.as_ref().map(|rules| rules.label().to_owned()))
    };
    let (counting, veno) = ("credit.kind = 'ack-counting'", "control.kind = 'veno', credit.kind = 'abc'");
    assert_eq!(of(counting, Choice::Able, None).unwrap().as_deref(), Some("reno+ack-counting"));
    assert_eq!(of(veno, Choice::Scenario, None).unwrap().as_deref(), Some("veno+abc"));
    for linux in ["credit.kind = 'full-segments'", "stack = 'linux'", "stack = 'linux', control.kind = 'reno'"] {
        assert_eq!(of(linux, Choice::Scenario, None), Ok(None), "{linux}");
    }
    assert_eq!(of(counting, Choice::Kernel, None), Ok(None));
    assert_eq!(of(counting, Choice::Able, Some("bbr")), Ok(None));
    assert_eq!(of("control.kind = 'westwood'", Choice::Able, None), Ok(None), "the kernel's, with a note");
    let refused = of("control.kind = 'westwood'", Choice::Scenario, None).unwrap_err();
    assert!(refused.starts_with("flow[0].sender: not in a live run: no eBPF"), "{refused}");
    let refused = of(counting, Choice::Scenario, Some("bbr")).unwrap_err();
    assert!(refused.contains("--control bbr is a kernel's"), "{refused}");
}

#[test]
fn parameters_become_numbers() {
    let text = format!(
        "{LINK}[[flow]]\nfrom = 'S'\nto = 'R'\nsender = {{ control = {{ kind = 'veno', beta = 1.5, clock = '10ms' }}, \
         credit = {{ kind = 'abc', limit = 2.5 }}, initial_ssthresh = 20, halving = 'cwnd' }}\n"
    );
    let plan = planned(&text, &Options::default()).unwrap();
    let rules = plan.flows[0].ours.as_ref().unwrap();
    // 256ths where they need not be whole; L = 1 after a timeout.
    let wanted = [
        ("credit", 3),
        ("limit", 640),
        ("limit_after_timeout", 256),
        ("control", 1),
        ("alpha", 256),
        ("beta", 384),
        ("tick_us", 10_000),
        ("initial_ssthresh", 20),
        ("halve_cwnd", 1),
    ];
    wanted.iter().for_each(|&(name, value)| assert_eq!(rules.number(name), Some(value), "{name}"));
    let ignores =
        |plan: &Plan, key: &str| plan.ignored(true).iter().any(|rule| rule.key == format!("flow.flow0.sender.{key}"));
    assert!(!["credit", "control", "initial_ssthresh", "halving"].iter().any(|key| ignores(&plan, key)));
    assert!(!plan.notes.iter().any(|note| note.contains("whatever `credit`")));
    let kernels = planned(&text, &Options { sender: Choice::Kernel, ..Options::default() }).unwrap();
    assert!(
        ["credit", "initial_ssthresh", "control.beta"].iter().all(|key| ignores(&kernels, key)),
        "{:?}",
        kernels.ignored(true)
    );
    assert!(kernels.notes.iter().any(|note| note.contains("whatever `credit`")));
}

/// The kernel variables and the receivers' route of a flow between these stacks.
fn told(flow: &str, options: &Options) -> (Vec<(&'static str, String)>, String) {
    let text = format!("{LINK}[[flow]]\nfrom = 'S'\nto = 'R'\n{flow}\n");
    let plan = planned(&text, options).unwrap();
    (plan.settings.variables(), plan.settings.route_options(1, false).join(" "))
}

#[test]
fn the_kernel_has_the_receive_buffer_that_the_scenario_states() {
    let of = |flow: &str, kernel_acks: bool| {
        let (variables, route) = told(flow, &Options { kernel_acks, ..Options::default() });
        let value =
            |name: &str| variables.iter().find(|(known, _)| known.ends_with(name)).map(|(_, value)| value.clone());
        (value("tcp_rmem").unwrap(), value("tcp_moderate_rcvbuf").unwrap(), route, value("tcp_comp_sack_nr"))
    };
    let own = |rmem: &str, grows: &str, route: &str| (rmem.into(), grows.into(), route.into(), Some("44".into()));
    let linux = own("4096 131072 33554432", "1", "initrwnd 45");
    assert_eq!(of("receiver = { stack = 'linux' }", false), linux, "Linux's default");
    assert_eq!(of("", true), linux, "a kernel's own ACKs come from a kernel's own buffer");
    let fixed = "receiver.ack = { policy = 'linux', window = 4345, buffer = 10922, autotune = false }";
    // 10,922 segments of 1448 bytes are 160 of 256 parts of it: 2304 bytes are taken for each (`tcp_measure_rcv_mss`).
    assert_eq!(of(fixed, false), own("4096 25304090 25304090", "0", "initrwnd 4345"));
    assert_eq!(of(fixed, true), of(fixed, false));
    let every = ("4096 25165824 25165824".into(), "0".into(), "window 6291456 initrwnd 4345 quickack 1".into(), None);
    assert_eq!(of("receiver.ack.policy = 'delayed'", false), every, "all of the window at once, as in the simulator");
    let none = of("receiver.ack = { policy = 'linux', sack_delay = '0s' }", false);
    assert_eq!(none.3.as_deref(), Some("0"), "no SACK is compressed");
    let memory = "receiver.ack = { policy = 'linux', memory = 65536, most_memory = 100000, growth = '6.12' }\nsender.sequence = 'bytes'";
    assert_eq!(of(memory, false).0, "4096 65536 100000", "counted in bytes");
}

#[test]
fn a_fixed_buffer_has_the_same_payload_whatever_the_card_takes() {
    let fixed = "receiver.ack = { policy = 'linux', window = 4345, buffer = 10922, autotune = false }";
    let of = |in_virtual_time| told(fixed, &Options { in_virtual_time, ..Options::default() }).0;
    let payload = |variables: Vec<(&str, String)>, parts: u64| {
        let rmem = variables.iter().find(|(name, _)| name.ends_with("tcp_rmem")).expect("a buffer").1.clone();
        rmem.rsplit(' ').next().unwrap().parse::<u64>().unwrap() * parts / 256 / 1448
    };
    // 2304 bytes for a segment from TUN, and 2176 from the card in virtual time: 160 and 170 of 256.
    assert_eq!((payload(of(false), 160), payload(of(true), 170)), (10_922, 10_922));
}

#[test]
fn what_the_kernel_ignores_is_listed_key_by_key() {
    let of = |flow: &str, options: &Options| -> Vec<String> {
        let text = format!("{LINK}[[flow]]\nname = 'f'\nfrom = 'S'\nto = 'R'\n{flow}\n");
        let rows = planned(&text, options).unwrap().ignored(true).into_iter();
        rows.map(|row| format!("{} {} {}", row.key.trim_start_matches("flow.f."), row.scenario, row.kernel)).collect()
    };
    let default = Options::default();
    assert_eq!(of("sender.stack = 'linux'\nreceiver.stack = 'linux'", &default), [""; 0], "the stack is the kernel's");
    let linux = |more: &str| format!("sender.stack = 'linux'\nreceiver.stack = 'linux'\n{more}");
    for (given, row) in [
        ("receiver.ack.quick = 2", "receiver.ack.quick 2 16"),
        ("receiver.ack.timer = '100ms'", "receiver.ack.timer 0.1s 0.2s"),
        ("receiver.ack.least = '20ms'", "receiver.ack.least 0.02s 0.04s"),
        ("receiver.ack.low_water = 9000", "receiver.ack.low_water 9000 1"),
        ("receiver.ack_size = 40", "receiver.ack_size 40 52"),
        ("receiver.max_sack_blocks = 1", "receiver.max_sack_blocks 1 3"),
        ("sender.initial_window = 2.5", "sender.initial_window 2.5 2"),
        ("sender.initial_rto = '3s'", "sender.initial_rto 3s 1s"),
        ("sender.initial_ssthresh = 20", "sender.initial_ssthresh 20.0 none: slow start ends with the first loss"),
        ("sender.dup_thresh = 4", "sender.dup_thresh 4 3"),
        ("sender.recovery.frto = 'off'", "sender.recovery.frto off linux"),
        ("sender.recovery = 'rfc6675'", "sender.recovery rfc6675 its own, with SACK, without RACK"),
        ("sender.pacing = 'spread'", "sender.pacing spread off"),
        ("sender.min_rto = '0s'", "sender.min_rto 0s 0.2s"),
        ("sender.window = '1GB'", "sender.window 1000000000B 536870911B"),
        ("sender.control.beta = 0.5", "sender.control.beta 0.5 0.7"),
        ("sender.max_rto = '60s'", "sender.max_rto 60s 120s"),
    ] {
        assert_eq!(of(&linux(given), &default), [row], "{given}");
    }
    for followed in [
        "sender.window = 40",
        "sender.initial_window = 4",
        "sender.min_rto = '1s'",
        "sender.ecn = true",
        "receiver.ack = { buffer = 100, window = 50, autotune = false }",
        "sender.packet = 1000",
        "sender.control = 'reno'",
    ] {
        assert_eq!(of(&linux(followed), &default), [""; 0], "{followed}");
    }
    let acks = Options { kernel_acks: true, ..Options::default() };
    let rows = of("sender.stack = 'linux'\nreceiver = { stack = 'linux', ack.policy = 'delayed' }", &acks);
    assert_eq!(rows, ["receiver.ack delayed its own, as the policy linux"]);
    let bbr = Options { control: Some("bbr".into()), ..Options::default() };
    assert_eq!(of(&linux(""), &bbr), ["sender.control cubic bbr"]);
}

#[test]
fn receivers_of_both_kinds_stand_apart() {
    let flow = |policy: &str| format!("[[flow]]\nfrom = 'S'\nto = 'R'\nreceiver.ack = {{ {policy} }}\n");
    let (linux, every) = (flow("policy = 'linux'"), flow("policy = 'every'"));
    for text in [[LINK, &linux, &every].concat(), [LINK, &every, &linux].concat()] {
        let plan = planned(&text, &Options::default()).unwrap();
        assert!(plan.settings.apart && plan.flows.iter().all(|flow| flow.apart == flow.shaped.is_some()));
        let routes = [false, true].map(|apart| plan.settings.route_options(1, apart).join(" "));
        assert_eq!(routes, ["initrwnd 45", "window 6291456 initrwnd 4345 quickack 1"]);
        assert!(plan.settings.variables().contains(&("net/ipv4/tcp_rmem", "4096 131072 33554432".into())));
    }
    let alike = planned(&[LINK, &every, &flow("policy = 'delayed'")].concat(), &Options::default()).unwrap();
    assert!(!alike.settings.apart && alike.flows.iter().all(|flow| !flow.apart));
    let said = refusal(&[LINK, &every, &linux, &flow("policy = 'linux', buffer = 100")].concat());
    assert!(said.starts_with("flow[2].receiver.ack: not in a live run: differs from flow[1]'s"), "{said}");
}
