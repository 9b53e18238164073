//! Answers too large to hold: a rule writes them piece by piece while the client reads.

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::web::{Bytes, block};
use futures_util::{StreamExt as _, stream};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use crate::blocking::within_span;
use crate::problem::Problem;

/// So many pieces wait for a slow client; then the writer waits.
const PIECES_AHEAD: usize = 4;
/// Small pieces are gathered until they are worth sending.
const PIECE_BYTES: usize = 32 * 1024;

/// A client that takes nothing for so long has gone, or holds a connection and its snapshot for nothing.
const SLOWEST_READER: Duration = Duration::from_secs(60);

/// Nobody reads any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReaderGone;

/// Where a rule writes its pieces.
pub(crate) struct Writer {
    pieces: mpsc::Sender<Result<Bytes, Problem>>,
    gathered: String,
    runtime: Handle,
    patience: Duration,
}

impl Writer {
    /// Writes for a reader who takes these pieces, and waits so long for it.
    fn to(pieces: mpsc::Sender<Result<Bytes, Problem>>, patience: Duration) -> Self {
        Self { pieces, gathered: String::new(), runtime: Handle::current(), patience }
    }

    /// Hands a piece on; waits while the client is slow.
    pub(crate) fn write(&mut self, piece: &str) -> Result<(), ReaderGone> {
        self.gathered.push_str(piece);
        if self.gathered.len() < PIECE_BYTES { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), ReaderGone> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let piece = Bytes::from(std::mem::take(&mut self.gathered));
        let sent = self.runtime.block_on(self.pieces.send_timeout(Ok(piece), self.patience));
        sent.map_err(|_| ReaderGone)
    }
}

/// Answers with what `produce` writes, as it writes it, on the blocking pool.
///
/// A failure before anything was sent is the caller's problem document; one after that breaks the answer off, so that
/// a client never takes half an answer for a whole one.
pub(crate) async fn answer(
    content_type: &'static str,
    produce: impl FnOnce(&mut Writer) -> Result<(), Problem> + Send + 'static,
) -> Result<HttpResponse, Problem> {
    let (sender, mut receiver) = mpsc::channel(PIECES_AHEAD);
    let mut writer = Writer::to(sender.clone(), SLOWEST_READER);
    let produce = within_span(move || {
        let produced = produce(&mut writer);
        if produced.is_ok() {
            let _ = writer.flush();
        }
        produced
    });
    actix_web::rt::spawn(async move {
        let produced = block(produce);
        let failed = match produced.await {
            Ok(Ok(())) => return,
            Ok(Err(problem)) => problem,
            Err(_panic) => Problem::internal(),
        };
        let _ = sender.send(Err(failed)).await;
    });
    let first = match receiver.recv().await {
        Some(Ok(piece)) => piece,
        Some(Err(problem)) => return Err(problem),
        None => Bytes::new(),
    };
    let rest = stream::unfold(receiver, |mut receiver| async {
        receiver.recv().await.map(|piece| (piece, receiver))
    });
    let pieces = stream::once(std::future::ready(Ok(first))).chain(rest);
    Ok(HttpResponse::Ok().content_type(content_type).streaming(pieces))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_who_takes_nothing_is_taken_for_gone_and_what_it_took_before_is_whole() {
        actix_web::rt::System::new().block_on(async {
            let (sender, mut receiver) = mpsc::channel(1);
            let mut writer = Writer::to(sender, Duration::from_millis(1));
            let piece = "x".repeat(PIECE_BYTES);

            let written = block(move || [writer.write(&piece), writer.write(&piece)]).await.unwrap();

            assert_eq!(written, [Ok(()), Err(ReaderGone)]);
            assert_eq!(receiver.recv().await.unwrap().unwrap().len(), PIECE_BYTES);
        });
    }
}
