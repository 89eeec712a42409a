// Loader states: a program may pass any text to restore. The first byte chooses the loader. '@'
// stands for the hash of its dataset, which no input could guess.
#include "base/checksum.h"
#include "loader/pipeline/loader.h"
#include "small_graph.h"

namespace {

std::shared_ptr<gls::Loader> make_loader(uint8_t choice) {
  static const auto sampler = gls::fuzz::small_sampler(gls::fuzz::small_graph());
  gls::LoaderOptions options;
  options.plan.batch_size = 3;
  options.plan.shuffle = (choice & 1) != 0;
  options.plan.drop_last = (choice & 2) != 0;
  options.plan.world_size = 1 + (choice >> 2 & 3);
  options.plan.rank = (choice >> 4) % options.plan.world_size;
  options.plan.even = static_cast<gls::Even>((choice >> 6) % 3);
  auto loader = gls::Loader::create(sampler, gls::Tensor(), options);
  CLAIM(loader.ok());
  return loader.take();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gls;
  fuzz::Input input(data, size);
  const std::shared_ptr<Loader> loader = make_loader(input.byte());
  const std::string before = loader->save();
  std::string state;
  for (const char c : input.rest()) {
    state += c == '@' ? hex64(loader->sampler()->dataset()->fingerprint()) : std::string(1, c);
  }
  const Status status = loader->restore(state);
  if (!status.ok()) {
    fuzz::claim_error(status);
    CLAIM(loader->save() == before);
    return 0;
  }
  // The epoch's rest ends, and a state saved on the way is accepted and stays the same.
  for (int i = 0; i < 16; ++i) {
    const std::string saved = loader->save();
    CLAIM(saved.size() < GLS_LOADER_STATE_MAX);
    CLAIM(loader->restore(saved).ok());
    CLAIM(loader->save() == saved);
    std::shared_ptr<Batch> batch;
    Result<Loader::Next> next = loader->next(-1, &batch);
    CLAIM(next.ok());
    CLAIM((batch != nullptr) == (*next == Loader::Next::kBatch));
    if (batch == nullptr) {
      return 0;
    }
  }
  CLAIM(false && "an epoch of 7 batches ends");
  return 0;
}
