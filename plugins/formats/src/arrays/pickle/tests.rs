use std::path::Path;

use super::*;
use crate::failure::{Code, Failure};

pub fn of(pickle: &[u8]) -> Result<Tree, Failure> {
    read(Path::new("a.pkl"), &Bytes::of_vec(pickle.to_vec()), 0)
}

fn message(pickle: &[u8]) -> String {
    match of(pickle) {
        Ok(_) => panic!("{pickle:?} is read"),
        Err(failure) => failure.message,
    }
}

#[test]
fn plain_values() {
    // {"a": [1, -2, 1.5, None, True], "b": (b"x", 2**40), "c": {3}}
    let pickle = b"\x80\x05\x95\x3a\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01a\x94]\x94(K\x01J\xfe\
        \xff\xff\xffG?\xf8\x00\x00\x00\x00\x00\x00N\x88e\x8c\x01b\x94C\x01x\x94\x8a\x06\x00\x00\
        \x00\x00\x00\x01\x86\x94\x8c\x01c\x94\x8f\x94(K\x03\x90u.";
    let tree = of(pickle).unwrap();
    let a = tree.entry(tree.root(), "a").unwrap();
    let a: Vec<_> = tree.items(a).unwrap().to_vec();
    assert_eq!(tree.int(a[0]), Some(1));
    assert_eq!(tree.int(a[1]), Some(-2));
    assert!(matches!(tree.get(a[2]), Value::Float(number) if *number == 1.5));
    assert!(matches!(tree.get(a[3]), Value::None));
    assert!(matches!(tree.get(a[4]), Value::Bool(true)));
    let b = tree.entry(tree.root(), "b").unwrap();
    let b = tree.items(b).unwrap();
    assert_eq!(tree.text(b[0]), Some("x"));
    assert_eq!(tree.int(b[1]), Some(1 << 40));
    let c = tree.entry(tree.root(), "c").unwrap();
    assert!(matches!(tree.get(c), Value::Set(items) if items.len() == 1));
    assert_eq!(tree.end(), pickle.len());
}

#[test]
fn protocol_0() {
    // [7, 8L, 'x', u'y', 2.5, True], with places in a memo.
    let tree = of(b"(lp0\nI7\naL8L\naS'x'\np1\naVy\np2\naF2.5\naI01\nag1\na.").unwrap();
    let items = tree.items(tree.root()).unwrap();
    assert_eq!(tree.int(items[0]), Some(7));
    assert_eq!(tree.int(items[1]), Some(8));
    assert_eq!(tree.text(items[2]), Some("x"));
    assert_eq!(tree.text(items[3]), Some("y"));
    assert!(matches!(tree.get(items[5]), Value::Bool(true)));
    assert_eq!(tree.text(items[6]), Some("x"));
}

#[test]
fn programs_are_named_and_not_run() {
    for pickle in [
        b"cos\nsystem\n(S'true'\ntR.".as_slice(),
        b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R.",
        b"(S'true'\nios\nsystem\n.",
        b"(cos\nsystem\nS'true'\no.",
        b"\x80\x02cos\nsystem\n)\x81.",
        b"\x80\x04\x8c\x02os\x8c\x06system\x93)}\x92.",
        b"\x80\x02cos\nsystem\n)\x81}b.",
    ] {
        let failure = of(pickle).err().unwrap();
        assert_eq!(failure.code, Code::Unsupported);
        let expected = "names os.system, which is not on the list of known classes";
        assert!(failure.message.contains(expected), "{}", failure.message);
    }
    for (module, name) in [
        ("builtins", "eval"),
        ("builtins", "getattr"),
        ("builtins", "__import__"),
        ("torch", "load"),
        ("torch.storage", "x.__class__"),
        ("collections", "OrderedDict.__init__"),
        ("torch", "os.systemStorage"),
        ("numpy.core.multiarray", "fromfile"),
    ] {
        assert!(message(format!("c{module}\n{name}\n.").as_bytes()).contains("not on the list"));
    }
}

#[test]
fn words_that_are_known_do_nothing() {
    // A class is called with anything; the result is a value with the arguments.
    let tree = of(b"c_codecs\nencode\n(S'a'\nS'b'\ntR}b.").unwrap();
    let (class, args, state) = tree.object(tree.root()).unwrap();
    assert_eq!((class, args.len()), (Class::Encode, 2));
    assert!(state.is_some());
    // Text, and what a call gives, cannot be called.
    assert!(message(b"S'os.system'\n(tR.").contains("calls what is no class"));
    assert!(message(b"c_codecs\nencode\n)R)R.").contains("calls what is no class"));
}

