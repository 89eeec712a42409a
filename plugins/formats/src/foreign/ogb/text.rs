//! Raw files of compressed text without headers.

use super::{Owner, Raw, EDGE, JOINT, NODE};
use crate::arrays::text::{short_lines, width};
use crate::failure::Failure;
use crate::foreign::paths::inside;
use crate::recipe::{ArrayRef, EdgeType, Header, NodeType, TextEnds};

const ENDING: &str = ".csv.gz";
/// Longer lists of types or graphs are of no single graph.
const MOST_BYTES: u64 = 1 << 20;
/// What other files say, too.
const COUNTS: [&str; 2] = ["num-node-list.csv.gz", "num-edge-list.csv.gz"];

pub fn one_type(raw: &mut Raw<'_>) -> Result<(), Failure> {
    let count = single_number(raw, "raw/num-node-list.csv.gz")?;
    let node = NodeType {
        count: Some(count),
        ..Default::default()
    };
    raw.recipe.nodes.insert(NODE.to_owned(), node);
    raw.types.push((String::new(), NODE.to_owned()));
    let edge = EdgeType {
        undirected: raw.undirected,
        ..edges_of("raw")
    };
    raw.recipe.edges.insert(EDGE.to_owned(), edge);
    for file in raw.names_in("raw")? {
        if COUNTS.contains(&file.as_str()) || file == "edge.csv.gz" {
            continue;
        }
        match file.strip_suffix(ENDING) {
            Some(name) if name.starts_with("node") || name == "species" => {
                add_column(raw, "raw", &file, Owner::Node(NODE))?;
            }
            Some(name) if name.starts_with("edge") => {
                add_column(raw, "raw", &file, Owner::Edge(EDGE))?;
            }
            _ => raw.note(format!("The file \"raw/{file}\" is not read.")),
        }
    }
    Ok(())
}

pub fn types(raw: &mut Raw<'_>) -> Result<(), Failure> {
    let file = "raw/num-node-dict.csv.gz";
    let lines = lines_of(raw, file)?;
    let [names, counts] = &lines[..] else {
        return Err(raw.wrong(
            file,
            "it is not of one graph: a line of names, one of numbers",
        ));
    };
    let (names, counts): (Vec<_>, Vec<_>) = (fields(names), fields(counts));
    if names.len() != counts.len() {
        return Err(raw.wrong(file, "its lines have different numbers of fields"));
    }
    for (name, count) in names.into_iter().zip(counts) {
        let count = count
            .parse()
            .map_err(|_| raw.wrong(file, format!("{count:?} is no number of nodes")))?;
        inside(&raw.folder.join(file), name)?;
        raw.add_nodes(file, name, count)?;
    }
    let file = "raw/triplet-type-list.csv.gz";
    for line in lines_of(raw, file)? {
        let Ok(triple) = <[&str; 3]>::try_from(fields(&line)) else {
            return Err(raw.wrong(file, format!("{line:?} is not source,relation,target")));
        };
        let folder = format!("raw/relations/{}", triple.join(JOINT));
        inside(&raw.folder.join(file), &folder)?;
        let edge = raw.add_edges(file, triple, edges_of(&folder))?;
        for name in raw.names_in(&folder)? {
            if name != "edge.csv.gz" && name != COUNTS[1] && name.ends_with(ENDING) {
                add_column(raw, &folder, &name, Owner::Edge(&edge))?;
            }
        }
    }
    for (theirs, node) in raw.types.clone() {
        for kind in ["node-feat", "node-label"] {
            let folder = format!("raw/{kind}/{theirs}");
            for name in raw.names_in(&folder)? {
                if name.starts_with("node") && name.ends_with(ENDING) {
                    add_column(raw, &folder, &name, Owner::Node(&node))?;
                }
            }
        }
    }
    Ok(())
}

fn edges_of(folder: &str) -> EdgeType {
    EdgeType {
        text: Some(TextEnds {
            file: format!("{folder}/edge{ENDING}"),
            delimiter: Some(",".to_owned()),
            header: Header::No,
            comment: Some("none".to_owned()),
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// "node-feat.csv.gz" becomes "node_feat", as OGB calls it.
fn add_column(
    raw: &mut Raw<'_>,
    folder: &str,
    file: &str,
    owner: Owner<'_>,
) -> Result<(), Failure> {
    let name = match file.strip_suffix(ENDING).unwrap_or(file) {
        // OGB renames this file, too.
        "species" => "node_species".to_owned(),
        name => name.replace('-', "_"),
    };
    let file = format!("{folder}/{file}");
    let width = width(&raw.folder.join(&file))? as i64;
    raw.add_column(owner, &name, ArrayRef::of_csv(file), Some(width))
}

fn lines_of(raw: &Raw<'_>, file: &str) -> Result<Vec<String>, Failure> {
    let mut lines = short_lines(&raw.folder.join(file), MOST_BYTES)?;
    lines.retain(|line| !line.trim().is_empty());
    Ok(lines)
}

fn fields(line: &str) -> Vec<&str> {
    line.split(',').map(str::trim).collect()
}

/// The number of nodes of the only graph.
fn single_number(raw: &Raw<'_>, file: &str) -> Result<i64, Failure> {
    let lines = lines_of(raw, file)?;
    let [line] = &lines[..] else {
        let what = format!("it has {} graphs; GLS reads datasets of one", lines.len());
        return Err(Failure::unsupported(&raw.folder.join(file), what));
    };
    let count = line.trim().parse().ok().filter(|&count: &i64| count >= 0);
    count.ok_or_else(|| raw.wrong(file, format!("{line:?} is no number of nodes")))
}
