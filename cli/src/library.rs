//! `leat lib`: the library's files that travel inside Leat -> a folder, for tools that want to read them; and its path map.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command};
use leat_base::SourceMap;
use leat_driver::Session;
use leat_driver::say::{show, tell};

use crate::report_plain;

pub fn command() -> Command {
    Command::new("lib")
        .about("Unpacks the library's sources, and prints the path map that names them")
        .after_help(
            "The map is for other tools (`--mlb-path-map=FILE`, MLton's -mlb-path-map, Millet's and smlfmt's settings); gdb finds\n\
             sources by `set substitute-path '$(SML_LIB)' DIR`. Leat itself has no need of it.",
        )
        .arg(
            Arg::new("folder")
                .value_name("DIR")
                .value_parser(clap::value_parser!(PathBuf))
                .help("where to [default: $XDG_DATA_HOME/leat/lib-VERSION]"),
        )
}

pub fn run(matches: &ArgMatches) -> u8 {
    let folder = match matches.get_one::<PathBuf>("folder").cloned().or_else(default_folder) {
        Some(folder) => folder,
        None => return crate::usage("there is no home folder: name a folder"),
    };
    let files = match files() {
        Ok(files) => files,
        Err(failure) => return report_plain(failure),
    };
    for (name, text) in &files {
        let file = folder.join(name);
        let parent = file.parent().unwrap_or(&folder);
        if let Err(error) = fs::create_dir_all(parent).and_then(|()| fs::write(&file, text)) {
            tell(&format!("leat: {}: {error}\n", file.display()));
            return 1;
        }
    }
    let folder = fs::canonicalize(&folder).unwrap_or(folder);
    tell(&format!("{} files in {}\n", files.len(), folder.display()));
    show(&format!("SML_LIB {}\n", folder.display()));
    0
}

fn default_folder() -> Option<PathBuf> {
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let data = data.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".local/share")))?;
    Some(data.join(format!("leat/lib-{}", env!("CARGO_PKG_VERSION"))))
}

/// The order in which the Basis is elaborated, for who compiles it again (`--lib=DIR`).
const LIST: (&str, &str) = ("basis/basis.list", include_str!("../../lib/basis/basis.list"));

/// All files of the library, by their names below `$(SML_LIB)`: what is in the image of the Basis, and the rest.
pub fn files() -> Result<Vec<(String, String)>, leat_driver::Failure> {
    Ok(files_beside(&Session::new(leat_driver::Options::default())?.sources))
}

/// Likewise, where the image is loaded already: these are its sources.
pub fn files_beside(image: &SourceMap) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = image
        .files()
        .filter_map(|(_, file)| Some((file.name.strip_prefix("$(SML_LIB)/")?.to_string(), file.text.to_string())))
        .chain(leat_driver::units::library_files().map(|(name, text)| (name.to_string(), text)))
        .chain([(LIST.0.to_string(), LIST.1.to_string())])
        .collect();
    files.sort();
    files.dedup_by(|a, b| a.0 == b.0);
    files
}
