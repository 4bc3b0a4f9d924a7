//! A program's own server.

use std::fmt::Debug;
use std::ops::{Deref, DerefMut};

use acklab_packet::Rate;

use super::Server;

/// A server that a link begins with.
#[derive(Debug)]
pub struct OwnServer {
    /// The one number of a link's row, by which buffers written as times are counted, too.
    rate: Rate,
    server: Box<dyn CloneServer>,
}

/// A copy in a `Box`; every server that is `Clone` has it.
pub trait CloneServer: Server + Debug + Send + Sync {
    /// The copy.
    fn clone_server(&self) -> Box<dyn CloneServer>;
}

impl<S: Server + Clone + Debug + Send + Sync + 'static> CloneServer for S {
    fn clone_server(&self) -> Box<dyn CloneServer> {
        Box::new(self.clone())
    }
}

impl OwnServer {
    /// `server`, of that rate in links' rows and for buffers that are times.
    pub fn new(rate: Rate, server: impl CloneServer + 'static) -> OwnServer {
        OwnServer { rate, server: Box::new(server) }
    }

    /// The rate given.
    pub fn rate(&self) -> Rate {
        self.rate
    }
}

impl Deref for OwnServer {
    type Target = dyn CloneServer;
    fn deref(&self) -> &Self::Target {
        &*self.server
    }
}

impl DerefMut for OwnServer {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.server
    }
}

impl Clone for OwnServer {
    fn clone(&self) -> Self {
        OwnServer { rate: self.rate, server: self.server.clone_server() }
    }
}

impl PartialEq for OwnServer {
    /// Servers whose `Debug` output is the same are equal.
    fn eq(&self, other: &Self) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}
