//! Names that are not taken.

/// The name itself if it is free, else with the first number from 2 that makes it so.
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
    #[test]
    fn taken_names_get_a_number() {
        let taken = |name: &str| name == "a" || name == "a-2";
        assert_eq!(super::free("a".into(), taken), "a-3");
        assert_eq!(super::free("b".into(), taken), "b");
    }
}
