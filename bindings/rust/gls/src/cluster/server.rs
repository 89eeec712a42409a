//! Server: parts of a graph for other processes, also on other machines.

use std::error::Error as StdError;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::time::Duration;

use gls_sys as sys;

use crate::cluster::calls::{answering, register, Call};
use crate::data::dataset::Residency;
use crate::runtime::callback;
use crate::runtime::context::Context;
use crate::runtime::error::{call, lossy, make, Error, Result};
use crate::runtime::names::{c_path, c_string, Name};
use crate::runtime::options::milliseconds;
use crate::runtime::progress::{with_progress, Progress, ProgressFn};

/// Serves parts of a graph until it is dropped, on threads of its own.
///
/// Clients open `gls://host:port` with [`Dataset::open`](crate::Dataset::open), and get the batches
/// that the whole graph would give in one process.
///
/// The settings `net.*` of the context, or their environment variables, configure how connections
/// are protected and which clients may connect. A server needs a key, certificates or `net.plain`;
/// otherwise it does not start.
#[derive(Debug)]
pub struct Server {
    raw: NonNull<sys::gls_server_t>,
}

// SAFETY: gls.h: every call on it is [any]; release, by Drop, is the last call by any thread.
unsafe impl Send for Server {}
// SAFETY: as above.
unsafe impl Sync for Server {}

/// What a [`Server`] does at this moment, and has done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerInfo {
    /// Parts that it serves.
    pub parts: u32,
    /// Parts that the graph has.
    pub graph_parts: u32,
    /// Connected and let in, now.
    pub clients: u64,
    /// Connected and not let in yet.
    pub strangers: u64,
    /// Connections since it was started.
    pub accepted: u64,
    /// Of these, let in.
    pub admitted: u64,
    /// Of these, cut off as strangers because others came.
    pub evicted: u64,
    /// Requests answered since it was started.
    pub requests: u64,
    /// Of these, by an error.
    pub failures: u64,
}

/// A server's description of itself. See [`Server::probe`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerProbe {
    /// Of the server, in errors and logs.
    pub name: String,
    /// Of its library.
    pub version: String,
    /// Names the partition, 16 hexadecimal digits.
    pub graph: String,
    /// That it serves, ascending.
    pub parts: Vec<u32>,
    /// That the graph has.
    pub graph_parts: u32,
}

/// The options of a [`Server`].
#[derive(Default)]
#[must_use = "nothing is served before start()"]
pub struct ServerOptions<'p> {
    listen: Option<String>,
    name: Option<String>,
    parts: Vec<u32>,
    servers: Vec<String>,
    num_threads: Option<u32>,
    table_bytes: u64,
    residency: Residency,
    verify_checksums: bool,
    progress: Option<Box<ProgressFn<'p>>>,
}

impl<'p> ServerOptions<'p> {
    /// "host:port" of the interface to listen on; port 0: any free port. 127.0.0.1:0 by default.
    pub fn listen(mut self, address: impl Into<String>) -> Self {
        self.listen = Some(address.into());
        self
    }

    /// The parts to serve; by default all of the folder.
    pub fn parts(mut self, parts: impl IntoIterator<Item = u32>) -> Self {
        self.parts = parts.into_iter().collect();
        self
    }

    /// Addresses of other servers of the graph. Clients learn them from this server, and they learn
    /// this server's address. They may start later.
    pub fn servers<S: Into<String>>(mut self, addresses: impl IntoIterator<Item = S>) -> Self {
        self.servers = addresses.into_iter().map(Into::into).collect();
        self
    }

    /// The name in errors and logs of clients; made from the process id by default.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Threads that answer requests; by default as many as the context has.
    pub fn num_threads(mut self, threads: u32) -> Self {
        self.num_threads = Some(threads);
        self
    }

    /// Memory for [tables](crate::Table) of clients, at most; 0, the default: it holds none. Of servers of
    /// the same part one alone may hold tables.
    pub fn table_bytes(mut self, bytes: u64) -> Self {
        self.table_bytes = bytes;
        self
    }

    /// Where the arrays shall lie.
    pub fn residency(mut self, residency: Residency) -> Self {
        self.residency = residency;
        self
    }

