//! The text format of Protocol Buffers, without a schema.

const MOST_LEVELS: usize = 64;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number, a bool or a name of an enum.
    Word(String),
    Text(String),
    Message(Message),
}

/// Fields in the order of the text; a name may come again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    pub fields: Vec<(String, Value)>,
}

impl Message {
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Value> {
        let named = move |field: &&(String, Value)| field.0 == name;
        self.fields.iter().filter(named).map(|field| &field.1)
    }

    pub fn messages<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Message> {
        self.all(name).filter_map(|value| match value {
            Value::Message(message) => Some(message),
            _ => None,
        })
    }

    /// The last one counts, as the format has it.
    pub fn message<'a>(&'a self, name: &'a str) -> Option<&'a Message> {
        self.messages(name).last()
    }

    pub fn text<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        match self.all(name).last()? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn word<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        match self.all(name).last()? {
            Value::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The entries of a map with keys of text, of which the last of each key counts.
    pub fn map<'a>(&'a self, name: &'a str) -> Vec<(&'a str, &'a Message)> {
        static EMPTY: Message = Message { fields: Vec::new() };
        let mut out: indexmap::IndexMap<&str, &Message> = indexmap::IndexMap::new();
        for entry in self.messages(name) {
            let value = entry.message("value").unwrap_or(&EMPTY);
            out.insert(entry.text("key").unwrap_or(""), value);
        }
        out.into_iter().collect()
    }
}

