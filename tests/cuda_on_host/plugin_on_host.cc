// The plugin as it is, but that each GPU looks at what it is told to read: memory that no kernel
// reaches, such as a column that nobody pinned, ends the process here. On a processor all of it
// could be read. So does a call that does not leave the thread as it was.
#define gls_plugin unchecked_plugin
#include "cuda/plugin/plugin.cc"
#undef gls_plugin

#include <cuda.h>

#include <cstdio>
#include <cstdlib>

#include "memory_on_host.h"

namespace gls::cuda_on_host {
namespace {

using namespace device;

void need(const char* what, const void* memory, uint64_t bytes) {
  if (memory != nullptr && bytes > 0 && !is_reached(memory, bytes)) {
    std::fprintf(
        stderr,
        "CUDA on host: %s: %llu bytes at %p, which are no memory of a device and not pinned\n",
        what, static_cast<unsigned long long>(bytes), memory);
    std::abort();
  }
}

// A call to what it points to, by which the thread has the same context as before.
template <typename Called>
class AsItWas {
 public:
  explicit AsItWas(Called* called) : called_(called) { cuCtxGetCurrent(&before_); }
  ~AsItWas() {
    CUcontext after = nullptr;
    cuCtxGetCurrent(&after);
    if (after != before_) {
      std::fprintf(stderr, "CUDA on host: a call has changed the device of its thread\n");
      std::abort();
    }
  }
  AsItWas(const AsItWas&) = delete;
  AsItWas& operator=(const AsItWas&) = delete;
  Called* operator->() const { return called_; }

 private:
  Called* const called_;
  CUcontext before_ = nullptr;
};

class CheckedSampler final : public GpuSampler {
 public:
  explicit CheckedSampler(GpuSampler* sampler) : sampler_(sampler) {}
  void destroy() noexcept override {
    checked()->destroy();
    delete this;
  }
  bool sample(const SampleWork& work, Stream stream, SampleAnswer* answer,
              GpuError* error) noexcept override {
    return checked()->sample(work, stream, answer, error);
  }
  bool draw(const NegativesWork& work, const int64_t* link_sources, int64_t num_links,
            Stream stream, int64_t* sources, int64_t* targets, GpuError* error) noexcept override {
    return checked()->draw(work, link_sources, num_links, stream, sources, targets, error);
  }

