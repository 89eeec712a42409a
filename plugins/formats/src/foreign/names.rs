//! Names and roles as GLS has them.

use indexmap::IndexMap;

use crate::arrays::Array;
use crate::failure::Failure;
use crate::recipe::{Column, Role};

/// A recipe has no more of them.
const MOST_NOTES: usize = 1000;
/// GLS's bytes in a name.
const MOST_BYTES: usize = 255;
/// What stands for a name without a letter that GLS can have.
const NAMELESS: &str = "unnamed";

/// A name that GLS can have: without "__", '_' at an end, or control characters. A note tells what
/// was replaced.
pub fn plain(name: &str, notes: &mut Vec<String>) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        let letter = if letter.is_control() { '_' } else { letter };
        let doubled = letter == '_' && (out.is_empty() || out.ends_with('_'));
        if !doubled && out.len() + letter.len_utf8() <= MOST_BYTES {
            out.push(letter);
        }
    }
    let mut out = out.trim_end_matches('_').to_owned();
    if out.is_empty() {
        out = NAMELESS.to_owned();
    }
    if out != name {
        note(notes, format!("{name:?} is called \"{out}\"."));
    }
    out
}

/// "source__relation__target".
pub fn edge_type(parts: [&str; 3], notes: &mut Vec<String>) -> String {
    parts.map(|part| plain(part, notes)).join("__")
}

/// Adds a note once. After many notes, the last one says that more follow.
pub fn note(notes: &mut Vec<String>, words: String) {
    if notes.len() <= MOST_NOTES && !notes.contains(&words) {
        notes.push(if notes.len() == MOST_NOTES {
            "There are more notes.".to_owned()
        } else {
            words
        });
    }
}

/// The column of a node type that says which part owned a node.
pub const PART: &str = "part";

/// Adds this column, where a caller asks for it.
pub fn add_part(columns: &mut IndexMap<String, Column>, column: Column) -> Result<(), Failure> {
    let column = Column {
        role: Role::Other,
        ..column
    };
    match columns.insert(PART.to_owned(), column) {
        None => Ok(()),
        Some(_) => Err(Failure::invalid(format!(
            "choices: parts=true: nodes have a column \"{PART}\" already"
        ))),
    }
}

/// What a column is for, by its name, and by its rows where they are known.
pub fn role_of(name: &str, rows: Option<&Array>) -> Role {
    let one_number = rows.is_none_or(|rows| rows.shape.len() == 1);
    let of_integers = rows.is_some_and(|rows| rows.shape.len() == 1 && rows.dtype.is_integer());
    match role_of_name(name, one_number) {
        Role::Feature if of_integers => Role::Other,
        role => role,
    }
}

/// What a column is for, by the last word of its name. Weights and times are one number a row.
pub fn role_of_name(name: &str, one_number: bool) -> Role {
    let name = name.to_lowercase();
    match name.rsplit(['_', '-', ' ', '.']).next().unwrap_or("") {
        "label" | "labels" | "y" => Role::Label,
        "weight" | "weights" if one_number => Role::Weight,
        "time" | "timestamp" | "timestamps" | "ts" | "year" if one_number => Role::Time,
        "id" | "ids" | "type" | "reltype" | "species" => Role::Other,
        _ => Role::Feature,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_come_once_and_end() {
        let mut notes = Vec::new();
        for i in 0..3000 {
            note(&mut notes, format!("{}", i / 2));
        }
        assert_eq!(notes.len(), MOST_NOTES + 1);
        assert_eq!(
            (&notes[999][..], &notes[1000][..]),
            ("999", "There are more notes.")
        );
    }

    #[test]
    fn names_are_made_plain() {
        let mut notes = Vec::new();
        for (name, expected) in [
            ("paper", "paper"),
            ("a b", "a b"),
            ("_ID", "ID"),
            ("a__b___c_", "a_b_c"),
            ("a\n\tb", "a_b"),
            ("__", NAMELESS),
            ("", NAMELESS),
        ] {
            assert_eq!(plain(name, &mut notes), expected);
        }
        assert_eq!(notes.len(), 5);
        assert!(plain(&"é".repeat(300), &mut notes).len() <= MOST_BYTES);
        let joined = edge_type(["a__b", "to", "c"], &mut notes);
        assert_eq!(joined, "a_b__to__c");
    }
}
