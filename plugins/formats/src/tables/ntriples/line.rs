//! A line of N-Triples or N-Quads.

use std::borrow::Cow;

/// The object of a triple.
#[derive(Debug, PartialEq)]
pub enum Object<'a> {
    /// The text of an IRI, or of a blank node with its "_:".
    Entity(Cow<'a, str>),
    Literal,
}

#[derive(Debug, PartialEq)]
pub struct Triple<'a> {
    pub subject: Cow<'a, str>,
    pub predicate: Cow<'a, str>,
    pub object: Object<'a>,
}

type Parsed<T> = Result<T, &'static str>;

/// None: a blank line or a comment.
pub fn parse(line: &str) -> Parsed<Option<Triple<'_>>> {
    let mut rest = blanks(line);
    if rest.is_empty() || rest.starts_with('#') {
        return Ok(None);
    }
    let subject = entity(&mut rest)?.ok_or("expected a subject: an IRI or a blank node")?;
    rest = blanks(rest);
    if !rest.starts_with('<') {
        return Err("expected a predicate: an IRI");
    }
    let predicate = entity(&mut rest)?.ok_or("expected a predicate: an IRI")?;
    rest = blanks(rest);
    let object = match entity(&mut rest)? {
        Some(entity) => Object::Entity(entity),
        None => {
            literal(&mut rest)?;
            Object::Literal
        }
    };
    rest = blanks(rest);
    if entity(&mut rest)?.is_some() {
        rest = blanks(rest); // the graph of N-Quads
    }
    let rest = rest.strip_prefix('.').ok_or("expected '.' at the end")?;
    let rest = blanks(rest);
    if !rest.is_empty() && !rest.starts_with('#') {
        return Err("text follows the '.'");
    }
    Ok(Some(Triple {
        subject,
        predicate,
        object,
    }))
}

fn blanks(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', '\r', '\n'])
}

/// An IRI or a blank node; None: something else begins.
fn entity<'a>(rest: &mut &'a str) -> Parsed<Option<Cow<'a, str>>> {
    if rest.starts_with("<<") {
        return Err("triples in triples are not read");
    }
    if let Some(from) = rest.strip_prefix('<') {
        let end = from.find('>').ok_or("an IRI has no '>'")?;
        *rest = &from[end + 1..];
        return iri(&from[..end]).map(Some);
    }
    let Some(from) = rest.strip_prefix("_:") else {
        return Ok(None);
    };
    let of_label = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '\u{b7}');
    let end = from.find(|c| !of_label(c)).unwrap_or(from.len());
    let label = from[..end].trim_end_matches('.');
    if label.is_empty() || label.starts_with(['-', '.']) {
        return Err("a blank node has no label");
    }
    let whole = &rest[..2 + label.len()];
    *rest = &rest[whole.len()..];
    Ok(Some(Cow::Borrowed(whole)))
}

fn iri(text: &str) -> Parsed<Cow<'_, str>> {
    // The grammar forbids more, such as '"' and '|', which large dumps have.
    let forbidden = |c: char| c <= ' ' || matches!(c, '<' | '>' | '\u{7f}');
    if text.contains(forbidden) {
        return Err("an IRI has a character that it cannot have");
    }
    if text.is_empty() {
        return Err("an IRI is empty");
    }
    if !text.contains('\\') {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let kind = rest.chars().next().ok_or("an escape has no end")?;
        rest = &rest[kind.len_utf8()..];
        let c = code_point(kind, &mut rest)?.ok_or("an escape is not known")?;
        if forbidden(c) {
            return Err("an IRI has a character that it cannot have");
        }
        out.push(c);
    }
    out.push_str(rest);
    Ok(Cow::Owned(out))
}

/// After "\u" or "\U"; None: another escape.
fn code_point(kind: char, rest: &mut &str) -> Parsed<Option<char>> {
    let count = match kind {
        'u' => 4,
        'U' => 8,
        _ => return Ok(None),
    };
    let digits = rest.get(..count).ok_or("an escape is too short")?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err("an escape has a wrong digit");
    }
    let number = u32::from_str_radix(digits, 16).map_err(|_| "an escape has a wrong digit")?;
    *rest = &rest[count..];
    let c = char::from_u32(number).ok_or("an escape is no character")?;
    Ok(Some(c))
}

