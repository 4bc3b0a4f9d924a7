//! The compiled congestion control, a listing: each program's instructions, eight bytes a line, beside some of them the
//! name of a number that is known when it is loaded.

/// What `tools/bpf.py` makes of `bpf/sender.c`.
pub const LISTING: &str = include_str!("../../bpf/sender.code");

/// One callback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program<'a> {
    /// The member of `tcp_congestion_ops` it is for.
    pub name: &'a str,
    /// Its instructions, as they stand in memory.
    pub code: Vec<[u8; 8]>,
}

/// The programs of a listing with each number in its place.
///
/// # Errors
/// The line that is no instruction, or names a number that `number` does not know.
pub fn link<'a>(
    listing: &'a str,
    number: &mut dyn FnMut(&str) -> Result<u64, String>,
) -> Result<Vec<Program<'a>>, String> {
    let mut programs: Vec<Program<'a>> = Vec::new();
    let mut rest: Option<u64> = None;
    for line in listing.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix("program ") {
            programs.push(Program { name, code: Vec::new() });
            continue;
        }
        let (digits, name) = line.split_once(' ').unwrap_or((line, ""));
        let read = u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 16);
        let (Some(bytes), Some(program)) = (read, programs.last_mut()) else {
            return Err(format!("`{line}` is no instruction"));
        };
        let mut bytes = bytes.to_be_bytes();
        // The number's lower half stands in this instruction, its upper half in the next.
        if let Some(upper) = rest.take() {
            bytes[4..].copy_from_slice(&(upper as u32).to_ne_bytes());
        }
        if !name.is_empty() {
            let value = number(name)?;
            bytes[4..].copy_from_slice(&(value as u32).to_ne_bytes());
            rest = Some(value >> 32);
        }
        program.code.push(bytes);
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stands_in_two_instructions() {
        let listing =
            "# made\n\nprogram init\n1802000000000000 here\n0000000000000000\n9500000000000000\nprogram ssthresh\n";
        let programs = link(listing, &mut |name| {
            assert_eq!(name, "here");
            Ok(0x0102_0304_0506_0708)
        });
        let programs = programs.unwrap();
        assert_eq!((programs[0].name, programs[1].name, programs[1].code.len()), ("init", "ssthresh", 0));
        if cfg!(target_endian = "little") {
            let code = [[0x18, 2, 0, 0, 8, 7, 6, 5], [0, 0, 0, 0, 4, 3, 2, 1], [0x95, 0, 0, 0, 0, 0, 0, 0]];
            assert_eq!(programs[0].code, code);
        }
        assert_eq!(link("95", &mut |_| Ok(0)).unwrap_err(), "`95` is no instruction");
        assert_eq!(link(listing, &mut |_| Err("unknown".to_owned())).unwrap_err(), "unknown");
    }

    #[test]
    fn the_listing_has_what_a_congestion_control_needs() {
        let programs = link(LISTING, &mut |_| Ok(0)).unwrap();
        let mut names: Vec<_> = programs.iter().map(|program| program.name).collect();
        names.sort_unstable();
        let all = ["cong_avoid", "in_ack_event", "init", "pkts_acked", "set_state", "ssthresh", "undo_cwnd"];
        assert_eq!(names, all);
        // Each ends with an exit.
        assert!(programs.iter().all(|program| program.code.last().is_some_and(|last| last[0] == 0x95)));
    }
}
