// A graph of a few nodes for targets that need one.
#pragma once

#include "graph/dataset/dataset.h"
#include "ingest/build/builder.h"
#include "input.h"
#include "sample/sampler.h"

namespace gls::fuzz {

template <typename T>
Tensor owned(std::vector<T> values, DLDataType dtype) {
  auto owner = std::make_shared<std::vector<T>>(std::move(values));
  const T* const data = owner->data();
  const auto size = static_cast<int64_t>(owner->size());
  return Tensor(std::move(owner), data, dtype, {size});
}

// 20 nodes, node v has edges from v + 1 and v + 2.
inline std::shared_ptr<const Dataset> small_graph() {
  std::vector<int64_t> source;
  std::vector<int64_t> target;
  for (int64_t v = 0; v < 20; ++v) {
    for (const int64_t step : {1, 2}) {
      source.push_back((v + step) % 20);
      target.push_back(v);
    }
  }
  Builder builder(shared_context());
  CLAIM(builder.add_edges("node__to__node", owned(source, kInt64), owned(target, kInt64), false)
            .ok());
  auto built = builder.build({});
  CLAIM(built.ok());
  return built.take();
}

inline std::shared_ptr<const Sampler> small_sampler(std::shared_ptr<const Dataset> dataset) {
  SamplerOptions options;
  options.seed = 7;
  options.num_hops = 2;
  options.fanouts = {{2, 1}};
  auto sampler = Sampler::create(std::move(dataset), std::move(options));
  CLAIM(sampler.ok());
  return sampler.take();
}

}  // namespace gls::fuzz
