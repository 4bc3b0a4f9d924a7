//! Network namespaces without a name: they go away with the process, however it ends.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::Command;
use std::thread;

use nix::sched::{CloneFlags, setns, unshare};

use crate::settings::{DEVICE, SACK_PERCENT, Settings, address};
use crate::sys;

/// Why a live run cannot be: what failed, why, and what helps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What was tried.
    pub what: String,
    /// The system's answer.
    pub why: String,
    /// What to do about it.
    pub fix: String,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {}: {}", self.what, self.why)?;
        if self.fix.is_empty() { Ok(()) } else { write!(f, "; {}", self.fix) }
    }
}

impl std::error::Error for Trouble {}

impl From<Trouble> for String {
    fn from(trouble: Trouble) -> String {
        trouble.to_string()
    }
}

impl Trouble {
    /// From the system's error.
    pub fn new(what: impl Into<String>, error: &io::Error, fix: impl Into<String>) -> Trouble {
        let why = match error.raw_os_error() {
            Some(number) if !error.to_string().contains("os error") => format!("{error} (os error {number})"),
            _ => error.to_string(),
        };
        Trouble { what: what.into(), why, fix: fix.into() }
    }

    /// A thread has panicked.
    pub fn broken_thread() -> Trouble {
        Trouble { what: "go on".into(), why: "a thread broke down".into(), fix: "please report it".into() }
    }
}

const PRIVILEGE: &str = "run it as root, or with CAP_SYS_ADMIN and CAP_NET_ADMIN (a container: docker run \
                         --cap-add SYS_ADMIN --cap-add NET_ADMIN --device /dev/net/tun)";

/// A network namespace of this process.
#[derive(Debug)]
pub struct Namespace(File);

impl Namespace {
    /// Makes one and does `set_up` in it, on a thread of its own.
    ///
    /// # Errors
    /// Where the process may not, or `set_up` failed.
    pub fn make<T: Send>(set_up: impl FnOnce() -> Result<T, Trouble> + Send) -> Result<(Namespace, T), Trouble> {
        let make = || {
            let what = "make a network namespace";
            unshare(CloneFlags::CLONE_NEWNET).map_err(|errno| Trouble::new(what, &errno.into(), PRIVILEGE))?;
            let file = File::open("/proc/thread-self/ns/net")
                .map_err(|error| Trouble::new("open /proc/thread-self/ns/net", &error, "mount /proc"))?;
            Ok((Namespace(file), set_up()?))
        };
        apart(make)
    }

    /// Does `work` in it; threads started from there are in it, too.
    ///
    /// # Errors
    /// Where the system says no, or `work` does.
    pub fn within<T: Send>(&self, work: impl FnOnce() -> Result<T, Trouble> + Send) -> Result<T, Trouble> {
        apart(|| {
            setns(&self.0, CloneFlags::CLONE_NEWNET)
                .map_err(|errno| Trouble::new("enter a network namespace", &errno.into(), PRIVILEGE))?;
            work()
        })
    }
}

/// Does `work` on a thread of its own.
fn apart<T: Send>(work: impl FnOnce() -> Result<T, Trouble> + Send) -> Result<T, Trouble> {
    thread::scope(|scope| scope.spawn(work).join()).unwrap_or_else(|_| Err(Trouble::broken_thread()))
}

/// Prepares the calling thread's fresh namespace as one side of a run (0 the senders', 1 the receivers'), with a TUN device.
///
/// # Errors
/// The first thing that was refused.
pub fn set_up(side: usize, settings: &Settings) -> Result<File, Trouble> {
    let tun = open_tun()?;
    configure(DEVICE, side, settings)?;
    Ok(tun)
}

/// Prepares the calling thread's namespace as one side of a run: kernel variables, addresses, and by this device the route to the other
/// side.
///
/// # Errors
/// The first thing that was refused.
pub fn configure(device: &str, side: usize, settings: &Settings) -> Result<(), Trouble> {
    // Nothing but our own packets: no router solicitations. A kernel without IPv6 has nothing to switch off.
    for group in ["all", "default"] {
        let _ = fs::write(format!("/proc/sys/net/ipv6/conf/{group}/disable_ipv6"), "1");
    }
    for (name, value) in settings.variables() {
        if name != SACK_PERCENT || Path::new("/proc/sys").join(name).exists() {
            set_variable(name, &value)?;
        }
    }
    let ends = |apart| [side, 1 - side].map(|side| address(side, apart).map(|part| part.to_string()).join("."));
    let kinds = || [false, true].into_iter().filter(|&apart| settings.apart || !apart);
    for [own, other] in kinds().map(ends) {
        ip(&["addr", "add", &own, "peer", &other, "dev", device])?;
    }
    ip(&["link", "set", "dev", device, "mtu", &settings.mtu.to_string(), "txqueuelen", "10000"])?;
    // One packet a segment from the start. Where the system has no such attribute the device cuts large ones up itself.
    let _ = ip(&["link", "set", "dev", device, "gso_max_segs", "1"]);
    ip(&["link", "set", "dev", "lo", "up"])?;
    ip(&["link", "set", "dev", device, "up"])?;
    for apart in kinds() {
        let ([own, other], options) = (ends(apart), settings.route_options(side, apart));
        let mut route = vec!["route", "replace", &other, "dev", device, "src", &own];
        route.extend(options.iter().map(String::as_str));
        ip(&route)?;
    }
    Ok(())
}

/// A TUN device in the calling thread's namespace.
///
/// # Errors
/// With what helps.
pub fn open_tun() -> Result<File, Trouble> {
    sys::open_tun(DEVICE).map_err(|error| {
        let fix = match error.kind() {
            io::ErrorKind::NotFound => {
                "load the module and make the node: modprobe tun; mkdir -p /dev/net; mknod /dev/net/tun c 10 200"
            }
            _ => PRIVILEGE,
        };
        Trouble::new("make a TUN device (/dev/net/tun)", &error, fix)
    })
}

/// Sets a kernel variable of the calling thread's namespace.
fn set_variable(name: &str, value: &str) -> Result<(), Trouble> {
    let path = Path::new("/proc/sys").join(name);
    fs::write(&path, value).map_err(|error| {
        let fix = "/proc/sys must be writable (mount -o remount,rw /proc/sys; a container: --privileged)";
        Trouble::new(format!("set {} to {value}", path.display()), &error, fix)
    })
}

/// Runs iproute2's command in the calling thread's namespace.
///
/// # Errors
/// What it said.
pub fn ip(arguments: &[&str]) -> Result<(), Trouble> {
    let what = || format!("run `ip {}`", arguments.join(" "));
    let output = Command::new("ip")
        .args(arguments)
        .output()
        .map_err(|error| Trouble::new(what(), &error, "install iproute2 (apt-get install iproute2)"))?;
    if output.status.success() {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&output.stderr).lines().collect::<Vec<_>>().join(" ");
    Err(Trouble { what: what(), why, fix: String::new() })
}
