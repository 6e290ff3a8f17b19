//! What a program says of its connections -> rustls' configuration of a client or a server.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::sign::{CertifiedKey, SigningKey};
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

/// The key of a text.
fn signing_key(text: &[u8]) -> Result<Arc<dyn SigningKey>, Problem> {
    // The first is how PKCS #8 says it, the second a line of the older form, behind whose header no plain key is.
    let passwords: [&[u8]; 2] = [b"-----BEGIN ENCRYPTED PRIVATE KEY-----", b"Proc-Type: 4,ENCRYPTED"];
    let key = PrivateKeyDer::from_pem_slice(text).map_err(|error| match error {
        _ if passwords.iter().any(|part| has(text, part)) => {
            Problem::setting("the key has a password: such keys are not read")
        }
        pem::Error::NoItemsFound => Problem::setting("no key in PEM, which begins with `-----BEGIN PRIVATE KEY-----`"),
        error => Problem::setting(format!("broken PEM of the key: {error}")),
    })?;
    ring::sign::any_supported_type(&key).map_err(|error| Problem::setting(why_not(&key, &error)))
}

fn has(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Why a key is not taken, by the numbers of its algorithm and its curve.
fn why_not(key: &PrivateKeyDer<'_>, error: &rustls::Error) -> String {
    const RSA: [u8; 11] = [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1];
    const ECDSA: [u8; 9] = [6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1];
    const P256: [u8; 10] = [6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7];
    const P384: [u8; 7] = [6, 5, 0x2B, 0x81, 4, 0, 0x22];
    const P521: [u8; 7] = [6, 5, 0x2B, 0x81, 4, 0, 0x23];
    let der = key.secret_der();
    if matches!(key, PrivateKeyDer::Pkcs1(_)) || has(der, &RSA) {
        // The size, or what is broken.
        return match ring::sign::RsaSigningKey::new(key).err().unwrap_or(error.clone()).to_string() {
            text if text.ends_with("TooSmall") => "an RSA key of fewer than 2048 bits is not taken".into(),
            text if text.ends_with("TooLarge") => "an RSA key of more than 4096 bits is not taken".into(),
            text => format!("a broken RSA key: {text}"),
        };
    }
    let curve = match key {
        _ if has(der, &P521) => "of P-521",
        _ if has(der, &P256) || has(der, &P384) => return format!("a broken ECDSA key: {error}"),
        PrivateKeyDer::Sec1(_) => "of another curve",
        _ if has(der, &ECDSA) => "of another curve",
        _ => return format!("a key that is not of RSA, ECDSA or Ed25519, or broken: {error}"),
    };
    format!("an ECDSA key {curve} is not taken: P-256 and P-384 are")
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
                let key = signing_key(text)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn said(key: &str) -> String {
        signing_key(key.as_bytes()).map_or_else(|problem| problem.text, |_| "taken".into())
    }

    /// Each of these was said to be "a key that is not of RSA, ECDSA or Ed25519, or broken"; the older form of a key
    /// with a password, to be "broken PEM".
    #[test]
    fn a_key_that_is_not_taken_is_called_by_its_kind() {
        let p521 = "an ECDSA key of P-521 is not taken: P-256 and P-384 are";
        let small = "an RSA key of fewer than 2048 bits is not taken";
        let password = "the key has a password: such keys are not read";
        for (key, text) in [
            (P256, "taken"),
            (P521, p521),
            (P521_SEC1, p521),
            (SECP256K1, "an ECDSA key of another curve is not taken: P-256 and P-384 are"),
            (RSA_1024, small),
            (RSA_1024_PKCS8, small),
            (PASSWORD_OLD, password),
            (PASSWORD_NEW, password),
            ("", "no key in PEM, which begins with `-----BEGIN PRIVATE KEY-----`"),
        ] {
            assert_eq!(said(key), text);
        }
        let kinds = "a key that is not of RSA, ECDSA or Ed25519, or broken: ";
        assert!(said(ED448).starts_with(kinds), "{}", said(ED448));
        let cut = P256.replacen("MHcC", "AAAA", 1);
        assert!(said(&cut).starts_with("a broken ECDSA key: "), "{}", said(&cut));
    }

    const P256: &str = "-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIN/rbrk3BHJfszdbXEiB7fRnLy8i9TnIcfI2VEWd5SUdoAoGCCqGSM49
AwEHoUQDQgAEtT8dju5GeyGhgGXpXag9Jzvh3/ajJDLBR/ZLQzVkDW8N2hxx/IK2
2SJNu8dFrMQ6m/ti6rYmnYEUL/LwW4t5bQ==
-----END EC PRIVATE KEY-----
";
    const P521: &str = "-----BEGIN PRIVATE KEY-----
MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIATzau8oLmvPPGDacB
4DeCx6I9bz2oUf8oKEe0QRBBUkjLOYF5ffx+QFXC0V2i6pOC1Uk+5eWKJa6n60IE
JT3++6ShgYkDgYYABAEgg2L9I7pdXgI+z0wIi8hpamWA/T3YVn9tYuhDEXnU1W16
Iur8kr6mPPbaWMT757VUUACqHie4faJCoVvMLaJOogFUVeEPlUJGJIfIlrZIWCnN
nqqqtaXfViCxaebx9ndAlDkmlvLALQUzWR+mtO06vlGNI3pV1kcNKUdNu6v70sCF
GQ==
-----END PRIVATE KEY-----
";
    const P521_SEC1: &str = "-----BEGIN EC PRIVATE KEY-----
MIHcAgEBBEIATzau8oLmvPPGDacB4DeCx6I9bz2oUf8oKEe0QRBBUkjLOYF5ffx+
QFXC0V2i6pOC1Uk+5eWKJa6n60IEJT3++6SgBwYFK4EEACOhgYkDgYYABAEgg2L9
I7pdXgI+z0wIi8hpamWA/T3YVn9tYuhDEXnU1W16Iur8kr6mPPbaWMT757VUUACq
Hie4faJCoVvMLaJOogFUVeEPlUJGJIfIlrZIWCnNnqqqtaXfViCxaebx9ndAlDkm
lvLALQUzWR+mtO06vlGNI3pV1kcNKUdNu6v70sCFGQ==
-----END EC PRIVATE KEY-----
";
    const SECP256K1: &str = "-----BEGIN PRIVATE KEY-----
MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgWBg/WtjGrIkQ1QFz/Nsz
Z2Ecsm19Xb40EPxFDVUVtNmhRANCAAQUzZEliYlnZhvIabLEdd2cQqyrCiPdQbWl
fLAqMYWTiyP5Lbi78pujdYZtP60aZg14SZXhTjkK8eLiLIbe8L3X
-----END PRIVATE KEY-----
";
    const RSA_1024: &str = "-----BEGIN RSA PRIVATE KEY-----
MIICWwIBAAKBgQChuNHlfAMG3OOSDPUtT94jZd+8IdD9e81BT2R3WUmRXX2YauCg
CwBu7ifIU5Yjvs/qJeP5CJ5zms7JEQtYDkRBHFlCWQ0dw/Fum4zTNZKiRjPPscZs
RNm+k2RWfbhSzabwhZefxRnI+ZP1SzsUiQK6LJKEEh5mMXH73hy8X5yg5wIDAQAB
AoGAZgKJy6J02lBc79RilulpKpTpEueVxz7fUtH8glf80sfRIGJSPEGUTWTGDVPE
Qdnrlju+WGi6YhuFUkkBCdM9839njBVW4QFO4qieqkaqET1qLjGM1SdJOl3R1ikS
Av1YJjbb8/dGvdQtVv0hnf8nKUa7kGp9//LzMc3N1WMaJjkCQQDQC3qoiBzpfJ6z
NTdlnXa+0m+NN9CBhJsM7c4wHltWyVJnglUbw/oLWSagcE32798trHdNnI9BY1H+
q1tTFqRbAkEAxv/fc51VEqlzRijcUD5X88ft2Id1LPJa4BOJO4x0LUh+dduCNvn2
uBxU/XX8A9hOmHEAMJxN8XGM1D4XCL+rZQJAEx6q9CgmOBMa5q9iWvVgv2LJm7ng
cLbGJScJxwRTMqOn7hldRwL4zOgxk5ceoy4iXak3Aav8wm6lT3liGD3BdwJAYme1
f96Vax0QO+mIyMWLiKmdHC4f65INDjGa8y+JY7stjep2gekp7/FStePaM6yLcSaw
CVnB0VttYKczjMf7YQJAXqgdNdo5tRqgTJ306Z+ek+rs7D+vtoEgx6dX1yd/N9+J
F7AvMTLaH7Y6/FKbInyZDA6nTOBVeWl75ZFncu+9Kw==
-----END RSA PRIVATE KEY-----
";
    const RSA_1024_PKCS8: &str = "-----BEGIN PRIVATE KEY-----
MIICdQIBADANBgkqhkiG9w0BAQEFAASCAl8wggJbAgEAAoGBAKG40eV8Awbc45IM
9S1P3iNl37wh0P17zUFPZHdZSZFdfZhq4KALAG7uJ8hTliO+z+ol4/kInnOazskR
C1gOREEcWUJZDR3D8W6bjNM1kqJGM8+xxmxE2b6TZFZ9uFLNpvCFl5/FGcj5k/VL
OxSJAroskoQSHmYxcfveHLxfnKDnAgMBAAECgYBmAonLonTaUFzv1GKW6WkqlOkS
55XHPt9S0fyCV/zSx9EgYlI8QZRNZMYNU8RB2euWO75YaLpiG4VSSQEJ0z3zf2eM
FVbhAU7iqJ6qRqoRPWouMYzVJ0k6XdHWKRIC/VgmNtvz90a91C1W/SGd/ycpRruQ
an3/8vMxzc3VYxomOQJBANALeqiIHOl8nrM1N2Wddr7Sb4030IGEmwztzjAeW1bJ
UmeCVRvD+gtZJqBwTfbv3y2sd02cj0FjUf6rW1MWpFsCQQDG/99znVUSqXNGKNxQ
Plfzx+3Yh3Us8lrgE4k7jHQtSH5124I2+fa4HFT9dfwD2E6YcQAwnE3xcYzUPhcI
v6tlAkATHqr0KCY4Exrmr2Ja9WC/YsmbueBwtsYlJwnHBFMyo6fuGV1HAvjM6DGT
lx6jLiJdqTcBq/zCbqVPeWIYPcF3AkBiZ7V/3pVrHRA76YjIxYuIqZ0cLh/rkg0O
MZrzL4ljuy2N6naB6Snv8VK149ozrItxJrAJWcHRW21gpzOMx/thAkBeqB012jm1
GqBMnfTpn56T6uzsP6+2gSDHp1fXJ38334kXsC8xMtoftjr8UpsifJkMDqdM4FV5
aXvlkWdy770r
-----END PRIVATE KEY-----
";
    const PASSWORD_OLD: &str = "-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-128-CBC,4DF05CD77CFDE7882BFBC924F309E84D

2+V6p3UaDjq20w+j0vZrwnn0jIx7JozPA03Vy2fKm+XlbZ7Hpj1XkTzcMN6hSBa0
vqLNuV+Idyvi8uWKJVn4HK3pCHNDImyieZxqR9QeL73Uw7in2rRgHevB5zLpxLwq
M3ExCENvXhbbm1mbHXOn11Xv8yCn4msG3FgPGIzf4Cw=
-----END EC PRIVATE KEY-----
";
    const PASSWORD_NEW: &str = "-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjScnFL6EZoxwICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEELwIwsaBLTJNXSp7KAD30LsEgZAo
UXZkWb0WOmo3BKaxaq+1QzuqLZu4q3kHc/vihwBXVjPwNOo3z5n8gPFuJ6uIX/qt
HGY0b5DT+Cwa45SS+k+/1++pX/MyOEyGfcOW2Z7SQhFsxcRDIZ/p178pBgM1zA3K
gSbZYKL8CXSYCLivgeHr2u2jlohGTtR5YRjcz90PI0SBbs73l/iZE2f9iAYuWFo=
-----END ENCRYPTED PRIVATE KEY-----
";
    const ED448: &str = "-----BEGIN PRIVATE KEY-----
MEcCAQAwBQYDK2VxBDsEOWqtiC+o9L/CTHIugDbse9x8gaZLS77cq1xyZr+ALYe2
LI62HVDgXU8hQjIiBaqLwY7chE8FI6sfaA==
-----END PRIVATE KEY-----
";
}
