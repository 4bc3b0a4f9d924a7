//! Slow starts that end before the path overflows. Each stands before another control.

mod hystart;
mod hystart_plus_plus;

pub use hystart::HyStart;
pub use hystart_plus_plus::HyStartPlusPlus;
