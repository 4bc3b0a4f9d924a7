//! Request-grant uplinks: departures worked out by hand from the cited descriptions, and what holds for any of them.

mod any;
mod cable;
mod cellular;
mod driver;
mod fibre;
