//! What a live run is, and what it cannot be.

use acklab_live::plan::{Choice, Options, Plan};
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
    assert_eq!(plan.settings.route_options(0), plan.settings.route_options(1));
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
    assert!(plan.flows[0].shaped.is_none() && plan.flows[0].control == "bbr" && !plan.settings.every_segment);
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
    assert_eq!(of(""), (1500, 1448, Some(14480), 0), "timestamps come out of the payload");
    assert_eq!(
        of("stack = 'ns2-1998', packet = 1000, window = 40"),
        (1000, 960, Some(9600), 38400),
        "size on the wire"
    );
    assert_eq!(of("stack = 'ns2-2.35', packet = 1000"), (1040, 1000, Some(10000), 20000), "a header is added");
    assert_eq!(of("options_in_packet = false"), (1512, 1460, Some(14600), 0));
}

#[test]
fn the_scenarios_sender_goes_into_the_kernel_where_linux_does_otherwise() {
    let of = |rules: &str, sender, control: Option<&str>| {
        let text = format!("{LINK}[[flow]]\nfrom = 'S'\nto = 'R'\nsender = {{ {rules} }}\n");
        let control = control.map(str::to_owned);
        let plan = planned(&text, &Options { sender, control, kernel_acks: true })?;
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
    assert!(!plan.notes.iter().any(|note| note.contains("initial_ssthresh") || note.contains("whatever `credit`")));
    let kernels = planned(&text, &Options { sender: Choice::Kernel, ..Options::default() }).unwrap();
    assert!(kernels.notes.iter().any(|note| note.contains("initial_ssthresh cannot be set")));
    assert!(kernels.notes.iter().any(|note| note.contains("whatever `credit`")));
}
