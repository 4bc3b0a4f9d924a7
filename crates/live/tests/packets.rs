//! Real packets as a path sees them: headers, numbers, marks, and ACKs rewritten.

mod made;

use acklab_live::duty::WindowCap;
use acklab_live::header::Header;
use acklab_live::ip::CE;
use acklab_live::numbers::Numbers;
use acklab_live::packet::WirePacket;
use acklab_packet::Ecn;
use acklab_path::stage::Reissue;
use acklab_path::{AE, Carried};
use made::{RECEIVER, SENDER, Says, Talk, bytes, checksums_hold};
use proptest::prelude::*;

#[test]
fn a_segment_is_read_as_another_library_wrote_it() {
    let (mut talk, [syn, answer]) = Talk::open();
    assert_eq!((syn.seq(), syn.units(), syn.is_ack(), syn.plain_ack()), (0, 1, false, None));
    assert_eq!((answer.ack(), answer.is_ack(), answer.plain_ack()), (1, true, None), "as in the simulator");
    let data = talk.data(1, 1448);
    assert_eq!((data.seq(), data.units(), data.wire_bytes()), (1, 1448, 1488));
    assert!(data.has_payload() && !data.is_ack() && data.plain_ack().is_none() && checksums_hold(&data));
    let segment = data.segment().unwrap();
    assert_eq!((segment.seq, segment.len, segment.syn, segment.ecn), (1, 1448, false, Ecn::Ect));
    let far = talk.data(5000, 100);
    assert_eq!(far.seq(), 5000, "past the wrap of 32 bits");
    assert_eq!(far.connection(), data.connection());
}

#[test]
fn an_ack_says_what_filters_ask_for() {
    let (mut talk, _) = Talk::open();
    let says = Says { sack: Some((4000, 5448)), ece: true, stamps: Some((10, 20)), ..Says::default() };
    let ack = talk.ack(2897, says);
    assert_eq!(ack.plain_ack(), Some(2897));
    assert_eq!(ack.sack_blocks().collect::<Vec<_>>(), [(4000, 5448)]);
    assert_eq!((ack.congestion(), ack.unknown_options(), ack.is_ack()), (1, false, true));
    let later = talk.ack(2898, Says { stamps: Some((11, 20)), ..Says::default() });
    assert!(later.timestamps().0 > ack.timestamps().0 && later.timestamps().1 == ack.timestamps().1);
    assert_eq!(talk.ack(2899, Says::default()).timestamps(), (0, 0));
}

/// AE of accurate ECN stands in another byte than the other flags (RFC 9768 section 3.2.2). CAKE erases no ACK that has it.
#[test]
fn an_ack_of_accurate_ecn_says_all_three_flags() {
    let made = bytes(RECEIVER, SENDER, 0, |_, tcp| {
        (tcp.acknowledgment_number, tcp.ack) = (made::ISN, true);
        (tcp.ns, tcp.cwr, tcp.ece) = (true, false, true);
    });
    let header = Header::parse(&made).unwrap();
    let ack = WirePacket::new(made, header, 0, &mut Numbers::default());
    assert!(ack.plain_ack().is_some());
    assert_eq!(ack.congestion(), AE | 1);
}

#[test]
fn a_mark_keeps_the_checksum_right_and_needs_a_sender_that_understands_it() {
    let (mut talk, _) = Talk::open();
    let mut data = talk.data(1, 1000);
    assert!(data.mark() && checksums_hold(&data));
    assert_eq!((data.congestion() & 4, Header::parse(data.bytes()).unwrap().ecn), (4, CE));
    let mut ack = talk.ack(1001, Says::default());
    assert!(!ack.mark() && ack.congestion() == 0);
}

