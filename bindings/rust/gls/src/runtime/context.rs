//! Context: worker threads, recycled memory, settings and the log.

use std::fmt;
use std::os::raw::{c_char, c_void};
use std::ptr::NonNull;

use gls_sys as sys;

use crate::runtime::callback;
use crate::runtime::error::{call, lossy, make, text, Result};
use crate::runtime::names::c_string;

/// What everything made from it shares: worker threads, recycled memory, settings, log.
///
/// A process may have several contexts. An object made from one keeps it alive.
///
/// ```
/// let context = gls::Context::builder()
///     .num_threads(2)
///     .log(|level, component, text| eprintln!("{level:?} {component}: {text}"))
///     .build()?;
/// context.set("memory.huge_pages", &context.get("memory.huge_pages")?)?;
/// # Ok::<(), gls::Error>(())
/// ```
pub struct Context {
    raw: NonNull<sys::gls_context_t>,
}

// SAFETY: gls.h: set and get are [any], and so is making objects of a context; release, by Drop,
// may happen on any thread.
unsafe impl Send for Context {}
// SAFETY: as above: all that a shared reference allows is [any].
unsafe impl Sync for Context {}

impl Context {
    /// A context with a worker thread for each core that this process may use.
    pub fn new() -> Result<Self> {
        Self::builder().build()
    }

    /// A context with options.
    pub fn builder() -> ContextBuilder {
        ContextBuilder::default()
    }

    /// Changes a setting, one of [`settings()`], for objects made from now on. The value is text,
    /// checked against the setting's type.
    pub fn set(&self, key: &str, value: &str) -> Result<()> {
        let key = c_string("key", key)?;
        let value = c_string("value", value)?;
        // SAFETY: a live handle and terminated strings.
        call(|error| unsafe {
            sys::gls_context_set(self.raw.as_ptr(), key.as_ptr(), value.as_ptr(), error)
        })?;
        Ok(())
    }

    /// The value of a setting that is in force, as text.
    pub fn get(&self, key: &str) -> Result<String> {
        let key = c_string("key", key)?;
        // SAFETY: a live handle, a terminated string, and a buffer of the length given.
        text(64, |buffer, capacity, length, error| unsafe {
            sys::gls_context_get(
                self.raw.as_ptr(),
                key.as_ptr(),
                buffer,
                capacity,
                length,
                error,
            )
        })
    }

    pub(crate) fn raw(&self) -> *mut sys::gls_context_t {
        self.raw.as_ptr()
    }

    /// The handle, for calls of [`sys`] that this crate does not have. Borrowed: it must not be
    /// released.
    pub fn as_raw(&self) -> *mut sys::gls_context_t {
        self.raw()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: owned, and this is the last call on it.
        unsafe { sys::gls_context_release(self.raw.as_ptr()) }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").finish_non_exhaustive()
    }
}

/// How much a log line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LogLevel {
    /// Cannot go on.
    Error = sys::GLS_LOG_ERROR as isize,
    /// Unusual, but the work continues.
    Warn = sys::GLS_LOG_WARN as isize,
    /// A few lines per run.
    Info = sys::GLS_LOG_INFO as isize,
    /// Grows with the number of objects.
    Debug = sys::GLS_LOG_DEBUG as isize,
    /// Grows with the number of events.
    Trace = sys::GLS_LOG_TRACE as isize,
}

impl LogLevel {
    fn from_number(level: i32) -> Self {
        let known = [Self::Error, Self::Warn, Self::Info, Self::Debug];
        let found = known.into_iter().find(|&known| level <= known as i32);
        found.unwrap_or(Self::Trace)
    }
}

type LogFn = Box<dyn Fn(LogLevel, &str, &str) + Send + Sync>;

/// The options of a [`Context`].
#[derive(Default)]
#[must_use = "nothing is made before build()"]
pub struct ContextBuilder {
    num_threads: u32,
    log_level: Option<LogLevel>,
    log: Option<LogFn>,
}

