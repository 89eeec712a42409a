//! Writes recipes: what a format's reader found, for people to review.

use indexmap::IndexMap;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::model::Recipe;
use super::read::OfFile;
use crate::failure::{Code, Failure};

/// The recipe in YAML. Its notes become comments at the begin.
pub fn write(recipe: &Recipe) -> Result<String, Failure> {
    let body = serde_saphyr::to_string(recipe)
        .map_err(|error| Failure::new(Code::Corrupt, format!("the recipe: {error}")))?;
    let mut out = String::new();
    for note in &recipe.notes {
        for line in note.lines() {
            // Any other character that ends a line would end the comment.
            let line = line.replace(char::is_control, " ");
            out += &format!("# {line}\n");
        }
    }
    Ok(out + &body)
}

/// The name of a file where it says all.
struct Short<'a, T>(&'a T);

impl<T: OfFile + PartialEq + Serialize> Serialize for Short<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0.file() {
            Some(file) if *self.0 == T::of_file(file.to_owned()) => to.serialize_str(file),
            _ => self.0.serialize(to),
        }
    }
}

pub fn short<T, S>(value: &T, to: S) -> Result<S::Ok, S::Error>
where
    T: OfFile + PartialEq + Serialize,
    S: Serializer,
{
    Short(value).serialize(to)
}

pub fn short_or_none<T, S>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error>
where
    T: OfFile + PartialEq + Serialize,
    S: Serializer,
{
    value.as_ref().map(Short).serialize(to)
}

pub fn short_by_name<T, S>(values: &IndexMap<String, T>, to: S) -> Result<S::Ok, S::Error>
where
    T: OfFile + PartialEq + Serialize,
    S: Serializer,
{
    let mut map = to.serialize_map(Some(values.len()))?;
    for (name, value) in values {
        map.serialize_entry(name, &Short(value))?;
    }
    map.end()
}

/// One value without its list.
pub fn short_list<T, S>(values: &[T], to: S) -> Result<S::Ok, S::Error>
where
    T: OfFile + PartialEq + Serialize,
    S: Serializer,
{
    match values {
        [one] => Short(one).serialize(to),
        more => to.collect_seq(more.iter().map(Short)),
    }
}

/// One name without its list.
pub fn one_or_list<S: Serializer>(names: &[String], to: S) -> Result<S::Ok, S::Error> {
    match names {
        [one] => to.serialize_str(one),
        more => to.collect_seq(more),
    }
}
