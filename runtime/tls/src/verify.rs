//! Whom to trust: certificates that webpki accepts, and those that the program has named themselves.
//!
//! Differences from `WebPkiServerVerifier`: a certificate that stands among the roots is trusted for its own names too,
//! though it may sign others (`openssl req -x509` makes such ones; webpki wants a second one that it has signed); and
//! it is noted whether a certificate that nobody has signed is signed by itself.

use std::cell::Cell;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{ClientHello, ParsedCertificate, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{CertificateError, DigitallySignedStruct, DistinguishedName, Error, OtherError, SignatureScheme};
use webpki::EndEntityCert;

thread_local! {
    /// Of the last certificate that this OS thread has refused. The machine asks at once, on the same one.
    static SELF_SIGNED: Cell<bool> = const { Cell::new(false) };
}

pub fn was_self_signed() -> bool {
    SELF_SIGNED.get()
}

fn note(certificate: &CertificateDer<'_>) {
    SELF_SIGNED.set(EndEntityCert::try_from(certificate).is_ok_and(|cert| cert.issuer() == cert.subject()));
}

/// The certificate is one for signing others.
pub fn is_ca(error: &OtherError) -> bool {
    matches!(error.0.downcast_ref::<webpki::Error>(), Some(webpki::Error::CaUsedAsEndEntity))
}

/// What webpki says of a certificate, where those that were named are accepted themselves. It has looked at the dates
/// before it says that a certificate is one for signing.
fn accepted<T>(
    answer: Result<T, Error>,
    certificate: &CertificateDer<'_>,
    named: &[CertificateDer<'static>],
    otherwise: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    match answer {
        Err(Error::InvalidCertificate(CertificateError::Other(other)))
            if is_ca(&other) && named.contains(certificate) =>
        {
            otherwise()
        }
        Err(error) => {
            note(certificate);
            Err(error)
        }
        answer => answer,
    }
}

/// Signatures of the handshake: what the verifier says that this one has inside. Both traits want the same three
/// functions.
macro_rules! signatures_by_inner {
    () => {
        fn verify_tls12_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signature: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            self.inner.verify_tls12_signature(message, certificate, signature)
        }

        fn verify_tls13_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signature: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            self.inner.verify_tls13_signature(message, certificate, signature)
        }

        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            self.inner.supported_verify_schemes()
        }
    };
}

/// Certificates of servers.
#[derive(Debug)]
pub struct Servers {
    pub inner: Arc<WebPkiServerVerifier>,
    /// Certificates that the program has named.
    pub named: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Servers {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        staple: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let answer = self.inner.verify_server_cert(certificate, others, name, staple, now);
        accepted(answer, certificate, &self.named, || {
            verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
            Ok(ServerCertVerified::assertion())
        })
    }

    signatures_by_inner!();
}

/// Certificates of clients.
#[derive(Debug)]
pub struct Clients {
    pub inner: Arc<dyn ClientCertVerifier>,
    /// Certificates that the program has named.
    pub named: Vec<CertificateDer<'static>>,
}

impl ClientCertVerifier for Clients {
    fn offer_client_auth(&self) -> bool {
        self.inner.offer_client_auth()
    }

    fn client_auth_mandatory(&self) -> bool {
        self.inner.client_auth_mandatory()
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.inner.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        certificate: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        let answer = self.inner.verify_client_cert(certificate, others, now);
        accepted(answer, certificate, &self.named, || Ok(ClientCertVerified::assertion()))
    }

    signatures_by_inner!();
}

/// Trusts everybody. That the other side has the certificate's key is checked all the same.
#[derive(Debug)]
pub struct Anybody(pub WebPkiSupportedAlgorithms);

impl Anybody {
    pub fn new(provider: &CryptoProvider) -> Anybody {
        Anybody(provider.signature_verification_algorithms)
    }
}

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _certificate: &CertificateDer<'_>,
        _others: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _staple: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.0)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.0)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}

/// The certificates of a server: the one for the name that the client asks for, else the first.
#[derive(Debug)]
pub struct ByName(pub Vec<Arc<CertifiedKey>>);

impl ResolvesServerCert for ByName {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let name = hello.server_name().and_then(|name| ServerName::try_from(name).ok());
        let is_for = |key: &&Arc<CertifiedKey>| {
            let certificate = key.cert.first().and_then(|cert| EndEntityCert::try_from(cert).ok());
            match (&name, certificate) {
                (Some(name), Some(cert)) => cert.verify_is_valid_for_subject_name(name).is_ok(),
                _ => false,
            }
        };
        match &self.0[..] {
            [only] => Some(only.clone()),
            all => all.iter().find(is_for).or(all.first()).cloned(),
        }
    }
}
