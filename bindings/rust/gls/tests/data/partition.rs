//! Graphs cut into parts, and made whole again.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use crate::common::{context, TempDir};
use gls::*;

const LIKES: &str = "user__likes__item";
const FOLLOWS: &str = "user__follows__user";

/// 12 users who like 2 of 9 items each, and follow 3 users each. Both layouts.
fn graph(context: &Context) -> Dataset {
    let x = (0..360).map(|i| i as f32 / 4.0).collect::<Vec<_>>();
    let mut builder = DatasetBuilder::new(context).unwrap();
    let likes = (0..24i64).map(|e| (e / 2, e * 5 % 9));
    let follows = (0..36i64).map(|e| (e / 3, (e / 3 + 1 + e % 3 * 2) % 12));
    for (name, edges) in [
        (LIKES, likes.collect::<Vec<_>>()),
        (FOLLOWS, follows.collect()),
    ] {
        let (source, target): (Vec<i64>, Vec<i64>) = edges.into_iter().unzip();
        builder.add_edges(name, source, target).unwrap();
    }
    builder
        .add_node_column(
            "user",
            "x",
            Tensor::from_vec_with_shape(x, &[12, 30]).unwrap(),
            Role::Feature,
        )
        .unwrap()
        .add_node_column("item", "y", (100..109i64).collect::<Vec<_>>(), Role::Label)
        .unwrap()
        .add_edge_column(LIKES, "w", vec![0.5f32; 24], Role::Weight)
        .unwrap()
        .add_id_set("user", "train", vec![9i64, 1, 4, 6])
        .unwrap();
    builder
        .build_with(WriteOptions::new().layouts([Layout::Csc, Layout::Csr]))
        .unwrap()
}

/// Owners of users by parity; of items, those from 6 on are part 1's.
fn owners() -> [Vec<i64>; 2] {
    [
        (0..12).map(|user| user % 2).collect(),
        (0..9).map(|item| i64::from(item >= 6)).collect(),
    ]
}

fn given() -> PartitionOptions<'static> {
    PartitionOptions::new().parts(2).owners(owners())
}

fn by(method: PartitionMethod, parts: u32) -> PartitionOptions<'static> {
    PartitionOptions::new().parts(parts).method(method)
}

/// The names and contents of all files in two folders are the same.
fn assert_same_files(one: &Path, other: &Path) {
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names(one), names(other));
    for name in names(one) {
        let (one, other) = (one.join(&name), other.join(&name));
        if one.is_dir() {
            assert_same_files(&one, &other);
        } else {
            assert!(
                fs::read(&one).unwrap() == fs::read(&other).unwrap(),
                "{one:?}"
            );
        }
    }
}

fn argument<T: std::fmt::Debug>(result: Result<T>) -> String {
    let error = result.unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
    error.detail("argument").unwrap().to_owned()
}

#[test]
fn shares_are_of_the_own_part() {
    let folder = TempDir::new();
    let parts = folder.join("parts");
    let context = context();
    graph(&context).partition(&parts, given()).unwrap();
    let whole = Dataset::open(&context, &parts).unwrap();
    let at_hand = whole.parts().unwrap();
    assert_eq!((at_hand.count, at_hand.here), (2, vec![0, 1]));
    let users = [9i64, 1, 4, 6, 2, 3];
    for (rank, expected) in [(0, [4i64, 6, 2]), (1, [9, 1, 3])] {
        let share = whole.share_ids("user", &users, rank, 2, None).unwrap();
        assert_eq!(share.as_slice::<i64>().unwrap(), expected);
        let other_way = Some(&[1, 0][..]);
        let share = whole.share_ids("user", &users, 1 - rank, 2, other_way);
        assert_eq!(share.unwrap().as_slice::<i64>().unwrap(), expected);
    }
    // Part 1 has three items of nine, and part 0 more than its share.
    let items = whole.share_all_ids("item", 1, 2, None).unwrap();
    assert_eq!(items.as_slice::<i64>().unwrap(), [5, 6, 7, 8]);
    let likes = whole.share_all_ids(LIKES, 0, 2, None).unwrap();
    let owners = whole.owners(LIKES, likes.as_slice::<i64>().unwrap());
    assert_eq!(owners.unwrap().as_slice::<i32>().unwrap(), [0; 12]);
    let outside = whole.share_all_ids("user", 0, 2, Some(&[0, 2]));
    assert_eq!(argument(outside), "rank_parts");
}

