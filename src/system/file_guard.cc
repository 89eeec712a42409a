#include "system/file_guard.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace gls {

// Freed when the library is unloaded, since the handler may read it at any time before; reused for
// another file.
struct GuardedFile {
  std::atomic<uintptr_t> begin = 0;
  std::atomic<uintptr_t> end = 0;  // 0: no file
  std::atomic<bool> damaged = false;
  GuardedFile* next = nullptr;  // set before other threads can see this entry
  std::string path;             // the handler does not read it
};

namespace {

std::atomic<GuardedFile*> all_files = nullptr;
std::atomic<size_t> damaged_files = 0;

// Guards everything except what the handler reads. It has no destructor, so files may be closed
// while a process ends.
constinit std::mutex files_mutex;
static_assert(std::is_trivially_destructible_v<std::mutex>);

// A fork waits until no thread holds the mutex, so the child can lock it.
[[maybe_unused]] const int at_fork = pthread_atfork(
    [] { files_mutex.lock(); }, [] { files_mutex.unlock(); }, [] { files_mutex.unlock(); });

// Counts the scopes that a thread is in. The memory of a thread_local may be allocated by its first
// read, which a handler must not do; reading a key allocates nothing.
std::optional<pthread_key_t> made_key;

pthread_key_t scopes_key() {
  static const pthread_key_t key = [] {
    pthread_key_t made = 0;
    if (pthread_key_create(&made, nullptr) != 0) {
      throw std::bad_alloc();
    }
    made_key = made;
    return made;
  }();
  return key;
}

intptr_t scopes() { return reinterpret_cast<intptr_t>(pthread_getspecific(scopes_key())); }
void set_scopes(intptr_t count) {
  pthread_setspecific(scopes_key(), reinterpret_cast<void*>(count));
}

// A previous handler. Freed when the library is unloaded, since the handler may read it at any time
// before.
struct OtherHandler {
  struct sigaction action {};
  const OtherHandler* before = nullptr;  // the handler before this one
};
std::atomic<const OtherHandler*> previous = nullptr;
const OtherHandler* other_handlers = nullptr;  // all entries; under the mutex
std::atomic<long> passing_thread = 0;          // the thread that runs the previous handler
std::atomic<bool> any_fault_passed = false;
uintptr_t page_bytes = 4096;
bool installed = false;  // under the mutex

// Only does what a signal handler may do: no lock, no memory.
bool replace_by_zeros(uintptr_t at) {
  for (GuardedFile* file = all_files.load(); file != nullptr; file = file->next) {
    const uintptr_t end = file->end.load();
    if (at < file->begin.load() || at >= end) {
      continue;
    }
    if (!file->damaged.exchange(true)) {  // before another thread can read a zero
      damaged_files.fetch_add(1);
    }
    // If the file was truncated, everything behind the page is lost, too. One call for all of it
    // uses few of the mappings that a process may have.
    const uintptr_t page = at / page_bytes * page_bytes;
    // A direct system call, because a sanitizer counts a call of the C library as a write by the
    // program.
    return syscall(SYS_mmap, page, end - page, PROT_READ,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != -1;
  }
  return false;
}

[[nodiscard]] bool raised_by_this_process(const siginfo_t& info) {
  return info.si_code <= 0 && info.si_pid == getpid();
}

// Returning then repeats the access, which ends the process as without a handler.
void end_by_default(int number, const siginfo_t& info) {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(number, &standard, nullptr);
  if (info.si_code <= 0) {  // the signal was sent, so returning would repeat nothing
    raise(number);
  }
}

void pass_on(int number, siginfo_t* info, void* context) {
  const struct sigaction& other = previous.load()->action;
  const bool with_info = (other.sa_flags & SA_SIGINFO) != 0;
  if (!with_info && other.sa_handler == SIG_IGN && info->si_code <= 0) {
    return;
  }
  // The other handler may call this one as its previous handler, or raise the signal again.
  const long thread = syscall(SYS_gettid);
  const bool comes_back =
      passing_thread.load() == thread || (any_fault_passed.load() && raised_by_this_process(*info));
  if (comes_back || (!with_info && (other.sa_handler == SIG_DFL || other.sa_handler == SIG_IGN))) {
    end_by_default(number, *info);
    return;
  }
  passing_thread.store(thread);
  any_fault_passed.store(any_fault_passed.load() || info->si_code > 0);
  if (with_info) {
    other.sa_sigaction(number, info, context);
  } else {
    other.sa_handler(number);
  }
  passing_thread.store(0);
}

void on_bus_error(int number, siginfo_t* info, void* context) {
  const int error_number = errno;
  const bool done = scopes() > 0 && info->si_code == BUS_ADRERR &&
                    replace_by_zeros(reinterpret_cast<uintptr_t>(info->si_addr));
  errno = error_number;
  if (!done) {
    pass_on(number, info, context);
  }
}

const OtherHandler* remember(const struct sigaction& action) {
  for (const OtherHandler* known = other_handlers; known != nullptr; known = known->before) {
    const struct sigaction& is = known->action;
    if (is.sa_flags == action.sa_flags && is.sa_sigaction == action.sa_sigaction) {
      return known;
    }
  }
  other_handlers = new OtherHandler{action, other_handlers};
  return other_handlers;
}

// Under the mutex. Programs may set handlers later, and some restore an earlier one. Therefore this
// checks again for each mapped file.
void set_handler() {
  struct sigaction now {};
  sigaction(SIGBUS, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_bus_error) {
    return;
  }
  static_cast<void>(scopes_key());  // created before the handler needs it
  page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  previous.store(remember(now));  // before the handler can run
  struct sigaction own {};
  own.sa_sigaction = on_bus_error;
  own.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&own.sa_mask);
  sigaction(SIGBUS, &own, nullptr);
}

// Runs when the process ends or unloads the library, because the handler must not outlive its code.
// While a file is mapped, another thread may still read it. In that case the process is ending, and
// everything stays.
struct AtUnload {
  AtUnload() = default;
  AtUnload(const AtUnload&) = delete;
  AtUnload& operator=(const AtUnload&) = delete;
  ~AtUnload() {
    const std::lock_guard lock(files_mutex);
    for (const GuardedFile* file = all_files.load(); file != nullptr; file = file->next) {
      if (file->end.load() != 0) {
        return;
      }
    }
    struct sigaction now {};
    sigaction(SIGBUS, nullptr, &now);
    const bool is_first = (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_bus_error;
    const OtherHandler* const before = previous.load();
    if (before != nullptr && !is_first) {
      return;  // a handler that was set later may call this one
    }
    if (before != nullptr) {
      sigaction(SIGBUS, &before->action, nullptr);
      previous.store(nullptr);
    }
    while (other_handlers != nullptr) {
      delete std::exchange(other_handlers, other_handlers->before);
    }
    for (GuardedFile* file = all_files.exchange(nullptr); file != nullptr;) {
      delete std::exchange(file, file->next);
    }
    if (made_key) {
      pthread_key_delete(*made_key);
    }
  }
};
const AtUnload at_unload;

Status damage_of(const GuardedFile& file) {
  return error(GLS_ERR_IO,
               "{} was cut short, or could not be read, while it was in use; restore the file, and "
               "open the dataset again",
               file.path)
      .with("file", file.path);
}

template <typename Wanted>
Status find_damage(const Wanted& wanted) {
  if (!any_file_damaged()) {
    return {};
  }
  const std::lock_guard lock(files_mutex);
  for (const GuardedFile* file = all_files.load(); file != nullptr; file = file->next) {
    if (file->damaged.load() && file->end.load() != 0 && wanted(*file)) {
      return damage_of(*file);
    }
  }
  return {};
}

}  // namespace

void install_file_guard() {
  const std::lock_guard lock(files_mutex);
  installed = true;
  set_handler();
}

FileReadScope::FileReadScope() { set_scopes(scopes() + 1); }
FileReadScope::~FileReadScope() { set_scopes(scopes() - 1); }

GuardedFile* guard_file(const void* data, size_t bytes, const std::string& path) {
  const std::lock_guard lock(files_mutex);
  if (installed) {
    set_handler();
  }
  GuardedFile* file = all_files.load();
  while (file != nullptr && file->end.load() != 0) {
    file = file->next;
  }
  if (file == nullptr) {
    file = new GuardedFile;
    file->next = all_files.load();
    file->path = path;
    all_files.store(file);
  } else {
    file->path = path;
  }
  const auto begin = reinterpret_cast<uintptr_t>(data);
  file->begin.store(begin);
  // To the end of the last page, which a file seldom fills.
  file->end.store((begin + bytes + page_bytes - 1) / page_bytes * page_bytes);
  return file;
}

void unguard_file(GuardedFile* file) {
  const std::lock_guard lock(files_mutex);
  file->end.store(0);
  if (file->damaged.exchange(false)) {
    damaged_files.fetch_sub(1);
  }
}

bool any_file_damaged() { return damaged_files.load() > 0; }

Status check_mapped_files() {
  return find_damage([](const GuardedFile&) { return true; });
}

Status check_mapped_file(const void* data) {
  const auto at = reinterpret_cast<uintptr_t>(data);
  return find_damage(
      [at](const GuardedFile& file) { return at >= file.begin.load() && at < file.end.load(); });
}

}  // namespace gls
