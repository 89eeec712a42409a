//! A process of a group whose other processes may use other languages: each calls each, and prints
//! the replies. The launcher's environment sets the rank of the process.

use std::time::Duration;

use gls::{CallOptions, Context, Error, Group};

const LIMIT: Option<Duration> = Some(Duration::from_secs(30));

fn main() -> gls::Result<()> {
    let context = Context::new()?;
    let group = Group::options().timeout(LIMIT).join(&context)?;
    let rank = group.info()?.rank;
    group.function("who", move |call| {
        let given = String::from_utf8_lossy(call.data()).into_owned();
        match call.rank() {
            Some(caller) if given != "fail" => Ok(format!("rust {rank} heard {given} of {caller}")),
            _ => Err(format!("rust {rank} refused")),
        }
    })?;
    group.barrier(LIMIT)?;
    let all = group.all_gather(format!("rust {rank}"), LIMIT)?;
    let names: Vec<_> = all
        .iter()
        .map(|item| String::from_utf8_lossy(item))
        .collect();
    println!("{}", names.join(", "));
    let options = CallOptions::new().timeout(LIMIT);
    for other in 0..group.info()?.world_size {
        let reply = group.call(other, "who", format!("word {rank}"), options)?;
        println!("{}", String::from_utf8_lossy(&reply));
        match group.call(other, "who", "fail", options) {
            Err(Error::InvalidArgument(info)) => {
                let words = info.message();
                println!("{}", words.rsplit(": ").next().unwrap_or(words));
            }
            unexpected => println!("{unexpected:?}"),
        }
    }
    group.barrier(LIMIT)?;
    group.leave(LIMIT)
}
