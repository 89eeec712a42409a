//! Serves parts of a graph until its standard input ends.
//!
//!     serve FOLDER LISTEN PARTS [SERVER...]     PARTS as 0,2
//!
//! Prints {"address": "HOST:PORT"} when clients may come.

use std::io::{sink, stdin};
use std::process::exit;
use std::time::Duration;

use gls::{Context, Server};

type Failure = Box<dyn std::error::Error>;

fn run() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, listen, parts, servers @ ..] = words.as_slice() else {
        return Err("expected FOLDER LISTEN PARTS [SERVER...]".into());
    };
    let parts = parts.split(',').map(str::parse);
    let server = Server::options()
        .listen(listen.as_str())
        .parts(parts.collect::<Result<Vec<u32>, _>>()?)
        .servers(servers.iter().map(String::as_str))
        .start(&Context::new()?, folder)?;
    println!("{{\"address\": \"{}\"}}", server.address());
    std::io::copy(&mut stdin(), &mut sink())?;
    server.stop(Some(Duration::from_secs(5)))?;
    Ok(())
}

fn main() {
    if let Err(error) = run() {
        eprintln!("serve: {error}");
        exit(1);
    }
}
