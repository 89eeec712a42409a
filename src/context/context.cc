#include "context/context.h"

#include <algorithm>
#include <new>
#include <system_error>

#include "system/file_guard.h"

namespace gls {
namespace {

constexpr int64_t kMaxThreads = 4096;

void pass_on(void* user_data, int32_t level, const char* component, const char* text) {
  const auto& other = *static_cast<const std::shared_ptr<Context>*>(user_data);
  other->log().write(level, component, "{}", text);
}

}  // namespace

Result<std::shared_ptr<Context>> Context::create(const ContextOptions& options, gls_log_fn log_fn,
                                                 void* log_user_data, gls_destroy_fn log_destroy) {
  // Destroys the user's data on every path, until the Log owns it.
  struct Guard {
    gls_destroy_fn destroy;
    void* user_data;
    ~Guard() {
      if (destroy != nullptr) {
        destroy(user_data);
      }
    }
  } guard{log_destroy, log_user_data};

  GLS_ASSIGN(const Settings settings, Settings::from_environment());
  if (options.log_level < 0 || options.log_level > GLS_LOG_TRACE) {
    return invalid("log_level is {}, expected 0 to {}", options.log_level, GLS_LOG_TRACE + 0)
        .with("argument", "log_level");
  }
  int64_t threads =
      options.num_threads != 0 ? int64_t{options.num_threads} : settings.integer(Setting::kThreads);
  if (threads == 0) {
    threads = usable_cores();
  }
  const int32_t level = options.log_level != 0
                            ? options.log_level
                            : static_cast<int32_t>(settings.choice(Setting::kLogLevel)) + 1;
  std::unique_ptr<Context> made(new Context(settings, level, log_fn, log_user_data, log_destroy));
  guard.destroy = nullptr;
  std::shared_ptr<Context> context(std::move(made));
  GLS_TRY(context->start_threads(threads));
  return context;
}

Result<std::shared_ptr<Context>> Context::create_like(const std::shared_ptr<Context>& other,
                                                      uint32_t num_threads) {
  GLS_TRY(other->check_process());
  const int64_t threads = num_threads != 0 ? int64_t{num_threads} : int64_t{other->pool().size()};
  auto held = std::make_unique<std::shared_ptr<Context>>(other);
  std::unique_ptr<Context> made(
      new Context(other->settings_, GLS_LOG_TRACE, pass_on, held.get(),
                  [](void* data) { delete static_cast<std::shared_ptr<Context>*>(data); }));
  static_cast<void>(held.release());  // the log owns it
  std::shared_ptr<Context> context(std::move(made));
  GLS_TRY(context->start_threads(threads));
  return context;
}

Status Context::start_threads(int64_t threads) {
  if (threads > kMaxThreads) {
    return invalid("num_threads is {}, expected at most {}", threads, kMaxThreads)
        .with("argument", "num_threads");
  }
  if (settings_.flag(Setting::kMemoryFileGuard)) {
    install_file_guard();
  }
  buffers_ = std::make_shared<BufferPool>(huge_pages(), settings_.bytes(Setting::kMemoryPool));
  try {
    pool_ = std::make_unique<ThreadPool>(static_cast<unsigned>(threads));
  } catch (const std::system_error& e) {
    return error(GLS_ERR_OUT_OF_MEMORY, "cannot start {} threads: {}", threads, e.code().message())
        .with("argument", "num_threads");
  }
  return {};
}

Status Context::set(std::string_view key, std::string_view value) {
  if (key == setting_specs()[static_cast<size_t>(Setting::kThreads)].key) {
    Settings changed(settings_);
    GLS_TRY(changed.set(key, value));
    if (changed.text(Setting::kThreads) == settings_.text(Setting::kThreads)) {
      return {};
    }
    return error(GLS_ERR_INVALID_STATE,
                 "setting {}: the threads of a context are made with it; give num_threads then, or "
                 "set {} before",
                 key, setting_specs()[static_cast<size_t>(Setting::kThreads)].env)
        .with("argument", "key");
  }
  GLS_TRY(settings_.set(key, value));
  if (settings_.flag(Setting::kMemoryFileGuard)) {
    install_file_guard();
  }
  buffers_->configure(huge_pages(), settings_.bytes(Setting::kMemoryPool));
  if (key == setting_specs()[static_cast<size_t>(Setting::kLogLevel)].key) {
    log_.set_level(static_cast<int32_t>(settings_.choice(Setting::kLogLevel)) + 1);
  }
  return {};
}

Simd Context::simd() const {
  const Simd detected = detect_simd();
  switch (settings_.choice(Setting::kCpuSimd)) {
    case 1:
      return detected;  // the widest that exists
    case 2:
      return std::min(detected, Simd::kAvx2);
    case 3:
      return Simd::kPlain;
    default:
      return detected;
  }
}

Status Context::forked_error() {
  return error(GLS_ERR_INVALID_STATE,
               "this object was made before a fork and cannot be used in the child process; make "
               "the context after the fork (or start workers with spawn)");
}

}  // namespace gls
