//! A download over QUIC by quinn: `zoo-quinn server PORT`, `zoo-quinn client HOST PORT REQUEST`.
//!
//! The client sends its request (../../common/request.rs) on a stream of its own, and reads the answer to the end.

use std::error::Error;
use std::fs::File;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{ClientConfig, Endpoint, QlogConfig, ServerConfig, TransportConfig};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

#[path = "../../common/anyone.rs"]
mod anyone;
#[path = "../../common/request.rs"]
mod request;

use anyone::Anyone;
use request::Request;

const PROTOCOL: &[u8] = b"acklab-zoo";
type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The library's own; with QLOGDIR all connections leave one log there.
fn transport(side: &str) -> Result<Arc<TransportConfig>> {
    let mut config = TransportConfig::default();
    if let Some(place) = std::env::var_os("QLOGDIR") {
        let file = File::create(std::path::Path::new(&place).join(format!("quinn_{side}.sqlog")))?;
        let mut log = QlogConfig::default();
        log.writer(Box::new(file)).title(Some("quinn".into()));
        config.qlog_stream(log.into_stream());
    }
    Ok(Arc::new(config))
}

async fn server(port: u16) -> Result<()> {
    let made = rcgen::generate_simple_self_signed(["zoo".into()])?;
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let mut tls =
        rustls::ServerConfig::builder().with_no_client_auth().with_single_cert(vec![made.cert.into()], key)?;
    tls.alpn_protocols = vec![PROTOCOL.into()];
    let mut config = ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(tls)?));
    config.transport_config(transport("server")?);
    let endpoint = Endpoint::server(config, SocketAddr::from(([0, 0, 0, 0], port)))?;
    while let Some(incoming) = endpoint.accept().await {
        tokio::spawn(async move {
            let connection = incoming.await?;
            while let Ok((mut send, mut receive)) = connection.accept_bi().await {
                let asked = receive.read_to_end(64).await?;
                let mut asked = Request::read(std::str::from_utf8(&asked)?).ok_or("no such request")?;
                while let size @ 1.. = asked.next() {
                    send.write_all(&vec![0; size]).await?;
                    if !asked.pause.is_zero() {
                        tokio::time::sleep(asked.pause).await;
                    }
                }
                send.finish()?;
            }
            Result::Ok(())
        });
    }
    Ok(())
}

async fn client(host: &str, port: u16, size: &str) -> Result<()> {
    let begin = Instant::now();
    let anyone = Anyone(rustls::crypto::ring::default_provider().signature_verification_algorithms);
    let mut tls = rustls::ClientConfig::builder()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(anyone))
        .with_no_client_auth();
    tls.alpn_protocols = vec![PROTOCOL.into()];
    let mut config = ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls)?));
    config.transport_config(transport("client")?);
    let endpoint = Endpoint::client(SocketAddr::from(([0, 0, 0, 0], 0)))?;
    let connection = endpoint.connect_with(config, SocketAddr::new(host.parse()?, port), "zoo")?.await?;
    let (mut send, mut receive) = connection.open_bi().await?;
    send.write_all(size.as_bytes()).await?;
    send.finish()?;
    let mut got = 0;
    while let Some(piece) = receive.read_chunk(1 << 16, true).await? {
        got += piece.bytes.len();
    }
    println!("{got} bytes in {:.9} s", begin.elapsed().as_secs_f64());
    connection.close(0u32.into(), b"");
    endpoint.wait_idle().await;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    rustls::crypto::ring::default_provider().install_default().map_err(|_| "a provider was installed")?;
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["server", port] => server(port.parse()?).await,
        ["client", host, port, size] => client(host, port.parse()?, size).await,
        _ => Err("usage: zoo-quinn server PORT | client HOST PORT REQUEST".into()),
    }
}
