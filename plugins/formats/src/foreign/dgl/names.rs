//! Names that GLS can have for the names that DGL's files have.

use std::collections::HashSet;

use crate::foreign::unique::free;
use crate::tables::dgl::book::{ONLY_NODE_TYPE, ONLY_RELATION};

const LONGEST: usize = 255;

/// The names of one kind, each given once.
#[derive(Default)]
pub struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// The name itself where GLS can have it, else one like it with a note.
    pub fn take(&mut self, what: &str, name: &str, notes: &mut Vec<String>) -> String {
        let found = self.once(plain(name));
        if found != name {
            notes.push(format!("{what} \"{name}\" is called \"{found}\"."));
        }
        found
    }

    /// The name, with a number where it is taken.
    fn once(&mut self, name: String) -> String {
        let found = free(name, |name| self.taken.contains(name));
        self.taken.insert(found.clone());
        found
    }

    /// A node type; DGL's name for the only one becomes "node".
    pub fn node_type(&mut self, name: &str, notes: &mut Vec<String>) -> String {
        if name == ONLY_NODE_TYPE && self.taken.insert("node".into()) {
            return "node".into();
        }
        self.take("Node type", name, notes)
    }
}

/// An edge type between node types with these names. DGL's name for the only relation becomes "to".
pub fn edge_type(
    names: &mut Names,
    [source, relation, target]: [&str; 3],
    notes: &mut Vec<String>,
) -> String {
    let plain = match relation {
        ONLY_RELATION => "to".to_owned(),
        other => plain(other),
    };
    if plain != relation && relation != ONLY_RELATION {
        notes.push(format!("Relation \"{relation}\" is called \"{plain}\"."));
    }
    // A number would be a part of the target's name, so it belongs to the relation.
    let named = |relation: &str| format!("{source}__{relation}__{target}");
    let relation = free(plain, |relation| names.taken.contains(&named(relation)));
    let name = named(&relation);
    names.taken.insert(name.clone());
    name
}

/// Without control characters, two underscores in a row, or one at an end.
fn plain(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        let letter = if letter.is_control() { '_' } else { letter };
        if letter == '_' && (out.is_empty() || out.ends_with('_')) {
            continue;
        }
        if out.len() + letter.len_utf8() > LONGEST {
            break;
        }
        out.push(letter);
    }
    let out = out.trim_end_matches('_');
    if out.is_empty() {
        "unnamed".into()
    } else {
        out.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_plain() {
        for (name, expected) in [
            ("feat", "feat"),
            ("a_b", "a_b"),
            ("__a____b__", "a_b"),
            ("_ID", "ID"),
            ("a\nb", "a_b"),
            ("__", "unnamed"),
            ("", "unnamed"),
        ] {
            assert_eq!(plain(name), expected);
        }
        assert_eq!(plain(&"é".repeat(300)).len(), 254);
    }

    #[test]
    fn names_are_given_once() {
        let (mut names, mut notes) = (Names::default(), Vec::new());
        assert_eq!(names.node_type("_N", &mut notes), "node");
        assert_eq!(names.node_type("node", &mut notes), "node-2");
        assert_eq!(names.node_type("_node", &mut notes), "node-3");
        assert_eq!(notes.len(), 2);
        let only = edge_type(&mut names, ["node", "_E", "node"], &mut notes);
        assert_eq!((only.as_str(), notes.len()), ("node__to__node", 2));
        let other = edge_type(&mut names, ["a", "r__s", "b"], &mut notes);
        assert_eq!((other.as_str(), notes.len()), ("a__r_s__b", 3));
    }
}
