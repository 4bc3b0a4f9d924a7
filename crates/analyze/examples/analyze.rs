//! Analyses captures: `analyze FILE.pcap[ng] …`; prints each direction as a line of JSON.
//!
//! What `acklab analyze --json FILE` does, without Python; also for measuring its speed.
use std::error::Error;
use std::fs::File;
use std::io::BufReader;

use acklab_analyze::Analysis;
use acklab_capture::Reader;

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args().skip(1) {
        let mut analysis = Analysis::default();
        analysis.read(&mut Reader::new(BufReader::with_capacity(1 << 18, File::open(&path)?))?, |_| true)?;
        for row in analysis.connections() {
            println!("{}", serde_json::to_string(&row)?);
        }
    }
    Ok(())
}
