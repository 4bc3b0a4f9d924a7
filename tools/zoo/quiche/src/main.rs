//! A download over QUIC by quiche: `zoo-quiche server PORT`, `zoo-quiche client HOST PORT REQUEST`.
//!
//! The client sends its request (../../common/request.rs) on a stream of its own, and reads the answer to the end. The library has no
//! sockets: the loop here is that of its examples.

use std::collections::HashMap;
use std::error::Error;
use std::fs::{self, File};
use std::io::{ErrorKind, LineWriter};
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use mio::net::UdpSocket;
use mio::{Events, Interest, Poll, Token};
use quiche::{Config, Connection, ConnectionId, RecvInfo};
use ring::rand::{SecureRandom, SystemRandom};

#[path = "../../common/request.rs"]
mod request;

use request::Request;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The library's own, with the sizes that its examples give where it has no default.
fn configuration() -> Result<Config> {
    let mut config = Config::new(quiche::PROTOCOL_VERSION)?;
    config.set_application_protos(&[b"acklab-zoo"])?;
    config.set_max_idle_timeout(30_000);
    config.set_max_recv_udp_payload_size(1350);
    config.set_max_send_udp_payload_size(1350);
    config.set_initial_max_data(10_000_000);
    config.set_initial_max_stream_data_bidi_local(1_000_000);
    config.set_initial_max_stream_data_bidi_remote(1_000_000);
    config.set_initial_max_streams_bidi(100);
    config.verify_peer(false);
    Ok(config)
}

/// An answer that is being written.
struct Answer {
    asked: Request,
    waiting: Vec<u8>,
    next: Instant,
}

/// A connection, and what it answers on which stream.
struct Peer {
    connection: Connection,
    text: HashMap<u64, Vec<u8>>,
    answers: HashMap<u64, Answer>,
}

impl Peer {
    fn new(mut connection: Connection, side: &str) -> Result<Peer> {
        if let Some(place) = std::env::var_os("QLOGDIR") {
            let file = File::create(Path::new(&place).join(format!("quiche_{side}.sqlog")))?;
            connection.set_qlog(Box::new(LineWriter::new(file)), "quiche".into(), side.into());
        }
        Ok(Peer { connection, text: HashMap::new(), answers: HashMap::new() })
    }

    /// Reads requests, and writes as much of the answers as there is room for.
    fn serve(&mut self, now: Instant) -> Result<()> {
        let mut buffer = [0; 4096];
        for id in self.connection.readable().collect::<Vec<_>>() {
            while let Ok((size, end)) = self.connection.stream_recv(id, &mut buffer) {
                let text = self.text.entry(id).or_default();
                text.extend_from_slice(&buffer[..size]);
                if end {
                    let asked = Request::read(std::str::from_utf8(text)?).ok_or("no such request")?;
                    self.answers.insert(id, Answer { asked, waiting: Vec::new(), next: now });
                }
            }
        }
        for (&id, answer) in &mut self.answers {
            loop {
                if answer.waiting.is_empty() && answer.next <= now {
                    answer.waiting = vec![0; answer.asked.next()];
                    answer.next = now + answer.asked.pause;
                    if answer.waiting.is_empty() {
                        answer.next = now + Duration::from_secs(1_000_000);
                        self.connection.stream_send(id, &[], true)?;
                    }
                }
                if answer.waiting.is_empty() {
                    break;
                }
                match self.connection.stream_send(id, &answer.waiting, false) {
                    Ok(size @ 1..) => answer.waiting.drain(..size),
                    _ => break,
                };
            }
        }
        Ok(())
    }

    /// Sends what the library has for now, as its examples do: when the pacer would send it (`SendInfo::at`) does not count.
    fn send(&mut self, socket: &UdpSocket) -> Result<()> {
        let mut out = [0; 1350];
        loop {
            match self.connection.send(&mut out) {
                Ok((size, info)) => socket.send_to(&out[..size], info.to)?,
                Err(quiche::Error::Done) => return Ok(()),
                Err(error) => return Err(error.into()),
            };
        }
    }

    /// How long nothing is to do unless a packet comes.
    fn idle(&self, now: Instant) -> Option<Duration> {
        let paused = self
            .answers
            .values()
            .filter(|answer| answer.waiting.is_empty())
            .map(|answer| answer.next.saturating_duration_since(now));
        paused.chain(self.connection.timeout()).min()
    }
}

