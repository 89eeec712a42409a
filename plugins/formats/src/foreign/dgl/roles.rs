//! What data of nodes and edges become, by their names, types and shapes.

use super::names::Names;
use crate::arrays::DType;
use crate::recipe::Role;
use crate::tables::dgl::SHARED_ID;

/// The column of ids from before a graph was cut out or partitioned.
pub const ORIGINAL_ID: &str = "orig_id";
const LABELS: [&str; 3] = ["label", "labels", "y"];
const WEIGHTS: [&str; 4] = ["weight", "weights", "edge_weight", "edge_weights"];
const TIMES: [&str; 3] = ["time", "timestamp", "timestamps"];
const MASKS: [(&str, &str); 4] = [
    ("train_mask", "train"),
    ("val_mask", "valid"),
    ("valid_mask", "valid"),
    ("test_mask", "test"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    Nodes,
    Edges,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Use {
    Column(String, Role),
    /// A mask of nodes, which becomes this id set.
    Set(&'static str),
}

/// Decides for one array after the other of a type.
pub struct Roles {
    of: Of,
    names: Names,
    sets: Vec<&'static str>,
}

impl Roles {
    pub fn new(of: Of) -> Self {
        Roles {
            of,
            names: Names::default(),
            sets: Vec::new(),
        }
    }

    pub fn of(&mut self, name: &str, dtype: DType, shape: &[i64], notes: &mut Vec<String>) -> Use {
        let whole = dtype.is_integer() || dtype == DType::Bool;
        let flat = shape.len() == 1;
        let mask = MASKS.iter().find(|mask| mask.0 == name);
        if let (Of::Nodes, Some(&(_, set)), true) = (self.of, mask, flat && whole) {
            if !self.sets.contains(&set) {
                self.sets.push(set);
                return Use::Set(set);
            }
        }
        if name == SHARED_ID {
            let name = self.names.take("Column", ORIGINAL_ID, notes);
            notes.push(format!(
                "Column \"{SHARED_ID}\" (ids in another graph) is called \"{name}\"."
            ));
            return Use::Column(name, Role::Other);
        }
        let role = if LABELS.contains(&name) {
            Role::Label
        } else if self.of == Of::Edges && flat && !whole && WEIGHTS.contains(&name) {
            Role::Weight
        } else if flat && dtype == DType::I64 && TIMES.contains(&name) {
            Role::Time
        } else if flat && whole {
            Role::Other
        } else {
            Role::Feature
        };
        self.column(name, role, notes)
    }

    pub fn column(&mut self, name: &str, role: Role, notes: &mut Vec<String>) -> Use {
        Use::Column(self.names.take("Column", name, notes), role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_follow_names_types_and_shapes() {
        let (mut nodes, mut edges) = (Roles::new(Of::Nodes), Roles::new(Of::Edges));
        let mut notes = Vec::new();
        let mut of = |of: &mut Roles, name: &str, dtype, shape: &[i64]| match of
            .of(name, dtype, shape, &mut notes)
        {
            Use::Column(name, role) => (name, Some(role)),
            Use::Set(name) => (name.to_owned(), None),
        };
        for (name, dtype, shape, expected, role) in [
            ("feat", DType::F32, vec![3, 4], "feat", Some(Role::Feature)),
            ("x", DType::I64, vec![3, 1], "x", Some(Role::Feature)),
            ("label", DType::I64, vec![3], "label", Some(Role::Label)),
            ("year", DType::I32, vec![3], "year", Some(Role::Other)),
            ("weight", DType::F32, vec![3], "weight", Some(Role::Feature)),
            ("train_mask", DType::U8, vec![3], "train", None),
            ("val_mask", DType::Bool, vec![3], "valid", None),
            (
                "valid_mask",
                DType::Bool,
                vec![3],
                "valid_mask",
                Some(Role::Other),
            ),
            (
                "test_mask",
                DType::U8,
                vec![3, 2],
                "test_mask",
                Some(Role::Feature),
            ),
            ("_ID", DType::I64, vec![3], "orig_id", Some(Role::Other)),
        ] {
            let found = of(&mut nodes, name, dtype, &shape);
            assert_eq!(found, (expected.to_owned(), role));
        }
        for (name, dtype, role) in [
            ("weight", DType::F32, Role::Weight),
            ("weights", DType::I64, Role::Other),
            ("timestamp", DType::I64, Role::Time),
            ("time", DType::F32, Role::Feature),
            ("train_mask", DType::U8, Role::Other),
        ] {
            let found = of(&mut edges, name, dtype, &[3]);
            assert_eq!(found, (name.to_owned(), Some(role)));
        }
    }
}
