//! One packet's bytes: IPv4 header, TCP header with options (or UDP's), zeros.

use acklab_packet::{Ace, Ack, AckNotice, Body, ByteCounts, Ecn, Packet, Probe, Segment, Time};
use etherparse::TcpOptionElement::{
    self, MaximumSegmentSize, Noop, SelectiveAcknowledgement, SelectiveAcknowledgementPermitted, Timestamp, WindowScale,
};
use etherparse::{IpEcn, IpNumber, Ipv4Header, TcpHeader, UdpHeader};

use crate::conversation::{Conversation, MAX_PAYLOAD, SENDER_WINDOW};
use crate::journey::Tag;

/// What payloads consist of.
static ZEROS: [u8; MAX_PAYLOAD as usize] = [0; MAX_PAYLOAD as usize];

/// Addresses of a packet's origin and destination.
type Ends = ([u8; 4], [u8; 4]);

/// Writes the first `most` bytes of `packet` into `out`, replacing what is there; returns its whole length.
pub fn encode(
    talk: &Conversation,
    ports: (u16, u16),
    packet: &Packet,
    tag: &Tag,
    most: usize,
    out: &mut Vec<u8>,
) -> usize {
    let (from, to) = if packet.is_data() { (talk.sender, talk.receiver) } else { (talk.receiver, talk.sender) };
    let (header, payload, protocol) = match &packet.body {
        Body::Data(segment) => {
            let (tcp, payload) = data_header(talk, ports, segment, tag);
            sealed(tcp, (from, to), payload)
        }
        Body::Ack(ack) => sealed(ack_header(talk, ports, ack, tag), (from, to), 0),
        Body::Probe(probe) => sealed(probe_header(talk, ports, probe, tag), (from, to), 0),
        Body::Datagram(_) => datagram(ports, (from, to), packet.size),
    };
    let length = header.len() + payload.len();
    let ttl = 64_u32.saturating_sub(packet.place).max(1) as u8;
    // Neither can fail: `payload` leaves room for both headers.
    let mut ip = Ipv4Header::new(length as u16, ttl, protocol, from, to).unwrap_or_default();
    ip.dont_fragment = true;
    ip.ecn = match &packet.body {
        Body::Data(segment) if segment.ecn == Ecn::Ce => IpEcn::CongestionExperienced,
        Body::Data(segment) if segment.ecn == Ecn::Ect => IpEcn::Ect0,
        Body::Data(segment) if segment.ecn == Ecn::Ect1 => IpEcn::Ect1,
        Body::Ack(ack) if ack.ecn == Ecn::Ce => IpEcn::CongestionExperienced,
        Body::Ack(ack) if ack.ecn != Ecn::NotEct => IpEcn::Ect0,
        _ => IpEcn::NotEct,
    };
    ip.identification = tag.identification;
    ip.header_checksum = ip.calc_header_checksum();
    out.clear();
    out.extend_from_slice(&ip.to_bytes());
    out.extend_from_slice(&header);
    out.extend_from_slice(payload);
    out.truncate(most);
    Ipv4Header::MIN_LEN + length
}

/// Kinds of the AccECN option: ECT(0) first, or ECT(1) first (RFC 9768 section 3.2.3).
const ACCECN0: u8 = 172;
const ACCECN1: u8 = 174;

/// An experimental option (RFC 6994), and the identifier of TCP ACK Rate Request. A SYN and its answer have no more than that. A
/// request has a byte with R, above a reserved bit.
const EXPERIMENT: u8 = 254;
const TARR: [u8; 2] = [0x00, 0xac];

/// A TCP header with its checksum, and its payload.
fn sealed(mut tcp: TcpHeader, (from, to): Ends, payload: usize) -> (Vec<u8>, &'static [u8], IpNumber) {
    let payload = &ZEROS[..payload.min(ZEROS.len())];
    tcp.checksum = tcp.calc_checksum_ipv4_raw(from, to, payload).unwrap_or_default();
    (tcp.to_bytes().to_vec(), payload, IpNumber::TCP)
}