#[test]
fn a_graph_is_cut_and_merged() {
    let folder = TempDir::new();
    let (parts, merged) = (folder.join("parts"), folder.join("merged"));
    let context = context();
    let dataset = graph(&context);
    assert_eq!(dataset.part().unwrap(), None);
    let alone = dataset.parts().unwrap();
    assert_eq!((alone.count, alone.here), (1, vec![0]));
    dataset.partition(&parts, given()).unwrap();

    let partition = Partition::open(&context, &parts).unwrap();
    assert_eq!(partition.parts(), 2);
    assert_eq!(partition.method(), "given");
    let none = "seed 0, halo_hops 0, hot_rows 0, hot_fraction 0";
    assert_eq!(partition.options(), none);
    assert_eq!(partition.graph().len(), 16);
    assert!(format!("{partition:?}").contains(partition.graph()));
    let nodes = partition.node_types().unwrap();
    let nodes: Vec<_> = nodes.iter().map(|t| (t.name, t.num_nodes)).collect();
    let expected = dataset.node_types().unwrap();
    let expected: Vec<_> = expected.iter().map(|t| (t.name, t.num_nodes)).collect();
    assert_eq!(nodes, expected);
    let edges = partition.edge_types().unwrap();
    for (found, expected) in edges.iter().zip(dataset.edge_types().unwrap()) {
        assert_eq!(found.name, expected.name);
        assert_eq!(found.source, expected.source);
        assert_eq!(found.relation, expected.relation);
        assert_eq!(found.target, expected.target);
        assert_eq!(found.num_edges, expected.num_edges);
    }
    assert_eq!(edges.len(), 2);
    let found = partition.owners("item", &[8i32, 0, 6, 6]).unwrap();
    assert_eq!(found.as_slice::<i32>().unwrap(), [1, 0, 1, 1]);

    let (x, y) = (
        dataset.node_column("user", "x").unwrap(),
        dataset.node_column("item", "y").unwrap(),
    );
    let mut owned_edges = 0;
    for number in 0..2u32 {
        let part = Dataset::open(&context, parts.join(format!("part-{number}"))).unwrap();
        part.verify().unwrap();
        let info = part.part().unwrap().unwrap();
        assert_eq!((info.number, info.parts), (number, 2));
        assert_eq!(info.graph, partition.graph());
        let at_hand = part.parts().unwrap();
        assert_eq!((at_hand.count, at_hand.here), (2, vec![number]));
        let own_x = part.node_column("user", "x").unwrap();
        let own_y = part.node_column("item", "y").unwrap();
        let users = part.global_ids("user").unwrap();
        let items = part.global_ids("item").unwrap();
        let padded = part.node_columns("user").unwrap()[0].row_stride;
        assert_eq!(padded, 128);
        owned_edges += part.global_ids(LIKES).unwrap().owned;
        drop(part); // arrays keep it
        let user_ids = users.ids.as_slice::<i64>().unwrap();
        for (i, &id) in user_ids[..users.owned].iter().enumerate() {
            let expected = x.view().row::<f32>(id as usize).unwrap().to_vec();
            assert_eq!(own_x.view().row::<f32>(i).unwrap(), expected);
        }
        let item_ids = items.ids.as_slice::<i64>().unwrap();
        for (i, &id) in item_ids[..items.owned].iter().enumerate() {
            let expected = y.as_slice::<i64>().unwrap()[id as usize];
            assert_eq!(own_y.as_slice::<i64>().unwrap()[i], expected);
        }
        for (name, ids) in [("user", users), ("item", items)] {
            let all = ids.ids.as_slice::<i64>().unwrap();
            let found = partition.owners(name, all).unwrap();
            let found = found.as_slice::<i32>().unwrap();
            assert!(found[..ids.owned].iter().all(|&o| o as u32 == number));
            assert!(found[ids.owned..].iter().all(|&o| o as u32 != number));
        }
    }
    assert_eq!(owned_edges, dataset.num_edges(LIKES).unwrap());

    partition.verify().unwrap();
    partition.merge(&merged).unwrap();
    let again = partition.merge(&merged).unwrap_err();
    assert!(matches!(again, Error::AlreadyExists(_)), "{again:?}");
    let options = WriteOptions::new().overwrite(true);
    partition.merge_with(&merged, options).unwrap();
    let refused = partition.merge_with(&merged, WriteOptions::new().memory(1));
    assert!(matches!(refused, Err(Error::Unsupported(_))));
    let whole = Dataset::open(&context, &merged).unwrap();
    for name in [LIKES, FOLLOWS] {
        let arrays = |dataset: &Dataset| {
            let topology = dataset.topology(name, Layout::Csc).unwrap();
            let indptr = topology.indptr.to_vec::<i64>().unwrap();
            (indptr, topology.indices.to_vec::<i32>().unwrap())
        };
        assert_eq!(arrays(&whole), arrays(&dataset));
    }
    let saved = folder.join("saved");
    dataset.save(&saved).unwrap();
    assert_same_files(&saved, &merged);
}

