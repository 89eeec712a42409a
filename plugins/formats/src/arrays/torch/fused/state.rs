//! The state of GraphBolt's graph in a pickle.

use super::MOST_TYPES;
use crate::arrays::dgl::Named;
use crate::arrays::pickle::{Class, Id, Value};
use crate::arrays::torch::Loaded;
use crate::arrays::Array;
use crate::failure::Failure;

/// The dicts of the object of C++.
pub struct State<'a> {
    loaded: &'a Loaded,
    dicts: Id,
}

impl<'a> State<'a> {
    pub fn of(loaded: &'a Loaded) -> Result<Self, Failure> {
        let tree = loaded.tree();
        let wrong = || Failure::of_file(loaded.path(), "it is no graph of GraphBolt");
        let (class, _, state) = tree.object(tree.root()).ok_or_else(wrong)?;
        let inner = state.and_then(|state| tree.entry(state, "_c_csc_graph"));
        let script = inner.and_then(|inner| tree.object(inner));
        let (Class::FusedGraph, Some((Class::Script, _, Some(state)))) = (class, script) else {
            return Err(wrong());
        };
        match tree.items(state) {
            Some(&[dicts, _]) if tree.entries(dicts).is_some() => Ok(State { loaded, dicts }),
            _ => Err(wrong()),
        }
    }

    pub fn wrong(&self, what: impl std::fmt::Display) -> Failure {
        Failure::of_file(self.loaded.path(), what)
    }

    /// The entries of one of the dicts, by name.
    fn entries(&self, dict: &str) -> Result<Vec<(String, Id)>, Failure> {
        let tree = self.loaded.tree();
        let Some(place) = tree.entry(self.dicts, dict) else {
            return Ok(Vec::new());
        };
        let entries = tree.entries(place).unwrap_or(&[]);
        if entries.len() > MOST_TYPES {
            return Err(self.wrong(format!("\"{dict}\" has {} entries", entries.len())));
        }
        let mut out: Vec<(String, Id)> = Vec::with_capacity(entries.len());
        for &(key, value) in entries {
            let Some(name) = tree.text(key) else {
                return Err(self.wrong(format!("\"{dict}\" has a key that is no text")));
            };
            out.push((name.to_owned(), value));
        }
        Ok(out)
    }

    pub fn needed(&self, dict: &str, name: &str) -> Result<Id, Failure> {
        let found = self.entries(dict)?.into_iter().find(|(key, _)| key == name);
        found
            .map(|(_, value)| value)
            .ok_or_else(|| self.wrong(format!("\"{dict}\" has no \"{name}\"")))
    }

    fn array(&self, name: &str, value: Id) -> Result<Array, Failure> {
        match self.loaded.tensor(value)? {
            Some(tensor) => self.loaded.array(&tensor),
            None => Err(self.wrong(format!("\"{name}\" is no tensor"))),
        }
    }

    /// A tensor of one number, or a number.
    pub fn number(&self, value: Id) -> Result<i64, Failure> {
        if let Value::Int(number) = self.loaded.tree().get(value) {
            return Ok(*number);
        }
        let array = self.array("a number", value)?;
        match array.count() {
            1 => Ok(array.to_i64s()?[0]),
            _ => Err(self.wrong("a number is a tensor of several")),
        }
    }

    /// Flat integers without gaps.
    pub fn integers(&self, dict: &str, name: &str) -> Result<Option<Array>, Failure> {
        let entries = self.entries(dict)?;
        let Some((_, value)) = entries.iter().find(|(key, _)| key == name) else {
            return Ok(None);
        };
        let array = self.array(name, *value)?.into_aligned()?;
        if array.shape.len() != 1 || !array.dtype.is_integer() {
            let what = format!("\"{name}\" is {} {:?}", array.dtype, array.shape);
            return Err(self.wrong(what));
        }
        Ok(Some(array))
    }

    pub fn arrays(&self, dict: &str) -> Result<Named, Failure> {
        let entries = self.entries(dict)?.into_iter();
        entries
            .map(|(name, value)| {
                let array = self.array(&name, value)?;
                Ok((name, array))
            })
            .collect()
    }

    /// Names of types in the order of their numbers.
    pub fn types(&self, dict: &str, only: &str) -> Result<Vec<String>, Failure> {
        let entries = self.entries(dict)?;
        if entries.is_empty() {
            return Ok(vec![only.to_owned()]);
        }
        let mut names = vec![None; entries.len()];
        for (name, value) in entries {
            let place = usize::try_from(self.number(value)?).ok();
            match place.and_then(|place| names.get_mut(place)) {
                Some(free @ None) => *free = Some(name),
                _ => return Err(self.wrong(format!("\"{dict}\": the number of \"{name}\""))),
            }
        }
        Ok(names.into_iter().flatten().collect())
    }
}
