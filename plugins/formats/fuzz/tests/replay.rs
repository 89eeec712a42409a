//! Replays the corpus and the golden inputs, without libFuzzer.

use std::panic::{set_hook, take_hook};
use std::path::Path;
use std::sync::Mutex;

use gls_formats::foreign::recipe_of;
use gls_formats_fuzz::{corpus, is_of_decoder, run, seeds, target, FORMATS, TARGETS};

static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

#[test]
fn no_input_of_the_corpus_makes_a_reader_panic() {
    let print = take_hook();
    set_hook(Box::new(move |panic| {
        if !is_of_decoder(panic) {
            PANICS.lock().unwrap().push(panic.to_string());
            print(panic);
        }
    }));
    for (name, target) in TARGETS {
        let folder = tempfile::tempdir().unwrap();
        let inputs: Vec<_> = [corpus(name), seeds(name)].concat();
        assert!(!inputs.is_empty(), "{name} has no inputs");
        for (file, input) in inputs {
            run(*target, folder.path(), &input);
            let panics = std::mem::take(&mut *PANICS.lock().unwrap());
            assert!(panics.is_empty(), "{name}/{file}: {panics:?}");
        }
    }
}

/// Otherwise fuzzing would begin behind an error.
#[test]
fn golden_datasets_are_read() {
    let dataset = target("dataset").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut failures = Vec::new();
    for (name, input) in seeds("dataset") {
        if let Err(failure) = dataset(folder.path(), &input) {
            failures.push(format!("{name}: {}", failure.message));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn every_format_is_fuzzed() {
    let refused = recipe_of("", Path::new("."), &[]).unwrap_err().message;
    let known = refused.split_once("expected one of ").unwrap().1;
    let known = known.split(';').next().unwrap();
    let inputs = [corpus("dataset"), seeds("dataset")].concat();
    for format in known.split(", ") {
        let place = FORMATS.iter().position(|listed| *listed == format);
        let place = place.unwrap_or_else(|| panic!("{format} is missing in FORMATS"));
        let mut firsts = inputs.iter().filter_map(|(_, input)| input.first());
        assert!(
            firsts.any(|&first| usize::from(first) % FORMATS.len() == place),
            "{format} has no input"
        );
    }
}
