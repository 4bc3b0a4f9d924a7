//! What is written can be read, and says what the run's records say.

mod common;

use acklab_capture::{Direction, Reader};

use acklab_packet::Body;
use acklab_sim::outcome::PacketEvent;
use acklab_tap::{Capture, CaptureError, EPOCH_S, Format, LinkEnd};
use common::{LOSSY, file, run};
use etherparse::{SlicedPacket, TcpOptionElement, TcpSlice, TransportSlice};

/// A packet read back: its instant, direction and whole bytes.
type Seen = (i64, Option<Direction>, Vec<u8>);

fn read(bytes: &[u8]) -> Vec<Seen> {
    let mut reader = Reader::new(bytes).unwrap();
    let mut seen = Vec::new();
    while let Some(record) = reader.next().unwrap() {
        assert_eq!(record.length as usize, record.data.len());
        seen.push((record.time_ns as i64, record.direction, record.data.to_vec()));
    }
    seen
}

/// The TCP part of an IPv4 packet whose checksums were verified.
fn tcp(packet: &[u8]) -> TcpSlice<'_> {
    let sliced = SlicedPacket::from_ip(packet).unwrap();
    let ip = sliced.net.unwrap().ipv4_ref().unwrap().header().to_header();
    assert_eq!(ip.header_checksum, ip.calc_header_checksum());
    assert_eq!(usize::from(ip.total_len), packet.len());
    let Some(TransportSlice::Tcp(tcp)) = sliced.transport else { panic!("not TCP") };
    let checksum = tcp.to_header().calc_checksum_ipv4(&ip, tcp.payload()).unwrap();
    assert_eq!(tcp.checksum(), checksum);
    tcp
}

fn timestamps(packet: &[u8]) -> (u32, u32) {
    let options = tcp(packet).to_header();
    let stamp = options.options_iterator().find_map(|option| match option {
        Ok(TcpOptionElement::Timestamp(value, echo)) => Some((value, echo)),
        _ => None,
    });
    stamp.expect("timestamps")
}

#[test]
fn both_formats_hold_every_packet_that_passed() {
    let (scenario, outcome) = run(LOSSY);
    let expected: Vec<_> = outcome
        .packets
        .iter()
        .filter_map(|row| match (row.link, row.event) {
            (2, PacketEvent::Dequeue) => Some((row, Direction::Outbound)),
            (3, PacketEvent::Deliver) => Some((row, Direction::Inbound)),
            _ => None,
        })
        .collect();
    assert!(expected.len() > 100);
    let pcapng = read(&file(&scenario, &outcome, Format::PcapNg, "G->R@G"));
    let pcap = read(&file(&scenario, &outcome, Format::Pcap, "G->R@G"));
    assert_eq!((pcapng.len(), pcap.len()), (expected.len(), expected.len()));
    for ((row, direction), (new, old)) in expected.into_iter().zip(pcapng.iter().zip(&pcap)) {
        let time_ns = EPOCH_S as i64 * 1_000_000_000 + (row.time_s * 1e9).round() as i64;
        assert_eq!((new.0, new.1), (time_ns, Some(direction)));
        assert_eq!((old.0, old.1, &old.2), (new.0, None, &new.2));
        let tcp = tcp(&new.2);
        match &row.packet.body {
            Body::Data(segment) => {
                assert_eq!(tcp.sequence_number(), segment.seq as u32);
                assert_eq!((tcp.syn(), tcp.fin(), tcp.ack()), (segment.syn, segment.fin, !segment.syn));
                let control = u32::from(segment.syn) + u32::from(segment.fin);
                assert_eq!(tcp.payload().len() as u32, segment.len - control);
            }
            Body::Ack(ack) => {
                assert_eq!((tcp.acknowledgment_number(), tcp.syn()), (ack.ack as u32, ack.syn));
                let blocks = tcp.to_header().options_iterator().find_map(|option| match option {
                    Ok(TcpOptionElement::SelectiveAcknowledgement(first, more)) => Some((first, more)),
                    _ => None,
                });
                let blocks = blocks.map(|(first, more)| std::iter::once(first).chain(more.into_iter().flatten()));
                let written: Vec<_> = blocks.into_iter().flatten().collect();
                let known: Vec<_> = ack.sack.iter(ack.ack).map(|(start, end)| (start as u32, end as u32)).collect();
                assert_eq!(written, known);
            }
            Body::Probe(_) | Body::Datagram(_) => panic!("nobody probes, nobody sends datagrams"),
        }
    }
}