impl ContextBuilder {
    /// Worker threads; 0, the default: one for each core that this process may use, by affinity and
    /// cgroup quota.
    pub fn num_threads(mut self, num_threads: u32) -> Self {
        self.num_threads = num_threads;
        self
    }

    /// The most verbose kind of line to report; by default the setting "log.level".
    pub fn log_level(mut self, level: LogLevel) -> Self {
        self.log_level = Some(level);
        self
    }

    /// Where log lines go: called with their level, component and text; by default they go to
    /// standard error.
    ///
    /// Called from any thread of the library, several at once. It must not call this crate, nor
    /// block. A panic in it is caught: the line is lost, and the program continues.
    pub fn log(mut self, log: impl Fn(LogLevel, &str, &str) + Send + Sync + 'static) -> Self {
        self.log = Some(Box::new(log));
        self
    }

    /// Starts the worker threads.
    pub fn build(self) -> Result<Context> {
        let mut options = sys::gls_context_options_t {
            num_threads: self.num_threads,
            log_level: self.log_level.map_or(0, |level| level as i32),
            ..Default::default()
        };
        if let Some(log) = self.log {
            // A thin pointer; log_destroy gives it back, also when create fails.
            options.log_user_data = Box::into_raw(Box::new(log)).cast();
            options.log = Some(write_log);
            options.log_destroy = Some(drop_log);
        }
        // SAFETY: the options are those of this header, and the log function outlives the context,
        // as only log_destroy frees it. It may be called from several threads, as it is Sync.
        let raw = make(|out, error| unsafe { sys::gls_context_create(&options, out, error) })?;
        Ok(Context { raw })
    }
}

impl fmt::Debug for ContextBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContextBuilder")
            .field("num_threads", &self.num_threads)
            .field("log_level", &self.log_level)
            .finish_non_exhaustive()
    }
}

unsafe extern "C" fn write_log(
    user_data: *mut c_void,
    level: i32,
    component: *const c_char,
    line: *const c_char,
) {
    // SAFETY: what build() passed, which lives until drop_log(); shared by threads, as it is Sync.
    let log = &*user_data.cast::<LogFn>();
    callback::run(|| log(LogLevel::from_number(level), lossy(component), lossy(line)));
}

unsafe extern "C" fn drop_log(user_data: *mut c_void) {
    // SAFETY: what build() passed; called once.
    let log = Box::from_raw(user_data.cast::<LogFn>());
    callback::run(|| drop(log));
}

/// A tunable of the library. See [`Context::set`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Setting {
    /// Its name: "memory.huge_pages".
    pub key: &'static str,
    /// "int", "size" (accepts 64K, 2M, 1G), "bool", or the values it may have: "a|b|c".
    pub kind: &'static str,
    /// The value it has unless changed.
    pub default: &'static str,
    /// The environment variable that is read when a context is made.
    pub env: &'static str,
    /// One sentence.
    pub help: &'static str,
}

/// All settings that the library has, in alphabetical order of their keys.
pub fn settings() -> Result<Vec<Setting>> {
    // SAFETY: takes nothing.
    let count = unsafe { sys::gls_setting_count() };
    (0..count)
        .map(|index| {
            let mut info = sys::gls_setting_info_t::default();
            // SAFETY: a struct of the stated size.
            call(|error| unsafe { sys::gls_setting_get_info(index, &mut info, error) })?;
            // SAFETY: gls.h: all pointers are static.
            unsafe {
                Ok(Setting {
                    key: lossy(info.key),
                    kind: lossy(info.type_),
                    default: lossy(info.default_value),
                    env: lossy(info.env),
                    help: lossy(info.help),
                })
            }
        })
        .collect()
}

/// The version of the loaded library as text: "0.1.0".
pub fn version() -> &'static str {
    // SAFETY: takes nothing and returns a static string.
    unsafe { lossy(sys::gls_version_string()) }
}

/// The version of the loaded library as number: major * 1000000 + minor * 1000 + patch.
pub fn version_number() -> u32 {
    // SAFETY: takes nothing.
    unsafe { sys::gls_version() }
}
