//! The two endpoints of a TCP conversation, without I/O.
pub mod rules;