/// A UDP header and as much payload as makes the packet `size` bytes.
fn datagram(ports: (u16, u16), (from, to): Ends, size: u32) -> (Vec<u8>, &'static [u8], IpNumber) {
    let headers = Ipv4Header::MIN_LEN + UdpHeader::LEN;
    let payload = &ZEROS[..(size as usize).saturating_sub(headers).min(ZEROS.len())];
    // Cannot fail: `payload` leaves room for the header.
    let udp = UdpHeader::with_ipv4_checksum(
        ports.0,
        ports.1,
        &Ipv4Header::new(0, 64, IpNumber::UDP, from, to).unwrap_or_default(),
        payload,
    );
    (udp.map_or(Vec::new(), |udp| udp.to_bytes().to_vec()), payload, IpNumber::UDP)
}

/// A keep-alive: an empty segment below what its receiver expects, which must be answered (RFC 9293 section 3.8.4); or
/// the answer, an ACK of nothing new.
fn probe_header(talk: &Conversation, ports: (u16, u16), probe: &Probe, tag: &Tag) -> TcpHeader {
    let number = talk.number(probe.seq, tag.fin);
    let mut tcp = if probe.reply {
        let mut tcp = TcpHeader::new(ports.0, ports.1, number, SENDER_WINDOW);
        tcp.acknowledgment_number = 1;
        tcp
    } else {
        let mut tcp = TcpHeader::new(ports.1, ports.0, 0, talk.window(false));
        tcp.acknowledgment_number = number;
        tcp
    };
    tcp.ack = true;
    if talk.timestamps {
        set(&mut tcp, &[Noop, Noop, Timestamp(ticks(tag.sent), tag.echo.map_or(0, ticks))]);
    }
    tcp
}

fn data_header(talk: &Conversation, ports: (u16, u16), segment: &Segment, tag: &Tag) -> (TcpHeader, usize) {
    let mut tcp = TcpHeader::new(ports.0, ports.1, talk.number(segment.seq, tag.fin), SENDER_WINDOW);
    tcp.syn = segment.syn;
    tcp.fin = segment.fin;
    // RFC 3168 section 6.1.1: both flags on the SYN ask for marks; later CWR says that one was answered.
    tcp.ece = segment.syn && talk.ecn && !talk.accurate;
    tcp.cwr = segment.ace == Ace::CWR || tcp.ece;
    write_number(&mut tcp, segment.ace);
    tcp.ack = !segment.syn;
    tcp.acknowledgment_number = u32::from(tcp.ack); // the receiver sends nothing but its SYN, number 0
    let stamp = talk.timestamps.then(|| (ticks(segment.ts_val), tag.echo.map_or(0, ticks)));
    if segment.syn {
        // The window that arrives is the receiver's business; 65535 needs no scale, but offering one permits it.
        set(&mut tcp, &opening(talk.mss, talk.sack_offered, stamp, 0));
        if segment.notice == AckNotice::ABLE {
            write_able(&mut tcp);
        }
    } else if let Some(segments) = segment.notice.requested() {
        write_request(&mut tcp, segments, stamp);
    } else if let Some(stamp) = stamp {
        set(&mut tcp, &[Noop, Noop, Timestamp(stamp.0, stamp.1)]);
    }
    // SYN and FIN occupy one unit each; a FIN may follow data in its segment.
    let units = segment.len.saturating_sub(u32::from(segment.syn) + u32::from(segment.fin));
    let payload = units as usize * talk.unit as usize;
    (tcp, payload)
}

