//! A download over TCP by smoltcp: `zoo-smoltcp server PORT`, `zoo-smoltcp client HOST PORT REQUEST`.
//!
//! The client sends its request (../../common/request.rs) as a line, and reads the answer to the end. smoltcp has the node's address: it reads and
//! writes IP packets at a raw socket, and the kernel is kept from answering them.

use std::error::Error;
use std::fs::File;
use std::io::{self, Read};
use std::mem;
use std::net::{Ipv4Addr, UdpSocket};
use std::time;

use smoltcp::iface::{Config, Interface, SocketSet};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::socket::tcp::{Socket, SocketBuffer, State};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{HardwareAddress, IpAddress, IpCidr};

#[path = "../../common/request.rs"]
mod request;

use request::Request;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Bytes of a buffer, one for each direction, as in smoltcp's examples: it leaves them to the application.
const BUFFER: usize = 65_535;
const CLIENT_PORT: u16 = 49_152;
/// Bytes that may wait to be read.
const ROOM: i32 = 4 << 20;

fn called(result: i32) -> io::Result<i32> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn set(socket: i32, level: i32, name: i32, value: i32) -> io::Result<i32> {
    let size = mem::size_of_val(&value) as u32;
    // SAFETY: `value` lives until the call is over, and is as large as is said.
    called(unsafe { libc::setsockopt(socket, level, name, (&raw const value).cast(), size) })
}

fn inet(address: Ipv4Addr, port: u16) -> libc::sockaddr_in {
    libc::sockaddr_in {
        sin_family: libc::AF_INET as u16,
        sin_port: port.to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(address.octets()) },
        sin_zero: [0; 8],
    }
}

const INET: u32 = mem::size_of::<libc::sockaddr_in>() as u32;

/// Keeps the kernel from answering what comes to a port: it listens there, and a filter drops all.
fn silence(port: u16) -> io::Result<()> {
    let mut none = libc::sock_filter { code: (libc::BPF_RET | libc::BPF_K) as u16, jt: 0, jf: 0, k: 0 };
    let filter = libc::sock_fprog { len: 1, filter: &mut none };
    let at = inet(Ipv4Addr::UNSPECIFIED, port);
    // SAFETY: filter and address live until the calls are over, and are as large as is said.
    unsafe {
        let socket = called(libc::socket(libc::AF_INET, libc::SOCK_STREAM, 0))?;
        let size = mem::size_of_val(&filter) as u32;
        called(libc::setsockopt(socket, libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, (&raw const filter).cast(), size))?;
        called(libc::bind(socket, (&raw const at).cast(), INET))?;
        called(libc::listen(socket, 1)).map(drop)
    }
}

/// A card that reads and sends by a raw socket.
struct Card {
    socket: i32,
    room: Vec<u8>,
}

impl Card {
    fn open() -> io::Result<Card> {
        // SAFETY: a plain call.
        let socket = called(unsafe { libc::socket(libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_TCP) })?;
        set(socket, libc::IPPROTO_IP, libc::IP_HDRINCL, 1)?;
        set(socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, ROOM)?;
        Ok(Card { socket, room: vec![0; 65_536] })
    }

    /// The next packet that came in.
    fn next(&mut self) -> Option<Vec<u8>> {
        let room = self.room.as_mut_ptr().cast();
        // SAFETY: `room` is as large as is said.
        let got = unsafe { libc::recv(self.socket, room, self.room.len(), libc::MSG_DONTWAIT) };
        (got > 0).then(|| self.room[..got as usize].to_vec())
    }

    fn send(&self, packet: &[u8]) {
        let to = inet(Ipv4Addr::new(packet[16], packet[17], packet[18], packet[19]), 0);
        // SAFETY: packet and address live until the call is over, and are as large as is said.
        unsafe { libc::sendto(self.socket, packet.as_ptr().cast(), packet.len(), 0, (&raw const to).cast(), INET) };
    }

    /// Until a packet comes or the time is over.
    fn wait(&self, most: Option<Duration>) {
        let mut one = libc::pollfd { fd: self.socket, events: libc::POLLIN, revents: 0 };
        let time = most.map(|most| libc::timespec {
            tv_sec: most.secs() as i64,
            tv_nsec: (most.total_micros() % 1_000_000 * 1000) as i64,
        });
        let time = time.as_ref().map_or(std::ptr::null(), |time| &raw const *time);
        // SAFETY: one entry, and a time that lives until the call is over.
        unsafe { libc::ppoll(&mut one, 1, time, std::ptr::null()) };
    }
}

struct Came(Vec<u8>);
struct Leaves<'a>(&'a Card);

impl RxToken for Came {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, read: F) -> R {
        read(&self.0)
    }
}

impl TxToken for Leaves<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, write: F) -> R {
        let mut packet = vec![0; len];
        let result = write(&mut packet);
        self.0.send(&packet);
        result
    }
}

