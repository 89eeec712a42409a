// Runs the threads of a block. The first goes on a stack beside that of the caller; one that ends
// leaves the stack to the next, and one that waits for others keeps it. When all have ended or
// wait, those whose meeting is complete go on.
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "cuda_runtime.h"
#include "memory_on_host.h"
#include "stacks.h"

#if defined(__SANITIZE_ADDRESS__)
#define GLS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GLS_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define GLS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GLS_TSAN 1
#endif
#endif
#if defined(GLS_ASAN)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(GLS_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace gls::cuda_on_host {
namespace {

constexpr size_t kStackBytes = size_t{256} << 10;
constexpr unsigned kWarp = 32;
constexpr size_t kMostThreads = 1024;  // of a block

// A stack with what runs on it.
struct Fiber {
  explicit Fiber(void (*enter)()) {
    stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) {
      std::abort();
    }
#if defined(GLS_TSAN)
    tsan = __tsan_create_fiber(0);
#endif
    prepare(&here, stack, kStackBytes, enter);
  }
  ~Fiber() {
#if defined(GLS_TSAN)
    __tsan_destroy_fiber(tsan);
#endif
    munmap(stack, kStackBytes);
  }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  Stopped here;
  void* stack;
  void* fake_stack = nullptr;  // of the address sanitizer
  void* tsan = nullptr;
};

struct Thread {
  unsigned number = 0;  // in the block
  uint3 index{};
  std::unique_ptr<Fiber> fiber;  // while it has begun and not ended
  bool begun = false;
  bool ended = false;
  bool ready = true;  // may go on
  Meeting meeting = Meeting::kNone;
  uint32_t mask = 0;
  uint64_t value = 0;
  int from = 0;
  uint64_t answer = 0;
};

class Block {
 public:
  Block(const char* name, dim3 blocks, dim3 threads, void (*call)(const void*), const void* context,
        uint64_t shuffle)
      : name_(name), call_(call), context_(context), shuffle_(shuffle), mixed_(shuffle) {
    place_.threads = threads;
    place_.blocks = blocks;
    const unsigned count = threads.x * threads.y * threads.z;
    threads_.resize(count);
    order_.resize(count);
    for (unsigned i = 0; i < count; ++i) {
      order_[i] = i;
    }
  }

  void run(uint3 index);
  uint64_t meet(Meeting meeting, uint32_t mask, uint64_t value, int from);
  Place& place() { return place_; }
  static void enter();

 private:
  void go_on(Thread& thread);
  bool release();
  bool release_block();
  bool release_warp(unsigned first);
  void answer(unsigned first, uint32_t mask);
  [[noreturn]] void fail(const char* what, const Thread& thread) const;
  void leave(Fiber& fiber);

  const char* name_;
  void (*call_)(const void*);
  const void* context_;
  uint64_t shuffle_;
  std::mt19937_64 mixed_;
  Place place_;
  std::vector<Thread> threads_;
  std::vector<unsigned> order_;
  Thread* current_ = nullptr;
  Stopped main_;
  [[maybe_unused]] void* main_fake_stack_ = nullptr;
  [[maybe_unused]] const void* main_stack_ = nullptr;
  [[maybe_unused]] size_t main_stack_bytes_ = 0;
  [[maybe_unused]] void* main_tsan_ = nullptr;
};

// Stacks that nothing runs on, of this thread of the processor.
std::vector<std::unique_ptr<Fiber>>& idle_fibers() {
  static thread_local std::vector<std::unique_ptr<Fiber>> idle;
  return idle;
}

// A function, and never inlined, so that nobody keeps the address of another thread's.
thread_local Block* current_block = nullptr;
thread_local unsigned char* current_shared = nullptr;
__attribute__((noinline)) Block*& block_now() {
  asm volatile("");
  return current_block;
}

void Block::fail(const char* what, const Thread& thread) const {
  std::fprintf(stderr, "CUDA on host: kernel %s, block (%u, %u, %u), thread %u: %s\n", name_,
               place_.block.x, place_.block.y, place_.block.z, thread.number, what);
  std::abort();
}

