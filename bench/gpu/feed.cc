// Batches on a GPU for bench/gpu/train.py, which calls these functions by ctypes: raw addresses,
// from the loader itself. What fails ends the process.
#include "bench/gpu/graph.h"
#include "bench/gpu/memory.h"
#include "bench/support/check.h"
#include "loader/pipeline/loader.h"
#include "sample/device/device_sampler.h"

namespace gls::bench {
namespace {

constexpr size_t kHops = 3;

// All threads of a loader sample [15, 10, 5].
struct Feed {
  std::shared_ptr<Device> device;
  std::shared_ptr<const Dataset> dataset;
  std::shared_ptr<const Sampler> sampler;
  std::shared_ptr<Loader> loader;
  uint64_t epoch = 0;
};

struct TakenBatch {
  void* held = nullptr;     // for bench_feed_release()
  const void* x = nullptr;  // float32 [nodes, features]
  const void* y = nullptr;  // int64 [seeds]
  const void* row = nullptr;
  const void* col = nullptr;  // int32 [edges] both
  int64_t nodes = 0;
  int64_t edges = 0;
  int64_t seeds = 0;
  int64_t nodes_by_hop[kHops + 1] = {};  // distinct seeds, then new ones
  int64_t edges_by_hop[kHops] = {};
};

}  // namespace
}  // namespace gls::bench

using namespace gls;
using namespace gls::bench;

#define GLS_BENCH_API extern "C" __attribute__((visibility("default")))

GLS_BENCH_API void* bench_feed_open(int64_t nodes, double edges, int64_t features, int64_t classes,
                                    int64_t batch_size, int32_t device) {
  const auto context = check(Context::create({}, nullptr, nullptr, nullptr));
  auto* const feed = new Feed;
  feed->device = check(Device::open(device));
  GraphShape shape;
  shape.nodes = nodes;
  shape.edges = edges;
  shape.features = features;
  shape.classes = classes;
  feed->dataset = make_graph(context, shape);
  SamplerOptions options;
  options.seed = 1;
  options.num_hops = kHops;
  options.fanouts = {{15, 10, 5}};
  options.int32 = true;
  feed->sampler = check(Sampler::create(feed->dataset, options));
  LoaderOptions loading;
  loading.plan.batch_size = static_cast<uint64_t>(batch_size);
  loading.plan.shuffle = true;
  loading.plan.drop_last = true;
  loading.columns = default_columns(*feed->sampler);
  loading.device = feed->device;
  loading.prefetch_bytes = bytes_ahead(*feed->device);
  check(context->set("memory.pool", std::to_string(loading.prefetch_bytes)));
  feed->loader = check(Loader::create(feed->sampler, Tensor(), loading));
  return feed;
}

GLS_BENCH_API void bench_feed_close(void* feed) { delete static_cast<Feed*>(feed); }

// Epochs follow each other.
GLS_BENCH_API void bench_feed_next(void* opened, TakenBatch* out) {
  auto& feed = *static_cast<Feed*>(opened);
  std::shared_ptr<Batch> batch;
  while (check(feed.loader->next(-1, &batch)) == Loader::Next::kEnd) {
    feed.loader->seek(++feed.epoch);
  }
  *out = {};
  for (const GatheredColumn& column : batch->columns) {
    (column.column->name == "x" ? out->x : out->y) = column.data.data();
  }
  out->row = batch->edges[0].row().data();
  out->col = batch->edges[0].col().data();
  out->nodes = batch->nodes[0].node.rows();
  out->edges = batch->edges[0].row().rows();
  out->seeds = batch->nodes[0].seed.rows();
  std::copy_n(batch->nodes[0].num_nodes.as<int64_t>(), kHops + 1, out->nodes_by_hop);
  std::copy_n(batch->edges[0].num_edges.as<int64_t>(), kHops, out->edges_by_hop);
  out->held = new std::shared_ptr<Batch>(std::move(batch));
}

// `stream` may still have work on it.
GLS_BENCH_API void bench_feed_release(void* held, void* stream) {
  auto* const batch = static_cast<std::shared_ptr<Batch>*>(held);
  if ((*batch)->readers != nullptr) {
    (*batch)->readers->add(stream);
  }
  delete batch;
}

GLS_BENCH_API void bench_feed_graph(void* opened, const int64_t** indptr, const int32_t** indices,
                                    int64_t* nodes, int64_t* edges) {
  const Topology& topology = *static_cast<Feed*>(opened)->dataset->edge_types()[0].csc;
  *indptr = topology.indptr;
  *indices = static_cast<const int32_t*>(topology.indices);
  *nodes = topology.num_rows;
  *edges = topology.num_edges;
}

// Edges that the GPU samples for these seeds, with nothing gathered.
GLS_BENCH_API int64_t bench_feed_sample(void* opened, uint64_t number, const int64_t* seeds,
                                        int64_t count) {
  auto& feed = *static_cast<Feed*>(opened);
  static const auto sampler = check(DeviceSampler::create(feed.sampler, feed.device));
  SampleRequest request;
  request.batch = number;
  request.seeds = {{0, IdSpan(seeds, true, count)}};
  const DeviceStream stream = check(feed.device->stream());
  const auto batch = check(sampler->sample(request, stream));
  check(stream.finish());
  return batch->num_edges();
}
