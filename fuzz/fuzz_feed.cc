// Messages from a feed: descriptions of batches, greetings and errors. For any bytes, an accepted
// value must be usable. The first byte chooses; 0 checks that a batch is the same after writing and
// reading it.
#include <cstring>

#include "capi/support/support.h"
#include "feed/handshake.h"
#include "feed/wire.h"
#include "loader/batch_layout.h"
#include "small_graph.h"

namespace {

using namespace gls;

// Makes every call that a program could make.
uint64_t walk(const std::shared_ptr<Batch>& batch) {
  gls_batch handle{batch};
  gls_batch_info_t info{};
  info.struct_size = sizeof info;
  CLAIM(gls_batch_get_info(&handle, &info, nullptr) == GLS_OK);
  LoaderStats stats;
  stats.count(*batch);
  uint64_t sum = stats.nodes;
  const size_t count = gls_batch_num_arrays(&handle);
  for (size_t i = 0; i < count; ++i) {
    gls_array_info_t array{};
    array.struct_size = sizeof array;
    CLAIM(gls_batch_get_array_info(&handle, i, &array, nullptr) == GLS_OK);
    gls_tensor_t* tensor = nullptr;
    CLAIM(gls_batch_tensor(&handle, array.array, array.type, array.name, &tensor, nullptr) ==
          GLS_OK);
    const DLTensor& view = tensor->dl_tensor;
    uint64_t bytes = view.dtype.bits / 8U;
    for (int32_t d = 0; d < view.ndim; ++d) {
      bytes *= static_cast<uint64_t>(view.shape[d]);
    }
    const auto* const at = static_cast<const unsigned char*>(view.data);
    for (uint64_t b = 0; b < bytes; ++b) {
      sum += at[b];
    }
    gls_tensor_release(tensor);
  }
  return sum;
}

void round_trip(const std::shared_ptr<const Sampler>& sampler, fuzz::Input& input) {
  LoaderOptions options;
  options.plan.batch_size = 1 + input.below(8);
  auto made = Loader::create(sampler, Tensor(), options);
  CLAIM(made.ok());
  auto sampled = (*made)->sample(input.byte(), 0);
  CLAIM(sampled.ok());
  auto layout = lay_out(**sampled);
  CLAIM(layout.ok());
  alignas(64) static std::byte block[1 << 16];
  CLAIM(layout->bytes <= sizeof block);
  write_batch(*layout, block);
  const std::shared_ptr<const void> owner = std::make_shared<int>(0);
  auto read =
      read_batch(layout->description, std::span(block, layout->bytes), owner, sampler->dataset());
  CLAIM(read.ok());
  CLAIM(walk(*read) == walk(*sampled));
  auto again = lay_out(**read);
  CLAIM(again.ok() && again->description == layout->description);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto sampler = fuzz::small_sampler(fuzz::small_graph());
  fuzz::Input input(data, size);
  switch (input.below(4)) {
    case 0:
      round_trip(sampler, input);
      return 0;
    case 1: {
      const std::string_view text = input.rest();
      auto greeting = read_handshake(text, sampler->dataset()->context());
      if (greeting.ok()) {
        CLAIM(EpochPlan::count_steps(greeting->plan, 0) <= EpochPlan::num_batches(greeting->plan));
      }
      return 0;
    }
    case 2: {
      const uint64_t code = input.number(8);
      const Status status = unpack_error(code, input.rest());
      CLAIM(!status.ok());
      CLAIM(pack_error(status).size() <= kMostText);
      return 0;
    }
    default:
      break;
  }
  // A description, then the block.
  const std::string_view text = input.piece();
  const std::string_view rest = input.rest();
  const std::span description(reinterpret_cast<const std::byte*>(text.data()), text.size());
  auto block =
      std::make_shared<Buffer>(sampler->dataset()->context()->buffers()->acquire(rest.size() + 1));
  std::memcpy(block->as<char>(), rest.data(), rest.size());
  auto batch = read_batch(description, std::span(block->as<std::byte>(), rest.size()), block,
                          sampler->dataset());
  if (batch.ok()) {
    walk(*batch);
  } else {
    fuzz::claim_error(batch.status());
  }
  return 0;
}