void Block::run(uint3 index) {
  place_.block = index;
  const dim3& size = place_.threads;
  for (unsigned i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    thread = Thread();
    thread.number = i;
    thread.index = {i % size.x, i / size.x % size.y, i / (size.x * size.y)};
  }
  if (shuffle_ != 0) {
    std::shuffle(order_.begin(), order_.end(), mixed_);
  }
  for (;;) {
    for (const unsigned i : order_) {
      if (threads_[i].ready && !threads_[i].ended) {
        go_on(threads_[i]);
      }
    }
    if (std::all_of(threads_.begin(), threads_.end(), [](const Thread& t) { return t.ended; })) {
      return;
    }
    if (!release()) {
      const auto waiting =
          std::find_if(threads_.begin(), threads_.end(), [](const Thread& t) { return !t.ended; });
      fail("waits for threads that do not come", *waiting);
    }
  }
}

void Block::go_on(Thread& thread) {
  current_ = &thread;
  thread.ready = false;
  place_.thread = thread.index;
  if (!thread.begun) {
    thread.begun = true;
    std::vector<std::unique_ptr<Fiber>>& idle = idle_fibers();
    if (idle.empty()) {
      idle.push_back(std::make_unique<Fiber>(&Block::enter));
    }
    thread.fiber = std::move(idle.back());
    idle.pop_back();
  }
  Fiber& fiber = *thread.fiber;
#if defined(GLS_ASAN)
  __sanitizer_start_switch_fiber(&main_fake_stack_, fiber.stack, kStackBytes);
#endif
#if defined(GLS_TSAN)
  main_tsan_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(fiber.tsan, 0);
#endif
  change(&main_, &fiber.here);
#if defined(GLS_ASAN)
  __sanitizer_finish_switch_fiber(main_fake_stack_, nullptr, nullptr);
#endif
  if (thread.ended) {
    idle_fibers().push_back(std::move(thread.fiber));
  }
}

// Back to the caller of go_on(). NOLINTNEXTLINE(readability-convert-member-functions-to-static)
void Block::leave(Fiber& fiber) {
#if defined(GLS_ASAN)
  __sanitizer_start_switch_fiber(&fiber.fake_stack, main_stack_, main_stack_bytes_);
#endif
#if defined(GLS_TSAN)
  __tsan_switch_to_fiber(main_tsan_, 0);
#endif
  change(&fiber.here, &main_);
#if defined(GLS_ASAN)
  __sanitizer_finish_switch_fiber(fiber.fake_stack, &main_stack_, &main_stack_bytes_);
#endif
}

void Block::enter() {
#if defined(GLS_ASAN)
  Block& first = *block_now();
  __sanitizer_finish_switch_fiber(nullptr, &first.main_stack_, &first.main_stack_bytes_);
#endif
  for (;;) {  // threads that follow each other on this stack
    Block& block = *block_now();
    block.call_(block.context_);
    block.current_->ended = true;
    block.leave(*block.current_->fiber);
  }
}

uint64_t Block::meet(Meeting meeting, uint32_t mask, uint64_t value, int from) {
  Thread& thread = *current_;
  thread.meeting = meeting;
  thread.mask = mask;
  thread.value = value;
  thread.from = from;
  if (meeting != Meeting::kBlock && (mask >> thread.number % kWarp & 1) == 0) {
    fail("is not in the mask of the lanes it meets", thread);
  }
  leave(*thread.fiber);
  place_.thread = thread.index;
  return thread.answer;
}

bool Block::release() {
  bool any = release_block();
  for (unsigned first = 0; first < threads_.size(); first += kWarp) {
    any = release_warp(first) || any;
  }
  return any;
}

// Those that have ended are not waited for.
bool Block::release_block() {
  for (const Thread& thread : threads_) {
    if (!thread.ended && thread.meeting != Meeting::kBlock) {
      return false;
    }
  }
  for (Thread& thread : threads_) {
    thread.ready = true;
    thread.meeting = Meeting::kNone;
  }
  return true;
}