#[test]
fn owners_are_chosen_by_methods() {
    let folder = TempDir::new();
    let path = folder.join("parts");
    let context = context();
    let dataset = graph(&context);
    let owners_of = |options: PartitionOptions<'_>| {
        dataset.partition(&path, options.overwrite(true)).unwrap();
        let partition = Partition::open(&context, &path).unwrap();
        partition.verify().unwrap();
        let ids: Vec<i64> = (0..12).collect();
        let owners = partition.owners("user", &ids).unwrap();
        let owners = owners.as_slice::<i32>().unwrap().to_vec();
        (partition.method().to_owned(), owners)
    };
    let (method, random) = owners_of(by(PartitionMethod::Random, 3).seed(1));
    assert_eq!(method, "random");
    for part in 0..3 {
        assert_eq!(random.iter().filter(|&&owner| owner == part).count(), 4);
    }
    assert_ne!(owners_of(by(PartitionMethod::Random, 3).seed(2)).1, random);
    assert_eq!(owners_of(by(PartitionMethod::Hash, 3)).0, "hash");
    let stream = by(PartitionMethod::Stream, 2)
        .seed(7)
        .imbalance(0.2)
        .balance_sets(["train"])
        .balance_edges(true)
        .halo_hops(1)
        .hot_fraction(0.5)
        .row_padding(false);
    let (method, owners) = owners_of(stream);
    assert_eq!(method, "stream");
    assert!(owners.iter().all(|owner| (0..2).contains(owner)));
    let partition = Partition::open(&context, &path).unwrap();
    let said = "seed 7, halo_hops 1, hot_rows 0, hot_fraction 0.5, balance train, balance_edges, imbalance 0.2";
    assert_eq!(partition.options(), said);
    let part = Dataset::open(&context, path.join("part-0")).unwrap();
    assert_eq!(part.node_columns("user").unwrap()[0].row_stride, 120);

    // As METIS writes them: users, then items.
    let list = folder.join("owners.txt");
    let text: String = self::owners()
        .concat()
        .iter()
        .map(|owner| format!("{owner}\n"))
        .collect();
    fs::write(&list, text).unwrap();
    let options = PartitionOptions::new()
        .parts(2)
        .owners_file(&list)
        .hot_rows(2);
    let (method, owners) = owners_of(options);
    assert_eq!(method, "given");
    assert_eq!(owners, [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    let partition = Partition::open(&context, &path).unwrap();
    assert!(partition.options().contains("hot_rows 2"));

    let options = by(PartitionMethod::Random, 2)
        .hot_rows(2)
        .hot_fanouts([3, -1])
        .hot_max_seeds(5);
    owners_of(options);
    let partition = Partition::open(&context, &path).unwrap();
    let said = partition.options();
    assert!(
        said.ends_with("hot_fanouts 3 -1, hot_max_seeds 5"),
        "{said}"
    );
    let zero = by(PartitionMethod::Random, 2).hot_rows(2).hot_fanouts([0]);
    let refused = dataset.partition(folder.join("zero"), zero);
    assert_eq!(argument(refused), "hot_fanouts");
}

#[test]
fn metis_is_there_or_says_what_is_missing() {
    let folder = TempDir::new();
    let path = folder.join("parts");
    let context = context();
    let options = PartitionOptions::new()
        .parts(2)
        .method(PartitionMethod::Metis);
    match graph(&context).partition(&path, options) {
        Ok(()) => {
            let partition = Partition::open(&context, &path).unwrap();
            assert_eq!(partition.method(), "metis");
            partition.verify().unwrap();
        }
        Err(error) => {
            assert!(
                matches!(error, Error::NotFound(_) | Error::Unsupported(_)),
                "{error:?}"
            );
            assert!(error.message().contains("libgls_metis.so"), "{error}");
            assert!(!path.exists());
        }
    }
}

#[test]
fn what_makes_no_parts_is_refused() {
    let folder = TempDir::new();
    let path = folder.join("parts");
    let context = context();
    let dataset = graph(&context);
    let cut = |options| dataset.partition(&path, options);
    assert_eq!(argument(cut(by(PartitionMethod::Hash, 0))), "parts");
    assert_eq!(argument(cut(by(PartitionMethod::Hash, 65536))), "parts");
    assert_eq!(argument(cut(PartitionOptions::new())), "parts");
    let negative = by(PartitionMethod::Random, 2).imbalance(-1.0);
    assert_eq!(argument(cut(negative)), "imbalance");
    let nul = by(PartitionMethod::Random, 2).balance_sets(["a\0b"]);
    assert_eq!(argument(cut(nul)), "balance_sets");
    let missing = cut(by(PartitionMethod::Stream, 2).balance_sets(["none"]));
    assert!(matches!(missing, Err(Error::NotFound(_))), "{missing:?}");

    let [users, items] = owners();
    let only = PartitionOptions::new().parts(2).owners([users.clone()]);
    assert_eq!(argument(cut(only)), "owners");
    let none = by(PartitionMethod::Given, 2);
    assert_eq!(argument(cut(none)), "owners");
    let not_given = given().method(PartitionMethod::Random);
    assert_eq!(argument(cut(not_given)), "owners");
    let twice = given().owners_file("owners.txt");
    assert_eq!(argument(cut(twice)), "owners_file");
    let mut outside = users;
    outside[7] = 2;
    let error = cut(PartitionOptions::new().parts(2).owners([outside, items])).unwrap_err();
    assert!(error.message().contains("entry 7 is 2"), "{error}");
    assert_eq!(error.detail("offset"), Some("7"));
    assert!(!path.exists());

    fs::create_dir(&path).unwrap();
    fs::write(path.join("mine"), "").unwrap();
    for options in [given(), given().overwrite(true)] {
        assert!(matches!(cut(options), Err(Error::AlreadyExists(_))));
    }
    let no_parts = Partition::open(&context, &path);
    assert!(matches!(no_parts, Err(Error::NotFound(_))));

    let path = folder.join("others");
    dataset.partition(&path, given()).unwrap();
    let part = Dataset::open(&context, path.join("part-0")).unwrap();
    let again = part.partition(folder.join("again"), by(PartitionMethod::Hash, 2));
    assert!(matches!(again, Err(Error::Unsupported(_))), "{again:?}");
    let hot = by(PartitionMethod::Hash, 2)
        .hot_rows(1)
        .hot_id_set("nothing");
    let unknown = dataset.partition(folder.join("again"), hot);
    assert!(matches!(unknown, Err(Error::NotFound(_))), "{unknown:?}");
    assert!(matches!(part.global_ids("none"), Err(Error::NotFound(_))));
    let whole = dataset.global_ids("user");
    assert!(matches!(whole, Err(Error::Unsupported(_))));
    let partition = Partition::open(&context, &path).unwrap();
    assert_eq!(argument(partition.owners("user", &[3i64, 12])), "ids");
    let missing = partition.owners("none", &[0i64]);
    assert!(matches!(missing, Err(Error::NotFound(_))));
}

#[test]
fn long_calls_tell_of_their_progress_and_can_be_stopped() {
    let folder = TempDir::new();
    let path = folder.join("parts");
    let context = context();
    let dataset = graph(&context);
    let mut calls = 0;
    let stop = |_: &Progress<'_>| {
        calls += 1;
        ControlFlow::Break(())
    };
    let stopped = dataset.partition(&path, given().progress(stop));
    assert!(matches!(stopped, Err(Error::Canceled(_))), "{stopped:?}");
    assert_eq!(calls, 1);
    assert!(!path.exists());
    let mut calls = 0;
    let count = |progress: &Progress<'_>| {
        assert!(!progress.stage.is_empty());
        calls += 1;
        ControlFlow::Continue(())
    };
    dataset.partition(&path, given().progress(count)).unwrap();
    assert!(calls > 0);

    let partition = Partition::open(&context, &path).unwrap();
    let mut calls = 0;
    let told = partition.verify_with_progress(|_| {
        calls += 1;
        ControlFlow::Continue(())
    });
    told.unwrap();
    assert!(calls > 0);
    let stopped = partition.verify_with_progress(|_| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(Error::Canceled(_))));
    let merged = folder.join("merged");
    let stop = WriteOptions::new().progress(|_| ControlFlow::Break(()));
    let stopped = partition.merge_with(&merged, stop);
    assert!(matches!(stopped, Err(Error::Canceled(_))));
    assert!(!merged.exists());
}
