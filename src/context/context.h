// A context: the settings, log, threads and memory pool that all objects made from it share.
#pragma once

#include <cstdint>
#include <memory>

#include "base/status.h"
#include "context/log.h"
#include "context/memory_shares.h"
#include "context/settings.h"
#include "context/thread_pool.h"
#include "system/cpu.h"
#include "system/fork.h"
#include "system/memory.h"

namespace gls {

struct ContextOptions {
  uint32_t num_threads = 0;  // 0: from the setting, else one per usable core
  int32_t log_level = 0;     // 0: from the setting
};

class Context {
 public:
  // `log_destroy` runs once, also after a failure.
  static Result<std::shared_ptr<Context>> create(const ContextOptions& options, gls_log_fn log_fn,
                                                 void* log_user_data, gls_destroy_fn log_destroy);

  // A context with the same settings and log, but threads and memory of its own. 0: as many
  // threads.
  static Result<std::shared_ptr<Context>> create_like(const std::shared_ptr<Context>& other,
                                                      uint32_t num_threads);

  // Changes a setting for objects made from now on.
  Status set(std::string_view key, std::string_view value);
  const Settings& settings() const { return settings_; }
  const Log& log() const { return log_; }
  ThreadPool& pool() { return *pool_; }
  const std::shared_ptr<BufferPool>& buffers() const { return buffers_; }
  // Of the memory in the setting storage.memory.
  MemoryShares& storage_memory() { return storage_memory_; }
  bool huge_pages() const { return settings_.flag(Setting::kMemoryHugePages); }
  // The instruction set of the setting, or the widest that the CPU supports if that is narrower.
  Simd simd() const;

  // An error if this process is a fork of the one that made the context.
  Status check_process() const {
    if (fork_generation() != fork_generation_) [[unlikely]] {
      return forked_error();
    }
    return {};
  }
  bool in_forked_child() const { return fork_generation() != fork_generation_; }

 private:
  Context(const Settings& settings, int32_t log_level, gls_log_fn log_fn, void* log_user_data,
          gls_destroy_fn log_destroy)
      : settings_(settings), log_(log_level, log_fn, log_user_data, log_destroy) {}
  static Status forked_error();
  Status start_threads(int64_t threads);

  Settings settings_;
  Log log_;
  uint32_t fork_generation_ = gls::fork_generation();
  std::shared_ptr<BufferPool> buffers_;
  MemoryShares storage_memory_;
  // last: its threads end before the other members are destroyed.
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace gls