    /// Whether to read every byte and compare checksums first.
    pub fn verify_checksums(mut self, verify: bool) -> Self {
        self.verify_checksums = verify;
        self
    }

    /// Called while what the two options before this ask for is read; `Break` ends the call with
    /// [`Error::Canceled`](crate::Error::Canceled). Should it panic, the call ends, and the panic goes
    /// on.
    pub fn progress(mut self, progress: impl FnMut(&Progress<'_>) -> ControlFlow<()> + 'p) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Serves parts of a graph that was cut by [`Dataset::partition`](crate::Dataset::partition).
    /// The folders of parts that are not served may be missing.
    ///
    /// # Errors
    /// - [`Error::InvalidArgument`](crate::Error::InvalidArgument) when nothing protects
    ///   connections, or for an address or key that cannot be used.
    /// - [`Error::NotFound`](crate::Error::NotFound).
    /// - [`Error::AlreadyExists`](crate::Error::AlreadyExists) when the address is taken.
    /// - [`Error::Io`](crate::Error::Io) when no interface has it.
    pub fn start(mut self, context: &Context, path: impl AsRef<Path>) -> Result<Server> {
        if self.num_threads == Some(0) {
            return Err(Error::invalid(
                "num_threads",
                "0, expected a number above 0",
            ));
        }
        let path = c_path("path", path.as_ref())?;
        let listen = Name::new("listen", self.listen.as_deref())?;
        let name = Name::new("name", self.name.as_deref())?;
        let servers = self
            .servers
            .iter()
            .map(|address| c_string("servers", address))
            .collect::<Result<Vec<_>>>()?;
        let raw_servers: Vec<_> = servers.iter().map(|address| address.as_ptr()).collect();
        let (residency, verify_checksums) = (self.residency as i32, self.verify_checksums.into());
        let (parts, num_threads, table_bytes) =
            (&self.parts, self.num_threads.unwrap_or(0), self.table_bytes);
        with_progress(self.progress.as_deref_mut(), |function, data| {
            let open = sys::gls_dataset_options_t {
                residency,
                verify_checksums,
                progress: function,
                progress_user_data: data,
                ..Default::default()
            };
            let options = sys::gls_server_options_t {
                listen: listen.as_ptr(),
                name: name.as_ptr(),
                parts: if parts.is_empty() {
                    ptr::null()
                } else {
                    parts.as_ptr()
                },
                num_parts: parts.len(),
                servers: raw_servers.as_ptr(),
                num_servers: raw_servers.len(),
                num_threads,
                open: &open,
                table_bytes,
                ..Default::default()
            };
            // SAFETY: live handle, terminated strings and arrays that outlive the call; the progress
            // function is only called during it.
            let raw = make(|out, error| unsafe {
                sys::gls_server_start(context.raw(), path.as_ptr(), &options, out, error)
            })?;
            Ok(Server { raw })
        })
    }
}

impl fmt::Debug for ServerOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerOptions")
            .field("listen", &self.listen)
            .field("name", &self.name)
            .field("parts", &self.parts)
            .field("servers", &self.servers)
            .field("num_threads", &self.num_threads)
            .field("table_bytes", &self.table_bytes)
            .field("residency", &self.residency)
            .field("verify_checksums", &self.verify_checksums)
            .finish_non_exhaustive()
    }
}

impl Server {
    /// Options of a server.
    pub fn options<'p>() -> ServerOptions<'p> {
        ServerOptions::default()
    }

