//! Rebuilds the crate when the dashboard has been built anew.

fn main() {
    println!("cargo:rerun-if-changed=dashboard/dist");
}
