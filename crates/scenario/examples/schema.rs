//! The JSON Schema of scenario files, for a build that has no extension yet.

fn main() {
    println!("{}", acklab_scenario::schema());
}
