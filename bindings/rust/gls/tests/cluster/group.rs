//! Groups of processes, here threads of one, and functions that they call of each other and of servers.
//! Every wait has a limit.

use std::collections::hash_map::RandomState;
use std::error::Error as StdError;
use std::fs;
use std::future::Future;
use std::hash::{BuildHasher, Hasher};
use std::io::ErrorKind;
use std::net::TcpListener;
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::panic::{self, AssertUnwindSafe};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{mpsc, Arc, Barrier, Mutex};
use std::task::{Context as Task, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use crate::common;
use crate::common::{context, ring, TempDir};
use gls::*;

const KEY: &str = "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2";
const SOON: Option<Duration> = Some(Duration::from_secs(30));

type Failure = Box<dyn StdError + Send + Sync>;

fn with_key(folder: &TempDir) -> Context {
    let path = folder.join("key");
    fs::write(&path, KEY).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let context = context();
    context.set("net.key_file", path.to_str().unwrap()).unwrap();
    context
}

/// A port of loopback where nobody listens. It is below those that Linux gives to connections (from
/// 32768 up), so that none of the tests' own takes it before it is listened at.
fn free_place() -> String {
    loop {
        let random = RandomState::new().build_hasher().finish();
        let place = format!("127.0.0.1:{}", 10000 + random % (32768 - 10000));
        match TcpListener::bind(&place) {
            Ok(_) => return place,
            Err(error) => assert_eq!(error.kind(), ErrorKind::AddrInUse),
        }
    }
}

/// Joins so many members at the same time.
fn members_with(
    count: u32,
    folder: &TempDir,
    change: impl for<'p> Fn(u32, GroupOptions<'p>) -> GroupOptions<'p> + Sync,
) -> Vec<Group> {
    let context = with_key(folder);
    let place = free_place();
    let join = |rank| {
        let options = Group::options()
            .place(rank, count)
            .rendezvous(&place)
            .timeout(SOON);
        change(rank, options).join(&context).unwrap()
    };
    let join = &join;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..count)
            .map(|rank| scope.spawn(move || join(rank)))
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    })
}

fn members(count: u32, folder: &TempDir) -> Vec<Group> {
    members_with(count, folder, |_, options| options)
}

fn soon(condition: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < end);
        thread::sleep(Duration::from_millis(5));
    }
}

fn patient() -> CallOptions {
    CallOptions::new().timeout(SOON)
}

// ---- joining, barriers, all-gathers ------------------------------------------------------------

#[test]
fn members_meet_and_give_bytes() {
    let folder = TempDir::new();
    let groups = members_with(3, &folder, |rank, options| {
        options.name("some").process_name(format!("number {rank}"))
    });
    for (rank, group) in groups.iter().enumerate() {
        let info = group.info().unwrap();
        assert_eq!((info.name.as_str(), info.rank as usize), ("some", rank));
        assert_eq!((info.world_size, info.local_size), (3, 3));
        assert_eq!(info.local_rank as usize, rank);
        assert_eq!(info.launcher, Some(Launcher::Arguments));
        let last = group.member(2).unwrap();
        assert_eq!(last.name, "number 2");
        assert_eq!(last.process, u64::from(std::process::id()));
        assert!(last.address.starts_with("127.0.0.1:") && !last.host.is_empty());
        assert!(matches!(group.member(3), Err(Error::InvalidArgument(_))));
    }
    let given: [Vec<u8>; 3] = [b"zero".to_vec(), Vec::new(), vec![7; 100_000]];
    for _ in 0..5 {
        let barriers: Vec<_> = groups
            .iter()
            .map(|group| group.begin_barrier(SOON).unwrap())
            .collect();
        for answer in barriers {
            answer.wait_for(SOON.unwrap()).unwrap().unwrap();
        }
        let gathers: Vec<_> = groups
            .iter()
            .zip(&given)
            .map(|(group, data)| group.begin_all_gather(data, SOON).unwrap())
            .collect();
        for answer in gathers {
            let all = answer.wait_for(SOON.unwrap()).unwrap().unwrap();
            assert!(all
                .iter()
                .map(|item| &item[..])
                .eq(given.iter().map(|g| &g[..])));
            drop(answer);
            assert_eq!(all[2].len(), 100_000); // it outlives the answer
        }
    }
    assert_eq!(groups[1].info().unwrap().operations, 10);
    thread::scope(|scope| {
        for group in &groups {
            scope.spawn(move || group.barrier(SOON).unwrap());
        }
    });
}

