//! The headers of files for neo4j-admin import.

/// What a field is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Id(String),
    Start(String),
    End(String),
    Label,
    Type,
    Ignored,
    /// A property of this type.
    Property(String),
}

/// A field of a header: `name:ID(Space)`, `:TYPE`, `age:int`, `name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub kind: Kind,
}

impl Field {
    pub fn read(text: &str) -> Self {
        let (name, rest) = text.split_once(':').unwrap_or((text, "string"));
        // Options in braces, such as {id-type: long}, say nothing that is needed here.
        let rest = rest.split('{').next().unwrap_or("").trim();
        let (word, space) = match rest.split_once('(') {
            Some((word, space)) => (word, space.trim_end_matches(')')),
            None => (rest, ""),
        };
        let space = space.trim().to_owned();
        let kind = match word.trim().to_uppercase().as_str() {
            "ID" => Kind::Id(space),
            "START_ID" => Kind::Start(space),
            "END_ID" => Kind::End(space),
            "LABEL" => Kind::Label,
            "TYPE" => Kind::Type,
            "IGNORE" => Kind::Ignored,
            _ => Kind::Property(word.trim().to_lowercase()),
        };
        Field {
            name: name.trim().to_owned(),
            kind,
        }
    }
}

/// The fields of a line, with quotes as CSV has them.
pub fn split(line: &str, delimiter: char) -> Vec<String> {
    let mut out = Vec::new();
    let (mut field, mut quoted) = (String::new(), false);
    let mut letters = line.trim_end_matches(['\r', '\n']).chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' if quoted || field.is_empty() => quoted = !quoted,
            letter if letter == delimiter && !quoted => out.push(std::mem::take(&mut field)),
            letter => field.push(letter),
        }
    }
    out.push(field);
    out
}

/// The fields of a header, as they stand and what they mean; None: the line is no header.
pub fn read(line: &str, delimiter: char) -> Option<Vec<(String, Field)>> {
    let fields = split(line.trim_start_matches('\u{feff}'), delimiter);
    let fields: Vec<_> = fields
        .into_iter()
        .map(|text| (text.clone(), Field::read(&text)))
        .collect();
    let has = |wanted: fn(&Kind) -> bool| fields.iter().any(|(_, field)| wanted(&field.kind));
    let of_nodes = has(|kind| matches!(kind, Kind::Id(_)));
    let of_edges =
        has(|kind| matches!(kind, Kind::Start(_))) && has(|kind| matches!(kind, Kind::End(_)));
    (of_nodes || of_edges).then_some(fields)
}

/// The dtype of a property's type; None: GLS has no numbers for it.
pub fn dtype_of(property: &str) -> Option<&'static str> {
    Some(match property {
        "byte" => "int8",
        "short" => "int16",
        "int" => "int32",
        "long" => "int64",
        "float" => "float32",
        "double" => "float64",
        "boolean" => "bool",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_all_kinds() {
        for (text, name, kind) in [
            ("id:ID(Movie-ID)", "id", Kind::Id("Movie-ID".into())),
            (":ID", "", Kind::Id(String::new())),
            (":ID(a){id-type: long}", "", Kind::Id("a".into())),
            (":START_ID(a)", "", Kind::Start("a".into())),
            (":END_ID", "", Kind::End(String::new())),
            (":LABEL", "", Kind::Label),
            (":TYPE", "", Kind::Type),
            ("x:IGNORE", "x", Kind::Ignored),
            ("age:int", "age", Kind::Property("int".into())),
            ("at:point{crs:WGS-84}", "at", Kind::Property("point".into())),
            ("name", "name", Kind::Property("string".into())),
        ] {
            let name = name.to_owned();
            assert_eq!(Field::read(text), Field { name, kind }, "{text}");
        }
    }

    #[test]
    fn lines_are_split_as_csv() {
        assert_eq!(
            split("a,\"b,\"\"c\"\"\",,d\r\n", ','),
            ["a", "b,\"c\"", "", "d"]
        );
        assert_eq!(split("", ','), [""]);
        assert!(read("a,b", ',').is_none() && read(":START_ID,x", ',').is_none());
        assert_eq!(read("\u{feff}:ID;x", ';').unwrap().len(), 2);
    }
}
