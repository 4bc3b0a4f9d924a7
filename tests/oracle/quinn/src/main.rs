//! Bulk transfers between two quinn endpoints in virtual time: cases from stdin, results to stdout, both CSV.
//! `--windows` writes each change of the window instead.

mod case;
mod link;
mod pair;

use std::io::{BufRead, Write};

use case::Case;
use pair::Pair;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let windows = std::env::args().nth(1).is_some_and(|flag| flag == "--windows");
    let mut lines = std::io::stdin().lock().lines();
    let head = lines.next().transpose()?.unwrap_or_default();
    if head.trim() != case::COLUMNS {
        return Err(format!("the first line must be {}", case::COLUMNS).into());
    }
    let mut out = std::io::stdout().lock();
    if windows {
        writeln!(out, "name,time_s,cwnd_bytes,lost")?;
    } else {
        writeln!(
            out,
            "name,completion_s,received_s,data_packets,declared_lost,vanished,dropped,acks,ack_bytes,acks_dropped,\
             srtt_ms,first_loss_s,first_declared_s"
        )?;
    }
    for line in lines {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let case = Case::read(&line)?;
        let name = &case.name;
        let run = Pair::new(&case).run();
        let secs = |ns: u64| ns as f64 / 1e9;
        if windows {
            for (at, cwnd, lost) in run.windows {
                writeln!(out, "{name},{:.6},{cwnd},{lost}", secs(at))?;
            }
        } else {
            writeln!(
                out,
                "{name},{:.6},{:.6},{},{},{},{},{},{},{},{:.3},{:.6},{:.6}",
                secs(run.completion_ns),
                secs(run.received_ns),
                run.data_packets,
                run.declared_lost,
                run.vanished,
                run.dropped,
                run.acks,
                run.ack_bytes,
                run.acks_dropped,
                run.srtt_us as f64 / 1e3,
                secs(run.first_loss_ns),
                secs(run.first_declared_ns),
            )?;
        }
    }
    Ok(())
}
