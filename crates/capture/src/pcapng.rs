//! Numbers of the pcapng format (draft-ietf-opsawg-pcapng).

/// Section header block.
pub const SECTION: u32 = 0x0a0d_0d0a;
/// Interface description block.
pub const INTERFACE: u32 = 1;
/// Enhanced packet block.
pub const PACKET: u32 = 6;
/// Packet block of the format's first draft.
pub const OLD_PACKET: u32 = 2;
/// Simple packet block.
pub const SIMPLE_PACKET: u32 = 3;
/// Byte-order magic of a section.
pub const BYTE_ORDER: u32 = 0x1a2b_3c4d;

/// Option codes: for any block, a section, an interface, a packet, statistics.
#[allow(missing_docs)]
pub mod option {
    pub const COMMENT: u16 = 1;
    pub const SECTION_APPLICATION: u16 = 4;
    pub const INTERFACE_NAME: u16 = 2;
    pub const INTERFACE_DESCRIPTION: u16 = 3;
    pub const INTERFACE_ADDRESS: u16 = 4;
    pub const INTERFACE_SPEED: u16 = 8;
    pub const INTERFACE_RESOLUTION: u16 = 9;
    pub const INTERFACE_OFFSET: u16 = 14;
    pub const PACKET_FLAGS: u16 = 2;
    pub const STATISTICS_START: u16 = 2;
    pub const STATISTICS_END: u16 = 3;
    pub const STATISTICS_RECEIVED: u16 = 4;
}