#[test]
fn a_packet_is_the_same_on_every_link_but_for_its_ttl() {
    let (scenario, outcome) = run(LOSSY);
    let without_ttl = |end: &str, direction: Direction| -> Vec<Vec<u8>> {
        let seen = read(&file(&scenario, &outcome, Format::PcapNg, end)).into_iter();
        let seen = seen.filter(|packet| packet.1 == Some(direction));
        let clear = |mut packet: Vec<u8>| {
            packet[8] = 0; // TTL
            packet[10..12].fill(0); // header checksum
            packet
        };
        seen.map(|packet| clear(packet.2)).collect()
    };
    let mut lost = 0;
    for (from, to) in [("S->G@S", "G->R@R"), ("G->R@R", "S->G@S")] {
        let (sent, received) = (without_ttl(from, Direction::Outbound), without_ttl(to, Direction::Inbound));
        lost += sent.len().checked_sub(received.len()).expect("nothing arrives that was not sent");
        let mut rest = sent.iter();
        for packet in &received {
            assert!(rest.any(|sent| sent == packet), "it was never sent, or sent with other timestamps");
        }
    }
    assert!(lost > 0, "the scenario is meant to lose some");
}

#[test]
fn timestamps_tell_round_trips_both_ways() {
    let (scenario, outcome) = run(LOSSY);
    let seen = read(&file(&scenario, &outcome, Format::PcapNg, "S->G@S"));
    let port = |packet: &[u8]| tcp(packet).source_port().min(tcp(packet).destination_port());
    let first = port(&seen[0].2);
    assert!(seen.iter().any(|packet| port(&packet.2) == first + 1), "the second transfer has its own port");
    let ms = |time_ns: i64| (time_ns - EPOCH_S as i64 * 1_000_000_000) / 1_000_000;
    let (mut latest, mut connection) = (0, first);
    for (time_ns, direction, packet) in &seen {
        if port(packet) != connection {
            (latest, connection) = (0, port(packet));
        }
        let (value, echo) = timestamps(packet);
        let age = ms(*time_ns) + 1 - i64::from(value);
        match direction {
            // Nothing waits long at S; what it echoes is the last value it saw.
            Some(Direction::Outbound) => assert!(echo == latest && (0..=20).contains(&age), "{echo} {latest} {age}"),
            _ => {
                assert!((21..40).contains(&age) && value >= latest, "{age}");
                latest = value;
            }
        }
    }
}

#[test]
fn a_pcapng_file_says_where_it_comes_from() {
    let (scenario, outcome) = run(LOSSY);
    let bytes = file(&scenario, &outcome, Format::PcapNg, "R->G@R");
    let mut reader = Reader::new(&bytes[..]).unwrap();
    reader.next().unwrap();
    assert_eq!(reader.interfaces()[0].link_type, 101);
    for text in [
        "Simulated by acklab: \"lossy\", seed 1.",
        "G->R@R",
        "node R: its end of the link with G (sends at 1000000 bit/s",
        "\nf: S 10.0.0.1:35000 > R 10.0.0.3:40000, 1 bytes a unit, SYN",
    ] {
        assert!(bytes.windows(text.len()).any(|part| part == text.as_bytes()), "{text}");
    }
}

