//! What the fuzz targets share: bytes -> a compilation up to Ssa, every pass verified, in a thread with a deep stack.
//!
//! A panic, an invariant that a pass breaks, or no answer in time is a finding; errors of the program are not.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, OnceLock};

use leat_driver::options::{Options, Stage, Verify};
use leat_driver::{Failure, Input, Session};

/// A text, or a file that holds it.
pub enum Job {
    Text(String),
    File(PathBuf),
}

/// To the thread that compiles, and its word that it is done.
type Ends = Mutex<(Sender<Job>, Receiver<()>)>;

/// Compiles it up to Ssa and forgets it. Panics when a pass has broken an invariant.
pub fn compile(job: Job) {
    static ENDS: OnceLock<Ends> = OnceLock::new();
    let ends = ENDS.get_or_init(|| Mutex::new(start())).lock().expect("one input at a time");
    ends.0.send(job).expect("the thread lives");
    ends.1.recv().expect("the thread lives");
}

/// Loads the Basis, before anything makes a name: for targets that read the text themselves.
pub fn ready() {
    compile(Job::Text(String::new()));
}

/// Names are the whole process's, so there is one session, in one thread.
fn start() -> (Sender<Job>, Receiver<()>) {
    let (jobs, next) = channel::<Job>();
    let (done, answers) = channel();
    let work = move || {
        let options = Options { verify: Verify::Each, stop_after: Some(Stage::Ssa), ..Options::default() };
        let mut session = Session::new(options).expect("the Basis");
        for job in next {
            let result = match &job {
                Job::Text(text) => session.compile_alone(Input::Text("input.sml", text.clone())),
                Job::File(path) => session.compile_alone(Input::File(path)),
            };
            // A broken invariant is no error of the program's.
            if let Err(Failure::Errors(text) | Failure::Trouble(text)) = result
                && text.contains("defect of leat")
            {
                panic!("{text}");
            }
            let _ = done.send(());
        }
    };
    std::thread::Builder::new().stack_size(leat_driver::COMPILER_STACK).spawn(work).expect("a thread");
    (jobs, answers)
}

/// A description (`.mlb`, `.cm`) beside sources that it may name.
pub fn compile_description(name: &str, bytes: &[u8]) {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("leat-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a scratch folder");
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
        write("a.sml", "structure A = struct val x = 1 fun f y = x + y end\n");
        write("b.mlb", "$(SML_LIB)/basis/basis.mlb a.sml\n");
        write("c.cm", "Group structure A is $/basis.cm a.sml\n");
        folder
    });
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("written");
    compile(Job::File(Path::to_path_buf(&path)));
}