bool Block::release_warp(unsigned first) {
  const auto count = std::min<unsigned>(kWarp, static_cast<unsigned>(threads_.size()) - first);
  uint32_t done = 0;
  bool any = false;
  for (unsigned i = 0; i < count; ++i) {
    const Thread& thread = threads_[first + i];
    if (thread.ended || thread.ready || thread.meeting == Meeting::kBlock ||
        thread.meeting == Meeting::kNone || (done >> i & 1) != 0) {
      continue;
    }
    bool complete = true;
    for (unsigned j = 0; j < kWarp; ++j) {
      if ((thread.mask >> j & 1) == 0) {
        continue;
      }
      // A block may end within a warp; whoever is not there need not come.
      if (j >= count) {
        continue;
      }
      const Thread& other = threads_[first + j];
      if (other.ended) {
        fail("meets a lane that has ended", thread);
      }
      complete = complete && other.meeting == thread.meeting && other.mask == thread.mask;
    }
    if (complete) {
      done |= thread.mask;
      answer(first, thread.mask);
      any = true;
    }
  }
  return any;
}

void Block::answer(unsigned first, uint32_t mask) {
  const auto count = std::min<unsigned>(kWarp, static_cast<unsigned>(threads_.size()) - first);
  const auto lanes = [&](auto visit) {
    for (unsigned j = 0; j < count; ++j) {
      if ((mask >> j & 1) != 0) {
        visit(threads_[first + j], j);
      }
    }
  };
  uint64_t ballot = 0;
  lanes([&](const Thread& thread, unsigned j) { ballot |= (thread.value & 1) << j; });
  lanes([&](Thread& thread, unsigned) {
    switch (thread.meeting) {
      case Meeting::kShuffle: {
        const auto from = static_cast<unsigned>(thread.from);
        if (from >= kWarp || (mask >> from & 1) == 0 || from >= count) {
          fail("reads a lane that is not there", thread);
        }
        thread.answer = threads_[first + from].value;
        break;
      }
      case Meeting::kBallot:
        thread.answer = ballot;
        break;
      case Meeting::kMatch:
        thread.answer = 0;
        lanes([&](const Thread& other, unsigned j) {
          thread.answer |= uint64_t{other.value == thread.value} << j;
        });
        break;
      default:
        thread.answer = 0;
    }
  });
  lanes([](Thread& thread, unsigned) {
    thread.ready = true;
    thread.meeting = Meeting::kNone;
  });
}

uint64_t shuffle_seed() {
  const char* const text = std::getenv("CUDA_ON_HOST_SHUFFLE");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 0;
}

}  // namespace

Place& place() { return block_now()->place(); }
namespace {
thread_local unsigned blocks_of_last = 0;
}  // namespace
unsigned last_blocks() { return blocks_of_last; }

unsigned char* dynamic_shared() { return current_shared; }

uint64_t meet(Meeting meeting, uint32_t mask, uint64_t value, int from) {
  return block_now()->meet(meeting, mask, value, from);
}

cudaError_t run(const char* name, dim3 blocks, dim3 threads, size_t shared_bytes,
                void (*call)(const void* context), const void* context) {
  const size_t of_block = size_t{threads.x} * threads.y * threads.z;
  if (blocks.x == 0 || blocks.y == 0 || blocks.z == 0 || of_block == 0 || of_block > kMostThreads) {
    return say(cudaErrorInvalidValue);  // as CUDA 13 has it
  }
  count(&Calls::kernels);
  const DeviceWork work;
  blocks_of_last = blocks.x;
  const uint64_t seed = shuffle_seed();
  std::vector<uint64_t> order(size_t{blocks.x} * blocks.y * blocks.z);
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  if (seed != 0) {
    std::mt19937_64 mixed(seed);
    std::shuffle(order.begin(), order.end(), mixed);
  }
  std::vector<uint64_t> shared(shared_bytes / 8 + 1);
  Block block(name, blocks, threads, call, context, seed);
  current_shared = reinterpret_cast<unsigned char*>(shared.data());
  block_now() = &block;
  for (const uint64_t i : order) {
    std::fill(shared.begin(), shared.end(), 0xa5a5a5a5a5a5a5a5u);
    block.run({static_cast<unsigned>(i % blocks.x), static_cast<unsigned>(i / blocks.x % blocks.y),
               static_cast<unsigned>(i / blocks.x / blocks.y)});
  }
  block_now() = nullptr;
  current_shared = nullptr;
  return cudaSuccess;
}

}  // namespace gls::cuda_on_host
