//! Group: processes that were started together.

use std::error::Error as StdError;
use std::fmt;
use std::ops::ControlFlow;
use std::ptr::NonNull;
use std::sync::Mutex;
use std::time::Duration;

use gls_sys as sys;

use crate::cluster::calls::{answering, begin, register, Call, CallOptions};
use crate::cluster::exchange::{with_exchange, ExchangeFn};
use crate::cluster::future::{Bytes, Future};
use crate::runtime::callback;
use crate::runtime::context::Context;
use crate::runtime::error::{call, lossy, make, Error, Result};
use crate::runtime::names::Name;
use crate::runtime::options::milliseconds;
use crate::runtime::progress::{with_progress, Progress, ProgressFn};

/// The source of rank, world size and the address of rank 0, if the options do not set them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Launcher {
    /// The launcher whose variables are set. Without any, the process is alone, in a group of one.
    #[default]
    Auto = sys::GLS_LAUNCHER_AUTO as isize,
    /// No launcher: [`GroupOptions::place`] is needed.
    Arguments = sys::GLS_LAUNCHER_ARGUMENTS as isize,
    /// torchrun.
    Torchrun = sys::GLS_LAUNCHER_TORCHRUN as isize,
    /// Open MPI.
    OpenMpi = sys::GLS_LAUNCHER_OPENMPI as isize,
    /// Slurm.
    Slurm = sys::GLS_LAUNCHER_SLURM as isize,
    /// PMIx, MPICH and its kin.
    Pmix = sys::GLS_LAUNCHER_PMIX as isize,
}

impl Launcher {
    fn from_number(number: i32) -> Option<Self> {
        [
            Self::Arguments,
            Self::Torchrun,
            Self::OpenMpi,
            Self::Slurm,
            Self::Pmix,
        ]
        .into_iter()
        .find(|&known| known as i32 == number)
    }
}

/// The place of a process in its [`Group`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupInfo {
    /// Of the group.
    pub name: String,
    /// Of this process.
    pub rank: u32,
    /// Number of processes.
    pub world_size: u32,
    /// Of this process among those on this host.
    pub local_rank: u32,
    /// How many processes are on this host.
    pub local_size: u32,
    /// The launcher that was used; `None`: none, as the process is alone.
    pub launcher: Option<Launcher>,
    /// Barriers and all-gathers that ended well here.
    pub operations: u64,
}

/// A process of a [`Group`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// In errors and logs.
    pub name: String,
    /// Where it runs.
    pub host: String,
    /// "host:port" where it can be called.
    pub address: String,
    /// Its id on that host.
    pub process: u64,
}

/// This process as a member of a group of processes that were started together. If it is dropped
/// without leaving, the other processes see it as lost.
///
/// ```
/// let context = gls::Context::new()?;
/// let group = gls::Group::join(&context)?; // all of it from the launcher; here it is alone
/// group.function("twice", |call| Ok::<_, gls::Error>(call.data().repeat(2)))?;
/// group.barrier(None)?;
/// let reply = group.call(0, "twice", b"ab", gls::CallOptions::new())?;
/// assert_eq!(&reply[..], b"abab");
/// group.leave(None)?;
/// # Ok::<(), gls::Error>(())
/// ```
#[derive(Debug)]
pub struct Group {
    raw: NonNull<sys::gls_group_t>,
    operations: Mutex<()>, // which are [one]
}

// SAFETY: gls.h: calls on it are [any], but for operations, which take turns; release, by Drop, is the
// last call by any thread.
unsafe impl Send for Group {}
// SAFETY: as above.
unsafe impl Sync for Group {}

/// The options of a [`Group`].
#[derive(Default)]
#[must_use = "nothing is joined before join()"]
pub struct GroupOptions<'p> {
    name: Option<String>,
    launcher: Launcher,
    place: Option<(u32, u32)>,
    num_threads: Option<u32>,
    rendezvous: Option<String>,
    listen: Option<String>,
    process_name: Option<String>,
    timeout_ms: Option<i64>, // None: the default
    exchange: Option<Box<ExchangeFn<'p>>>,
    progress: Option<Box<ProgressFn<'p>>>,
}

impl<'p> GroupOptions<'p> {
    /// The name of the group, equal in all its processes; "gls" by default.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The launcher that sets what these options do not set.
    pub fn launcher(mut self, launcher: Launcher) -> Self {
        self.launcher = launcher;
        self
    }

