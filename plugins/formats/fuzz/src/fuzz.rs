//! libFuzzer's entry. GLS_FUZZ_TARGET names the target; its golden inputs are written to the folder
//! GLS_FUZZ_SEEDS before libFuzzer reads it.

#![no_main]

use std::env::{temp_dir, var, var_os};
use std::panic::{set_hook, take_hook};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use gls_formats_fuzz::{is_of_decoder, run, seeds, target};

static FOLDER: OnceLock<PathBuf> = OnceLock::new();

fn folder() -> &'static Path {
    FOLDER.get_or_init(|| {
        let folder = temp_dir().join(format!("gls-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder of temporary files");
        folder
    })
}

fn initialize() {
    let abort = take_hook();
    set_hook(Box::new(move |panic| {
        if !is_of_decoder(panic) {
            abort(panic);
        } else if var_os("GLS_FUZZ_SHOW").is_some() {
            eprintln!("a decoder: {panic}");
        }
    }));
    let name = var("GLS_FUZZ_TARGET").expect("GLS_FUZZ_TARGET");
    if let Some(to) = var_os("GLS_FUZZ_SEEDS") {
        for (file, bytes) in seeds(&name) {
            std::fs::write(Path::new(&to).join(file), bytes).expect("a seed");
        }
    }
}

libfuzzer_sys::fuzz_target!(init: initialize(), |input: &[u8]| {
    static NAME: OnceLock<String> = OnceLock::new();
    let name = NAME.get_or_init(|| var("GLS_FUZZ_TARGET").unwrap_or_default());
    run(target(name).expect("a known target"), folder(), input);
});
