// The parts of the benchmark of GPUs, each a run of its own.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/support/check.h"
#include "device/device.h"
#include "query/sampler_options.h"

namespace gls::bench {

struct Settings {
  std::string part;
  int rounds = 5;
  double seconds = 0.3;
  double warm_up = 0.25;  // at least, before each time: an idle GPU has slow clocks
  int device = 0;
  int64_t nodes = 0;
  double edges = 0;
  int64_t features = 100;
  uint64_t table_bytes = uint64_t{16} << 30;  // rows that are gathered, on the device
  uint64_t pinned_bytes = uint64_t{4} << 30;  // and on the host
  uint64_t move_bytes = uint64_t{256} << 20;  // by a gather
  uint64_t reads = uint64_t{1} << 26;         // by a kernel that only reads
  uint64_t batches = 32;                      // of a thread and step, of those that sample
  std::vector<int64_t> batch_sizes = {1024, 8192};
};

inline void check_queue(bool done, const char* what) {
  if (!done) {
    fail(std::string("CUDA refused ") + what);
  }
}

inline void check_gpu(bool done, const device::GpuError& error) {
  if (!done) {
    fail(error.text);
  }
}

class Memory {
 public:
  Memory(const std::shared_ptr<Device>& device, uint64_t bytes)
      : stream_(check(device->stream())), memory_(check(device->allocate(bytes, stream_))) {
    check(stream_.finish());
  }
  void* data() const { return memory_->data(); }

 private:
  DeviceStream stream_;
  std::shared_ptr<DeviceMemory> memory_;
};

// A line of JSON with all ratios so far: the last one counts, also of a run that was ended.
void print_part(const Settings& settings, const Device& device,
                const std::map<std::string, double>& ratios);

inline SamplerOptions sampler_options() {
  SamplerOptions options;
  options.seed = 1;
  options.num_hops = 3;
  options.fanouts = {{15, 10, 5}};
  options.int32 = true;
  return options;
}

void sample(const Settings& settings, const std::shared_ptr<Device>& device);
void gather(const Settings& settings, const std::shared_ptr<Device>& device);
void zero_copy(const Settings& settings, const std::shared_ptr<Device>& device);
void loader(const Settings& settings, const std::shared_ptr<Device>& device);

}  // namespace gls::bench