    /// The rank of this process, and the number of processes; by default the launcher sets them.
    pub fn place(mut self, rank: u32, world_size: u32) -> Self {
        self.place = Some((rank, world_size));
        self
    }

    /// Threads that run functions; by default as many as the context has.
    pub fn num_threads(mut self, threads: u32) -> Self {
        self.num_threads = Some(threads);
        self
    }

    /// "host:port" where rank 0 listens and the others connect; by default the environment sets it.
    pub fn rendezvous(mut self, address: impl Into<String>) -> Self {
        self.rendezvous = Some(address.into());
        self
    }

    /// "host:port" to listen on. By default rank 0 listens at the rendezvous, and the others on
    /// 127.0.0.1:0. On several machines use "0.0.0.0:0", or one interface.
    pub fn listen(mut self, address: impl Into<String>) -> Self {
        self.listen = Some(address.into());
        self
    }

    /// The name of this process in errors and logs of the other processes.
    pub fn process_name(mut self, name: impl Into<String>) -> Self {
        self.process_name = Some(name.into());
        self
    }

    /// How long to wait for all processes to join; `None`: without limit. 120 s by default. With
    /// zero, only a group of one process can be joined.
    pub fn timeout(mut self, time: Option<Duration>) -> Self {
        self.timeout_ms = Some(milliseconds(time));
        self
    }

    /// Distributes the address of rank 0 to all processes, instead of a rendezvous. The function
    /// gets the bytes of this process and returns the bytes of all processes, by rank. Needs
    /// [`GroupOptions::place`]. If it panics, joining ends, and the panic continues.
    pub fn exchange<B: Into<Vec<u8>>, E: Into<Box<dyn StdError + Send + Sync>>>(
        mut self,
        mut exchange: impl FnMut(&[u8]) -> Result<Vec<B>, E> + 'p,
    ) -> Self {
        self.exchange = Some(Box::new(move |mine| match exchange(mine) {
            Ok(all) => Ok(all.into_iter().map(Into::into).collect()),
            Err(failure) => Err(failure.into()),
        }));
        self
    }

    /// Called while this process waits for others. `Break` ends that with [`Error::Canceled`]. If
    /// it panics, joining ends, and the panic continues.
    pub fn progress(mut self, progress: impl FnMut(&Progress<'_>) -> ControlFlow<()> + 'p) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Joins the group, and waits until all of its processes have joined. The settings `net.*` of
    /// the context configure how connections are protected, as for servers.
    ///
    /// # Errors
    /// - [`Error::TimedOut`] with the ranks that are missing.
    /// - [`Error::AlreadyExists`] when another process has this rank, or the address is taken.
    /// - [`Error::NotFound`] when the launcher has not set a required variable.
    /// - [`Error::InvalidArgument`] when nothing protects connections, or the other processes
    ///   belong to another group.
    /// - [`Error::Canceled`]; [`Error::Io`].
    pub fn join(mut self, context: &Context) -> Result<Group> {
        let name = Name::new("name", self.name.as_deref())?;
        let rendezvous = Name::new("rendezvous", self.rendezvous.as_deref())?;
        let listen = Name::new("listen", self.listen.as_deref())?;
        let process_name = Name::new("process_name", self.process_name.as_deref())?;
        let place = self.place;
        if self.exchange.is_some() && place.is_none() {
            return Err(Error::invalid("exchange", "place() is needed as well"));
        }
        if matches!(place, Some((_, 0))) {
            return Err(Error::invalid("world_size", "0, expected at least 1"));
        }
        if self.num_threads == Some(0) {
            return Err(Error::invalid(
                "num_threads",
                "0, expected a number above 0",
            ));
        }
        let (rank, world_size) = place.unwrap_or_default();
        let (launcher, num_threads) = (self.launcher as i32, self.num_threads.unwrap_or(0));
        let timeout_ms = self.timeout_ms.unwrap_or(sys::GLS_TIMEOUT_DEFAULT);
        let progress = self.progress.as_deref_mut();
        let exchange = self.exchange.as_deref_mut();
        with_progress(progress, |progress, progress_data| {
            with_exchange(exchange, world_size, |exchange, exchange_data| {
                let options = sys::gls_group_options_t {
                    name: name.as_ptr(),
                    launcher,
                    rank,
                    world_size,
                    num_threads,
                    rendezvous: rendezvous.as_ptr(),
                    listen: listen.as_ptr(),
                    process_name: process_name.as_ptr(),
                    exchange,
                    exchange_user_data: exchange_data,
                    progress,
                    progress_user_data: progress_data,
                    ..Default::default()
                };
                // SAFETY: a live handle and terminated strings that outlive the call; the functions are
                // only called during it.
                let raw = make(|out, error| unsafe {
                    sys::gls_group_join(context.raw(), &options, timeout_ms, out, error)
                })?;
                Ok(Group {
                    raw,
                    operations: Mutex::default(),
                })
            })
        })
    }
}

impl fmt::Debug for GroupOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupOptions")
            .field("name", &self.name)
            .field("launcher", &self.launcher)
            .field("place", &self.place)
            .field("rendezvous", &self.rendezvous)
            .field("listen", &self.listen)
            .finish_non_exhaustive()
    }
}

