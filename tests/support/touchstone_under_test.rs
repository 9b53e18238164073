//! The binary `touchstone`, with its abort points armed.

use std::process::ExitCode;

fn main() -> ExitCode {
    touchstone_cli::run()
}