#[test]
fn a_barrier_says_who_is_missing_and_who_has_left() {
    let folder = TempDir::new();
    let groups = members(2, &folder);
    let error = groups[0]
        .barrier(Some(Duration::from_millis(200)))
        .unwrap_err();
    assert!(matches!(error, Error::TimedOut(_)) && error.message().contains("rank 1"));
    let answer = groups[0].begin_barrier(SOON).unwrap();
    assert!(answer
        .wait_for(Duration::from_millis(20))
        .unwrap()
        .is_none());
    assert!(matches!(
        groups[0].begin_all_gather(b"x", SOON),
        Err(Error::InvalidState(_))
    ));
    groups[1].barrier(SOON).unwrap();
    answer.wait().unwrap();
    groups[1].leave(SOON).unwrap();
    groups[1].leave(None).unwrap();
    let error = groups[0].barrier(SOON).unwrap_err();
    assert!(matches!(error, Error::Io(_)) && error.message().contains("has left"));
    assert!(matches!(
        groups[1].barrier(SOON),
        Err(Error::InvalidState(_))
    ));
}

#[test]
fn joining_fails_and_says_why() {
    let folder = TempDir::new();
    let context = with_key(&folder);
    let place = free_place();
    let options = || Group::options().rendezvous(&place).timeout(SOON);
    let short = Some(Duration::from_millis(300));
    let error = options()
        .place(0, 2)
        .timeout(short)
        .join(&context)
        .unwrap_err();
    assert!(matches!(error, Error::TimedOut(_)) && error.message().contains('1'));
    let error = options()
        .place(0, 2)
        .progress(|progress| {
            assert_eq!(
                (progress.stage, progress.total),
                ("waiting for the others", Some(2))
            );
            ControlFlow::Break(())
        })
        .join(&context)
        .unwrap_err();
    assert!(matches!(error, Error::Canceled(_)));
    for wrong in [
        options().place(2, 2),
        options().place(0, 0),
        options().place(0, 1).name("a\0b"),
        options().place(0, 2).rendezvous("nowhere"),
        options().launcher(Launcher::Arguments),
        options().exchange(|mine| Ok::<_, Failure>(vec![mine.to_vec()])),
    ] {
        let error = wrong.join(&context).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument(_)), "{error}");
    }
    let open = common::context();
    open.set("net.key_file", "").unwrap();
    let error = options().place(0, 2).join(&open).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)), "{error}");
}

