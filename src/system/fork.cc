#include "system/fork.h"

#include <pthread.h>

#include <atomic>

namespace gls {
namespace {

std::atomic<uint32_t> generation{0};

const int registered =
    pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });

}  // namespace

uint32_t fork_generation() {
  static_cast<void>(registered);
  return generation.load(std::memory_order_relaxed);
}

}  // namespace gls
