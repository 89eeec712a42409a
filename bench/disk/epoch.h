// The epoch of batches that every contestant loads, for programs that only need its node ids.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "bench/support/check.h"
#include "format/npy.h"
#include "graph/folder/dataset_folder.h"
#include "loader/pipeline/loader.h"
#include "sample/sampler.h"
#include "system/mapped_ranges.h"

namespace gls::bench {

// The column with the features of a node.
inline constexpr const char* kFeatures = "x";

class DiskEpoch {
 public:
  // `seeds` is a .npy file. Options are those of bench/disk/loader.py, so batches are equal.
  DiskEpoch(const std::string& folder, const std::string& seeds, int64_t batch_size) {
    const auto context = check(Context::create({}, nullptr, nullptr, nullptr));
    dataset_ = check(open_dataset(context, folder, {}));
    SamplerOptions sampling;
    sampling.num_hops = 3;
    sampling.fanouts = {{15, 10, 5}};
    const auto sampler = check(Sampler::create(dataset_, std::move(sampling)));
    LoaderOptions options;
    options.plan.batch_size = static_cast<uint64_t>(batch_size);
    options.plan.shuffle = true;
    loader_ = check(Loader::create(sampler, check(map_npy(seeds)), std::move(options)));
  }

  // NULL: the epoch is over.
  std::shared_ptr<Batch> next() {
    std::shared_ptr<Batch> batch;
    return check(loader_->next(-1, &batch)) == Loader::Next::kEnd ? nullptr : batch;
  }
  void seek(uint64_t epoch) { loader_->seek(epoch); }
  static std::span<const int64_t> nodes(const Batch& batch) {
    const Tensor& node = batch.nodes[0].node;
    return {node.as<int64_t>(), static_cast<size_t>(node.rows())};
  }

  uint64_t num_batches() const { return loader_->counts().batches; }
  const Dataset& dataset() const { return *dataset_; }
  const Tensor& features() const {
    const Column* const column = dataset_->node_types()[0].find_column(kFeatures);
    if (column == nullptr) {
      fail("the dataset has no column x");
    }
    return column->data;
  }
  uint64_t row_bytes() const { return static_cast<uint64_t>(features().row_bytes()); }
  // Where the features lie.
  MappedRange features_file() const {
    const auto range = find_mapped(features().data(), row_bytes());
    if (!range) {
      fail("the features are in no file");
    }
    return *range;
  }

 private:
  std::shared_ptr<const Dataset> dataset_;
  std::shared_ptr<Loader> loader_;
};

}  // namespace gls::bench
