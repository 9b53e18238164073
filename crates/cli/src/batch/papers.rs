//! What the binary prints about itself.

use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::arguments::Arguments;

/// Prints the OpenAPI document.
#[expect(clippy::unnecessary_wraps, reason = "every command answers alike")]
pub(crate) fn openapi() -> anyhow::Result<ExitCode> {
    println!("{}", web::openapi::text());
    Ok(ExitCode::SUCCESS)
}

/// Prints completions for a shell.
#[expect(clippy::unnecessary_wraps, reason = "every command answers alike")]
pub(crate) fn completions(shell: clap_complete::Shell) -> anyhow::Result<ExitCode> {
    clap_complete::generate(shell, &mut Arguments::command(), "touchstone", &mut std::io::stdout());
    Ok(ExitCode::SUCCESS)
}
