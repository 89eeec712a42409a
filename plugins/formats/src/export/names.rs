//! Names of files for names of types, columns and sets.

use std::collections::HashSet;

use crate::foreign::unique::free;

/// Of a file's name without its ending.
const LONGEST: usize = 200;

/// Gives each name once. Names without letters that paths or patterns know stay as they are.
#[derive(Default)]
pub struct FileNames(HashSet<String>);

impl FileNames {
    pub fn take(&mut self, name: &str) -> String {
        let mut out = String::new();
        for (at, letter) in name.chars().enumerate() {
            let special = "/\\%*?[]:=,\"'<>|".contains(letter) || letter.is_control();
            let hidden = at == 0 && ".~-#".contains(letter);
            let mut bytes = [0; 4];
            let coded: String = if special || hidden {
                let bytes = letter.encode_utf8(&mut bytes).bytes();
                bytes.map(|byte| format!("%{byte:02x}")).collect()
            } else {
                letter.into()
            };
            if out.len() + coded.len() > LONGEST {
                break;
            }
            out += &coded;
        }
        let out = free(out, |name| self.0.contains(&name.to_lowercase()));
        self.0.insert(out.to_lowercase());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_short_and_different() {
        let mut names = FileNames::default();
        for (name, expected) in [
            ("paper", "paper"),
            ("Paper", "Paper-2"),
            ("a b", "a b"),
            ("..", "%2e."),
            ("../a", "%2e.%2fa"),
            ("[x]*", "%5bx%5d%2a"),
        ] {
            assert_eq!(names.take(name), expected);
        }
        let long = "é".repeat(300);
        let (first, second) = (names.take(&long), names.take(&long));
        assert!(first.len() <= LONGEST && second == format!("{first}-2"));
    }
}