#[test]
fn addresses_are_exchanged_by_a_function() {
    let folder = TempDir::new();
    let given: Mutex<Vec<Vec<u8>>> = Mutex::new(vec![Vec::new(); 3]);
    let all = Barrier::new(3);
    let context = with_key(&folder);
    let (given, all, context) = (&given, &all, &context);
    let groups: Vec<Group> = thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|rank| {
                scope.spawn(move || {
                    Group::options()
                        .place(rank, 3)
                        .timeout(SOON)
                        .exchange(|mine| {
                            given.lock().unwrap()[rank as usize] = mine.to_vec();
                            all.wait();
                            Ok::<_, Failure>(given.lock().unwrap().clone())
                        })
                        .join(context)
                        .unwrap()
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    thread::scope(|scope| {
        for group in &groups {
            scope.spawn(move || group.barrier(SOON).unwrap());
        }
    });
}

#[test]
fn an_exchange_may_fail_or_panic() {
    let folder = TempDir::new();
    let context = with_key(&folder);
    let options = || Group::options().place(0, 2).timeout(SOON);
    let error = options()
        .exchange(|_| Err::<Vec<Vec<u8>>, _>("no network today"))
        .join(&context)
        .unwrap_err();
    assert!(matches!(error, Error::Canceled(_)) && error.message().contains("no network today"));
    assert!(error.source().unwrap().to_string().contains("today"));
    let error = options()
        .exchange(|mine| Ok::<_, Failure>(vec![mine.to_vec()]))
        .join(&context)
        .unwrap_err();
    assert!(error.message().contains("1 items, expected 2"), "{error}");
    let error = options()
        .exchange(|mine| Ok::<_, Failure>(vec![mine.to_vec(), b"abc".to_vec()]))
        .join(&context)
        .unwrap_err();
    assert!(error.message().contains("3 bytes"), "{error}");
    let panicked = panic::catch_unwind(AssertUnwindSafe(|| {
        let options = options().exchange(|_| -> Result<Vec<Vec<u8>>, Failure> { panic!("here") });
        drop(options.join(&context));
    }));
    assert_eq!(panicked.unwrap_err().downcast_ref::<&str>(), Some(&"here"));
}

// ---- functions ---------------------------------------------------------------------------------

#[test]
fn functions_are_called() {
    let folder = TempDir::new();
    let groups = members(2, &folder);
    groups[1]
        .function("sum", |call| -> Result<[u8; 1]> {
            assert_eq!((call.function(), call.part()), ("sum", None));
            assert!(!call.is_canceled() && !call.caller().is_empty());
            let rank = u8::try_from(call.rank().unwrap()).unwrap();
            Ok([call.data().iter().sum::<u8>() + 100 * rank])
        })
        .unwrap();
    groups[1]
        .function("echo", |call| Ok::<_, Error>(call.data().to_vec()))
        .unwrap();
    assert_eq!(
        groups[0].call(1, "sum", [1, 2, 3], patient()).unwrap()[..],
        [6]
    );
    assert_eq!(groups[1].call(1, "sum", [1], patient()).unwrap()[..], [101]);
    let big = vec![5u8; 3 << 20];
    assert_eq!(
        groups[0].call(1, "echo", &big, patient()).unwrap()[..],
        big[..]
    );
    let empty = groups[0].call(1, "echo", b"", CallOptions::new().idempotent(true));
    assert!(empty.unwrap().is_empty());
    let owner = Arc::new(());
    let held = owner.clone();
    let again = groups[1].function("echo", move |_| {
        let _ = &held;
        Ok::<_, Error>(*b"another")
    });
    assert!(matches!(again, Err(Error::AlreadyExists(_))));
    assert_eq!(Arc::strong_count(&owner), 1); // the function was dropped, once
    let error = groups[0].call(1, "missing", b"", patient()).unwrap_err();
    assert!(matches!(error, Error::NotFound(_)) && error.message().contains("echo"));
    assert_eq!(error.detail("function"), Some("missing"));
    for wrong in [
        groups[0].call(2, "echo", b"", patient()),
        groups[0].call(1, "", b"", patient()),
        groups[0].call(1, "a\0b", b"", patient()),
    ] {
        assert!(matches!(wrong, Err(Error::InvalidArgument(_))));
    }
}

#[test]
fn errors_and_panics_reach_the_caller() {
    let folder = TempDir::new();
    let groups = members(2, &folder);
    groups[1]
        .function("fail", |call| -> Result<Vec<u8>, Failure> {
            match call.data() {
                b"words" => Err("some\0words é".into()),
                b"panic" => panic!("in call {}", 2),
                b"any" => panic::panic_any(3),
                _ => Err(common::context().set("none", "").unwrap_err().into()),
            }
        })
        .unwrap();
    let fail = |how: &[u8]| groups[0].call(1, "fail", how, patient()).unwrap_err();
    for (how, words) in [
        (&b"words"[..], "some words é"),
        (b"panic", "panicked: in call 2"),
        (b"any", "no text"),
    ] {
        let error = fail(how);
        assert!(matches!(error, Error::InvalidArgument(_)), "{error}");
        assert!(
            error.message().contains("function \"fail\" of rank 1"),
            "{error}"
        );
        assert!(error.message().contains(words), "{error}");
    }
    assert_eq!(
        fail(b"own").status(),
        common::context().set("none", "").unwrap_err().status()
    );
}

#[test]
fn calls_are_answered_later_by_any_thread() {
    let folder = TempDir::new();
    let groups = members_with(2, &folder, |_, options| options.num_threads(1));
    let (send, calls) = mpsc::channel();
    let send = Mutex::new(send);
    groups[1]
        .function_later("later", move |call| {
            send.lock().unwrap().send(call).unwrap();
        })
        .unwrap();
    let answers: Vec<_> = (0u8..3)
        .map(|i| groups[0].begin_call(1, "later", [i], patient()).unwrap())
        .collect();
    let mut waiting: Vec<Call> = (0..3)
        .map(|_| calls.recv_timeout(SOON.unwrap()).unwrap())
        .collect();
    waiting.sort_by_key(|call| call.data()[0]);
    assert!(format!("{:?}", waiting[0]).contains("later"));
    for answer in &answers {
        assert!(answer.wait_for(Duration::ZERO).unwrap().is_none());
    }
    drop(waiting.pop());
    waiting.pop().unwrap().fail("not today").unwrap();
    waiting.pop().unwrap().reply("here").unwrap();
    assert_eq!(answers[0].wait().unwrap()[..], *b"here");
    assert_eq!(answers[0].wait().unwrap()[..], *b"here");
    assert!(answers[1]
        .wait()
        .unwrap_err()
        .message()
        .contains("not today"));
    assert!(answers[2]
        .wait()
        .unwrap_err()
        .message()
        .contains("no answer"));
}

#[test]
fn deadlines_and_cancelling() {
    let folder = TempDir::new();
    let groups = members(2, &folder);
    let canceled = Arc::new(AtomicUsize::new(0));
    let started = Arc::new(AtomicUsize::new(0));
    let (seen, begun) = (canceled.clone(), started.clone());
    groups[1]
        .function("slow", move |call| {
            begun.fetch_add(1, Ordering::SeqCst);
            soon(|| call.is_canceled());
            seen.fetch_add(1, Ordering::SeqCst);
            Ok::<_, Error>(*b"too late")
        })
        .unwrap();
    let short = CallOptions::new().timeout(Some(Duration::from_millis(100)));
    let error = groups[0].call(1, "slow", b"", short).unwrap_err();
    assert!(matches!(error, Error::TimedOut(_)), "{error}");
    soon(|| canceled.load(Ordering::SeqCst) == 1);
    let forever = CallOptions::new().timeout(None);
    let answer = groups[0].begin_call(1, "slow", b"", forever).unwrap();
    soon(|| started.load(Ordering::SeqCst) == 2);
    answer.cancel();
    assert!(matches!(answer.wait(), Err(Error::Canceled(_))));
    let dropped = groups[0].begin_call(1, "slow", b"", forever).unwrap();
    soon(|| started.load(Ordering::SeqCst) == 3);
    drop(dropped);
    soon(|| canceled.load(Ordering::SeqCst) == 3);
    let poll = Duration::ZERO;
    let options = CallOptions::new().timeout(Some(poll));
    let error = groups[0].call(1, "slow", b"", options).unwrap_err();
    assert!(matches!(error, Error::TimedOut(_)), "{error}");
    let error = groups[0].barrier(Some(poll)).unwrap_err();
    assert!(matches!(error, Error::TimedOut(_)), "{error}");
}

/// Runs a future on this thread.
fn block_on<F: Future + Unpin>(mut future: F) -> F::Output {
    struct Unpark(thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker: Waker = Arc::new(Unpark(thread::current())).into();
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        match Pin::new(&mut future).poll(&mut Task::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park_timeout(end - Instant::now()),
        }
    }
}

#[test]
fn an_answer_is_a_future() {
    let folder = TempDir::new();
    let groups = members(2, &folder);
    groups[1]
        .function("slow echo", |call| {
            thread::sleep(Duration::from_millis(20));
            Ok::<_, Error>(call.data().to_vec())
        })
        .unwrap();
    for i in 0u8..5 {
        let answer = groups[0]
            .begin_call(1, "slow echo", [i], patient())
            .unwrap();
        assert_eq!(block_on(answer).unwrap()[..], [i]);
    }
    let missing = groups[0].begin_call(1, "missing", b"", patient()).unwrap();
    assert!(matches!(block_on(missing), Err(Error::NotFound(_))));
    // One that is dropped while it is awaited wakes nobody and does no harm.
    let mut answer = groups[0]
        .begin_call(1, "slow echo", b"", patient())
        .unwrap();
    struct Count(AtomicUsize);
    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let count = Arc::new(Count(AtomicUsize::new(0)));
    let waker: Waker = count.clone().into();
    assert!(Pin::new(&mut answer)
        .poll(&mut Task::from_waker(&waker))
        .is_pending());
    drop(answer);
    thread::sleep(Duration::from_millis(50));
    assert_eq!(count.0.load(Ordering::SeqCst), 0);
}

#[test]
fn functions_are_dropped_with_the_group_and_one_may_drop_it() {
    struct Says(Arc<AtomicBool>);
    impl Drop for Says {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let folder = TempDir::new();
    let mut groups = members(2, &folder);
    let gone = Arc::new(AtomicBool::new(false));
    let says = Says(gone.clone());
    let last = groups.pop().unwrap();
    let kept = Arc::new(Mutex::new(None));
    let held = kept.clone();
    last.function("end", move |_| {
        let _ = &says;
        drop(held.lock().unwrap().take());
        Ok::<_, Error>(*b"ended")
    })
    .unwrap();
    *kept.lock().unwrap() = Some(last);
    assert!(!gone.load(Ordering::SeqCst));
    // The group goes on a thread of its own, maybe before the answer is sent.
    let _ = groups[0].call(1, "end", b"", patient());
    soon(|| gone.load(Ordering::SeqCst));
}

// ---- functions of servers ----------------------------------------------------------------------

#[test]
fn functions_of_servers_are_called_by_part() {
    let folder = TempDir::new();
    let context = with_key(&folder);
    let whole = ring(&context, 60, 3);
    let path = folder.join("parts");
    let cut = PartitionOptions::new()
        .parts(2)
        .method(PartitionMethod::Hash);
    whole.partition(&path, cut).unwrap();
    let first = Server::options().parts([0]).start(&context, &path).unwrap();
    let second = Server::options()
        .parts([1])
        .servers([first.address()])
        .start(&context, &path)
        .unwrap();
    for (name, server) in [("first", &first), ("second", &second)] {
        server
            .function("who", move |call| {
                assert_eq!(call.rank(), None);
                Ok::<_, Error>(format!("{name} {}", call.part().unwrap()))
            })
            .unwrap();
    }
    second.function_later("nobody", drop).unwrap();
    let far = Dataset::open(&context, format!("gls://{}", second.address())).unwrap();
    assert_eq!(far.call(0, "who", b"", patient()).unwrap()[..], *b"first 0");
    let answer = far
        .begin_call(1, "who", b"", patient().idempotent(true))
        .unwrap();
    assert_eq!(answer.wait().unwrap()[..], *b"second 1");
    let error = far.call(1, "nobody", b"", patient()).unwrap_err();
    assert!(error.message().contains("no answer"), "{error}");
    assert!(matches!(
        far.call(2, "who", b"", patient()),
        Err(Error::InvalidArgument(_))
    ));
    assert!(matches!(
        whole.call(0, "who", b"", patient()),
        Err(Error::Unsupported(_))
    ));
    first.stop(SOON).unwrap();
    let late = first.function("late", |_| Ok::<_, Error>(*b""));
    assert!(matches!(late, Err(Error::InvalidState(_))));
}