/// Waits for packets or `idle`, and gives each to `take`. True if the time ran out.
fn wait(
    poll: &mut Poll,
    socket: &UdpSocket,
    idle: Option<Duration>,
    mut take: impl FnMut(&mut [u8], SocketAddr) -> Result<()>,
) -> Result<bool> {
    let mut events = Events::with_capacity(16);
    poll.poll(&mut events, idle)?;
    let mut buffer = [0; 65_535];
    loop {
        match socket.recv_from(&mut buffer) {
            Ok((size, from)) => take(&mut buffer[..size], from)?,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(events.is_empty()),
            Err(error) => return Err(error.into()),
        }
    }
}

fn bound(port: u16) -> Result<(Poll, UdpSocket)> {
    let (poll, mut socket) = (Poll::new()?, UdpSocket::bind(SocketAddr::from(([0, 0, 0, 0], port)))?);
    poll.registry().register(&mut socket, Token(0), Interest::READABLE)?;
    Ok((poll, socket))
}

fn random() -> Result<[u8; quiche::MAX_CONN_ID_LEN]> {
    let mut bytes = [0; quiche::MAX_CONN_ID_LEN];
    SystemRandom::new().fill(&mut bytes).map_err(|_| "no random numbers")?;
    Ok(bytes)
}

fn server(port: u16) -> Result<()> {
    let mut config = configuration()?;
    let made = rcgen::generate_simple_self_signed(["zoo".into()])?;
    let place = std::env::temp_dir();
    let (certificate, key) = (place.join("quiche.crt"), place.join("quiche.key"));
    fs::write(&certificate, made.cert.pem())?;
    fs::write(&key, made.signing_key.serialize_pem())?;
    config.load_cert_chain_from_pem_file(certificate.to_str().ok_or("no UTF-8")?)?;
    config.load_priv_key_from_pem_file(key.to_str().ok_or("no UTF-8")?)?;
    let (mut poll, socket) = bound(port)?;
    let local = socket.local_addr()?;
    let mut peer: Option<Peer> = None;
    loop {
        let idle = peer.as_ref().and_then(|peer| peer.idle(Instant::now()));
        let timed_out = wait(&mut poll, &socket, idle, |packet, from| {
            if peer.as_ref().is_none_or(|peer| peer.connection.is_closed()) {
                let header = quiche::Header::from_slice(packet, quiche::MAX_CONN_ID_LEN)?;
                if header.ty != quiche::Type::Initial {
                    return Ok(());
                }
                let id = random()?;
                peer = Some(Peer::new(
                    quiche::accept(&ConnectionId::from_ref(&id), None, local, from, &mut config)?,
                    "server",
                )?);
            }
            if let Some(peer) = &mut peer {
                let _ = peer.connection.recv(packet, RecvInfo { from, to: local });
            }
            Ok(())
        })?;
        if let Some(peer) = &mut peer {
            let now = Instant::now();
            if timed_out && peer.connection.timeout().is_some_and(|left| left.is_zero()) {
                peer.connection.on_timeout();
            }
            if peer.connection.is_established() {
                peer.serve(now)?;
            }
            peer.send(&socket)?;
        }
    }
}

fn client(host: &str, port: u16, asked: &str) -> Result<()> {
    let begin = Instant::now();
    let mut config = configuration()?;
    let (mut poll, socket) = bound(0)?;
    let (local, id, to) = (socket.local_addr()?, random()?, SocketAddr::new(host.parse()?, port));
    let mut peer =
        Peer::new(quiche::connect(Some("zoo"), &ConnectionId::from_ref(&id), local, to, &mut config)?, "client")?;
    let (mut got, mut has_asked, mut buffer) = (0, false, [0; 65_535]);
    loop {
        let now = Instant::now();
        if peer.connection.is_established() && !has_asked {
            peer.connection.stream_send(0, asked.as_bytes(), true)?;
            has_asked = true;
        }
        while let Ok((size, end)) = peer.connection.stream_recv(0, &mut buffer) {
            got += size;
            if end {
                println!("{got} bytes in {:.9} s", begin.elapsed().as_secs_f64());
                peer.connection.close(true, 0, b"")?;
            }
        }
        peer.send(&socket)?;
        if peer.connection.is_closed() || peer.connection.is_draining() {
            return Ok(());
        }
        let timed_out = wait(&mut poll, &socket, peer.idle(now), |packet, from| {
            let _ = peer.connection.recv(packet, RecvInfo { from, to: local });
            Ok(())
        })?;
        if timed_out && peer.connection.timeout().is_some_and(|left| left.is_zero()) {
            peer.connection.on_timeout();
        }
    }
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["server", port] => server(port.parse()?),
        ["client", host, port, asked] => client(host, port.parse()?, asked),
        _ => Err("usage: zoo-quiche server PORT | client HOST PORT REQUEST".into()),
    }
}