impl Device for Card {
    type RxToken<'a> = Came;
    type TxToken<'a> = Leaves<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Came, Leaves<'_>)> {
        let packet = self.next()?;
        Some((Came(packet), Leaves(self)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Leaves<'_>> {
        Some(Leaves(self))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut found = DeviceCapabilities::default();
        (found.medium, found.max_transmission_unit) = (Medium::Ip, 1500);
        found
    }
}

/// The node's address: that from which a packet to any other would leave.
fn address() -> Result<Ipv4Addr> {
    let socket = UdpSocket::bind(("0.0.0.0", 0))?;
    socket.connect(("10.255.255.253", 9))?;
    match socket.local_addr()?.ip() {
        std::net::IpAddr::V4(found) => Ok(found),
        std::net::IpAddr::V6(_) => Err("the card has no address of version 4".into()),
    }
}

fn random() -> io::Result<u64> {
    let mut bytes = [0; 8];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(u64::from_ne_bytes(bytes))
}

fn socket() -> Socket<'static> {
    let buffer = || SocketBuffer::new(vec![0; BUFFER]);
    Socket::new(buffer(), buffer())
}

/// The stack, and the one socket that it has.
struct Stack {
    card: Card,
    interface: Interface,
    sockets: SocketSet<'static>,
    handle: smoltcp::iface::SocketHandle,
    begin: time::Instant,
}

impl Stack {
    fn new(address: Ipv4Addr, port: u16) -> Result<Stack> {
        silence(port)?;
        let mut card = Card::open()?;
        let mut config = Config::new(HardwareAddress::Ip);
        config.random_seed = random()?;
        let mut interface = Interface::new(config, &mut card, Instant::ZERO);
        interface.update_ip_addrs(|list| {
            let _ = list.push(IpCidr::new(IpAddress::Ipv4(address), 8));
        });
        let mut sockets = SocketSet::new(vec![]);
        let handle = sockets.add(socket());
        Ok(Stack { card, interface, sockets, handle, begin: time::Instant::now() })
    }

    fn now(&self) -> Instant {
        Instant::from_micros(self.begin.elapsed().as_micros() as i64)
    }

    /// What came is handled, and what may leave leaves.
    fn turn(&mut self) -> &mut Socket<'static> {
        let now = self.now();
        self.interface.poll(now, &mut self.card, &mut self.sockets);
        self.sockets.get_mut::<Socket>(self.handle)
    }

    /// Until something comes or is due, or until `most` is over.
    fn wait(&mut self, most: Option<Duration>) {
        let now = self.now();
        let due = self.interface.poll_delay(now, &self.sockets);
        // Time stands still while a program computes: a wait of nothing would never end.
        let least = |wait: Duration| wait.max(Duration::from_micros(1));
        self.card.wait([due, most].into_iter().flatten().min().map(least));
    }
}

fn server(port: u16) -> Result<()> {
    let mut stack = Stack::new(address()?, port)?;
    stack.sockets.get_mut::<Socket>(stack.handle).listen(port)?;
    let (mut text, mut asked, mut left) = (Vec::new(), None::<Request>, 0);
    let mut next = time::Instant::now();
    loop {
        let socket = stack.turn();
        if asked.is_none() && socket.can_recv() {
            socket.recv(|bytes| (bytes.len(), text.extend_from_slice(bytes)))?;
            if text.ends_with(b"\n") {
                asked = Some(Request::read(String::from_utf8_lossy(&text).trim()).ok_or("no such request")?);
            }
        }
        let mut pause = None;
        if let Some(request) = &mut asked {
            while socket.can_send() {
                if left == 0 {
                    let early = next.saturating_duration_since(time::Instant::now());
                    if !early.is_zero() {
                        pause = Some(Duration::from_micros(early.as_micros() as u64 + 1));
                        break;
                    }
                    left = request.next();
                    next = time::Instant::now() + request.pause;
                    if left == 0 {
                        socket.close();
                        break;
                    }
                }
                left -= socket.send_slice(&vec![0; left])?;
            }
        }
        stack.turn();
        stack.wait(pause);
    }
}

fn client(host: Ipv4Addr, port: u16, request: &str) -> Result<()> {
    let begin = time::Instant::now();
    let mut stack = Stack::new(address()?, CLIENT_PORT)?;
    let socket = stack.sockets.get_mut::<Socket>(stack.handle);
    socket.connect(stack.interface.context(), (IpAddress::Ipv4(host), port), CLIENT_PORT)?;
    let (mut sent, mut got) = (false, 0);
    loop {
        let socket = stack.turn();
        if !sent && socket.may_send() {
            socket.send_slice(format!("{request}\n").as_bytes())?;
            sent = true;
        }
        while socket.can_recv() {
            got += socket.recv(|bytes| (bytes.len(), bytes.len()))?;
        }
        if sent && !socket.may_recv() && socket.state() != State::SynSent {
            break;
        }
        stack.turn();
        stack.wait(None);
    }
    println!("{got} bytes in {:.9} s", begin.elapsed().as_secs_f64());
    Ok(())
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["server", port] => server(port.parse()?),
        ["client", host, port, request] => client(host.parse()?, port.parse()?, request),
        _ => Err("usage: zoo-smoltcp server PORT | client HOST PORT REQUEST".into()),
    }
}
