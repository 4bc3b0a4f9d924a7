//! Runs a scenario file live and prints its summary as JSON: `emulate FILE [SECONDS]`.

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use acklab_live::plan::{Options, Plan};
    use acklab_live::run::{Wishes, run};

    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("which FILE?")?;
    let mut scenario = acklab_scenario::parse_toml(&std::fs::read_to_string(&file)?, &file)?;
    if let Some(seconds) = arguments.next() {
        scenario.stop = acklab_scenario::spec::Stop::At(seconds.parse()?);
    }
    let plan = Plan::new(scenario.into(), &Options::default())?;
    if let Some(outcome) = run(&plan, &Wishes::default(), &mut || true)? {
        println!("{}", outcome.json());
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("a live run needs Linux");
}
