//! Programs that read files which are not in memory. The runtime's reads do not wait for the disk: such a read gives
//! `EAGAIN`, and the library waits and reads again. Whoever forgets that takes the file for empty, on a machine that
//! was just started or has little memory: so the local time zone was UTC once.
//!
//! A test where files are always in memory (tmpfs) says so and ends.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::Command;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");

/// Each way to read a whole file: its size and the sum of its bytes.
const READER: &str = r#"
fun sum f = foldl (fn (c, n) => n + f c) 0
val text = sum ord o explode
fun bytes v = Word8Vector.foldl (fn (b, n) => n + Word8.toInt b) 0 v
fun both (size, sum) = print (Int.toString size ^ " " ^ Int.toString sum ^ "\n")
fun ofText s = both (size s, text s)
fun ofBytes v = both (Word8Vector.length v, bytes v)

fun whole open' read join name =
  let
    val f = open' name
    fun loop parts = case read f of SOME p => loop (p :: parts) | NONE => join (rev parts)
  in loop [] end
fun unlessEmpty size f s = let val p = f s in if size p = 0 then NONE else SOME p end
val descriptor = fn name => Posix.FileSys.openf (name, Posix.FileSys.O_RDONLY, Posix.FileSys.O.flags [])

fun read ("inputAll", name) = ofText (TextIO.inputAll (TextIO.openIn name))
  | read ("inputLine", name) = ofText (whole TextIO.openIn TextIO.inputLine concat name)
  | read ("input1", name) = ofText (whole TextIO.openIn TextIO.input1 implode name)
  | read ("scan", name) =
      let fun all g s = let fun go (n, s) = case g s of SOME (c, s) => go (n + ord c, s) | NONE => n in SOME (go (0, s), s) end
      in both (0, valOf (TextIO.scanStream all (TextIO.openIn name))) end
  | read ("functional", name) =
      ofText (#1 (TextIO.StreamIO.inputAll (TextIO.getInstream (TextIO.openIn name))))
  | read ("binary", name) = ofBytes (BinIO.inputAll (BinIO.openIn name))
  | read ("inputN", name) =
      ofBytes (whole BinIO.openIn (unlessEmpty Word8Vector.length (fn s => BinIO.inputN (s, 5000))) Word8Vector.concat name)
  | read ("posix", name) =
      ofBytes (whole descriptor (unlessEmpty Word8Vector.length (fn fd => Posix.IO.readVec (fd, 3000))) Word8Vector.concat name)
  | read ("posixArray", name) =
      let
        val a = Word8Array.array (4096, 0w0)
        fun part fd =
          case Posix.IO.readArr (fd, Word8ArraySlice.full a) of
            0 => NONE
          | n => SOME (Word8ArraySlice.vector (Word8ArraySlice.slice (a, 0, SOME n)))
      in ofBytes (whole descriptor part Word8Vector.concat name) end
  | read ("threads", name) =
      let
        val done = Mailbox.mailbox ()
        fun each _ = ignore (CML.spawn (fn () => Mailbox.send (done, TextIO.inputAll (TextIO.openIn name))))
        val () = List.app each [1, 2, 3]
        val [a, b, c] = List.tabulate (3, fn _ => Mailbox.recv done)
      in if a = b andalso b = c then ofText a else print "not alike\n" end
  | read ("zone", _) = print (Date.fmt "%H:%M %Z\n" (Date.fromTimeLocal (Time.fromSeconds 1000000000)))
val [how, name] = CommandLine.arguments ()
val () = read (how, name)
"#;

/// Takes a file out of the memory; false: it stays there. On a busy machine the system refuses at times, while it has
/// the file's pages in hand elsewhere; so `tries` says how long it is asked, in hundredths of a second.
fn chill(path: &Path, tries: usize) -> io::Result<bool> {
    let file = File::options().read(true).write(true).open(path)?;
    for _ in 0..tries {
        file.sync_all()?;
        // SAFETY: plain system calls on a descriptor of ours, with room for a byte.
        let is_cold = unsafe {
            libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED);
            let mut byte = 0u8;
            let part = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
            libc::preadv2(file.as_raw_fd(), &part, 1, 0, libc::RWF_NOWAIT) < 0
        };
        if is_cold {
            return Ok(true);
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    Ok(false)
}

/// A zone file of version 1: one clock, five hours west of Greenwich.
fn zone() -> Vec<u8> {
    let mut bytes = b"TZif".to_vec();
    bytes.resize(20, 0);
    for count in [0u32, 0, 0, 0, 1, 4] {
        bytes.extend(count.to_be_bytes());
    }
    bytes.extend((-5 * 3600i32).to_be_bytes());
    bytes.extend([0, 0]);
    bytes.extend(b"EST\0");
    bytes
}

#[test]
fn files_that_are_not_in_memory() {
    // Beside the programs that are tested: a folder for temporary files may be memory only.
    let beside = Path::new(LEAT).parent().expect("it is in a folder");
    let folder = tempfile::tempdir_in(beside).expect("a folder");
    let (source, program) = (folder.path().join("reader.sml"), folder.path().join("reader"));
    fs::write(&source, READER).expect("the program");
    let built = Command::new(LEAT).arg("build").arg(&source).arg("-o").arg(&program).output().expect("leat runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let (data, clock) = (folder.path().join("data"), folder.path().join("EST"));
    let text: String = (0..40_000).map(|i| format!("{i}\n")).collect();
    fs::write(&data, &text).expect("the data");
    fs::write(&clock, zone()).expect("the zone");
    let sum: u64 = text.bytes().map(u64::from).sum();
    if !chill(&data, 50).expect("it is there") {
        eprintln!("not tested: files stay in memory here");
        return;
    }
    let ways = [
        "inputAll",
        "inputLine",
        "input1",
        "scan",
        "functional",
        "binary",
        "inputN",
        "posix",
        "posixArray",
        "threads",
        "zone",
    ];
    for way in ways {
        for workers in ["--workers=1", "--workers=2"] {
            assert!([&data, &clock].iter().all(|file| chill(file, 6000).expect("it is there")));
            let mut command = Command::new(&program);
            command.args([way]).arg(&data).env("LEAT_RUN", workers).env("TZ", &clock);
            let output = command.output().expect("it runs");
            let expected = match way {
                "zone" => "20:46 EST\n".to_string(),
                "scan" => format!("0 {sum}\n"),
                _ => format!("{} {sum}\n", text.len()),
            };
            let said = String::from_utf8_lossy(&output.stdout);
            assert_eq!(said, expected, "{way} {workers}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
}
