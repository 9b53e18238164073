//! The binary `touchstone`.

use std::process::ExitCode;

fn main() -> ExitCode {
    touchstone_cli::run()
}
