//! A download over QUIC by s2n-quic: `zoo-s2n-quic server PORT`, `zoo-s2n-quic client HOST PORT REQUEST`.
//!
//! The client sends its request (../../common/request.rs) on a stream of its own, and reads the answer to the end.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use s2n_quic::client::Connect;
use s2n_quic::provider::tls::rustls as tls;
use s2n_quic::{Client, Server};

#[path = "../../common/anyone.rs"]
mod anyone;
#[path = "../../common/request.rs"]
mod request;

use anyone::Anyone;
use request::Request;

const PROTOCOL: &[u8] = b"acklab-zoo";
type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

async fn server(port: u16) -> Result<()> {
    let made = rcgen::generate_simple_self_signed(["zoo".into()])?;
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let mut config =
        rustls::ServerConfig::builder().with_no_client_auth().with_single_cert(vec![made.cert.into()], key)?;
    config.alpn_protocols = vec![PROTOCOL.into()];
    #[allow(deprecated)]
    let security = tls::Server::from(config);
    let mut server = Server::builder().with_tls(security)?.with_io(SocketAddr::from(([0, 0, 0, 0], port)))?.start()?;
    while let Some(mut connection) = server.accept().await {
        tokio::spawn(async move {
            while let Some(mut stream) = connection.accept_bidirectional_stream().await? {
                let mut text = Vec::new();
                while let Some(piece) = stream.receive().await? {
                    text.extend_from_slice(&piece);
                }
                let mut asked = Request::read(std::str::from_utf8(&text)?).ok_or("no such request")?;
                while let size @ 1.. = asked.next() {
                    stream.send(vec![0; size].into()).await?;
                    if !asked.pause.is_zero() {
                        tokio::time::sleep(asked.pause).await;
                    }
                }
                stream.finish()?;
            }
            Result::Ok(())
        });
    }
    Ok(())
}

async fn client(host: &str, port: u16, asked: String) -> Result<()> {
    let begin = Instant::now();
    let anyone = Anyone(rustls::crypto::aws_lc_rs::default_provider().signature_verification_algorithms);
    let mut config = rustls::ClientConfig::builder()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(anyone))
        .with_no_client_auth();
    config.alpn_protocols = vec![PROTOCOL.into()];
    #[allow(deprecated)]
    let security = tls::Client::from(config);
    let client = Client::builder().with_tls(security)?.with_io(SocketAddr::from(([0, 0, 0, 0], 0)))?.start()?;
    let connect = Connect::new(SocketAddr::new(host.parse()?, port)).with_server_name("zoo");
    let mut connection = client.connect(connect).await?;
    let mut stream = connection.open_bidirectional_stream().await?;
    stream.send(asked.into_bytes().into()).await?;
    stream.finish()?;
    let mut got = 0;
    while let Some(piece) = stream.receive().await? {
        got += piece.len();
    }
    println!("{got} bytes in {:.9} s", begin.elapsed().as_secs_f64());
    connection.close(0u32.into());
    let mut client = client;
    client.wait_idle().await?;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    rustls::crypto::aws_lc_rs::default_provider().install_default().map_err(|_| "a provider was installed")?;
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["server", port] => server(port.parse()?).await,
        ["client", host, port, asked] => client(host, port.parse()?, asked.into()).await,
        _ => Err("usage: zoo-s2n-quic server PORT | client HOST PORT REQUEST".into()),
    }
}
