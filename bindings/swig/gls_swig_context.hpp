/** @file gls_swig_context.hpp
 *  Part of gls_swig.hpp: contexts, settings, the log, and the progress of long calls.
 */
#ifndef GLS_SWIG_CONTEXT_HPP
#define GLS_SWIG_CONTEXT_HPP

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "gls_swig_mailbox.hpp"
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
  explicit LogQueue(uint32_t capacity) : lines_(std::make_shared<Mailbox<LogLine>>(capacity)) {}
  /** Waits for a line; NULL when there is none in time, or when there will be none any more.
   *  @param timeout_ms  -1: without limit */
  LogLine* next(int64_t timeout_ms) {
    std::optional<LogLine> line = lines_->next(timeout_ms);
    return line.has_value() ? new LogLine(std::move(*line)) : nullptr;
  }
  /** True when the context is gone, or close() was called. */
  bool closed() const { return lines_->closed(); }
  void close() { lines_->close(); }
  /** Lines that found no room. */
  uint64_t dropped() const { return lines_->dropped(); }

#ifndef SWIG
  void attach(gls_context_options_t* options) const {
    using Lines = std::shared_ptr<Mailbox<LogLine>>;
    options->log_user_data = new Lines(lines_);
    options->log = [](void* user, int32_t level, const char* component, const char* text) {
      try {
        (*static_cast<Lines*>(user))->send({LogLine(level, component, text)});
      } catch (const std::bad_alloc&) {  // then it is lost
      }
    };
    options->log_destroy = [](void* user) {
      auto* const lines = static_cast<Lines*>(user);
      (*lines)->close();
      delete lines;
    };
  }
#endif

 private:
  std::shared_ptr<Mailbox<LogLine>> lines_;
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