impl Group {
    /// Joins with the settings of the launcher.
    ///
    /// # Errors
    /// As of [`GroupOptions::join`].
    pub fn join(context: &Context) -> Result<Self> {
        Self::options().join(context)
    }

    /// Options of a group.
    pub fn options<'p>() -> GroupOptions<'p> {
        GroupOptions::default()
    }

    /// The place of this process.
    ///
    /// # Errors
    /// [`Error::InvalidState`] after a fork.
    pub fn info(&self) -> Result<GroupInfo> {
        let mut info = sys::gls_group_info_t::default();
        // SAFETY: a live handle, and a struct of the stated size; get_info is [any].
        call(|error| unsafe { sys::gls_group_get_info(self.raw.as_ptr(), &mut info, error) })?;
        Ok(GroupInfo {
            // SAFETY: a terminated string.
            name: unsafe { lossy(info.name) }.to_owned(),
            rank: info.rank,
            world_size: info.world_size,
            local_rank: info.local_rank,
            local_size: info.local_size,
            launcher: Launcher::from_number(info.launcher),
            operations: info.operations,
        })
    }

    /// The process with this rank.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when no process has it.
    pub fn member(&self, rank: u32) -> Result<Member> {
        let mut info = sys::gls_member_info_t::default();
        // SAFETY: a live handle, and a struct of the stated size; member is [any].
        call(|error| unsafe {
            sys::gls_group_get_member_info(self.raw.as_ptr(), rank, &mut info, error)
        })?;
        // SAFETY: terminated strings, which live as long as the group.
        Ok(unsafe {
            Member {
                name: lossy(info.name).to_owned(),
                host: lossy(info.host).to_owned(),
                address: lossy(info.address).to_owned(),
                process: info.process,
            }
        })
    }

    /// Waits until all processes of the group have called it. `None`: without limit. A barrier that
    /// timed out is not over for the other processes: calling it again continues it.
    ///
    /// # Errors
    /// - [`Error::TimedOut`] with the ranks that are missing.
    /// - [`Error::Io`] when a process is lost or has left.
    /// - [`Error::InvalidState`] when the other processes do something else, or another operation
    ///   runs in this process.
    pub fn barrier(&self, timeout: Option<Duration>) -> Result<()> {
        self.begin_barrier(timeout)?.wait()
    }

    /// A barrier to wait for in another way.
    ///
    /// # Errors
    /// [`Error::InvalidState`]; the future returns the other errors.
    pub fn begin_barrier(&self, timeout: Option<Duration>) -> Result<Future<()>> {
        let turn = self.operations.lock();
        // SAFETY: a live handle; barrier is [one], and the lock is held.
        let raw = make(|out, error| unsafe {
            sys::gls_group_barrier(self.raw.as_ptr(), milliseconds(timeout), out, error)
        })?;
        drop(turn);
        // SAFETY: just handed over.
        Ok(unsafe { Future::new(raw, |_| Ok(())) })
    }

    /// Gives bytes of each process to all of them: those of all, by rank, which may differ in size.
    ///
    /// # Errors
    /// As of [`Group::barrier`].
    pub fn all_gather(
        &self,
        data: impl AsRef<[u8]>,
        timeout: Option<Duration>,
    ) -> Result<Vec<Bytes>> {
        self.begin_all_gather(data, timeout)?.wait()
    }

