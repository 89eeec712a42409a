// libgls_ucx.so: data channels over UCX. It does not link libgls.so; net/connection/data_channel.h
// is the interface between both.
#include "plugins/channels/plugin.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "plugins/ucx/worker.h"

namespace gls::net {
namespace {

constexpr char kDefaultTransports[] = "ib,tcp";
// With these transports UCX supports GPU memory. They make it start CUDA, in every process that has
// GPUs.
constexpr char kOfGpus[] = ",cuda";

bool any_has_rdma(const char* devices) {
  const std::vector<std::string> names = parts_of(devices);
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return has_rdma(name.substr(0, name.find(':')));
  });
}

// UCX only warns of unknown devices, and opens ports on the others.
std::string unknown_device(const char* devices) {
  for (const std::string& device : parts_of(devices)) {
    if (!has_interface(device.substr(0, device.find(':')))) {
      return device;
    }
  }
  return {};
}

bool shares_memory(const std::string& transports) {
  const std::vector<std::string> names = parts_of(transports);
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name == "shm" || name == "sm" || name == "mm" || name == "posix" || name == "sysv";
  });
}

// Removes cma. UCX aborts when forced to end reads, because it frees memory that cma never had. The
// channels do not use cma, since it cannot detect a lost peer.
std::string without_cma(const std::string& transports) {
  std::string out;
  for (const std::string& name : parts_of(transports)) {
    const bool shared = name == "shm" || name == "sm";
    out += (out.empty() ? "" : ",") + (shared ? "posix,sysv" : name);
  }
  return out;
}

class UcxTransport final : public ChannelTransport {
 public:
  explicit UcxTransport(const Ucp& ucp) : ucp_(ucp) {}

  std::string begin(const ChannelOptions& options) {
    most_workers_ = options.io_threads;
    return make_context(options);
  }

  DataChannel* open(ChannelUser* user, StreamError* error) noexcept override try {
    const std::lock_guard lock(mutex_);
    if (separate_) {
      std::erase_if(workers_, [](const auto& worker) { return worker->num_channels() == 0; });
    }
    // Workers open ports, which only peers of the protected connection should reach.
    if (separate_ || workers_.size() < most_workers_) {
      if (const std::string why = add_worker(); !why.empty()) {
        say(error, GLS_ERR_IO, why);
        return nullptr;
      }
    }
    UcxWorker& worker = separate_ ? *workers_.back() : *workers_[next_++ % workers_.size()];
    DataChannel* const channel = worker.open(user);
    if (channel == nullptr) {
      say(error, GLS_ERR_IO, "the system gives no random bytes");
    }
    return channel;
  } catch (const std::exception& failure) {
    say(error, GLS_ERR_OUT_OF_MEMORY, failure.what());
    return nullptr;
  }

  bool reads() const noexcept override { return reads_; }
  bool reaches_gpus(StreamError* why) const noexcept override {
    if (gpus_ == Gpus::kReached) {
      return true;
    }
    say(why, GLS_ERR_UNSUPPORTED,
        gpus_ == Gpus::kUnknown  ? "UCX, as it is here, knows no memory of CUDA"
        : gpus_ == Gpus::kPieces ? "messages go in pieces, which the processor copies, where "
                                   "net.data_transports has shared memory"
                                 : "net.device_memory is off, or auto and no interface of "
                                   "net.data_devices has RDMA");
    return false;
  }
  size_t share(const void* data, size_t size, void* key, StreamError* error) noexcept override try {
    if (!reads_) {
      say(error, GLS_ERR_UNSUPPORTED,
          "net.one_sided is off, or auto and no interface of net.data_devices has RDMA");
      return 0;
    }
    const std::lock_guard lock(mutex_);
    shared_.reserve(shared_.size() + 1);
    ucp_mem_map_params_t params{};
    params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH |
                        UCP_MEM_MAP_PARAM_FIELD_PROT | UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE;
    params.address = const_cast<void*>(data);
    params.length = size;
    // UCX, at least until 1.18, registers it for writing anyway.
    params.prot = UCP_MEM_MAP_PROT_LOCAL_READ | UCP_MEM_MAP_PROT_REMOTE_READ;
    params.memory_type = UCS_MEMORY_TYPE_HOST;
    ucp_mem_h memory = nullptr;
    ucs_status_t status = ucp_.ucp_mem_map(context_, &params, &memory);
    if (status != UCS_OK) {
      say(error, GLS_ERR_UNSUPPORTED,
          std::string("UCX does not register it: ") + ucp_.ucs_status_string(status));
      return 0;
    }
    void* packed = nullptr;
    size_t packed_size = 0;
    status = ucp_.ucp_rkey_pack(context_, memory, &packed, &packed_size);
    if (status != UCS_OK || packed_size > kMostChannelKey) {
      say(error, GLS_ERR_UNSUPPORTED,
          std::string("UCX gives no key for it: ") + ucp_.ucs_status_string(status));
      packed_size = 0;
    } else {
      std::memcpy(key, packed, packed_size);
    }
    if (status == UCS_OK) {
      ucp_.ucp_rkey_buffer_release(packed);
    }
    if (packed_size == 0) {
      ucp_.ucp_mem_unmap(context_, memory);
    } else {
      shared_.push_back(memory);  // the memory was reserved
    }
    return packed_size;
  } catch (const std::exception& failure) {
    say(error, GLS_ERR_OUT_OF_MEMORY, failure.what());
    return 0;
  }