#[test]
fn a_rewritten_ack_is_right_in_every_byte() {
    let (mut talk, _) = Talk::open();
    let ack = talk.ack(5001, Says { stamps: Some((1, 2)), ..Says::default() });
    for number in [1, 1999, 2001, 3333, 5000, 5001] {
        let again = ack.reissued(number);
        assert!(checksums_hold(&again), "{number}");
        assert_eq!(again.plain_ack(), Some(number));
        let header = Header::parse(again.bytes()).unwrap();
        assert_eq!(header.ack, made::ISN.wrapping_add(number as u32));
        assert_eq!(Header { ack: ack.header().ack, ..header }, *ack.header(), "nothing else changed");
    }
}

#[test]
fn a_window_is_cut_in_its_own_units() {
    let (mut talk, [_, mut answer]) = Talk::open();
    let mut cap = WindowCap::new(57_920);
    // The answer to the SYN says no scale.
    cap.apply(&mut answer);
    let mut ack = talk.ack(1001, Says { window: 60_000, ..Says::default() });
    cap.apply(&mut ack);
    assert!(checksums_hold(&ack) && Header::parse(ack.bytes()).unwrap().window == 57_920);
    let mut small = talk.ack(1001, Says { window: 7, ..Says::default() });
    cap.apply(&mut small);
    assert_eq!(small.header().window, 507, "never larger than it was");
    let scaled = bytes(RECEIVER, SENDER, 0, |_, tcp| {
        (tcp.syn, tcp.ack, tcp.window_size) = (true, true, 65_535);
        tcp.set_options(&[etherparse::TcpOptionElement::WindowScale(7)]).unwrap();
    });
    let header = Header::parse(&scaled).unwrap();
    let mut scaled = WirePacket::new(scaled, header, 0, &mut Numbers::default());
    cap.apply(&mut scaled);
    assert_eq!((scaled.header().window, scaled.header().window_scale), (57_920, Some(7)), "a SYN's is not shifted");
    let mut later = talk.ack(1002, Says { window: 60_000, ..Says::default() });
    cap.apply(&mut later);
    assert_eq!(later.header().window, (57_920 >> 7) as u16);
}

#[test]
fn what_is_no_whole_packet_of_tcp_is_left_out() {
    let whole = bytes(SENDER, RECEIVER, 10, |_, _| {});
    assert!(Header::parse(&whole).is_some());
    assert_eq!(Header::parse(&[]), None);
    assert_eq!(Header::parse(&[0x60; 60]), None);
    assert_eq!(Header::parse(&whole[..whole.len() - 1]), None, "cut short");
    // Another protocol, fragments, a data offset below the header's length and one beyond the packet.
    for (place, value) in [(9, 17), (6, 0x20), (7, 1), (32, 0x40), (32, 0xf0)] {
        let mut other = whole.clone();
        other[place] = value;
        assert_eq!(Header::parse(&other), None, "byte {place} = {value}");
    }
    let mut padded = whole.clone();
    padded.extend([0; 7]);
    assert_eq!(Header::parse(&padded).unwrap().payload(), 10, "what follows is padding");
}

proptest! {
    #[test]
    fn no_bytes_are_too_much(noise in proptest::collection::vec(any::<u8>(), 0..120)) {
        let _ = Header::parse(&noise);
    }

    /// As near to a packet as noise can be: an IPv4 header that holds, TCP's and its options at random.
    #[test]
    fn no_options_are_too_much(mut tail in proptest::collection::vec(any::<u8>(), 20..100), offset in 5_u8..16) {
        let mut packet = vec![0x45, 0, 0, (20 + tail.len()) as u8, 0, 0, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        tail[12] = offset << 4;
        packet.extend(&tail);
        if let Some(header) = Header::parse(&packet) {
            prop_assert!(header.payload_at <= header.end && header.end <= packet.len());
            let mut packet = WirePacket::new(packet, header, 3, &mut Numbers::default());
            let _ = (packet.plain_ack(), packet.sack_blocks().count(), packet.timestamps(), packet.segment());
            packet.mark();
            let again = packet.reissued(packet.ack().saturating_sub(1));
            prop_assert_eq!(again.bytes().len(), packet.bytes().len());
        }
    }
}
