//! Names of other systems as GLS can have them.

const MOST_BYTES: usize = 255;

/// A name of a type as GLS can have it: "__", a '_' at an end and control characters are not allowed.
pub fn type_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        let c = if c.is_control() { '_' } else { c };
        if (c != '_' || !out.ends_with('_')) && out.len() + c.len_utf8() <= MOST_BYTES {
            out.push(c);
        }
    }
    let plain = out.trim_matches('_');
    if plain.is_empty() {
        "unnamed".to_owned()
    } else {
        plain.to_owned()
    }
}

/// As [`type_name`], with a note where the name is another. `what` is for example "the node set".
pub fn noted(what: &str, name: &str, notes: &mut Vec<String>) -> String {
    let plain = type_name(name);
    if plain != name {
        notes.push(format!("{what} \"{name}\" is called \"{plain}\"."));
    }
    plain
}

/// A name that `taken` does not hold: the name itself, else with a number.
pub fn free(name: String, taken: impl Fn(&str) -> bool) -> String {
    let mut out = name.clone();
    let mut number = 2_u64;
    while taken(&out) {
        out = format!("{name}-{number}");
        number += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_gls_cannot_have() {
        for (given, expected) in [
            ("paper", "paper"),
            ("_paper__of_", "paper_of"),
            ("a\n\nb", "a_b"),
            ("___", "unnamed"),
            ("", "unnamed"),
            ("é_é", "é_é"),
        ] {
            assert_eq!(type_name(given), expected);
        }
        assert!(type_name(&"é".repeat(500)).len() <= MOST_BYTES);
        let mut notes = Vec::new();
        assert_eq!(noted("the node set", "_a", &mut notes), "a");
        assert_eq!(noted("the node set", "a", &mut notes), "a");
        assert_eq!(notes, ["the node set \"_a\" is called \"a\"."]);
        assert_eq!(free("a".into(), |name| name == "a" || name == "a-2"), "a-3");
    }
}
