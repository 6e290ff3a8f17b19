//! Text -> the same program in one style, which is the same when it is formatted again.
#![no_main]

use leat_fmt::{Error, format};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let text = text.to_string();
    let work = move || match format(&text) {
        Ok(once) => assert_eq!(Ok(&once), format(&once).as_ref().map_err(|_| ()), "formatted twice"),
        Err(Error::Defect(why)) => panic!("{why}"),
        Err(Error::Syntax(_)) => {}
    };
    leat_driver::with_deep_stack(work).expect("a thread");
});
