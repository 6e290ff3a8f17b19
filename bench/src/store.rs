//! The files of a run: JSON lines -> runs; and runs -> files that a full disk, a second run or a Ctrl-C does not ruin.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::record::{Line, Results};

/// All runs of a file. Lines that cannot be read are left out, and named on standard error.
pub fn read(path: &Path) -> Result<Vec<Results>, String> {
    let (runs, trouble) = runs(path)?;
    trouble.iter().for_each(|line| tell!("leat-bench: {line}\n"));
    Ok(runs)
}

/// The runs, and what is to be said of the lines that are left out.
fn runs(path: &Path) -> Result<(Vec<Results>, Vec<String>), String> {
    const HEAD: &str = "{\"run\":";
    let mut bytes = std::fs::read(path).map_err(|e| failed(path, e))?;
    if path.extension().is_some_and(|end| end == "gz") {
        let packed = std::mem::take(&mut bytes);
        flate2::read::MultiGzDecoder::new(&packed[..]).read_to_end(&mut bytes).map_err(|e| failed(path, e))?;
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut runs: Vec<Results> = Vec::new();
    let mut bad = Vec::new();
    // Lines whose run is not known, since its own line cannot be read, belong to no run.
    let mut is_lost = false;
    for (i, text) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line = serde_json::from_str::<Line>(text).ok().or_else(|| {
            bad.push(i + 1);
            is_lost |= text.contains(HEAD);
            // A full disk left half a line, and the next run began behind it.
            serde_json::from_str(&text[text.rfind(HEAD)?..]).ok()
        });
        let Some(line) = line else { continue };
        if matches!(line, Line::Run(_)) {
            runs.push(Results::default());
            is_lost = false;
        }
        match runs.last_mut().filter(|_| !is_lost) {
            Some(run) => run.add(line),
            None => bad.push(i + 1),
        }
    }
    if runs.is_empty() {
        return Err(format!("{}: there is no run in it", path.display()));
    }
    let mut trouble = Vec::new();
    if !text.ends_with('\n') && bad.last() == Some(&text.lines().count()) {
        let line = bad.pop().unwrap_or(0);
        trouble.push(format!("{}:{line}: the last line was cut off, and is left out", path.display()));
    }
    if let [first, ..] = bad[..] {
        let shown: Vec<String> = bad.iter().take(5).map(usize::to_string).collect();
        let (more, numbers) = (if bad.len() > 5 { ", ..." } else { "" }, shown.join(", "));
        trouble.push(match bad.len() {
            1 => format!("{}:{first}: this line cannot be read, and is left out", path.display()),
            n => format!("{}: {n} lines cannot be read, and are left out: {numbers}{more}", path.display()),
        });
    }
    Ok((runs, trouble))
}

