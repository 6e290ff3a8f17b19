//! Whose process is at the other end of a connection of this machine.
//!
//! A port of 127.0.0.1 is open to every user of the machine. The system's table of connections says whose each end is.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};

/// Where the system tells of its connections; those over IPv4 of a socket for IPv6 are in the second one.
const TABLES: [&str; 2] = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];

/// Is the other end this user's? The error says why not.
pub fn is_own(stream: &TcpStream) -> Result<(), String> {
    let address = |address: std::io::Result<SocketAddr>| address.map_err(|error| error.to_string());
    // Its own end is that of which ours is the other one.
    let (own, other) = (address(stream.peer_addr())?, address(stream.local_addr())?);
    let mut found = None;
    for table in TABLES {
        match std::fs::read_to_string(table) {
            Ok(text) => found = found.or_else(|| owner(&text, own, other)),
            // There may be no IPv6.
            Err(_) if table != TABLES[0] => {}
            Err(error) => return Err(format!("{table}: {error}")),
        }
    }
    match found {
        // Root may do anything anyway.
        Some(user) if user == 0 || user == rustix::process::geteuid().as_raw() => Ok(()),
        Some(user) => Err(format!("it is of the user {user}")),
        None => Err("it is of nobody who is known".to_string()),
    }
}

/// Whose the connection from `own` to `other` is. One that its process has closed is nobody's: the table has it for
/// root, without a number of a file.
fn owner(table: &str, own: SocketAddr, other: SocketAddr) -> Option<u32> {
    // sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
    table.lines().skip(1).find_map(|line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [_, from, to, _, _, _, _, user, _, file, ..] = words[..] else { return None };
        let is_it = address(from)? == own && address(to)? == other && file != "0";
        if is_it { user.parse().ok() } else { None }
    })
}

/// `0100007F:1F90`: words of the address as the machine has them in memory, and the port.
fn address(text: &str) -> Option<SocketAddr> {
    let (host, port) = text.split_once(':')?;
    let word = |at: usize| u32::from_str_radix(host.get(at..at + 8)?, 16).ok().map(u32::to_ne_bytes);
    let host = match host.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?)),
        32 => {
            let mut bytes = [0; 16];
            for (i, part) in bytes.chunks_exact_mut(4).enumerate() {
                part.copy_from_slice(&word(8 * i)?);
            }
            Ipv6Addr::from(bytes).to_canonical()
        }
        _ => return None,
    };
    Some(SocketAddr::new(host, u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    const TABLE: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1267 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 41 1 0 100 0 0 10 0
   1: 0100007F:1267 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 42 1 0 20 4 30 10 -1
   2: 0100007F:9C40 0100007F:1267 01 00000000:00000000 00:00000000 00000000  1001        0 43 1 0 20 4 30 10 -1
   3: 0100007F:9C41 0100007F:1267 05 00000000:00000000 00:00000000 00000000     0        0 0 1 0 20 4 30 10 -1
   4: 0000000000000000FFFF00000100007F:9C42 0000000000000000FFFF00000100007F:1267 01 00000000:00000000 00:00000000 00000000  1002        0 44 1 0
";

    /// Any user of the machine could connect, and start programs as this one.
    #[test]
    #[cfg(target_endian = "little")]
    fn each_end_has_its_owner() {
        let at = |port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let owners = [40000, 40001, 40002, 40003].map(|port| owner(TABLE, at(port), at(4711)));
        assert_eq!(owners, [Some(1001), None, Some(1002), None]);
        assert_eq!(owner(TABLE, at(4711), at(40000)), Some(1000));
    }

    #[test]
    fn ones_own_connection_is_known() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, _) = listener.accept().unwrap();
        assert_eq!(is_own(&server), Ok(()));
        assert_eq!(is_own(&client), Ok(()));
    }
}
