//! Names that are not taken.

/// The name itself if it is free, else with a number from 2 that makes it so. Asks seldom, even if many
/// numbers are taken.
pub fn free(name: String, taken: impl Fn(&str) -> bool) -> String {
    if !taken(&name) {
        return name;
    }
    let numbered = |number: u64| format!("{name}-{number}");
    let (mut low, mut high) = (1, 2);
    while taken(&numbered(high)) {
        low = high;
        high *= 2;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if taken(&numbered(middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    numbered(high)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    #[test]
    fn taken_names_get_a_number() {
        let taken = |name: &str| name == "a" || name == "a-2";
        assert_eq!(super::free("a".into(), taken), "a-3");
        assert_eq!(super::free("b".into(), taken), "b");
    }

    #[test]
    fn many_taken_names_need_few_questions() {
        let asked = Cell::new(0);
        let taken = |name: &str| {
            asked.set(asked.get() + 1);
            let number = name.strip_prefix("a-").map_or(Ok(1), str::parse::<u64>);
            number.is_ok_and(|number| number <= 100_000)
        };
        assert_eq!(super::free("a".into(), taken), "a-100001");
        assert!(asked.get() < 50, "{}", asked.get());
    }
}