/// Reads a message. An error names its line.
pub fn read(text: &str) -> Result<Message, String> {
    let mut parser = Parser {
        bytes: text.as_bytes(),
        at: 0,
    };
    let done = parser.message(None, 0);
    done.map_err(|what| {
        let before = &parser.bytes[..parser.at.min(parser.bytes.len())];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        format!("line {line}: {what}")
    })
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    /// The next byte that is no blank and in no comment.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.bytes.get(self.at)? {
                b'#' => {
                    let rest = &self.bytes[self.at..];
                    let end = rest.iter().position(|&byte| byte == b'\n');
                    self.at += end.unwrap_or(rest.len());
                }
                byte if byte.is_ascii_whitespace() => self.at += 1,
                byte => return Some(*byte),
            }
        }
    }

    fn accept(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn unexpected(&mut self) -> String {
        match self.peek() {
            None => "the text ends within a message".to_owned(),
            Some(byte) => format!("unexpected '{}'", char::from(byte).escape_default()),
        }
    }

    fn message(&mut self, end: Option<u8>, level: usize) -> Result<Message, String> {
        if level > MOST_LEVELS {
            return Err(format!("messages are nested deeper than {MOST_LEVELS}"));
        }
        let mut out = Message::default();
        loop {
            match (self.peek(), end) {
                (None, None) => return Ok(out),
                (Some(byte), Some(end)) if byte == end => {
                    self.at += 1;
                    return Ok(out);
                }
                _ => {}
            }
            let name = self.name()?;
            let colon = self.accept(b':');
            if self.peek() == Some(b'[') && colon {
                self.list(&name, level, &mut out)?;
            } else {
                let value = self.value(colon, level)?;
                out.fields.push((name, value));
            }
            if !self.accept(b',') {
                self.accept(b';');
            }
        }
    }

    fn list(&mut self, name: &str, level: usize, out: &mut Message) -> Result<(), String> {
        self.at += 1;
        if self.accept(b']') {
            return Ok(());
        }
        loop {
            let value = self.value(true, level)?;
            out.fields.push((name.to_owned(), value));
            if self.accept(b']') {
                return Ok(());
            }
            if !self.accept(b',') {
                return Err(self.unexpected());
            }
        }
    }

    /// A field's name, or an extension's in brackets.
    fn name(&mut self) -> Result<String, String> {
        if self.accept(b'[') {
            let rest = &self.bytes[self.at..];
            let end = rest.iter().position(|&byte| byte == b']');
            let end = end.ok_or("the name of an extension has no end")?;
            let name = String::from_utf8_lossy(&rest[..end]).trim().to_owned();
            self.at += end + 1;
            return Ok(name);
        }
        let word = self.word();
        if word.is_empty() {
            return Err(self.unexpected());
        }
        Ok(word)
    }

    fn word(&mut self) -> String {
        self.peek();
        let rest = &self.bytes[self.at..];
        let of_word =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'+');
        let end = rest.iter().position(|byte| !of_word(byte));
        let end = end.unwrap_or(rest.len());
        self.at += end;
        String::from_utf8_lossy(&rest[..end]).into_owned()
    }

    fn value(&mut self, colon: bool, level: usize) -> Result<Value, String> {
        let found = self.peek();
        for (begin, end) in [(b'{', b'}'), (b'<', b'>')] {
            if found == Some(begin) {
                self.at += 1;
                return Ok(Value::Message(self.message(Some(end), level + 1)?));
            }
        }
        if !colon {
            return Err(self.unexpected());
        }
        if matches!(found, Some(b'"' | b'\'')) {
            let mut bytes = Vec::new();
            while let Some(quote @ (b'"' | b'\'')) = self.peek() {
                self.at += 1;
                self.string(quote, &mut bytes)?;
            }
            let text = String::from_utf8(bytes).map_err(|_| "the text is not UTF-8")?;
            return Ok(Value::Text(text));
        }
        let word = self.word();
        if word.is_empty() {
            return Err(self.unexpected());
        }
        Ok(Value::Word(word))
    }

    fn string(&mut self, quote: u8, out: &mut Vec<u8>) -> Result<(), String> {
        loop {
            let byte = self.bytes.get(self.at).copied();
            self.at += 1;
            match byte {
                None | Some(b'\n') => return Err("a quote is not closed".to_owned()),
                Some(byte) if byte == quote => return Ok(()),
                Some(b'\\') => self.escape(out)?,
                Some(byte) => out.push(byte),
            }
        }
    }

    /// Digits of this base, at most `most`.
    fn digits(&mut self, base: u32, most: usize) -> Result<u32, String> {
        let (mut number, mut count) = (0, 0);
        while count < most {
            let Some(digit) = self
                .bytes
                .get(self.at)
                .and_then(|&byte| char::from(byte).to_digit(base))
            else {
                break;
            };
            number = number * base + digit;
            self.at += 1;
            count += 1;
        }
        if count == 0 {
            return Err("an escape has no digits".to_owned());
        }
        Ok(number)
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        let plain = match byte {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'a') => 7,
            Some(b'b') => 8,
            Some(b'v') => 11,
            Some(b'f') => 12,
            Some(byte @ (b'\\' | b'"' | b'\'' | b'?')) => byte,
            Some(b'x' | b'X') => self.digits(16, 2)? as u8,
            Some(b'0'..=b'7') => {
                self.at -= 1;
                u8::try_from(self.digits(8, 3)?).map_err(|_| "an escape is beyond a byte")?
            }
            Some(kind @ (b'u' | b'U')) => {
                let number = self.digits(16, if kind == b'u' { 4 } else { 8 })?;
                let c = char::from_u32(number).ok_or("an escape is no character")?;
                out.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return Err("an escape is not known".to_owned()),
        };
        out.push(plain);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
# a comment
node_sets {
  key: "a\n\x41\101\u00e9" 'b'  # two texts
  value: < size: [1, -2, 3]; on: true, [x.y]: 1.5e-3f >
}
node_sets { key: "c" }
empty: []
"#;

    #[test]
    fn texts_numbers_lists_and_maps() {
        let read = read(GOOD).unwrap();
        let map = read.map("node_sets");
        assert_eq!(map.len(), 2);
        assert_eq!(map[0].0, "a\nAAéb");
        let sizes: Vec<_> = map[0].1.all("size").cloned().collect();
        assert_eq!(sizes, ["1", "-2", "3"].map(|word| Value::Word(word.into())));
        assert_eq!(map[0].1.word("on"), Some("true"));
        assert_eq!(map[0].1.word("x.y"), Some("1.5e-3f"));
        assert_eq!(map[1], ("c", &Message::default()));
        assert!(read.message("empty").is_none());
    }

    #[test]
    fn faults_name_their_line() {
        for (text, line) in [
            ("a: 1\nb {", "line 2: the text ends"),
            ("a: \"x\ny\"", "line"),
            ("a: 1\n}\n", "line 2: unexpected '}'"),
            ("a 1", "line 1: unexpected '1'"),
            ("a: \"\\q\"", "not known"),
            ("a: \"\\777\"", "beyond a byte"),
            ("a: \"\\xff\"", "not UTF-8"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(line), "{text}: {message}");
        }
        assert!(read(&"a{".repeat(1 << 20)).is_err());
    }

    #[test]
    fn cuts_and_flips_do_not_panic() {
        for cut in 0..GOOD.len() {
            if GOOD.is_char_boundary(cut) {
                let _ = read(&GOOD[..cut]);
            }
        }
        let mut state = 1_u64;
        for _ in 0..20_000 {
            let mut bytes = GOOD.as_bytes().to_vec();
            for _ in 0..3 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let at = (state >> 33) as usize % bytes.len();
                bytes[at] = (state >> 50) as u8 & 0x7f;
            }
            let _ = read(&String::from_utf8_lossy(&bytes));
        }
    }
}
