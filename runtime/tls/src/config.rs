//! What a program says of its connections -> rustls' configuration of a client or a server.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, RootCertStore, ServerConfig, SupportedProtocolVersion};

use crate::problem::Problem;
use crate::verify::{Anybody, ByName, Clients, Servers};

/// What is asked for besides certificates and names; `lib/leat/tls.sml` has the same bits.
pub mod wish {
    /// The system's trusted certificates.
    pub const SYSTEM: u64 = 1;
    /// Whoever answers is trusted.
    pub const ANYBODY: u64 = 2;
    pub const ONLY_12: u64 = 4;
    pub const ONLY_13: u64 = 8;
    /// The client is asked for a certificate,
    pub const ASK: u64 = 16;
    /// and must have one.
    pub const REQUIRE: u64 = 32;
}

/// What a piece of a configuration is.
pub mod piece {
    /// PEM: certificates that are trusted.
    pub const ROOTS: u64 = 0;
    /// A protocol's name.
    pub const ALPN: u64 = 1;
    /// PEM: a certificate, and those that have signed it.
    pub const CHAIN: u64 = 2;
    /// PEM: the key of the last one.
    pub const KEY: u64 = 3;
}

/// What was said so far.
#[derive(Default)]
pub struct Settings {
    wishes: u64,
    roots: Vec<CertificateDer<'static>>,
    alpn: Vec<Vec<u8>>,
    chain: Vec<CertificateDer<'static>>,
    keys: Vec<Arc<CertifiedKey>>,
}

/// What connections are made of.
#[derive(Clone)]
pub enum Side {
    Client(Arc<ClientConfig>),
    Server(Arc<ServerConfig>),
}

/// The certificates of a text; text around them is passed over.
fn certificates(text: &[u8], what: &str) -> Result<Vec<CertificateDer<'static>>, Problem> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text).collect();
    match all {
        Ok(all) if all.is_empty() => Err(Problem::setting(format!(
            "no certificate in PEM, which begins with `-----BEGIN CERTIFICATE-----`, in {what}"
        ))),
        Ok(all) => Ok(all),
        Err(error) => Err(Problem::setting(format!("broken PEM in {what}: {error}"))),
    }
}

impl Settings {
    pub fn new(wishes: u64) -> Settings {
        Settings { wishes, ..Settings::default() }
    }

    /// One more of its pieces.
    pub fn add(&mut self, what: u64, text: &[u8]) -> Result<(), Problem> {
        match what {
            piece::ROOTS => self.roots.extend(certificates(text, "the trusted certificates")?),
            piece::ALPN if text.is_empty() || text.len() > 255 => {
                return Err(Problem::setting("the name of a protocol (ALPN) has 1 to 255 bytes"));
            }
            piece::ALPN => self.alpn.push(text.to_vec()),
            piece::CHAIN => self.chain = certificates(text, "the certificate")?,
            piece::KEY => {
                let key = PrivateKeyDer::from_pem_slice(text).map_err(|error| match error {
                    rustls::pki_types::pem::Error::NoItemsFound => Problem::setting(
                        "no key in PEM, which begins with `-----BEGIN PRIVATE KEY-----`; one with a password is not read",
                    ),
                    error => Problem::setting(format!("broken PEM of the key: {error}")),
                })?;
                let key = ring::sign::any_supported_type(&key).map_err(|error| {
                    Problem::setting(format!("a key that is not of RSA, ECDSA or Ed25519, or broken: {error}"))
                })?;
                let whole = CertifiedKey::new(std::mem::take(&mut self.chain), key);
                whole.keys_match().map_err(|_| Problem::setting("the key is not the certificate's"))?;
                self.keys.push(Arc::new(whole));
            }
            _ => return Err(Problem::setting("a piece of no kind")),
        }
        Ok(())
    }

    fn versions(&self) -> Vec<&'static SupportedProtocolVersion> {
        match self.wishes & (wish::ONLY_12 | wish::ONLY_13) {
            wish::ONLY_12 => vec![&TLS12],
            wish::ONLY_13 => vec![&TLS13],
            _ => vec![&TLS13, &TLS12],
        }
    }

    /// The named certificates, and the system's if they are wanted. Of the system's those are left out that are broken.
    fn store(&self) -> Result<RootCertStore, Problem> {
        let mut store = RootCertStore::empty();
        if self.wishes & wish::SYSTEM != 0 {
            let found = rustls_native_certs::load_native_certs();
            store.add_parsable_certificates(found.certs);
            if store.is_empty() && self.roots.is_empty() {
                let why: Vec<String> = found.errors.iter().map(|error| format!(": {error}")).collect();
                return Err(Problem::setting(format!(
                    "this system has no trusted certificates (the package ca-certificates has them; SSL_CERT_FILE says \
                     where they are){}",
                    why.concat()
                )));
            }
        }
        for root in &self.roots {
            let added = store.add(root.clone());
            added.map_err(|error| Problem::setting(format!("a trusted certificate is broken: {error}")))?;
        }
        Ok(store)
    }

    pub fn client(&self) -> Result<Side, Problem> {
        let provider = Arc::new(ring::default_provider());
        let broken = |error: rustls::Error| Problem::setting(error.to_string());
        let builder = ClientConfig::builder_with_provider(provider.clone());
        let builder = builder.with_protocol_versions(&self.versions()).map_err(broken)?.dangerous();
        let builder = if self.wishes & wish::ANYBODY != 0 {
            builder.with_custom_certificate_verifier(Arc::new(Anybody::new(&provider)))
        } else {
            let inner = WebPkiServerVerifier::builder_with_provider(Arc::new(self.store()?), provider).build();
            let inner = inner.map_err(|error| Problem::setting(format!("nobody is trusted: {error}")))?;
            builder.with_custom_certificate_verifier(Arc::new(Servers { inner, named: self.roots.clone() }))
        };
        let mut config = match self.keys.first() {
            Some(key) => builder
                .with_client_cert_resolver(Arc::new(rustls::sign::SingleCertAndKey::from(CertifiedKey::clone(key)))),
            None => builder.with_no_client_auth(),
        };
        config.alpn_protocols = self.alpn.clone();
        Ok(Side::Client(Arc::new(config)))
    }

    pub fn server(&self) -> Result<Side, Problem> {
        let provider = Arc::new(ring::default_provider());
        let broken = |error: rustls::Error| Problem::setting(error.to_string());
        let builder = ServerConfig::builder_with_provider(provider.clone());
        let builder = builder.with_protocol_versions(&self.versions()).map_err(broken)?;
        if self.keys.is_empty() {
            return Err(Problem::setting("a server has a certificate and its key"));
        }
        let builder = if self.wishes & (wish::ASK | wish::REQUIRE) != 0 {
            let mut verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(self.store()?), provider);
            if self.wishes & wish::REQUIRE == 0 {
                verifier = verifier.allow_unauthenticated();
            }
            let inner = verifier.build();
            let inner = inner.map_err(|error| Problem::setting(format!("no client is trusted: {error}")))?;
            builder.with_client_cert_verifier(Arc::new(Clients { inner, named: self.roots.clone() }))
        } else {
            builder.with_no_client_auth()
        };
        let mut config = builder.with_cert_resolver(Arc::new(ByName(self.keys.clone())));
        config.alpn_protocols = self.alpn.clone();
        // Sessions are resumed by tickets, of which the server remembers nothing.
        config.ticketer = ring::Ticketer::new().map_err(broken)?;
        Ok(Side::Server(Arc::new(config)))
    }
}
