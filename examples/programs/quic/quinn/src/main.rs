//! A server and a client of QUIC by quinn, for runs over acklab's paths.
//!
//! `quinn-bytes serve ADDRESS [PACKETS]` answers each stream's eight bytes, a number, with so many bytes. With PACKETS it asks its
//! clients, by the ACK-frequency extension, to send an ACK for every PACKETS packets that elicit one.
//! `quinn-bytes fetch ADDRESS BYTES` asks for so many bytes, and prints how many came and how long that took, handshake included.

use std::error::Error;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{AckFrequencyConfig, ClientConfig, Endpoint, ServerConfig, TransportConfig, VarInt};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

const PROTOCOL: &[u8] = b"acklab-bytes";

/// Accepts any certificate: the network between the two is simulated.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// With the extension (draft-ietf-quic-ack-frequency), if an ACK is wanted for so many packets. Its threshold is one less: the number of
/// packets that the other side may receive without an ACK at once.
fn transport(packets: Option<u32>) -> Arc<TransportConfig> {
    let mut transport = TransportConfig::default();
    if let Some(packets) = packets {
        let mut frequency = AckFrequencyConfig::default();
        frequency.ack_eliciting_threshold(VarInt::from_u32(packets.saturating_sub(1)));
        transport.ack_frequency_config(Some(frequency));
    }
    Arc::new(transport)
}

async fn answer(mut send: quinn::SendStream, mut receive: quinn::RecvStream) -> Outcome {
    let mut asked = [0; 8];
    receive.read_exact(&mut asked).await?;
    let block = [0; 1 << 16];
    let mut left = u64::from_be_bytes(asked);
    while left > 0 {
        let some = left.min(block.len() as u64) as usize;
        send.write_all(&block[..some]).await?;
        left -= some as u64;
    }
    send.finish()?;
    Ok(())
}

async fn serve(address: SocketAddr, packets: Option<u32>) -> Outcome {
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let key = PrivatePkcs8KeyDer::from(own.signing_key.serialize_der());
    let mut crypto =
        rustls::ServerConfig::builder().with_no_client_auth().with_single_cert(vec![own.cert.into()], key.into())?;
    crypto.alpn_protocols = vec![PROTOCOL.to_vec()];
    let mut config = ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(crypto)?));
    config.transport_config(transport(packets));
    let endpoint = Endpoint::server(config, address)?;
    while let Some(incoming) = endpoint.accept().await {
        tokio::spawn(async move {
            let connection = incoming.await?;
            while let Ok((send, receive)) = connection.accept_bi().await {
                tokio::spawn(answer(send, receive));
            }
            Outcome::Ok(())
        });
    }
    Ok(())
}

async fn fetch(address: SocketAddr, bytes: u64) -> Outcome {
    let began = Instant::now();
    let provider = Arc::new(ring::default_provider());
    let mut crypto = rustls::ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anybody(provider)))
        .with_no_client_auth();
    crypto.alpn_protocols = vec![PROTOCOL.to_vec()];
    let own: SocketAddr = if address.is_ipv6() { "[::]:0" } else { "0.0.0.0:0" }.parse()?;
    let endpoint = Endpoint::client(own)?;
    let config = ClientConfig::new(Arc::new(QuicClientConfig::try_from(crypto)?));
    let connection = endpoint.connect_with(config, address, "localhost")?.await?;
    let (mut send, mut receive) = connection.open_bi().await?;
    send.write_all(&bytes.to_be_bytes()).await?;
    send.finish()?;
    let (mut came, mut block) = (0, vec![0; 1 << 16]);
    while let Some(some) = receive.read(&mut block).await? {
        came += some;
    }
    println!("{came} bytes in {:.6} s", began.elapsed().as_secs_f64());
    connection.close(VarInt::from_u32(0), b"");
    // Long enough for CONNECTION_CLOSE to leave. The draining period (RFC 9000 10.2), three PTOs, is no part of the transfer.
    tokio::time::sleep(Duration::from_millis(1)).await;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let _ = ring::default_provider().install_default();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let place = |text: &str| text.to_socket_addrs()?.next().ok_or_else(|| std::io::Error::other("no address"));
    match words[..] {
        ["serve", address] => serve(place(address)?, None).await,
        ["serve", address, packets] => serve(place(address)?, Some(packets.parse()?)).await,
        ["fetch", address, bytes] => fetch(place(address)?, bytes.parse()?).await,
        _ => Err("usage: quinn-bytes serve ADDRESS [PACKETS], or quinn-bytes fetch ADDRESS BYTES".into()),
    }
}
