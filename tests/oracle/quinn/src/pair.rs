//! Two quinn endpoints, a sender and a receiver, joined by two links in virtual time.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use quinn_proto::congestion::NewRenoConfig;
use quinn_proto::crypto::rustls::QuicServerConfig;
use quinn_proto::{
    AckFrequencyConfig, ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, EndpointConfig, Event,
    ServerConfig, StreamEvent, StreamId, TransportConfig, VarInt,
};

use crate::case::Case;
use crate::link::Link;

/// Bytes of every full datagram.
pub const DATAGRAM: u16 = 1200;

struct Side {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    address: SocketAddr,
}

/// What one transfer was. Times from the first data packet on.
#[derive(Debug, Default)]
pub struct Outcome {
    pub completion_ns: u64,
    pub received_ns: u64,
    pub data_packets: u64,
    pub declared_lost: u64,
    pub vanished: u64,
    pub dropped: u64,
    pub acks: u64,
    pub ack_bytes: u64,
    pub acks_dropped: u64,
    pub srtt_us: u64,
    /// Time, window, packets lost so far: at each change.
    pub windows: Vec<(u64, u64, u64)>,
    /// When the first packet vanished, and when one was first declared lost.
    pub first_loss_ns: u64,
    pub first_declared_ns: u64,
}

pub struct Pair<'a> {
    case: &'a Case,
    epoch: Instant,
    now: u64,
    sides: [Side; 2],
    links: [Link; 2],
    /// On its way, by arrival and order of sending: whose, and what.
    flying: BTreeMap<(u64, u64), (usize, Vec<u8>)>,
    sent: u64,
    begun: Option<u64>,
    finished: Option<u64>,
    received: usize,
    outcome: Outcome,
}

fn transport(case: &Case) -> TransportConfig {
    let mut config = TransportConfig::default();
    config
        .initial_mtu(DATAGRAM)
        .min_mtu(DATAGRAM)
        .mtu_discovery_config(None)
        .enable_segmentation_offload(false)
        .max_idle_timeout(None)
        .stream_receive_window(VarInt::MAX)
        .receive_window(VarInt::MAX)
        .send_window(u64::MAX)
        .congestion_controller_factory(Arc::new(NewRenoConfig::default()));
    if !case.plain {
        let mut asked = AckFrequencyConfig::default();
        asked
            .ack_eliciting_threshold(VarInt::try_from(case.segments - 1).expect("small"))
            .max_ack_delay(Some(Duration::from_micros(case.max_ack_delay_us)))
            .reordering_threshold(VarInt::try_from(case.reordering).expect("small"));
        config.ack_frequency_config(Some(asked));
    }
    config
}

impl<'a> Pair<'a> {
    pub fn new(case: &'a Case) -> Pair<'a> {
        let cert = rcgen::generate_simple_self_signed(vec!["localhost".into()]).expect("a certificate");
        let key = rustls::pki_types::PrivateKeyDer::Pkcs8(cert.signing_key.serialize_der().into());
        let chain = vec![cert.cert.der().clone()];
        let mut roots = rustls::RootCertStore::empty();
        roots.add(cert.cert.der().clone()).expect("a root");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut tls = rustls::ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .expect("TLS 1.3")
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .expect("a server");
        tls.max_early_data_size = u32::MAX;
        let mut server = ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(tls).expect("TLS 1.3")));
        server.transport_config(Arc::new(transport(case)));
        let mut client = ClientConfig::with_root_certificates(Arc::new(roots)).expect("roots");
        client.transport_config(Arc::new(transport(case)));