/// Passes over a literal with its language or type, and checks its escapes.
fn literal(rest: &mut &str) -> Parsed<()> {
    let mut from = rest
        .strip_prefix('"')
        .ok_or("expected an object: an IRI, a blank node or a literal")?;
    loop {
        let at = from.find(['"', '\\']).ok_or("a literal has no end")?;
        let quote = from.as_bytes()[at] == b'"';
        from = &from[at + 1..];
        if quote {
            break;
        }
        let kind = from.chars().next().ok_or("an escape has no end")?;
        from = &from[kind.len_utf8()..];
        if code_point(kind, &mut from)?.is_none() && !"tbnrf\"'\\".contains(kind) {
            return Err("an escape is not known");
        }
    }
    if let Some(after) = from.strip_prefix("^^") {
        from = after;
        if !from.starts_with('<') || entity(&mut from)?.is_none() {
            return Err("the type of a literal is no IRI");
        }
    } else if let Some(after) = from.strip_prefix('@') {
        let of_tag = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let end = after.find(|c| !of_tag(c)).unwrap_or(after.len());
        if !after.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err("the language of a literal is wrong");
        }
        from = &after[end..];
    }
    *rest = from;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entities(line: &str) -> Parsed<[String; 3]> {
        let triple = parse(line)?.ok_or("nothing")?;
        let object = match triple.object {
            Object::Entity(entity) => entity.into_owned(),
            Object::Literal => "\"".to_owned(),
        };
        Ok([
            triple.subject.into_owned(),
            triple.predicate.into_owned(),
            object,
        ])
    }

    #[test]
    fn terms_of_all_kinds() {
        for (line, expected) in [
            ("<a> <b> <c> .", ["a", "b", "c"]),
            ("<a><b><c>.# note", ["a", "b", "c"]),
            (
                "\t<a\\u00e9\\U0001F600> <b> _:x1.y. \r",
                ["aé😀", "b", "_:x1.y"],
            ),
            ("_:é <b> \"t\\\"\\u0041\\\\ < \" .", ["_:é", "b", "\""]),
            ("<a> <b> \"1\"^^<int> <graph> .", ["a", "b", "\""]),
            ("<a> <b> \"1\"@en-GB _:g .", ["a", "b", "\""]),
            ("<a> <b> <c> <g> .", ["a", "b", "c"]),
            ("<a\"{|}^`> <b\\u0022> <c> .", ["a\"{|}^`", "b\"", "c"]),
        ] {
            assert_eq!(entities(line).unwrap(), expected, "{line}");
        }
        assert_eq!(parse("  # note\n").unwrap(), None);
        assert_eq!(parse("\n").unwrap(), None);
    }

    #[test]
    fn faults_are_errors() {
        for line in [
            "<a> <b> <c>",
            "<a> <b> .",
            "<a> _:b <c> .",
            "\"a\" <b> <c> .",
            "<a b> <b> <c> .",
            "<a<b> <b> <c> .",
            "<a\u{1}> <b> <c> .",
            "<a\\n> <b> <c> .",
            "<a\\u0020> <b> <c> .",
            "<a\\ud800> <b> <c> .",
            "<a\\u00e> <b> <c> .",
            "<a> <b> \"\\q\" .",
            "<a> <b> \"x .",
            "<a> <b> \"x\"^^y .",
            "<a> <b> \"x\"@1 .",
            "<a> <b> <c> . <d>",
            "<a> <b> <c> <d> <e> .",
            "<> <b> <c> .",
            "_: <b> <c> .",
            "<<( <a> <b> <c> )>> <b> <c> .",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn cuts_and_flips_do_not_panic() {
        let line = "<aé\\u00e9> <b> \"t\\\"é\\U0001F600 \"^^<i> _:ä.b . # note";
        for (cut, _) in line.char_indices().skip(1) {
            let _ = parse(&line[..cut]);
            let _ = parse(&line[cut..]);
        }
        let mut state = 1_u64;
        for _ in 0..20_000 {
            let mut bytes = line.as_bytes().to_vec();
            for _ in 0..2 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let at = (state >> 33) as usize % bytes.len();
                bytes[at] = (state >> 50) as u8;
            }
            let _ = parse(&String::from_utf8_lossy(&bytes));
        }
    }
}