 private:
  AsItWas<GpuSampler> checked() const { return AsItWas<GpuSampler>(sampler_); }
  GpuSampler* const sampler_;
};

class CheckedGpu final : public Gpu {
 public:
  explicit CheckedGpu(Gpu* gpu) : gpu_(gpu) {}
  void destroy() noexcept override {
    checked()->destroy();
    delete this;
  }
  void info(GpuInfo* out) noexcept override { checked()->info(out); }
  bool in_use() noexcept override { return checked()->in_use(); }
  bool free_memory(uint64_t* bytes, GpuError* error) noexcept override {
    return checked()->free_memory(bytes, error);
  }
  bool allocate(uint64_t bytes, Stream stream, void** out, GpuError* error) noexcept override {
    return checked()->allocate(bytes, stream, out, error);
  }
  void release(void* memory, Stream stream) noexcept override {
    checked()->release(memory, stream);
  }
  void release_after(void* memory, const Stream* streams, size_t count) noexcept override {
    checked()->release_after(memory, streams, count);
  }
  bool keep_free(uint64_t bytes, GpuError* error) noexcept override {
    return checked()->keep_free(bytes, error);
  }
  bool allocate_pinned(uint64_t bytes, void** out, GpuError* error) noexcept override {
    return checked()->allocate_pinned(bytes, out, error);
  }
  void release_pinned(void* memory) noexcept override { checked()->release_pinned(memory); }
  bool pin(const void* memory, uint64_t bytes, const void** seen,
           GpuError* error) noexcept override {
    return checked()->pin(memory, bytes, seen, error);
  }
  void unpin(const void* memory) noexcept override { checked()->unpin(memory); }
  bool allocate_shared(uint64_t bytes, void** out, GpuError* error) noexcept override {
    return checked()->allocate_shared(bytes, out, error);
  }
  void release_shared(void* memory) noexcept override { checked()->release_shared(memory); }
  bool reach(int32_t other, GpuError* error) noexcept override {
    return checked()->reach(other, error);
  }
  bool export_shared(const void* memory, MemoryHandle* out, GpuError* error) noexcept override {
    return checked()->export_shared(memory, out, error);
  }
  bool import_shared(const MemoryHandle& handle, const void** out,
                     GpuError* error) noexcept override {
    return checked()->import_shared(handle, out, error);
  }
  void close_imported(const void* memory) noexcept override { checked()->close_imported(memory); }
  bool open_stream(Stream* out, GpuError* error) noexcept override {
    return checked()->open_stream(out, error);
  }
  void close_stream(Stream stream) noexcept override { checked()->close_stream(stream); }
  bool finish(Stream stream, GpuError* error) noexcept override {
    return checked()->finish(stream, error);
  }
  bool follow(Stream stream, Stream other, GpuError* error) noexcept override {
    return checked()->follow(stream, other, error);
  }
  bool copy_in(void* to, const void* from, uint64_t bytes, Stream stream,
               GpuError* error) noexcept override {
    return checked()->copy_in(to, from, bytes, stream, error);
  }
  bool copy_out(void* to, const void* from, uint64_t bytes, Stream stream,
                GpuError* error) noexcept override {
    return checked()->copy_out(to, from, bytes, stream, error);
  }
  bool gather(const GatherWork& work, Stream stream, GpuError* error) noexcept override {
    if (work.num_rows > 0) {
      need("rows", work.rows,
           static_cast<uint64_t>((work.num_rows - 1) * work.stride + work.row_bytes));
    }
    need("codes", work.by_byte, 1);
    need("slots", work.slots, 4);
    for (const void* const rows : work.cached) {
      need("rows of a cache", rows, 1);
    }
    need("counts of rows", work.asked, 3 * sizeof(uint64_t));
    need("ids", work.ids, static_cast<uint64_t>(work.count) * (work.wide ? 8 : 4));
    need("gathered rows", work.out, 1);
    return checked()->gather(work, stream, error);
  }
  bool set_slots(int32_t* slots, const SlotChange* changes, int64_t count, Stream stream,
                 GpuError* error) noexcept override {
    need("slots", slots, 4);
    need("changes of slots", changes, static_cast<uint64_t>(count) * sizeof(SlotChange));
    return checked()->set_slots(slots, changes, count, stream, error);
  }
  bool pad(const PadWork* works, size_t count, Stream stream, GpuError* error) noexcept override {
    return checked()->pad(works, count, stream, error);
  }
  GpuSampler* open_sampler(const SamplerPlan& plan, GpuError* error) noexcept override {
    for (uint32_t t = 0; t < plan.num_edge_types; ++t) {
      const EdgePlan& edges = plan.edges[t];
      need("indptr", edges.indptr, (edges.num_rows + 1) * 8);
      need("indices", edges.indices, edges.num_edges * (edges.wide_indices ? 8 : 4));
      need("edge ids", edges.edge_ids, edges.num_edges * (edges.wide_edge_ids ? 8 : 4));
      need("slots of hot rows", edges.hot_slots, edges.num_rows * 4);
      need("hot rows", edges.hot_rows, 1);
      need("indices of hot rows", edges.hot_indices, 1);
      need("edge ids of hot rows", edges.hot_edge_ids, 1);
    }
    GpuSampler* const sampler = checked()->open_sampler(plan, error);
    return sampler != nullptr ? new CheckedSampler(sampler) : nullptr;
  }
  GpuFile* open_file(int fd, GpuError* error) noexcept override {
    return checked()->open_file(fd, error);
  }
  GpuFileReader* open_file_reader(uint64_t bytes, GpuError* error) noexcept override {
    return checked()->open_file_reader(bytes, error);
  }

 private:
  AsItWas<Gpu> checked() const { return AsItWas<Gpu>(gpu_); }
  Gpu* const gpu_;
};

Gpu* open(int32_t number, GpuError* error) noexcept {
  Gpu* const gpu = unchecked_plugin.open(number, error);
  return gpu != nullptr ? new CheckedGpu(gpu) : nullptr;
}

}  // namespace
}  // namespace gls::cuda_on_host

extern "C" __attribute__((visibility("default"))) const gls::device::GpuPlugin gls_plugin;
const gls::device::GpuPlugin gls_plugin = {unchecked_plugin.header, unchecked_plugin.count,
                                           gls::cuda_on_host::open};