#[test]
fn bombs_stay_small() {
    // A tuple of two, of two, of two, ...
    let mut pickle = b"\x80\x04)".to_vec();
    for _ in 0..10_000 {
        pickle.extend(b"2\x86");
    }
    pickle.push(b'.');
    assert!(of(&pickle).unwrap().len() < 20_000);
    // Lists in lists.
    let mut pickle = vec![b']'; 50_000];
    pickle.extend(vec![b'a'; 49_999]);
    pickle.push(b'.');
    assert_eq!(of(&pickle).unwrap().len(), 50_004);
    // A list in itself, and a dict.
    let tree = of(b"]q\x00h\x00a.").unwrap();
    assert_eq!(tree.items(tree.root()).unwrap(), [tree.root()]);
    of(b"}q\x00K\x01h\x00s.").unwrap();
    // Places that are far apart.
    of(b"Nr\xff\xff\xff\xffr\xfe\xff\xff\xffp99999999999999999\n.").unwrap();
    // Sizes that no file has.
    for pickle in [
        b"\x8e\xff\xff\xff\xff\xff\xff\xff\xffx.".as_slice(),
        b"\x8d\xff\xff\xff\xff\xff\xff\xff\x7fx.",
        b"B\xff\xff\xff\xffx.",
        b"\x8b\xff\xff\xff\xff1.",
    ] {
        assert!(message(pickle).contains("cut short"));
    }
}

#[test]
fn too_many_values_are_refused() {
    for code in [b']', b'N', b'(', b'\x94'] {
        let mut pickle = b"N".to_vec();
        pickle.extend(vec![code; (1 << 16) + 8]);
        assert!(message(&pickle).contains("more than"), "{code}");
    }
}

#[test]
fn faults() {
    for (pickle, expected) in [
        (b"".as_slice(), "cut short"),
        (b".", "empty stack"),
        (b"(.", "empty stack"),
        (b"N(R.", "empty stack"),
        (b"t.", "no mark"),
        (b"Na.", "empty stack"),
        (b"NNa.", "no list"),
        (b"NNNs.", "no dict"),
        (b"}(Nu.", "without a value"),
        (b"h\x05.", "nothing at place 5"),
        (b"\x80\x09.", "protocol 9"),
        (b"\x82\x01.", "needs its program"),
        (b"\x97.", "needs its program"),
        (b"\xff.", "unknown code"),
        (b"Ix\n.", "without digits"),
        (b"Sx\n.", "without quotes"),
        (b"NN\x93.", "no text"),
        (b"NNb.", "no object"),
        (b"c_codecs\nencode\nNR.", "no arguments"),
        (b"(o.", "calls nothing"),
    ] {
        let found = message(pickle);
        assert!(found.contains(expected), "{pickle:?}: {found}");
    }
}

/// Pickles of codes in any order: errors or values, and no panics.
#[test]
fn codes_in_any_order() {
    const CODES: &[&[u8]] = &[
        b"(",
        b"0",
        b"1",
        b"2",
        b"N",
        b"K\x01",
        b"M\x01\x02",
        b"I1\n",
        b"\x8a\x01\xff",
        b"C\x01x",
        b"X\x01\x00\x00\x00y",
        b"]",
        b"a",
        b"e",
        b"l",
        b")",
        b"t",
        b"\x85",
        b"\x86",
        b"\x87",
        b"}",
        b"d",
        b"s",
        b"u",
        b"\x8f",
        b"\x90",
        b"\x91",
        b"q\x00",
        b"h\x00",
        b"\x94",
        b"R",
        b"b",
        b"o",
        b"\x81",
        b"\x92",
        b"Q",
        b"ccollections\nOrderedDict\n",
        b"ctorch\nSize\n",
        b"ccopyreg\n_reconstructor\n",
        b"ctorch._utils\n_rebuild_tensor_v2\n",
        b"\x93",
    ];
    let mut state = 7_u64;
    let mut read = 0;
    for _ in 0..30_000 {
        let mut pickle = b"N)}".to_vec();
        for _ in 0..12 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            pickle.extend(CODES[state as usize % CODES.len()]);
        }
        pickle.push(b'.');
        read += i32::from(of(&pickle).is_ok());
    }
    assert!(read > 0);
}