#[test]
fn snapped_packets_keep_their_length_and_checksum() {
    let (scenario, outcome) = run(LOSSY);
    let end = LinkEnd::find(&outcome, "S->G@G").unwrap();
    let capture = Capture::new(&scenario, &outcome).unwrap();
    let (mut whole, mut short) = (Vec::new(), Vec::new());
    let told = capture.write(end, &mut whole).unwrap();
    assert_eq!(told, capture.clone().snap_length(80).write(end, &mut short).unwrap());
    let mut reader = Reader::new(&short[..]).unwrap();
    for (_, _, packet) in read(&whole) {
        let record = reader.next().unwrap().unwrap();
        assert_eq!((record.length as usize, record.data), (packet.len(), &packet[..packet.len().min(80)]));
    }
    assert_eq!(told.bytes, read(&whole).iter().map(|packet| packet.2.len() as u64).sum::<u64>());
}

#[test]
fn what_cannot_be_captured_is_said() {
    let (mut scenario, outcome) = run(LOSSY);
    let mut late = outcome.clone();
    late.end_s = 4e9;
    let capture = Capture::new(&scenario, &late).unwrap();
    let end = LinkEnd::all(&late)[0];
    assert!(capture.write(end, Vec::new()).is_ok());
    let error = capture.format(Format::Pcap).write(end, Vec::new()).unwrap_err();
    assert!(matches!(error, CaptureError::TooLong { .. }));
    let ends = vec![(end, Vec::new())];
    let interrupted = Capture::new(&scenario, &outcome).unwrap().write_all(ends, || false);
    assert!(matches!(interrupted, Err(CaptureError::Interrupted)));
    scenario.record.packets = false;
    let error = Capture::new(&scenario, &outcome).unwrap_err().to_string();
    assert_eq!(error, "the run kept no packets to capture; set `packets = true` under `record` in the scenario");
}

#[test]
fn datagrams_are_udp_of_their_size() {
    let (scenario, outcome) = run(r#"
        stop.at = "1s"
        link = [{ between = ["S", "R"], rate = "1Mbps", delay = "20ms" }]
        flow = [{ from = "S", to = "R", source = { kind = "udp", rate = "80kbps", packet = 500 } }]
        record = { packets = true }
    "#);
    let seen = read(&file(&scenario, &outcome, Format::PcapNg, "S->R@S"));
    assert_eq!(seen.len() as u64, outcome.flows[0].segments_sent);
    for (_, _, packet) in &seen {
        assert_eq!(packet.len(), 500);
        let sliced = SlicedPacket::from_ip(packet).unwrap();
        let ip = sliced.net.unwrap().ipv4_ref().unwrap().header().to_header();
        let Some(TransportSlice::Udp(udp)) = sliced.transport else { panic!("not UDP") };
        assert_eq!(udp.to_header().calc_checksum_ipv4(&ip, udp.payload()), Ok(udp.checksum()));
    }
}

#[test]
fn keep_alives_lie_below_what_is_expected_and_are_answered() {
    let (scenario, outcome) = run(r#"
        link = [{ between = ["S", "R"], rate = "1Mbps", delay = "20ms" }]
        flow = [{ from = "S", to = "R", size = { segments = 40 }, receiver = { ack = { policy = "smart", interval = "100ms" } } }]
        record = { packets = true }
    "#);
    let seen = read(&file(&scenario, &outcome, Format::PcapNg, "S->R@R"));
    let of = |outbound: bool| {
        let direction = Some(if outbound { Direction::Outbound } else { Direction::Inbound });
        seen.iter().filter(move |(_, way, _)| *way == direction).map(|(_, _, packet)| tcp(packet))
    };
    // The receiver's own numbers: 0 is its SYN's, and a keep-alive repeats it without the flag.
    let asked = of(true).filter(|tcp| !tcp.syn() && tcp.sequence_number() == 0).count();
    let answered = of(false).filter(|tcp| !tcp.syn() && tcp.payload().is_empty()).count();
    assert!(asked >= 4 && asked - answered <= 1, "{asked} {answered}");
}
