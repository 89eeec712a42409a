// Every allocation of a call fails once, and in other runs all from one on. The call says so, or
// goes on without; nothing is lost, given back twice, left hanging or ended.
#include <gls.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>
#include <numeric>
#include <vector>

namespace {

std::atomic<int64_t> countdown{-1};  // allocations until one fails; negative: none does
std::atomic<bool> fail_on{false};    // and all after it
std::atomic<bool> failed{false};

bool fails() {
  // One step, lest a thread that is slow to count switches on again what was just switched off.
  int64_t left = countdown.load();
  int64_t next = 0;
  do {
    if (left < 0) {
      return false;
    }
    next = left > 0 ? left - 1 : fail_on.load() ? 0 : -1;
  } while (!countdown.compare_exchange_weak(left, next));
  if (left > 0) {
    return false;
  }
  failed = true;
  return true;
}

}  // namespace

void *operator new(size_t size) {
  void *const memory = fails() ? nullptr : std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}
void *operator new(size_t size, const std::nothrow_t &) noexcept {
  return fails() ? nullptr : std::malloc(size > 0 ? size : 1);
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {

constexpr DLDataType kInt64 = {kDLInt, 64, 1};
constexpr int64_t kNodes = 200;

// Calls `run(n)` with the n-th allocation failing, for n = 0, 1, ... until there is no n-th. `run`
// arms the failure itself.
void for_each_allocation(bool all_after, const std::function<void(int64_t)> &run) {
  constexpr int64_t kMost = 2000;
  for (int64_t n = 0; n < kMost; ++n) {
    failed = false;
    fail_on = all_after;
    run(n);
    countdown = -1;
    fail_on = false;
    if (!failed) {
      EXPECT_GT(n, 0) << "nothing was allocated";
      return;
    }
    if (testing::Test::HasFailure()) {
      FAIL() << "with allocation " << n << " failing";
    }
  }
  FAIL() << "more than " << kMost << " allocations";
}

void count_call(void *counter) { ++*static_cast<int *>(counter); }

gls_tensor_t *wrapped(std::vector<int64_t> &values, int *destroyed) {
  int64_t shape = static_cast<int64_t>(values.size());
  const DLTensor view = {values.data(), {kDLCPU, 0}, 1, kInt64, &shape, nullptr, 0};
  gls_tensor_t *out = nullptr;
  EXPECT_EQ(gls_tensor_wrap(&view, 0, destroyed, count_call, &out, nullptr), GLS_OK);
  return out;
}

class OutOfMemory : public testing::Test {
 protected:
  void SetUp() override {
    gls_context_options_t options = GLS_CONTEXT_OPTIONS_INIT;
    options.num_threads = 2;
    ASSERT_EQ(gls_context_create(&options, &context_, nullptr), GLS_OK);
    ASSERT_EQ(gls_builder_create(context_, &builder_, nullptr), GLS_OK);
    sources_.resize(kNodes);
    std::iota(sources_.begin(), sources_.end(), 0);
    for (const int64_t source : sources_) {
      targets_.push_back((source * 7 + 3) % kNodes);
    }
    ASSERT_EQ(gls_builder_add_edges(builder_, "n__to__n", wrapped(sources_, &ignored_),
                                    wrapped(targets_, &ignored_), nullptr, nullptr),
              GLS_OK);
    ASSERT_EQ(gls_builder_build(builder_, nullptr, &dataset_, nullptr), GLS_OK);
    const int64_t per_hop[] = {3, 2};
    const gls_fanout_t fanout = {nullptr, per_hop, 2};
    gls_sampler_options_t sampling = GLS_SAMPLER_OPTIONS_INIT;
    sampling.fanouts = &fanout;
    sampling.num_fanouts = 1;
    ASSERT_EQ(gls_sampler_create(dataset_, &sampling, &sampler_, nullptr), GLS_OK);
  }
  void TearDown() override {
    gls_sampler_release(sampler_);
    gls_dataset_release(dataset_);
    gls_builder_release(builder_);
    gls_context_release(context_);
  }
  gls_loader_t *make_loader() {
    gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
    options.batch_size = 8;
    gls_loader_t *out = nullptr;
    EXPECT_EQ(gls_loader_create(sampler_, nullptr, &options, &out, nullptr), GLS_OK);
    return out;
  }

  gls_context_t *context_ = nullptr;
  gls_builder_t *builder_ = nullptr;
  gls_dataset_t *dataset_ = nullptr;
  gls_sampler_t *sampler_ = nullptr;
  std::vector<int64_t> sources_;
  std::vector<int64_t> targets_;
  int ignored_ = 0;
};

TEST_F(OutOfMemory, ContextGivesTheLogBackOnce) {
  for (const bool all_after : {false, true}) {
    for_each_allocation(all_after, [](int64_t n) {
      int destroyed = 0;
      gls_context_options_t options = GLS_CONTEXT_OPTIONS_INIT;
      options.num_threads = 2;
      options.log_destroy = count_call;
      options.log_user_data = &destroyed;
      gls_context_t *context = nullptr;
      countdown = n;
      const gls_status_t status = gls_context_create(&options, &context, nullptr);
      countdown = -1;
      if (status == GLS_OK) {
        EXPECT_EQ(destroyed, 0);
        gls_context_release(context);
      } else {
        EXPECT_EQ(status, GLS_ERR_OUT_OF_MEMORY);
      }
      EXPECT_EQ(destroyed, 1);
    });
  }
}

TEST_F(OutOfMemory, UserDataAreDestroyedOnce) {
  const auto pass = [](gls_batch_t *, void *, char *, size_t) -> gls_status_t { return GLS_OK; };
  for (const bool all_after : {false, true}) {
    for_each_allocation(all_after, [&](int64_t n) {
      int destroyed = 0;
      gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
      options.transform = pass;
      options.transform_data = &destroyed;
      options.transform_destroy = count_call;
      gls_loader_t *loader = nullptr;
      countdown = n;
      const gls_status_t status = gls_loader_create(sampler_, nullptr, &options, &loader, nullptr);
      countdown = -1;
      EXPECT_EQ(destroyed, status == GLS_OK ? 0 : 1);
      gls_loader_release(loader);
      EXPECT_EQ(destroyed, 1);
    });
    for_each_allocation(all_after, [&](int64_t n) {
      int destroyed = 0;
      int64_t shape = static_cast<int64_t>(sources_.size());
      const DLTensor view = {sources_.data(), {kDLCPU, 0}, 1, kInt64, &shape, nullptr, 0};
      gls_tensor_t *tensor = nullptr;
      countdown = n;
      const gls_status_t status =
          gls_tensor_wrap(&view, 0, &destroyed, count_call, &tensor, nullptr);
      countdown = -1;
      EXPECT_EQ(destroyed, status == GLS_OK ? 0 : 1);
      gls_tensor_release(tensor);
      EXPECT_EQ(destroyed, 1);
    });
  }
}

TEST_F(OutOfMemory, WhatWasNotTakenIsStillTheCallers) {
  for_each_allocation(false, [this](int64_t n) {
    int destroyed = 0;
    gls_tensor_t *const seeds = wrapped(sources_, &destroyed);
    gls_loader_t *loader = nullptr;
    countdown = n;
    const gls_status_t status = gls_loader_create(sampler_, seeds, nullptr, &loader, nullptr);
    countdown = -1;
    EXPECT_EQ(destroyed, 0);
    if (status == GLS_OK) {
      gls_loader_release(loader);
    } else {
      EXPECT_EQ(status, GLS_ERR_OUT_OF_MEMORY);
      gls_tensor_release(seeds);
    }
    EXPECT_EQ(destroyed, 1);
  });
  for_each_allocation(false, [this](int64_t n) {
    int destroyed = 0;
    gls_builder_t *builder = nullptr;
    ASSERT_EQ(gls_builder_create(context_, &builder, nullptr), GLS_OK);
    gls_tensor_t *const source = wrapped(sources_, &destroyed);
    gls_tensor_t *const target = wrapped(targets_, &destroyed);
    countdown = n;
    const gls_status_t status =
        gls_builder_add_edges(builder, "n__to__n", source, target, nullptr, nullptr);
    countdown = -1;
    EXPECT_EQ(destroyed, 0);
    if (status != GLS_OK) {
      EXPECT_EQ(status, GLS_ERR_OUT_OF_MEMORY);
      gls_tensor_release(source);
      gls_tensor_release(target);
    }
    gls_builder_release(builder);
    EXPECT_EQ(destroyed, 2);
  });
}

TEST_F(OutOfMemory, SamplerGoesOn) {
  int64_t ids[] = {1, 2, 3};
  int64_t shape = 3;
  const DLTensor view = {ids, {kDLCPU, 0}, 1, kInt64, &shape, nullptr, 0};
  const gls_seed_set_t seeds = {nullptr, &view};
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = &seeds;
  request.num_seeds = 1;
  for (const bool all_after : {false, true}) {
    for_each_allocation(all_after, [&](int64_t n) {
      gls_batch_t *batch = nullptr;
      gls_error_t *err = nullptr;
      countdown = n;
      const gls_status_t status = gls_sampler_sample(sampler_, &request, &batch, &err);
      countdown = -1;
      EXPECT_TRUE(status == GLS_OK || status == GLS_ERR_OUT_OF_MEMORY) << status;
      gls_error_release(err);
      gls_batch_release(batch);
      batch = nullptr;
      ASSERT_EQ(gls_sampler_sample(sampler_, &request, &batch, nullptr), GLS_OK);
      gls_batch_release(batch);
    });
  }
}

// A batch may fail, but the epoch comes to its end, and release returns.
TEST_F(OutOfMemory, LoaderComesToItsEnd) {
  constexpr int64_t kLongMs = 20000;
  for (const bool all_after : {false, true}) {
    for_each_allocation(all_after, [&](int64_t n) {
      gls_loader_t *const loader = make_loader();
      countdown = n;
      gls_status_t status = GLS_OK;
      for (int call = 0; call < 200 && status != GLS_END; ++call) {
        if (call == 5) {
          countdown = -1;
        }
        gls_batch_t *batch = nullptr;
        status = gls_loader_next(loader, kLongMs, &batch, nullptr);
        ASSERT_TRUE(status == GLS_OK || status == GLS_END || status == GLS_ERR_OUT_OF_MEMORY)
            << status;
        gls_batch_release(batch);
      }
      countdown = -1;
      EXPECT_EQ(status, GLS_END);
      gls_loader_release(loader);
    });
  }
}

TEST_F(OutOfMemory, SeekThatFailsChangesNothing) {
  for_each_allocation(false, [this](int64_t n) {
    gls_loader_t *const loader = make_loader();
    gls_batch_t *batch = nullptr;
    ASSERT_EQ(gls_loader_next(loader, -1, &batch, nullptr), GLS_OK);
    gls_batch_release(batch);
    // Only this thread's allocations are to fail.
    gls_loader_cancel(loader);
    ASSERT_EQ(gls_loader_seek(loader, 0, nullptr), GLS_OK);
    countdown = n;
    const gls_status_t status = gls_loader_seek(loader, 1, nullptr);
    countdown = -1;
    gls_loader_info_t info;
    info.struct_size = sizeof info;
    ASSERT_EQ(gls_loader_get_info(loader, &info, nullptr), GLS_OK);
    EXPECT_EQ(info.epoch, status == GLS_OK ? 1u : 0u);
    ASSERT_EQ(gls_loader_next(loader, -1, &batch, nullptr), GLS_OK);
    gls_batch_release(batch);
    gls_loader_release(loader);
  });
}

}  // namespace
