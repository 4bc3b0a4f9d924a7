//! Values of the policy `quic` for six QUIC stacks in use. `docs/oracle/zoo-simulated.md` compares them with runs of the stacks.
//!
//! The versions are those of `tools/zoo`. The values leave this out:
//! - quic-go doubles its windows where they are used up within four round trips, and then updates them less often.
//! - aioquic doubles its windows, too: two updates in 2 MB.
//! - tokio's timer is from 25 to 27 ms. It is 26 ms for a packet that comes alone.
//! - An application that reads slowly updates later.
//! - Packets of the handshake are not simulated.

use acklab_packet::Time;

use super::{AckPolicyKind, MarkAnswer, Preset, Variants, named};

/// Each stack by its name.
pub(super) fn all() -> Vec<Preset<AckPolicyKind>> {
    let quic = || named::<AckPolicyKind>("quic");
    let each = || quic().with("marks", MarkAnswer::Each);
    let ms = |ms: f64| Time::from_secs(ms / 1000.0);
    let preset = |name, about, value| Preset { name, about, value };
    vec![
        preset(
            "quic-go",
            "As quic-go 0.65.0: two packets (`appDataReceivedPacketTracker.shouldQueueACK`, internal/ackhandler/received_packet_tracker.go); \
             an update for a quarter of 512 and of 768 KiB (`hasWindowUpdate`, flow_controller_base.go).",
            each().with("stream_update", 131_072).with("connection_update", 196_608),
        ),
        preset(
            "x-net",
            "As golang.org/x/net/quic 0.62.0: two packets up to number 100, then ten (`mustAckImmediately`, `receive`, acks.go); an update for \
             an eighth of 1 MiB (`shouldUpdateFlowControl`, stream.go).",
            each()
                .with("first", 100)
                .with("max_ack_delay", ms(24.0))
                .with("stream_update", 131_072)
                .with("connection_update", 131_072)
                .with("updates_apart", true),
        ),
        preset(
            "quinn",
            "As quinn 0.11.12: two packets (`PendingAcks::packet_received`, quinn-proto 0.11.19, connection/spaces.rs); an update for an \
             eighth of 1.25 MB (`max_stream_data`, connection/streams/recv.rs); timers by tokio.",
            each().with("max_ack_delay", ms(26.0)).with("stream_update", 156_250),
        ),
        preset(
            "s2n-quic",
            "As s2n-quic 1.91.0: ten packets (`AckManager::on_processed_packet`, s2n-quic-transport 0.91.0, ack/ack_manager.rs); an update for \
             a tenth of 3.75 MB (`ReceiveStreamFlowController`, stream/receive_stream.rs); timers by tokio.",
            each().with("segments", 10).with("max_ack_delay", ms(26.0)).with("stream_update", 375_000),
        ),
        preset(
            "quiche",
            "As quiche 0.30.0 behind an application that asks for packets after each that it reads, as its examples do (`send_single`, \
             `ack_elicited`, lib.rs): each packet.",
            each().with("segments", 1),
        ),
        preset(
            "aioquic",
            "As aioquic 1.7.2: whatever comes within a millisecond (`_ack_delay`, quic/connection.py), by asyncio, which waits for whole \
             milliseconds; neither order nor marks count.",
            quic()
                .with("segments", 1_000_000)
                .with("max_ack_delay", ms(1.0))
                .with("tick", ms(1.0))
                .with("reordering", 0)
                .with("marks", MarkAnswer::Never),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Patch, Rule};

    #[test]
    fn a_name_stands_for_its_values_and_others_may_be_given_beside_it() {
        let read = |text: &str| {
            let patch: Patch<AckPolicyKind> = serde_json::from_str(text).unwrap();
            let mut policy = named::<AckPolicyKind>("delayed");
            policy.take(&patch).unwrap();
            policy
        };
        assert_eq!(read("\"s2n-quic\""), read(r#"{"policy": "s2n-quic"}"#));
        let shorter = read(r#"{"policy": "s2n-quic", "max_ack_delay": "5ms"}"#);
        assert_eq!(shorter, read("\"s2n-quic\"").with("max_ack_delay", Time::from_secs(0.005)));
        assert_eq!((shorter.name(), &shorter.table()["segments"]), ("quic", &10.into()));
        assert!(serde_json::from_str::<Patch<AckPolicyKind>>(r#"{"policy": "quinn", "beta": 4.0}"#).is_err());
    }
}
