//! What is wrong: an error of rustls -> a kind that a program can look at, and a sentence for who reads it.

use std::fmt::Debug;

use rustls::pki_types::{ServerName, UnixTime};
use rustls::{CertificateError, Error};

use crate::verify;

/// What a program may want to tell apart; the library has the same numbers (`lib/leat/tls.sml`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ProblemKind {
    Other = 0,
    UnknownIssuer = 1,
    SelfSigned = 2,
    WrongName = 3,
    Expired = 4,
    NotYetValid = 5,
    BadCertificate = 6,
    NoCertificate = 7,
    NotTls = 8,
    Incompatible = 9,
    Refused = 10,
    Truncated = 11,
    Setting = 12,
    /// It was closed here.
    Closed = 13,
}

#[derive(Clone, Debug)]
pub struct Problem {
    pub kind: ProblemKind,
    pub text: String,
}

impl Problem {
    pub fn new(kind: ProblemKind, text: impl Into<String>) -> Problem {
        Problem { kind, text: text.into() }
    }

    /// Something that the program has said is wrong.
    pub fn setting(text: impl Into<String>) -> Problem {
        Problem::new(ProblemKind::Setting, text)
    }

    /// What has ended a connection. `is_first`: nothing that was TLS had come.
    pub fn of(error: &Error, is_first: bool) -> Problem {
        let problem = |kind, text: String| Problem { kind, text };
        match error {
            Error::InvalidCertificate(error) => certificate(error),
            Error::NoCertificatesPresented => {
                problem(ProblemKind::NoCertificate, "the other side has shown no certificate".into())
            }
            Error::InvalidMessage(_) if is_first => {
                problem(ProblemKind::NotTls, "the other side does not speak TLS".into())
            }
            Error::InvalidMessage(what) => {
                problem(ProblemKind::Other, format!("the other side has sent a broken message: {}", words(what)))
            }
            Error::PeerIncompatible(why) => {
                problem(ProblemKind::Incompatible, format!("the two sides have nothing in common: {}", words(why)))
            }
            Error::NoApplicationProtocol => problem(
                ProblemKind::Incompatible,
                "the two sides have nothing in common: none of the offered protocols (ALPN)".into(),
            ),
            Error::AlertReceived(alert) => {
                problem(ProblemKind::Refused, format!("the other side has refused: {}", words(alert)))
            }
            Error::PeerMisbehaved(why) => {
                problem(ProblemKind::Other, format!("the other side does not keep to the rules: {}", words(why)))
            }
            Error::DecryptError => {
                problem(ProblemKind::Other, "what has come was changed on its way: it cannot be decrypted".into())
            }
            error => problem(ProblemKind::Other, error.to_string()),
        }
    }
}

fn certificate(error: &CertificateError) -> Problem {
    let problem = |kind, text: String| Problem { kind, text: format!("the other side's certificate {text}") };
    let self_signed =
        || problem(ProblemKind::SelfSigned, "is signed by itself, and is not among the trusted ones".into());
    match error {
        CertificateError::UnknownIssuer if verify::was_self_signed() => self_signed(),
        CertificateError::Other(other) if verify::is_ca(other) && verify::was_self_signed() => self_signed(),
        CertificateError::UnknownIssuer => {
            problem(ProblemKind::UnknownIssuer, "is signed by nobody who is trusted here".into())
        }
        CertificateError::Expired => problem(ProblemKind::Expired, "has expired".into()),
        CertificateError::ExpiredContext { not_after, .. } => {
            problem(ProblemKind::Expired, format!("has expired: it was valid until {}", date(*not_after)))
        }
        CertificateError::NotValidYet => problem(ProblemKind::NotYetValid, "is not valid yet".into()),
        CertificateError::NotValidYetContext { not_before, .. } => {
            problem(ProblemKind::NotYetValid, format!("is not valid yet: it will be from {}", date(*not_before)))
        }
        CertificateError::NotValidForName => problem(ProblemKind::WrongName, "is for another name".into()),
        CertificateError::NotValidForNameContext { expected, presented } => {
            let wanted = match expected {
                ServerName::DnsName(name) => name.as_ref().to_string(),
                ServerName::IpAddress(address) => std::net::IpAddr::from(*address).to_string(),
                other => format!("{other:?}"),
            };
            let names = match presented.len() {
                0 => "for no name".to_string(),
                _ => format!("for {}", presented.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ")),
            };
            problem(ProblemKind::WrongName, format!("is {names}, not for {wanted}"))
        }
        CertificateError::Other(other) if verify::is_ca(other) => {
            problem(ProblemKind::BadCertificate, "is one for signing others, and none of a server or client".into())
        }
        CertificateError::UnsupportedSignatureAlgorithmContext { .. }
        | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => problem(
            ProblemKind::BadCertificate,
            "is signed in a way that is not known here, such as ECDSA with P-521, or SHA-1".into(),
        ),
        CertificateError::Revoked => problem(ProblemKind::BadCertificate, "was revoked".into()),
        error => problem(ProblemKind::BadCertificate, format!("is not accepted: {error}")),
    }
}

/// `DnsName("a.example")`, `IpAddress(127.0.0.1)`, as webpki shows names -> `a.example`, `127.0.0.1`
fn shown(name: &str) -> &str {
    let inside = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or(name);
    inside.trim_matches('"')
}

/// `NoCipherSuitesInCommon` -> `no cipher suites in common`, `UnknownCA` -> `unknown CA`
fn words(name: &impl Debug) -> String {
    let name: Vec<char> = format!("{name:?}").chars().collect();
    let is_upper = |i: Option<usize>| i.and_then(|i| name.get(i)).is_some_and(char::is_ascii_uppercase);
    let mut text = String::new();
    for (i, c) in name.iter().enumerate() {
        if is_upper(Some(i)) && i > 0 && !name[i - 1].is_ascii_uppercase() {
            text.push(' ');
        }
        let is_short = is_upper(i.checked_sub(1)) || is_upper(Some(i + 1));
        text.push(if is_short { *c } else { c.to_ascii_lowercase() });
    }
    text
}

/// The date of a time, by Howard Hinnant's `civil_from_days`.
fn date(time: UnixTime) -> String {
    let days = (time.as_secs() / 86400) as i64 + 719468;
    let (era, of_era) = (days.div_euclid(146097), days.rem_euclid(146097));
    let year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rustls::{AlertDescription, PeerIncompatible};

    use super::*;

    #[test]
    fn names_become_words() {
        assert_eq!(words(&PeerIncompatible::NoCipherSuitesInCommon), "no cipher suites in common");
        assert_eq!(words(&AlertDescription::UnknownCA), "unknown CA");
        assert_eq!(words(&AlertDescription::CertificateExpired), "certificate expired");
        assert_eq!(words(&PeerIncompatible::Tls12NotOfferedOrEnabled), "tls12 not offered or enabled");
    }

    #[test]
    fn names_are_shown_without_their_kind() {
        assert_eq!(shown("DnsName(\"*.a.example\")"), "*.a.example");
        assert_eq!(shown("IpAddress(::1)"), "::1");
        assert_eq!(shown("a.example"), "a.example");
    }

    #[test]
    fn a_date_is_that_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (1_767_225_599, "2025-12-31"),
            (4_102_444_800, "2100-01-01"),
        ] {
            assert_eq!(date(UnixTime::since_unix_epoch(Duration::from_secs(seconds))), text);
        }
    }
}
