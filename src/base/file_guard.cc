#include "base/file_guard.h"

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

namespace gls {

// Never freed, as the handler may look at it at any time; used again for another file.
struct GuardedFile {
  std::atomic<uintptr_t> begin = 0;
  std::atomic<uintptr_t> end = 0;  // 0: of no file
  std::atomic<bool> damaged = false;
  GuardedFile* next = nullptr;  // set before others see this
  std::string path;             // not read by the handler
};

namespace {

std::atomic<GuardedFile*> all_files = nullptr;
std::atomic<size_t> damaged_files = 0;

// For all but the handler.
std::mutex& files_mutex() {
  static auto* const mutex = [] {
    // No other thread has the lock when the process is forked.
    pthread_atfork([] { files_mutex().lock(); }, [] { files_mutex().unlock(); },
                   [] { files_mutex().unlock(); });
    return new std::mutex;  // what is static elsewhere may outlive any other
  }();
  return *mutex;
}

// How many scopes a thread is in. The memory of a thread_local may be allocated when it is first
// read, which a handler must not do; reading a key allocates nothing.
pthread_key_t scopes_key() {
  static const pthread_key_t key = [] {
    pthread_key_t made = 0;
    if (pthread_key_create(&made, nullptr) != 0) {
      throw std::bad_alloc();
    }
    return made;
  }();
  return key;
}

intptr_t scopes() { return reinterpret_cast<intptr_t>(pthread_getspecific(scopes_key())); }
void set_scopes(intptr_t count) {
  pthread_setspecific(scopes_key(), reinterpret_cast<void*>(count));
}

struct sigaction previous {};
uintptr_t page_bytes = 4096;

// All that a handler of a signal may do: no lock, no memory.
bool replace_by_zeros(uintptr_t at) {
  for (GuardedFile* file = all_files.load(); file != nullptr; file = file->next) {
    const uintptr_t end = file->end.load();
    if (at < file->begin.load() || at >= end) {
      continue;
    }
    if (!file->damaged.exchange(true)) {  // before another thread can read a zero
      damaged_files.fetch_add(1);
    }
    // What lies behind the page is lost as well where the file was cut, and one call for all of it
    // takes few mappings of the many that a process may have.
    const uintptr_t page = at / page_bytes * page_bytes;
    // The system's own call: a sanitizer takes that of the C library for a write of the program.
    return syscall(SYS_mmap, page, end - page, PROT_READ,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != -1;
  }
  return false;
}

void pass_on(int number, siginfo_t* info, void* context) {
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(number, info, context);
    return;
  }
  const bool sent = info->si_code <= 0;  // by kill(), and not by an access
  if (previous.sa_handler == SIG_IGN && sent) {
    return;
  }
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(number);
    return;
  }
  // Returning repeats the access, which then ends the process as if there were no handler.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(number, &standard, nullptr);
  if (sent) {
    raise(number);
  }
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
  const std::lock_guard lock(files_mutex());
  for (const GuardedFile* file = all_files.load(); file != nullptr; file = file->next) {
    if (file->damaged.load() && file->end.load() != 0 && wanted(*file)) {
      return damage_of(*file);
    }
  }
  return {};
}

}  // namespace

void install_file_guard() {
  static std::once_flag once;
  std::call_once(once, [] {
    static_cast<void>(scopes_key());  // made before the handler asks for it
    page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    struct sigaction own {};
    own.sa_sigaction = on_bus_error;
    own.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&own.sa_mask);
    sigaction(SIGBUS, nullptr, &previous);  // read before the handler can run
    sigaction(SIGBUS, &own, nullptr);
  });
}

FileReadScope::FileReadScope() { set_scopes(scopes() + 1); }
FileReadScope::~FileReadScope() { set_scopes(scopes() - 1); }

GuardedFile* guard_file(const void* data, size_t bytes, const std::string& path) {
  const std::lock_guard lock(files_mutex());
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
  const std::lock_guard lock(files_mutex());
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
