//! Paths to tensors: keys of dicts, places in lists and names of attributes, with dots between them.

use super::Loaded;
use crate::arrays::pickle::{Class, Id, Value};
use crate::failure::Failure;
use crate::recipe::did_you_mean;

/// How deep a search without a path goes, and how many values it looks at.
const MOST_LEVELS: usize = 6;
const MOST_SEEN: usize = 10_000;
/// Names that an error shows.
const MOST_SHOWN: usize = 40;

impl Loaded {
    /// The names and values within a value. Dicts: keys of text and integers, and tuples of text with
    /// "__" between their words. Data of torch_geometric: its attributes or types.
    pub fn children(&self, id: Id) -> Vec<(String, Id)> {
        self.first_children(id, usize::MAX)
    }

    fn first_children(&self, id: Id, most: usize) -> Vec<(String, Id)> {
        let tree = self.tree();
        match tree.get(id) {
            Value::Tuple(items) | Value::List(items) => items
                .iter()
                .take(most)
                .enumerate()
                .map(|(place, &item)| (place.to_string(), item))
                .collect(),
            Value::Dict(entries) => entries
                .iter()
                .take(most)
                .filter_map(|&(key, value)| Some((self.key(key)?, value)))
                .collect(),
            Value::Object {
                class,
                state: Some(state),
                ..
            } => {
                let within = |name| tree.entry(*state, name);
                let parts: Vec<Id> = match class {
                    Class::Data => within("_store").into_iter().collect(),
                    Class::HeteroData => ["_node_store_dict", "_edge_store_dict", "_global_store"]
                        .into_iter()
                        .filter_map(within)
                        .collect(),
                    Class::Store => within("_mapping").into_iter().collect(),
                    _ => Vec::new(),
                };
                if parts.is_empty() {
                    return self.entries_of(*state, most);
                }
                parts
                    .into_iter()
                    .flat_map(|part| self.of_part(part, most))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// The entries of a dict, or of a store's dict.
    fn of_part(&self, id: Id, most: usize) -> Vec<(String, Id)> {
        match self.tree().get(id) {
            Value::Object {
                class: Class::Store,
                state: Some(state),
                ..
            } => match self.tree().entry(*state, "_mapping") {
                Some(mapping) => self.entries_of(mapping, most),
                None => Vec::new(),
            },
            _ => self.entries_of(id, most),
        }
    }

    fn entries_of(&self, id: Id, most: usize) -> Vec<(String, Id)> {
        match self.tree().get(id) {
            Value::Dict(_) => self.first_children(id, most),
            _ => Vec::new(),
        }
    }

    fn key(&self, id: Id) -> Option<String> {
        let tree = self.tree();
        if let Some(text) = tree.text(id) {
            return Some(text.to_owned());
        }
        if let Some(number) = tree.int(id) {
            return Some(number.to_string());
        }
        let Value::Tuple(words) = tree.get(id) else {
            return None;
        };
        if words.is_empty() || words.len() > 8 {
            return None;
        }
        let words: Option<Vec<&str>> = words.iter().map(|&word| tree.text(word)).collect();
        Some(words?.join("__"))
    }

    /// The value at a path.
    pub fn find(&self, path: &str) -> Result<Id, Failure> {
        let mut at = self.tree().root();
        let mut rest = path;
        while !rest.is_empty() {
            let children = self.children(at);
            // Names may have dots themselves. The longest counts.
            let found = children
                .iter()
                .filter_map(|(name, id)| {
                    let after = rest.strip_prefix(name.as_str())?;
                    let after = after.strip_prefix('.').or(after.is_empty().then_some(""))?;
                    (!name.is_empty()).then_some((after, *id))
                })
                .min_by_key(|(after, _)| after.len());
            let Some((after, id)) = found else {
                let names: Vec<&str> = children.iter().map(|(name, _)| name.as_str()).collect();
                let shown = names.len().min(MOST_SHOWN);
                return Err(Failure::invalid(format!(
                    "{}: there is no \"{rest}\" in {}{}",
                    self.path().display(),
                    names[..shown].join(", "),
                    did_you_mean(rest, names.iter().copied().take(MOST_SHOWN))
                )));
            };
            (at, rest) = (id, after);
        }
        Ok(at)
    }

    /// The only tensor.
    pub fn sole(&self) -> Result<Id, Failure> {
        let root = self.tree().root();
        if self.tensor(root)?.is_some() {
            return Ok(root);
        }
        let found = self.tensors();
        match found.as_slice() {
            [(_, only)] => Ok(*only),
            _ => {
                let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
                let shown = names.len().min(MOST_SHOWN);
                Err(Failure::invalid(format!(
                    "{}: name one of its arrays by `array`: {}",
                    self.path().display(),
                    names[..shown].join(", ")
                )))
            }
        }
    }

    /// The paths of the first tensors.
    fn tensors(&self) -> Vec<(String, Id)> {
        let mut found = Vec::new();
        let mut level = vec![(String::new(), self.tree().root())];
        let mut seen = 0;
        for _ in 0..MOST_LEVELS {
            let mut next = Vec::new();
            for (path, id) in level {
                if seen >= MOST_SEEN {
                    return found;
                }
                for (name, child) in self.first_children(id, MOST_SEEN - seen) {
                    seen += 1;
                    let full = if path.is_empty() {
                        name
                    } else {
                        format!("{path}.{name}")
                    };
                    if matches!(self.tensor(child), Ok(Some(_))) {
                        found.push((full, child));
                    } else {
                        next.push((full, child));
                    }
                }
            }
            level = next;
        }
        found
    }
}
