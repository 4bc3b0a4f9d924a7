//! What a client asks of a server: `BYTES`, or `BYTES/PIECE/MS`, which is written in pieces with a pause after each.

use std::time::Duration;

pub struct Request {
    pub left: usize,
    pub piece: usize,
    pub pause: Duration,
}

impl Request {
    pub fn read(text: &str) -> Option<Request> {
        let numbers = text.split('/').map(|word| word.parse().ok()).collect::<Option<Vec<usize>>>()?;
        match numbers[..] {
            [left] => Some(Request { left, piece: 1 << 16, pause: Duration::ZERO }),
            [left, piece, pause] => Some(Request { left, piece, pause: Duration::from_millis(pause as u64) }),
            _ => None,
        }
    }

    /// How much to write next; 0 at the end.
    pub fn next(&mut self) -> usize {
        let size = self.left.min(self.piece);
        self.left -= size;
        size
    }
}
