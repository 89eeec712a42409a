// The log of a context: a level, and one function that receives finished lines.
#pragma once

#include <gls.h>

#include <atomic>
#include <string>
#include <utility>

#include "base/text.h"
#include "system/fork.h"

namespace gls {

class Log {
 public:
  Log(int32_t level, gls_log_fn fn, void* user_data, gls_destroy_fn destroy)
      : level_(level), fn_(fn), user_data_(user_data), destroy_(destroy) {}
  ~Log() {
    // In a forked child, the data still belongs to the parent.
    if (destroy_ != nullptr && fork_generation() == fork_generation_) {
      destroy_(user_data_);
    }
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  bool enabled(int32_t level) const { return level <= level_.load(std::memory_order_relaxed); }
  void set_level(int32_t level) { level_.store(level, std::memory_order_relaxed); }

  template <typename... Args>
  void write(int32_t level, const char* component, fmt::format_string<Args...> text,
             Args&&... args) const {
    if (enabled(level)) {
      emit(level, component, formatted(text, std::forward<Args>(args)...));
    }
  }

 private:
  void emit(int32_t level, const char* component, const std::string& text) const;

  std::atomic<int32_t> level_;
  const uint32_t fork_generation_ = fork_generation();
  gls_log_fn fn_;
  void* user_data_;
  gls_destroy_fn destroy_;
};

}  // namespace gls