fn ack_header(talk: &Conversation, ports: (u16, u16), ack: &Ack, tag: &Tag) -> TcpHeader {
    let mut tcp = TcpHeader::new(ports.1, ports.0, u32::from(!ack.syn), talk.window(ack.syn));
    tcp.syn = ack.syn;
    tcp.ack = true;
    tcp.ece = ack.ece || (ack.syn && talk.ecn && !talk.accurate);
    write_number(&mut tcp, ack.ace);
    tcp.acknowledgment_number = talk.number(ack.ack, tag.fin);
    let stamp = talk.timestamps.then(|| (ticks(tag.sent), ticks(ack.ts_ecr)));
    if ack.syn {
        set(&mut tcp, &opening(talk.mss, talk.sack, stamp, talk.scale));
        if ack.sack.able {
            write_able(&mut tcp);
        }
        return tcp;
    }
    let mut options = Vec::with_capacity(6);
    if let Some((value, echo)) = stamp {
        options.extend([Noop, Noop, Timestamp(value, echo)]);
    }
    let number = |unit| talk.number(unit, tag.fin);
    let mut blocks = ack.sack.iter(ack.ack).map(|(start, end)| (number(start), number(end)));
    if let Some(first) = blocks.next() {
        options.extend([Noop, Noop, SelectiveAcknowledgement(first, [blocks.next(), blocks.next(), None])]);
    }
    set(&mut tcp, &options);
    if let Some(counts) = ack.sack.counts() {
        add_counts(&mut tcp, counts, talk.unit);
    }
    tcp
}

/// Writes a number of accurate ECN into the three flags (RFC 9768 section 3.2.2). AE is the bit that was once the nonce's.
fn write_number(tcp: &mut TcpHeader, ace: Ace) {
    if let Some([ae, cwr, ece]) = ace.flags() {
        (tcp.ns, tcp.cwr, tcp.ece) = (ae, cwr, ece);
    }
}

/// Adds an AccECN option with two fields, in bytes (RFC 9768 section 3.2.3).
fn add_counts(tcp: &mut TcpHeader, counts: ByteCounts, unit: u32) {
    let field = |units: u32| units.wrapping_mul(unit).to_be_bytes();
    let ([_, a, b, c], [_, d, e, f]) = (field(counts.ect), field(counts.ce));
    append(tcp, &[if counts.ect1 { ACCECN1 } else { ACCECN0 }, ByteCounts::SIZE as u8, a, b, c, d, e, f]);
}

/// Adds an option.
fn append(tcp: &mut TcpHeader, option: &[u8]) {
    let fits = tcp.set_options_raw(&[tcp.options.as_slice(), option].concat());
    debug_assert!(fits.is_ok(), "{option:?}");
}

/// Adds the option by which a SYN or its answer says that its side knows requests.
fn write_able(tcp: &mut TcpHeader) {
    append(tcp, &[EXPERIMENT, 4, TARR[0], TARR[1]]);
}

/// Writes a request for one ACK every `segments` segments, and the timestamps beside it.
fn write_request(tcp: &mut TcpHeader, segments: u8, stamp: Option<(u32, u32)>) {
    let mut bytes = vec![EXPERIMENT, 5, TARR[0], TARR[1], segments << 1];
    if let Some((value, echo)) = stamp {
        bytes.extend([1, 8, 10]); // a byte that pads, kind and length of the timestamps
        bytes.extend(value.to_be_bytes().into_iter().chain(echo.to_be_bytes()));
    }
    append(tcp, &bytes);
}

/// What a SYN or SYN-ACK negotiates, each option aligned as Linux aligns it.
fn opening(mss: u16, sack: bool, stamp: Option<(u32, u32)>, scale: u8) -> Vec<TcpOptionElement> {
    let mut options = vec![MaximumSegmentSize(mss)];
    match (sack, stamp) {
        (true, Some((value, echo))) => options.extend([SelectiveAcknowledgementPermitted, Timestamp(value, echo)]),
        (false, Some((value, echo))) => options.extend([Noop, Noop, Timestamp(value, echo)]),
        (true, None) => options.extend([Noop, Noop, SelectiveAcknowledgementPermitted]),
        (false, None) => {}
    }
    options.extend([Noop, WindowScale(scale)]);
    options
}

/// At most 40 bytes by construction: timestamps with three SACK blocks fill them exactly.
fn set(tcp: &mut TcpHeader, options: &[TcpOptionElement]) {
    let fits = tcp.set_options(options);
    debug_assert!(fits.is_ok(), "{options:?}");
}

/// A timestamp clock of one tick a millisecond; it starts at 1, because some tools take an echo of 0 for none.
fn ticks(time: Time) -> u32 {
    ((time.secs() * 1e3).floor() as u64 as u32).wrapping_add(1)
}