  void destroy() noexcept override {
    workers_.clear();
    // After the workers, which may still read it for peers.
    for (ucp_mem_h memory : shared_) {
      ucp_.ucp_mem_unmap(context_, memory);
    }
    if (context_ != nullptr) {
      ucp_.ucp_cleanup(context_);
    }
    delete this;
  }

 private:
  std::string add_worker() {
    workers_.push_back(std::make_unique<UcxWorker>(
        ucp_, context_,
        UcxWorker::Manner{!separate_, piece_, reads_, gpus_ == Gpus::kReached,
                          gpu_context_.has_value() ? &*gpu_context_ : nullptr}));
    return workers_.back()->start();
  }
  std::string make_context(const ChannelOptions& options) {
    ucp_config_t* config = nullptr;
    ucs_status_t status = ucp_.ucp_config_read(nullptr, nullptr, &config);
    if (status != UCS_OK) {
      return std::string("UCX cannot read its settings: ") + ucp_.ucs_status_string(status);
    }
    const bool rdma = any_has_rdma(options.devices);
    reads_ = options.one_sided == OneSided::kOn || (options.one_sided == OneSided::kAuto && rdma);
    const std::string transports =
        *options.transports != 0 ? options.transports : kDefaultTransports;
    separate_ = shares_memory(transports);
    const bool gpus_wanted = options.device_memory == DeviceMemory::kOn ||
                             (options.device_memory == DeviceMemory::kAuto && rdma);
    const bool gpus = gpus_wanted && !separate_;
    // A list of exclusions leaves it enabled.
    const bool named = transports.front() != '^';
    ucp_.ucp_config_modify(
        config, "TLS",
        ((reads_ ? without_cma(transports) : transports) + (gpus && named ? kOfGpus : "")).c_str());
    ucp_.ucp_config_modify(config, "NET_DEVICES", options.devices);
    if (separate_) {
      // Shared memory does not notice a lost peer, but our stream does, so UCX must claim that it
      // would. The rendezvous of shared memory would use tcp.
      ucp_.ucp_config_modify(config, "MM_ERROR_HANDLING", "y");
    }
    if (separate_ || (!rdma && !reads_ && !gpus)) {
      piece_ = separate_ ? kShmPiece : kTcpPiece;
      ucp_.ucp_config_modify(config, "RNDV_THRESH", "inf");  // pieces are sent at once
    }
    if (!rdma) {
      // Its tcp aborts the process when a peer dies during a send without copying.
      ucp_.ucp_config_modify(config, "ZCOPY_THRESH", "inf");
    }
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED;
    params.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP | (reads_ ? UCP_FEATURE_RMA : 0);
    params.mt_workers_shared = 1;
    status = ucp_.ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &context_);
    ucp_.ucp_config_release(config);
    if (status != UCS_OK) {
      context_ = nullptr;
      return "UCX does not start with transports \"" + transports + "\" on \"" + options.devices +
             "\": " + ucp_.ucs_status_string(status);
    }
    if (gpus_wanted) {
      gpus_ = !gpus ? Gpus::kPieces : knows_cuda() ? Gpus::kReached : Gpus::kUnknown;
    }
    if (gpus_ == Gpus::kReached) {
      if (const std::optional<GpuContext::Driver> driver = GpuContext::driver()) {
        gpu_context_.emplace(*driver);
      }
    }
    return {};
  }

  bool knows_cuda() const {
    ucp_context_attr_t attributes{};
    attributes.field_mask = UCP_ATTR_FIELD_MEMORY_TYPES;
    return ucp_.ucp_context_query(context_, &attributes) == UCS_OK &&
           (attributes.memory_types & UCS_BIT(UCS_MEMORY_TYPE_CUDA)) != 0;
  }

  enum class Gpus : uint8_t { kOff, kPieces, kUnknown, kReached };

  const Ucp& ucp_;
  ucp_context_h context_ = nullptr;
  Gpus gpus_ = Gpus::kOff;
  std::optional<GpuContext> gpu_context_;  // for threads that drive workers
  // With shared memory, each channel has a worker of its own. A process that is killed while
  // writing to a worker's queue blocks that queue for all others, forever.
  bool separate_ = false;
  bool reads_ = false;  // memory of peers; otherwise UCX is configured without it
  // Messages are whole where UCX writes them to their destination itself, or where it reads memory
  // at all.
  size_t piece_ = SIZE_MAX;
  std::mutex mutex_;
  std::vector<ucp_mem_h> shared_;
  std::vector<std::unique_ptr<UcxWorker>> workers_;
  size_t most_workers_ = 1;
  size_t next_ = 0;
};

ChannelTransport* create(const ChannelOptions* options, StreamError* error) {
  UcxTransport* transport = nullptr;
  try {
    std::string why;
    const Ucp* const ucp = load_ucp(&why);
    if (ucp == nullptr) {
      say(error, GLS_ERR_UNSUPPORTED, why);
      return nullptr;
    }
    const std::string unknown = unknown_device(options->devices);
    if (!unknown.empty()) {
      say(error, GLS_ERR_INVALID_ARGUMENT, no_interface(unknown));
      return nullptr;
    }
    transport = new UcxTransport(*ucp);
    why = transport->begin(*options);
    if (why.empty()) {
      return transport;
    }
    say(error, GLS_ERR_UNSUPPORTED, why);
  } catch (const std::exception& failure) {
    say(error, GLS_ERR_OUT_OF_MEMORY, failure.what());
  }
  if (transport != nullptr) {
    transport->destroy();
  }
  return nullptr;
}

}  // namespace
}  // namespace gls::net

GLS_EXPORT_LANES(gls::net::create);
