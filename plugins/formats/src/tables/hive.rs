//! Folders named `key=value`, as Hive and Spark write them: each key is one more field.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{new_null_array, ArrayRef, Int64Array, StringArray};
use arrow_schema::{DataType, Field};

use crate::failure::Failure;
use crate::tables::files::TableFile;

const NOTHING: &str = "__HIVE_DEFAULT_PARTITION__";

/// The pairs in the folders of a path.
pub fn pairs(path: &Path) -> Vec<(String, Option<String>)> {
    path.components()
        .filter_map(|component| {
            let name = component.as_os_str().to_str()?;
            let (key, value) = name.split_once('=')?;
            let value = (value != NOTHING).then(|| unescaped(value));
            (!key.is_empty()).then(|| (unescaped(key), value))
        })
        .collect()
}

/// Undoes `%2F` and the like.
fn unescaped(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3))
            .flatten()
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// The fields that the folders add: int64 where all values are integers, else utf8.
pub fn fields(files: &[TableFile]) -> Result<Vec<Field>, Failure> {
    let Some(first) = files.first() else {
        return Ok(Vec::new());
    };
    let keys = |file: &TableFile| {
        file.hive
            .iter()
            .map(|pair| pair.0.clone())
            .collect::<Vec<_>>()
    };
    let expected = keys(first);
    for file in files {
        if keys(file) != expected {
            return Err(Failure::invalid(format!(
                "{}: its folders give the keys {:?}, and those of {} give {:?}",
                file.path.display(),
                keys(file),
                first.path.display(),
                expected
            )));
        }
    }
    Ok(expected
        .iter()
        .enumerate()
        .map(|(i, key)| {
            let integers = files.iter().all(|file| {
                file.hive[i]
                    .1
                    .as_ref()
                    .is_none_or(|value| value.parse::<i64>().is_ok())
            });
            let data_type = if integers {
                DataType::Int64
            } else {
                DataType::Utf8
            };
            Field::new(key, data_type, true)
        })
        .collect())
}

/// So many rows of a file's value.
pub fn column(field: &Field, value: Option<&str>, rows: usize) -> ArrayRef {
    match (field.data_type(), value) {
        (DataType::Int64, Some(value)) => {
            let number = value.parse::<i64>().unwrap_or_default();
            Arc::new(Int64Array::from_value(number, rows))
        }
        (_, Some(value)) => Arc::new(StringArray::from_iter_values(std::iter::repeat_n(
            value, rows,
        ))),
        (data_type, None) => new_null_array(data_type, rows),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::files::{Kind, TableFile};

    fn file(path: &str) -> TableFile {
        TableFile {
            path: path.into(),
            kind: Kind::Ipc,
            hive: pairs(Path::new(path)),
        }
    }

    #[test]
    fn folders_give_pairs() {
        let some = |text: &str| Some(text.to_owned());
        let found = pairs(Path::new(
            "table/day=3/city=a%2Fb%zz/x=/=y/k=__HIVE_DEFAULT_PARTITION__",
        ));
        let expected = [
            ("day", some("3")),
            ("city", some("a/b%zz")),
            ("x", some("")),
            ("k", None),
        ];
        assert_eq!(found, expected.map(|(key, value)| (key.to_owned(), value)));
    }

    #[test]
    fn integers_stay_integers_and_other_values_are_text() {
        let types = |paths: &[&str]| -> Vec<DataType> {
            let files: Vec<_> = paths.iter().map(|path| file(path)).collect();
            fields(&files)
                .unwrap()
                .iter()
                .map(|field| field.data_type().clone())
                .collect()
        };
        assert_eq!(
            types(&["a=1/b=x", "a=-20/b=2"]),
            [DataType::Int64, DataType::Utf8]
        );
        assert_eq!(
            types(&["a=1", "a=__HIVE_DEFAULT_PARTITION__"]),
            [DataType::Int64]
        );
        assert!(fields(&[file("a=1"), file("b=1")]).is_err());
        assert!(fields(&[]).unwrap().is_empty());
    }

    #[test]
    fn a_value_fills_its_rows() {
        let number = Field::new("a", DataType::Int64, true);
        assert_eq!(column(&number, Some("7"), 3).len(), 3);
        assert_eq!(column(&number, None, 2).null_count(), 2);
    }
}
