//! Recipes, and folders with the datasets of other systems.

use std::fs;
use std::path::{Path, PathBuf};

use gls_formats::failure::Failure;
use gls_formats::recipe as recipes;

use crate::sink::Sink;
use crate::{import, put, seeds};

/// A dataset's first byte is a place in this list. New formats come last, so the corpus keeps its meaning.
pub const FORMATS: &[&str] = &[
    "dgl",
    "gigl",
    "glt",
    "graphbolt",
    "igb",
    "ldbc",
    "mag240m",
    "mtx",
    "neo4j",
    "ntriples",
    "ogb",
    "pyg",
    "relbench",
    "snap",
    "tfgnn",
    "tgl",
    "tgb",
];

/// A dataset's second byte is a place in this list.
pub const CHOICES: &[&[&str]] = &[
    &[],
    &["undirected=true"],
    &["split=time"],
    &["split=0"],
    &["size=tiny"],
    &["size=large"],
    &["task=node_classification"],
    &["task=link_prediction"],
    &["graph=0"],
    &["graph=example"],
    &["delimiter=tab"],
    &["fill=0"],
    &["columns=source,target,weight"],
    &["file=data.pt"],
    &["label=year", "weight=weight"],
    &["root=gs://bucket/job"],
    &["parts=true"],
    &["preprocessed=true"],
    &["dataset=tgbl-wiki"],
    &["labels=false"],
];

const MOST_FILES: usize = 64;
const MOST_LEVELS: usize = 8;
const MOST_IN_NAME: usize = 100;

/// A file of a dataset; its name has slashes between folders.
pub type Entry = (String, Vec<u8>);

/// A dataset as an input: the format, the choice, and 0 for the folder or 1 for its first file. Then for
/// each file the size of its name in a byte, that of its contents in two, the name and the contents.
pub fn pack(format: &str, choice: usize, whole: bool, files: &[Entry]) -> Vec<u8> {
    let place = FORMATS.iter().position(|known| *known == format);
    let mut out = vec![
        place.expect("a known format") as u8,
        choice as u8,
        u8::from(!whole),
    ];
    for (name, bytes) in files {
        out.push(name.len() as u8);
        out.extend((bytes.len() as u16).to_le_bytes());
        out.extend(name.as_bytes());
        out.extend(bytes);
    }
    out
}

/// Takes up to `size` bytes.
fn take<'a>(input: &mut &'a [u8], size: usize) -> &'a [u8] {
    let (taken, rest) = input.split_at(size.min(input.len()));
    *input = rest;
    taken
}

/// A relative path that stays within its folder; None: the name has no words.
fn path_of(name: &[u8]) -> Option<PathBuf> {
    let name = String::from_utf8_lossy(name).replace('\0', "");
    let words = name
        .split('/')
        .filter(|word| !matches!(*word, "" | "." | ".."));
    let path: PathBuf = words
        .take(MOST_LEVELS)
        .filter(|word| word.len() <= MOST_IN_NAME)
        .collect();
    (!path.as_os_str().is_empty()).then_some(path)
}

/// A dataset that [`pack`] describes.
pub fn read(folder: &Path, input: &[u8]) -> Result<(), Failure> {
    let mut rest = input;
    let &[format, choice, is_file] = take(&mut rest, 3) else {
        return Ok(());
    };
    let format = FORMATS[usize::from(format) % FORMATS.len()];
    let choices = CHOICES[usize::from(choice) % CHOICES.len()];
    let inner = folder.join("d");
    let mut path = inner.clone();
    let mut files = 0;
    while let (&[name, low, high], true) = (take(&mut rest, 3), files < MOST_FILES) {
        let name = take(&mut rest, name.into());
        let bytes = take(&mut rest, u16::from_le_bytes([low, high]).into());
        let Some(name) = path_of(name) else { continue };
        let at = inner.join(name);
        // A name may be that of a folder; then there is one file less.
        let parent = at.parent().unwrap_or(&inner);
        if fs::create_dir_all(parent)
            .and_then(|()| fs::write(&at, bytes))
            .is_ok()
        {
            if is_file % 2 == 1 && files == 0 {
                path = at;
            }
            files += 1;
        }
    }
    let done = import(format, &path, choices);
    let _ = fs::remove_dir_all(&inner);
    done
}

/// A recipe, in a folder with the files of [`seeds::FILES`]. Written and read again, it is the same.
pub fn recipe(folder: &Path, input: &[u8]) -> Result<(), Failure> {
    let text = String::from_utf8_lossy(input);
    let recipe = recipes::read(&text)?;
    let written = recipes::write(&recipe)?;
    let again = recipes::read(&written).expect("a recipe that was written");
    assert_eq!(recipes::write(&again)?, written);
    // Paths to other folders lead to files of the system.
    if text.contains("..") || text.contains(": /") || text.contains("\"/") {
        return Ok(());
    }
    seeds::put_files(folder)?;
    recipes::run(&recipe, folder, 1, &mut Sink)
}

/// A graph schema of TF-GNN.
pub fn text_proto(folder: &Path, input: &[u8]) -> Result<(), Failure> {
    let path = folder.join(put(folder, "graph_schema.pbtxt", input)?);
    import("tfgnn", &path, &[])
}
