/** @file gls_swig_context.hpp
 *  Part of gls_swig.hpp: contexts, settings, the log, and the progress of long calls.
 */
#ifndef GLS_SWIG_CONTEXT_HPP
#define GLS_SWIG_CONTEXT_HPP

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "gls_swig_tensor.hpp"

namespace gls::facade {

/** Receives the progress of a long call, on the thread that made it. Each binding implements it in
 *  its own way; report() must not throw. */
class Progress {
 public:
  virtual ~Progress() = default;
  /** False ends the call with GLS_ERR_CANCELED. */
  virtual bool report(const char* stage, uint64_t done, uint64_t total, const char* unit) = 0;

#ifndef SWIG
  static int32_t call(void* self, const char* stage, uint64_t done, uint64_t total,
                      const char* unit) {
    return static_cast<Progress*>(self)->report(stage, done, total, unit) ? 0 : 1;
  }
#endif
};

/** A line of the log. */
class LogLine {
 public:
  int32_t level() const { return level_; }
  const char* component() const { return component_.c_str(); }
  const char* text() const { return text_.c_str(); }

#ifndef SWIG
  LogLine(int32_t level, std::string component, std::string text)
      : level_(level), component_(std::move(component)), text_(std::move(text)) {}
#endif

 private:
  int32_t level_;
  std::string component_;
  std::string text_;
};

/** Log lines on their way to a thread of the target language. The library's threads only append, so
 *  they never wait for a virtual machine. Lines beyond the capacity are counted and dropped. */
class LogQueue {
 public:
  explicit LogQueue(uint32_t capacity) : lines_(std::make_shared<Lines>()) {
    lines_->capacity = capacity;
  }
  /** Waits for a line; NULL when there is none in time, or when there will be none any more.
   *  @param timeout_ms  -1: without limit */
  LogLine* next(int64_t timeout_ms) {
    std::unique_lock lock(lines_->mutex);
    const auto ready = [this] { return !lines_->waiting.empty() || lines_->closed; };
    if (timeout_ms < 0) {
      lines_->arrived.wait(lock, ready);
    } else {
      lines_->arrived.wait_for(lock, std::chrono::milliseconds(timeout_ms), ready);
    }
    if (lines_->waiting.empty()) {
      return nullptr;
    }
    auto line = std::make_unique<LogLine>(std::move(lines_->waiting.front()));
    lines_->waiting.pop_front();
    return line.release();
  }
  /** True when the context is gone, or close() was called. */
  bool closed() const {
    const std::lock_guard lock(lines_->mutex);
    return lines_->closed;
  }
  void close() { lines_->close(); }
  /** Lines that found no room. */
  uint64_t dropped() const {
    const std::lock_guard lock(lines_->mutex);
    return lines_->dropped;
  }

#ifndef SWIG
  void attach(gls_context_options_t* options) const {
    options->log_user_data = new std::shared_ptr<Lines>(lines_);
    options->log = [](void* user, int32_t level, const char* component, const char* text) {
      (*static_cast<std::shared_ptr<Lines>*>(user))->append(level, component, text);
    };
    options->log_destroy = [](void* user) {
      auto* const lines = static_cast<std::shared_ptr<Lines>*>(user);
      (*lines)->close();
      delete lines;
    };
  }
#endif

 private:
  struct Lines {
    mutable std::mutex mutex;
    std::condition_variable arrived;
    std::deque<LogLine> waiting;
    size_t capacity = 0;
    uint64_t dropped = 0;
    bool closed = false;

    void append(int32_t level, const char* component, const char* text) noexcept {
      try {
        const std::lock_guard lock(mutex);
        if (waiting.size() >= capacity) {
          ++dropped;
          return;
        }
        waiting.emplace_back(level, component, text);
        arrived.notify_one();
      } catch (const std::bad_alloc&) {  // then it is lost
      }
    }
    void close() {
      const std::lock_guard lock(mutex);
      closed = true;
      arrived.notify_all();
    }
  };
  std::shared_ptr<Lines> lines_;
};

/** A tunable of the library. */
class SettingInfo {
 public:
  static uint32_t count() { return static_cast<uint32_t>(gls_setting_count()); }
  explicit SettingInfo(uint32_t index) {
    info_.struct_size = sizeof info_;
    gls::detail::call([&](auto err) { return gls_setting_get_info(index, &info_, err); });
  }
  const char* key() const { return info_.key; }
  const char* type() const { return info_.type; }
  const char* default_value() const { return info_.default_value; }
  const char* env() const { return info_.env; }
  const char* help() const { return info_.help; }

 private:
  gls_setting_info_t info_{};
};

class Context {
 public:
  /** @param log  NULL: lines go to standard error */
  Context(uint32_t num_threads, int32_t log_level, const LogQueue* log)
      : context_(options(num_threads, log_level, log)) {}
  void set(const char* key, const char* value) {
    context_.set(text_or_empty(key), text_or_empty(value));
  }
  std::string get(const char* key) const { return context_.get(text_or_empty(key)); }

#ifndef SWIG
  const gls::Context& impl() const { return context_; }
#endif

 private:
  static gls_context_options_t options(uint32_t num_threads, int32_t log_level,
                                       const LogQueue* log) {
    gls_context_options_t out = GLS_CONTEXT_OPTIONS_INIT;
    out.num_threads = num_threads;
    out.log_level = log_level;
    if (log != nullptr) {
      log->attach(&out);
    }
    return out;
  }
  gls::Context context_;
};

}  // namespace gls::facade

#endif  // GLS_SWIG_CONTEXT_HPP