        let endpoint = |server, seed: u8| {
            let mut config = EndpointConfig::default();
            config.rng_seed(Some([seed; 32]));
            Endpoint::new(Arc::new(config), server, true, None)
        };
        let address = |port| SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port);
        let epoch = Instant::now();
        let mut sender = endpoint(None, 1);
        let connection = sender.connect(epoch, client, address(2), "localhost").expect("a connection");
        let side = |endpoint, connection, port| Side { endpoint, connection, address: address(port) };
        Pair {
            case,
            epoch,
            now: 0,
            sides: [side(sender, Some(connection), 1), side(endpoint(Some(Arc::new(server)), 2), None, 2)],
            links: [
                Link::new(case.rate_bps, case.delay_ns, case.queue),
                Link::new(case.back_bps, case.delay_ns, case.back_queue),
            ],
            flying: BTreeMap::new(),
            sent: 0,
            begun: None,
            finished: None,
            received: 0,
            outcome: Outcome::default(),
        }
    }

    fn instant(&self) -> Instant {
        self.epoch + Duration::from_nanos(self.now)
    }

    fn sender(&mut self) -> &mut Connection {
        &mut self.sides[0].connection.as_mut().expect("connected at once").1
    }

    /// Everything a side has to send now leaves.
    fn flush(&mut self, which: usize) {
        let now = self.instant();
        loop {
            let mut events = Vec::new();
            let Some((handle, connection)) = &mut self.sides[which].connection else { return };
            let handle = *handle;
            while let Some(event) = connection.poll_endpoint_events() {
                events.push(event);
            }
            let mut datagrams = Vec::new();
            loop {
                let before = connection.stats().frame_tx;
                let mut bytes = Vec::new();
                if connection.poll_transmit(now, 1, &mut bytes).is_none() {
                    break;
                }
                let after = connection.stats().frame_tx;
                datagrams.push((bytes, after.stream > before.stream, after.acks > before.acks));
            }
            let idle = events.is_empty() && datagrams.is_empty();
            for event in events {
                if let Some(event) = self.sides[which].endpoint.handle_event(handle, event)
                    && let Some((_, connection)) = &mut self.sides[which].connection
                {
                    connection.handle_event(event);
                }
            }
            for (bytes, data, ack) in datagrams {
                self.send(which, bytes, data, ack);
            }
            if idle {
                return;
            }
        }
    }

    fn send(&mut self, which: usize, bytes: Vec<u8>, data: bool, ack: bool) {
        if let Some(begun) = self.begun {
            let outcome = &mut self.outcome;
            if which == 0 && data {
                let number = outcome.data_packets;
                outcome.data_packets += 1;
                if self.case.lose.contains(&number) {
                    outcome.vanished += 1;
                    if outcome.first_loss_ns == 0 {
                        outcome.first_loss_ns = self.now - begun;
                    }
                    return;
                }
            } else if which == 1 && ack {
                outcome.acks += 1;
                outcome.ack_bytes += bytes.len() as u64;
            }
        }
        let before = self.links[which].dropped;
        if let Some(at) = self.links[which].offer(self.now, bytes.len()) {
            self.flying.insert((at, self.sent), (1 - which, bytes));
            self.sent += 1;
        }
        if self.begun.is_some() && self.links[which].dropped > before {
            let outcome = &mut self.outcome;
            *(if which == 0 { &mut outcome.dropped } else { &mut outcome.acks_dropped }) += 1;
        }
    }

    fn deliver(&mut self, which: usize, bytes: Vec<u8>) {
        let now = self.instant();
        let from = self.sides[1 - which].address;
        let side = &mut self.sides[which];
        let mut answer = Vec::new();
        match side.endpoint.handle(now, from, None, None, BytesMut::from(&bytes[..]), &mut answer) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut side.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                side.connection = Some(side.endpoint.accept(incoming, now, &mut answer, None).ok().expect("accepted"));
            }
            _ => {}
        }
    }

    /// The receiver reads what is there; the sender hears when all is acknowledged.
    fn attend(&mut self) {
        let mut read = 0;
        if let Some((_, connection)) = &mut self.sides[1].connection {
            while let Some(event) = connection.poll() {
                if let Event::ConnectionLost { reason } = event {
                    panic!("receiver: {reason}");
                }
            }
            if let Some(stream) = connection.streams().accept(Dir::Uni) {
                self.begun.expect("a stream after the transfer began");
                read += read_all(connection, stream);
            } else if self.begun.is_some() {
                read += read_all(connection, StreamId::new(quinn_proto::Side::Client, Dir::Uni, 0));
            }
        }
        self.received += read;
        if read > 0 && self.received == self.case.bytes {
            self.outcome.received_ns = self.now - self.begun.expect("begun");
        }
        let now = self.now;
        let begun = self.begun;
        let connection = self.sender();
        let mut finished = false;
        while let Some(event) = connection.poll() {
            match event {
                Event::Stream(StreamEvent::Finished { .. }) => finished = true,
                Event::ConnectionLost { reason } => panic!("sender: {reason}"),
                _ => {}
            }
        }
        let path = connection.stats().path;
        if finished {
            self.finished = Some(now);
        }
        if let Some(begun) = begun {
            let last = self.outcome.windows.last().map(|&(_, window, lost)| (window, lost));
            if last != Some((path.cwnd, path.lost_packets)) {
                if path.lost_packets > 0 && self.outcome.first_declared_ns == 0 {
                    self.outcome.first_declared_ns = now - begun;
                }
                self.outcome.windows.push((now - begun, path.cwnd, path.lost_packets));
            }
        }
    }

    /// One event: the next arrival, or a timer; not after `until`. Whether there was one.
    fn step(&mut self, until: u64) -> bool {
        for which in 0..2 {
            self.flush(which);
        }
        let arrival = self.flying.keys().next().map(|&(at, _)| at);
        let timers = [0, 1].map(|which: usize| {
            let (_, connection) = self.sides[which].connection.as_mut()?;
            let at = connection.poll_timeout()?;
            Some(at.saturating_duration_since(self.epoch).as_nanos() as u64)
        });
        let Some(next) = [arrival, timers[0], timers[1]].into_iter().flatten().min().filter(|&at| at <= until) else {
            self.now = self.now.max(until);
            return false;
        };
        self.now = self.now.max(next);
        if arrival.is_some_and(|at| at <= self.now) {
            let (_, (which, bytes)) = self.flying.pop_first().expect("just looked at");
            self.deliver(which, bytes);
        } else {
            let now = self.instant();
            for which in 0..2 {
                if timers[which].is_some_and(|at| at <= self.now)
                    && let Some((_, connection)) = &mut self.sides[which].connection
                {
                    connection.handle_timeout(now);
                }
            }
        }
        self.attend();
        true
    }

    /// The handshake, a pause in which its last packets are acknowledged, then the transfer.
    pub fn run(mut self) -> Outcome {
        while self.sender().is_handshaking() {
            assert!(self.step(60_000_000_000), "no handshake");
        }
        let pause = self.now + 8 * self.case.delay_ns + 1_000_000_000;
        while self.step(pause) {}
        let (sent, lost) = (self.sender().stats().path.sent_packets, self.sender().stats().path.lost_packets);
        assert_eq!(lost, 0, "lost in the handshake, after {sent}");
        let bytes = self.case.bytes;
        let connection = self.sender();
        let stream = connection.streams().open(Dir::Uni).expect("a stream");
        let mut sending = connection.send_stream(stream);
        assert_eq!(sending.write(&vec![0; bytes]).expect("room"), bytes);
        sending.finish().expect("open");
        self.begun = Some(self.now);
        while self.finished.is_none() {
            assert!(self.step(self.now + 600_000_000_000), "it stands still");
        }
        let begun = self.begun.expect("begun");
        let path = self.sender().stats().path;
        let mut outcome = std::mem::take(&mut self.outcome);
        outcome.completion_ns = self.finished.expect("finished") - begun;
        outcome.declared_lost = path.lost_packets;
        outcome.srtt_us = path.rtt.as_micros() as u64;
        outcome
    }
}

fn read_all(connection: &mut Connection, stream: StreamId) -> usize {
    let mut receiving = connection.recv_stream(stream);
    let Ok(mut chunks) = receiving.read(false) else { return 0 };
    let mut bytes = 0;
    while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
        bytes += chunk.bytes.len();
    }
    let _ = chunks.finalize();
    bytes
}
