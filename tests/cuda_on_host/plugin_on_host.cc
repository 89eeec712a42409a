// The plugin as it is, but that each GPU looks at what it is told to read: memory that no kernel
// reaches, such as a column that nobody pinned, ends the process here. On a processor all of it
// could be read.
#define gls_plugin unchecked_plugin
#include "cuda/plugin.cc"
#undef gls_plugin

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

class CheckedGpu final : public Gpu {
 public:
  explicit CheckedGpu(Gpu* gpu) : gpu_(gpu) {}
  void destroy() noexcept override {
    gpu_->destroy();
    delete this;
  }
  void info(GpuInfo* out) noexcept override { gpu_->info(out); }
  bool free_memory(uint64_t* bytes, GpuError* error) noexcept override {
    return gpu_->free_memory(bytes, error);
  }
  bool allocate(uint64_t bytes, Stream stream, void** out, GpuError* error) noexcept override {
    return gpu_->allocate(bytes, stream, out, error);
  }
  void release(void* memory, Stream stream) noexcept override { gpu_->release(memory, stream); }
  bool allocate_pinned(uint64_t bytes, void** out, GpuError* error) noexcept override {
    return gpu_->allocate_pinned(bytes, out, error);
  }
  void release_pinned(void* memory) noexcept override { gpu_->release_pinned(memory); }
  bool pin(const void* memory, uint64_t bytes, const void** seen,
           GpuError* error) noexcept override {
    return gpu_->pin(memory, bytes, seen, error);
  }
  void unpin(const void* memory) noexcept override { gpu_->unpin(memory); }
  bool allocate_shared(uint64_t bytes, void** out, GpuError* error) noexcept override {
    return gpu_->allocate_shared(bytes, out, error);
  }
  void release_shared(void* memory) noexcept override { gpu_->release_shared(memory); }
  bool reach(int32_t other, GpuError* error) noexcept override { return gpu_->reach(other, error); }
  bool export_shared(const void* memory, MemoryHandle* out, GpuError* error) noexcept override {
    return gpu_->export_shared(memory, out, error);
  }
  bool import_shared(const MemoryHandle& handle, const void** out,
                     GpuError* error) noexcept override {
    return gpu_->import_shared(handle, out, error);
  }
  void close_imported(const void* memory) noexcept override { gpu_->close_imported(memory); }
  bool open_stream(Stream* out, GpuError* error) noexcept override {
    return gpu_->open_stream(out, error);
  }
  void close_stream(Stream stream) noexcept override { gpu_->close_stream(stream); }
  bool finish(Stream stream, GpuError* error) noexcept override {
    return gpu_->finish(stream, error);
  }
  bool follow(Stream stream, Stream other, GpuError* error) noexcept override {
    return gpu_->follow(stream, other, error);
  }
  bool copy_in(void* to, const void* from, uint64_t bytes, Stream stream,
               GpuError* error) noexcept override {
    return gpu_->copy_in(to, from, bytes, stream, error);
  }
  bool copy_out(void* to, const void* from, uint64_t bytes, Stream stream,
                GpuError* error) noexcept override {
    return gpu_->copy_out(to, from, bytes, stream, error);
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
    return gpu_->gather(work, stream, error);
  }
  bool set_slots(int32_t* slots, const SlotChange* changes, int64_t count, Stream stream,
                 GpuError* error) noexcept override {
    need("slots", slots, 4);
    need("changes of slots", changes, static_cast<uint64_t>(count) * sizeof(SlotChange));
    return gpu_->set_slots(slots, changes, count, stream, error);
  }
  bool pad(const PadWork* works, size_t count, Stream stream, GpuError* error) noexcept override {
    return gpu_->pad(works, count, stream, error);
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
    return gpu_->open_sampler(plan, error);
  }
  GpuFile* open_file(int fd, GpuError* error) noexcept override {
    return gpu_->open_file(fd, error);
  }
  GpuFileReader* open_file_reader(uint64_t bytes, GpuError* error) noexcept override {
    return gpu_->open_file_reader(bytes, error);
  }

 private:
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