    /// Checks whether one server serves, in this process or a remote one, and what it serves.
    ///
    /// A server serves if it listens, accepts this context's key or certificate, and answers. The
    /// other servers of the graph are not asked and need not run. A stopped server no longer
    /// listens, even while its last requests still run. `timeout` is for all of it; `None`: without
    /// limit.
    ///
    /// # Errors
    /// - [`Error::Io`](crate::Error::Io) when no server listens there, or it rejects this process.
    /// - [`Error::TimedOut`](crate::Error::TimedOut).
    /// - [`Error::InvalidArgument`](crate::Error::InvalidArgument) when nothing protects
    ///   connections, and for the address.
    pub fn probe(
        context: &Context,
        address: &str,
        timeout: Option<Duration>,
    ) -> Result<ServerProbe> {
        let address = c_string("address", address)?;
        // SAFETY: a live handle and a terminated string.
        let raw = make(|out, error| unsafe {
            sys::gls_server_probe(
                context.raw(),
                address.as_ptr(),
                milliseconds(timeout),
                out,
                error,
            )
        })?;
        let said = Said(raw);
        let mut info = sys::gls_probe_info_t::default();
        // SAFETY: a live handle, and a struct of the stated size.
        call(|error| unsafe { sys::gls_probe_get_info(said.0.as_ptr(), &mut info, error) })?;
        // SAFETY: strings and parts live as long as the probe.
        Ok(unsafe {
            ServerProbe {
                name: lossy(info.name).to_owned(),
                version: lossy(info.version).to_owned(),
                graph: lossy(info.graph).to_owned(),
                parts: (0..info.num_parts).map(|i| *info.parts.add(i)).collect(),
                graph_parts: info.graph_parts,
            }
        })
    }

    /// Where it listens, "host:port", with the port that was found.
    pub fn address(&self) -> &str {
        // SAFETY: a live handle, which the string lives as long as.
        unsafe { lossy(sys::gls_server_address(self.raw.as_ptr())) }
    }

    /// Lets clients call a function of this process with [`Dataset::call`](crate::Dataset::call). The
    /// function is as for [`Group::function`](crate::Group::function).
    ///
    /// # Errors
    /// - [`Error::AlreadyExists`](crate::Error::AlreadyExists) when a function of this name exists.
    /// - [`Error::InvalidState`](crate::Error::InvalidState) when the server was stopped.
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

    /// As [`Group::function_later`](crate::Group::function_later).
    ///
    /// # Errors
    /// As of [`Server::function`].
    pub fn function_later(
        &self,
        name: &str,
        function: impl Fn(Call) + Send + Sync + 'static,
    ) -> Result<()> {
        register(name, function, |name, run, data, release, error| {
            // SAFETY: a live handle and a terminated string; function is [any].
            unsafe { sys::gls_server_function(self.raw.as_ptr(), name, run, data, release, error) }
        })
    }

    /// Takes no more requests, lets those under way end for so long, and closes. `None`: without limit.
    /// Clients that ask again wait for a server at the same address, or go to another one that has the
    /// part.
    ///
    /// # Errors
    /// [`Error::InvalidState`](crate::Error::InvalidState) after a fork.
    pub fn stop(&self, timeout: Option<Duration>) -> Result<()> {
        let timeout_ms = milliseconds(timeout);
        // SAFETY: a live handle; stop is [any].
        call(|error| unsafe { sys::gls_server_stop(self.raw.as_ptr(), timeout_ms, error) })?;
        Ok(())
    }

    /// What it does at this moment, and has done so far.
    ///
    /// # Errors
    /// [`Error::InvalidState`](crate::Error::InvalidState) after a fork.
    pub fn info(&self) -> Result<ServerInfo> {
        let mut info = sys::gls_server_info_t::default();
        // SAFETY: a live handle, and a struct of the stated size; get_info is [any].
        call(|error| unsafe { sys::gls_server_get_info(self.raw.as_ptr(), &mut info, error) })?;
        Ok(ServerInfo {
            parts: info.parts,
            graph_parts: info.graph_parts,
            clients: info.clients,
            strangers: info.strangers,
            accepted: info.accepted,
            admitted: info.admitted,
            evicted: info.evicted,
            requests: info.requests,
            failures: info.failures,
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It waits for functions, one of which may drop it.
        let owned = Owned(self.raw);
        callback::release(move || owned.release());
    }
}

/// A server's description, until it is read.
struct Said(NonNull<sys::gls_probe_t>);

impl Drop for Said {
    fn drop(&mut self) {
        // SAFETY: a live handle, which is not used again.
        unsafe { sys::gls_probe_release(self.0.as_ptr()) }
    }
}

/// A server on its way to its release.
struct Owned(NonNull<sys::gls_server_t>);

// SAFETY: release may happen on any thread.
unsafe impl Send for Owned {}

impl Owned {
    fn release(self) {
        // SAFETY: owned, and this is the last call on it.
        unsafe { sys::gls_server_release(self.0.as_ptr()) }
    }
}