    /// An all-gather to wait for in another way.
    ///
    /// # Errors
    /// [`Error::InvalidState`], [`Error::InvalidArgument`]; the future returns the other errors.
    pub fn begin_all_gather(
        &self,
        data: impl AsRef<[u8]>,
        timeout: Option<Duration>,
    ) -> Result<Future<Vec<Bytes>>> {
        let data = data.as_ref();
        let turn = self.operations.lock();
        // SAFETY: a live handle and so many bytes; all_gather is [one], and the lock is held.
        let raw = make(|out, error| unsafe {
            let (start, size) = (data.as_ptr().cast(), data.len());
            let timeout_ms = milliseconds(timeout);
            sys::gls_group_all_gather(self.raw.as_ptr(), start, size, timeout_ms, out, error)
        })?;
        drop(turn);
        // SAFETY: just handed over.
        Ok(unsafe { Future::new(raw, Future::items) })
    }

    /// Lets other processes of the group call a function of this one by a name. It runs on the
    /// threads for functions, in several calls at once. Its result answers the call: bytes, or an
    /// error, whose text the caller gets. A panic is an error, too. The function is dropped when
    /// the group is dropped and the last call of it was answered.
    ///
    /// Calls that arrive before this fail. A barrier between this and the first call prevents that.
    ///
    /// # Errors
    /// - [`Error::AlreadyExists`] when a function of this name exists.
    /// - [`Error::InvalidArgument`] for the name.
    /// - [`Error::InvalidState`] when the group was left.
    pub fn function<R, E>(
        &self,
        name: &str,
        function: impl Fn(&Call) -> Result<R, E> + Send + Sync + 'static,
    ) -> Result<()>
    where
        R: AsRef<[u8]>,
        E: Into<Box<dyn StdError + Send + Sync>>,
    {
        self.function_later(name, answering(function))
    }

    /// As [`Group::function`], of a function that has the call for its own, and answers it when it likes,
    /// on any thread.
    ///
    /// # Errors
    /// As there.
    pub fn function_later(
        &self,
        name: &str,
        function: impl Fn(Call) + Send + Sync + 'static,
    ) -> Result<()> {
        register(name, function, |name, run, data, release, error| {
            // SAFETY: a live handle and a terminated string; function is [any].
            unsafe { sys::gls_group_function(self.raw.as_ptr(), name, run, data, release, error) }
        })
    }

    /// Calls a function of a process of the group, also of this one, and waits for the reply.
    ///
    /// # Errors
    /// - Those of the function.
    /// - [`Error::NotFound`] when no function has this name.
    /// - [`Error::Io`] when the process is lost.
    /// - [`Error::TimedOut`].
    pub fn call(
        &self,
        rank: u32,
        function: &str,
        data: impl AsRef<[u8]>,
        options: CallOptions,
    ) -> Result<Bytes> {
        self.begin_call(rank, function, data, options)?.wait()
    }

    /// A call to wait for in another way.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`], [`Error::InvalidState`]; the future returns the other errors.
    pub fn begin_call(
        &self,
        rank: u32,
        function: &str,
        data: impl AsRef<[u8]>,
        options: CallOptions,
    ) -> Result<Future<Bytes>> {
        let data = data.as_ref();
        begin(
            function,
            options,
            |function, timeout_ms, options, out, error| {
                let (start, size) = (data.as_ptr().cast(), data.len());
                // SAFETY: a live handle, a terminated string and so many bytes; call is [any].
                unsafe {
                    let group = self.raw.as_ptr();
                    sys::gls_group_call(
                        group, rank, function, start, size, timeout_ms, options, out, error,
                    )
                }
            },
        )
    }

    /// Accepts no more calls, waits this long for running calls to end, and leaves. `None`: without
    /// limit. Operations of other processes that need this one end with an error that reports it. A
    /// second call does nothing.
    ///
    /// # Errors
    /// [`Error::InvalidState`] after a fork.
    pub fn leave(&self, timeout: Option<Duration>) -> Result<()> {
        // SAFETY: a live handle; leave is [any].
        call(|error| unsafe {
            sys::gls_group_leave(self.raw.as_ptr(), milliseconds(timeout), error)
        })?;
        Ok(())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // It waits for functions, one of which may drop it.
        let owned = Owned(self.raw);
        callback::release(move || owned.release());
    }
}

/// A group on its way to its release.
struct Owned(NonNull<sys::gls_group_t>);

// SAFETY: release may happen on any thread.
unsafe impl Send for Owned {}

impl Owned {
    fn release(self) {
        // SAFETY: owned, and this is the last call on it.
        unsafe { sys::gls_group_release(self.0.as_ptr()) }
    }
}
