//! What the names of gls.h are called in this crate, for messages of the library.

const FLAGS: [(&str, &str); 17] = [
    ("GLS_SAMPLE_EDGE_IDS", "edge_ids"),
    ("GLS_SAMPLE_DISJOINT", "disjoint"),
    ("GLS_SAMPLE_TOWARD_SEEDS", "toward_seeds"),
    ("GLS_SAMPLE_INT32", "int32"),
    ("GLS_SAMPLE_TIME_STRICT", "time_strict"),
    ("GLS_SAMPLE_EXCLUDE_LINKS", "exclude_links"),
    ("GLS_SAMPLE_LAYER_DEPENDENT", "layer_dependent"),
    ("GLS_NEGATIVE_IN_TIME", "in_time"),
    ("GLS_NEGATIVE_OLDEST", "oldest"),
    ("GLS_LOADER_SHUFFLE", "shuffle"),
    ("GLS_LOADER_DROP_LAST", "drop_last"),
    ("GLS_SUPERVISION_SAMPLED", "sampled"),
    ("GLS_TABLE_MEAN", "mean"),
    ("GLS_TABLE_ROW_STEPS", "row_steps"),
    ("GLS_EDGES_ADD_REVERSE", "add_edges_and_reverse"),
    ("GLS_LINK_SPLIT_UNDIRECTED", "undirected"),
    ("GLS_STORE_EDGE_IDS", "edge_ids"),
];

const VALUES: [(&str, &str); 16] = [
    ("GLS_EXCLUDE_REVERSE_ID", "ExcludeMode::ReverseId"),
    ("GLS_EXCLUDE_REVERSE_TYPES", "ExcludeMode::ReverseTypes"),
    ("GLS_LAW_DEGREE", "SeedLaw::Degree"),
    ("GLS_LAW_INVERSE_DEGREE", "SeedLaw::InverseDegree"),
    ("GLS_LAYOUT_CSC", "Layout::Csc"),
    ("GLS_LAYOUT_CSR", "Layout::Csr"),
    ("GLS_MADE_BY_SERVERS", "MadeBy::Servers"),
    ("GLS_NEGATIVE_NONE", "None"),
    ("GLS_SEEDS_DRAW", "draw_seeds"),
    ("GLS_SEEDS_CLUSTER", "clusters"),
    ("GLS_SUBGRAPH_BIDIRECTIONAL", "Subgraph::Bidirectional"),
    ("GLS_BATCH_NODE_COLUMN", "node column"),
    ("GLS_BATCH_EDGE_COLUMN", "edge column"),
    ("GLS_BATCH_NUM_NODES", "num_sampled_nodes"),
    ("GLS_BATCH_NUM_EDGES", "num_sampled_edges"),
    ("GLS_BATCH_INPUT", "input_id"),
];

/// Options of a loader that its builder has by another name.
pub(crate) const LOADER: [(&str, &str); 6] = [
    ("edge_type", "links"),
    ("seed_law", "draw_seeds"),
    ("seed_weight", "draw_seeds_by"),
    ("cluster", "cluster_column"),
    ("seed_sets", "seed_set"),
    ("walk", "walks"),
];

fn found(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    table
        .iter()
        .find(|(of_c, _)| *of_c == name)
        .map(|(_, own)| *own)
}

fn is_constant(word: &str) -> bool {
    word.starts_with("GLS_")
}

/// The constants of a message, and the text between them.
fn words(message: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let mut rest = message;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let begin = rest.find("GLS_").unwrap_or(rest.len());
        let end = match begin {
            0 => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            some => some,
        };
        let (word, left) = rest.split_at(end);
        rest = left;
        Some(word)
    })
}

/// A message with the constants of gls.h in this crate's words.
pub(crate) fn own_words(message: &str) -> String {
    words(message)
        .map(
            |word| match found(&FLAGS, word).or_else(|| found(&VALUES, word)) {
                Some(own) => own.to_owned(),
                // Other arrays of a batch are methods of the same name.
                None => match word.strip_prefix("GLS_BATCH_") {
                    Some(array) => array.to_ascii_lowercase(),
                    None => word.to_owned(),
                },
            },
        )
        .collect()
}

/// The method that sets the first flag which a message names.
pub(crate) fn named_flag(message: &str) -> Option<&'static str> {
    words(message)
        .filter(|word| is_constant(word))
        .find_map(|word| found(&FLAGS, word))
}

/// A message that begins with the name of an option.
pub(crate) fn renamed(message: &str, names: &[(&str, &'static str)]) -> String {
    let end = message
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(message.len());
    match found(names, &message[..end]) {
        Some(own) => format!("{own}{}", &message[end..]),
        None => message.to_owned(),
    }
}

pub(crate) fn own_name(name: &str, names: &[(&str, &'static str)]) -> String {
    found(names, name).unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_named_as_in_this_crate() {
        let message = "the batch has no GLS_BATCH_LINK_SOURCE of type \"a\"";
        assert_eq!(
            own_words(message),
            "the batch has no link_source of type \"a\""
        );
        let message = "GLS_LOADER_SHUFFLE is set";
        assert_eq!(own_words(message), "shuffle is set");
        assert_eq!(named_flag(message), Some("shuffle"));
        let environment = "environment variable GLS_NET_PLAIN is \"x\"";
        assert_eq!(own_words(environment), environment);
        assert_eq!(named_flag(environment), None);
        assert_eq!(own_words("GLS_LAYOUT_CSC"), "Layout::Csc");
        assert_eq!(own_words(""), "");
    }

    #[test]
    fn options_are_named_as_the_builder_does() {
        assert_eq!(renamed("edge_type is \"a\"", &LOADER), "links is \"a\"");
        assert_eq!(renamed("edge_types: none", &LOADER), "edge_types: none");
        assert_eq!(own_name("edge_type", &LOADER), "links");
        assert_eq!(own_name("seeds", &LOADER), "seeds");
    }
}