/// A folder in which one run at a time writes; free again with this value.
pub struct Lock(#[allow(dead_code)] Option<File>);

/// The lock is on the folder itself, so no file stays behind.
pub fn lock(folder: &Path) -> Result<Lock, String> {
    let file = File::open(folder).map_err(|e| failed(folder, e))?;
    match file.try_lock() {
        Ok(()) => Ok(Lock(Some(file))),
        Err(TryLockError::WouldBlock) => {
            Err(format!("another run writes to {}: wait for it, or name another folder with -o", folder.display()))
        }
        // A file system that knows no locks.
        Err(TryLockError::Error(_)) => Ok(Lock(None)),
    }
}

/// A run's file while it grows line by line, so that what has been measured is kept whatever happens.
///
/// NEW (`run.jsonl.new`, gone with this value) --keep--> KEPT (`run.jsonl`, in the place of the last run's)
pub struct Log {
    path: PathBuf,
    file: File,
    new: Option<PathBuf>,
}

impl Log {
    pub fn begin(path: &Path) -> Result<Log, String> {
        let new = beside(path);
        let file = File::create(new.as_deref().unwrap_or(path)).map_err(|e| failed(path, e))?;
        Ok(Log { path: path.to_path_buf(), file, new })
    }

    pub fn write(&mut self, line: &Line) -> Result<(), String> {
        self.file.write_all(text(std::slice::from_ref(line))?.as_bytes()).map_err(|e| failed(&self.path, e))
    }

    /// Something has been measured: from here it is worth more than the last run's file.
    pub fn keep(&mut self) -> Result<(), String> {
        let Some(new) = self.new.take() else { return Ok(()) };
        std::fs::rename(&new, target(&self.path)).map_err(|e| failed(&self.path, e))
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if let Some(new) = &self.new {
            let _ = std::fs::remove_file(new);
        }
    }
}

/// Writes a whole file in the place of another: all of it or, on a full disk, nothing.
pub fn replace(path: &Path, text: &str) -> Result<(), String> {
    let Some(new) = beside(path) else { return std::fs::write(path, text).map_err(|e| failed(path, e)) };
    let write = |mut file: File| file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    let written = File::create(&new).and_then(write).and_then(|()| std::fs::rename(&new, target(path)));
    if written.is_err() {
        let _ = std::fs::remove_file(&new);
    }
    written.map_err(|e| failed(path, e))
}

/// A run's file anew.
pub fn replace_lines(path: &Path, lines: &[Line]) -> Result<(), String> {
    replace(path, &text(lines)?)
}

/// Appends lines to a file in one go: all of them or, on a full disk, none.
pub fn append(path: &Path, lines: &[Line]) -> Result<(), String> {
    let text = text(lines)?;
    let add = || {
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        let length = file.metadata()?.len();
        let mut last = [b'\n'];
        if length > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        // Behind half a line of an earlier lab.
        let begin = if last == [b'\n'] { "" } else { "\n" };
        let written = file.write_all(format!("{begin}{text}").as_bytes());
        if written.is_err() {
            let _ = file.set_len(length);
        }
        written
    };
    add().map_err(|e| failed(path, e))
}

fn text(lines: &[Line]) -> Result<String, String> {
    let one = |line| serde_json::to_string(line).map(|text| text + "\n").map_err(|e| e.to_string());
    lines.iter().map(one).collect()
}

/// The file itself, where the path is a symbolic link to it.
fn target(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Where a new file is written before it takes the place of the old one. A device (`/dev/stdout`) is written to as it
/// is.
fn beside(path: &Path) -> Option<PathBuf> {
    let is_file = std::fs::metadata(path).is_ok_and(|data| data.is_file());
    (is_file || !path.exists()).then(|| {
        let mut new = target(path).into_os_string();
        new.push(".new");
        new.into()
    })
}

fn failed(path: &Path, error: std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Figure, Run};

    fn figure(row: &str) -> Line {
        Line::Figure(Figure { row: row.into(), x: Some(5.0), samples: vec![1.0, 2.5], ..Figure::default() })
    }

    fn run(commit: &str) -> Line {
        Line::Run(Run { commit: commit.into(), ..Run::default() })
    }

    #[test]
    fn lines_come_back() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("results");
        let mut log = Log::begin(&path).unwrap();
        [run("abc"), figure("A1")].iter().for_each(|line| log.write(line).unwrap());
        log.keep().unwrap();
        // The disk is full in the middle of a line.
        log.file.write_all(b"{\"figure\":{\"row\":\"A2\xc3").unwrap();
        let (runs, trouble) = runs(&path).unwrap();
        assert_eq!((runs.len(), runs[0].run.commit.as_str()), (1, "abc"));
        assert_eq!(runs[0].lines()[1..], [figure("A1")]);
        assert_eq!(trouble, [format!("{}:3: the last line was cut off, and is left out", path.display())]);
    }

    /// A full disk left half a line in the history; the next run appended to it, and no run could be read any more.
    #[test]
    fn half_a_line_costs_a_line() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("history.jsonl");
        append(&path, &[run("one"), figure("A1")]).unwrap();
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{whole}{{\"figure\":{{\"row")).unwrap();
        append(&path, &[run("two"), figure("A2")]).unwrap();
        // As the lab did it before: behind the half line. And a run whose own line was lost.
        let old = text(&[run("three"), figure("A3")]).unwrap();
        let mut all = std::fs::read_to_string(&path).unwrap();
        all += &format!("{{\"failed\":{{{old}{{\"run\":{{\"time\n{}", text(&[figure("A4")]).unwrap());
        std::fs::write(&path, all).unwrap();
        let (runs, trouble) = runs(&path).unwrap();
        let of =
            |run: &Results| (run.run.commit.clone(), run.figures.iter().map(|f| f.row.clone()).collect::<String>());
        let runs: Vec<_> = runs.iter().map(of).collect();
        assert_eq!(runs, [("one", "A1"), ("two", "A2"), ("three", "A3")].map(|(c, r)| (c.to_string(), r.to_string())));
        assert_eq!(trouble, [format!("{}: 4 lines cannot be read, and are left out: 3, 6, 8, 9", path.display())]);
    }

    /// `--join A B -o folder-of-A` emptied A before it found the disk full.
    #[test]
    fn a_file_is_replaced_or_left_alone() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("run.jsonl");
        replace(&path, "one").unwrap();
        // No disk is full here; a folder in the way does as well.
        std::fs::create_dir(folder.path().join("run.jsonl.new")).unwrap();
        assert!(replace(&path, "two").is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one");
        std::fs::remove_dir(folder.path().join("run.jsonl.new")).unwrap();
        replace(&path, "two").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        // A run that comes to nothing.
        drop(Log::begin(&path).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
    }
}
