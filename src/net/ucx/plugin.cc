// libgls_ucx.so: lanes over UCX. Nothing of libgls.so is linked in; what the two say to each other
// is in net/lane.h.
#include <gls.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "net/lane.h"
#include "net/ucx/worker.h"

namespace gls::net {
namespace {

constexpr char kDefaultTransports[] = "ib,tcp";

void say(StreamError* error, int32_t code, const std::string& text) {
  error->code = code;
  error->text[text.copy(error->text, sizeof error->text - 1)] = 0;
}

std::vector<std::string> parts_of(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    out.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return out;
}

bool has_rdma(const std::string& device) {
  return ::access(("/sys/class/infiniband/" + device).c_str(), F_OK) == 0;
}

bool any_has_rdma(const char* devices) {
  const std::vector<std::string> names = parts_of(devices);
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return has_rdma(name.substr(0, name.find(':')));
  });
}

// UCX only warns of what it does not know, and opens ports on the rest.
std::string unknown_device(const char* devices) {
  for (const std::string& device : parts_of(devices)) {
    const std::string name = device.substr(0, device.find(':'));
    const bool known = !name.empty() && name.find('/') == std::string::npos &&
                       name.front() != '.' &&
                       (::access(("/sys/class/net/" + name).c_str(), F_OK) == 0 || has_rdma(name));
    if (!known) {
      return device;
    }
  }
  return {};
}

bool shares_memory(const char* transports) {
  const std::vector<std::string> names = parts_of(transports);
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name == "shm" || name == "sm" || name == "mm" || name == "posix" || name == "sysv";
  });
}

class UcxTransport final : public LaneTransport {
 public:
  explicit UcxTransport(const Ucp& ucp) : ucp_(ucp) {}

  std::string begin(const LaneOptions& options) {
    std::string why = make_context(options);
    for (uint32_t i = 0; i < options.io_threads && why.empty(); ++i) {
      why = add_worker();
    }
    return why;
  }

  Lane* open(LaneUser* user, StreamError* error) noexcept override try {
    const std::lock_guard lock(mutex_);
    if (separate_) {
      std::erase_if(workers_, [](const auto& worker) { return worker->num_lanes() == 0; });
      if (const std::string why = add_worker(); !why.empty()) {
        say(error, GLS_ERR_IO, why);
        return nullptr;
      }
    }
    UcxWorker& worker = separate_ ? *workers_.back() : *workers_[next_++ % workers_.size()];
    Lane* const lane = worker.open(user);
    if (lane == nullptr) {
      say(error, GLS_ERR_IO, "the system gives no random bytes");
    }
    return lane;
  } catch (const std::exception& failure) {
    say(error, GLS_ERR_OUT_OF_MEMORY, failure.what());
    return nullptr;
  }

  void destroy() noexcept override {
    workers_.clear();
    if (context_ != nullptr) {
      ucp_.ucp_cleanup(context_);
    }
    delete this;
  }

 private:
  std::string add_worker() {
    workers_.push_back(std::make_unique<UcxWorker>(ucp_, context_, !separate_));
    return workers_.back()->start();
  }
  std::string make_context(const LaneOptions& options) {
    ucp_config_t* config = nullptr;
    ucs_status_t status = ucp_.ucp_config_read(nullptr, nullptr, &config);
    if (status != UCS_OK) {
      return std::string("UCX cannot read its settings: ") + ucp_.ucs_status_string(status);
    }
    const char* const transports =
        *options.transports != 0 ? options.transports : kDefaultTransports;
    ucp_.ucp_config_modify(config, "TLS", transports);
    ucp_.ucp_config_modify(config, "NET_DEVICES", options.devices);
    separate_ = shares_memory(transports);
    if (separate_) {
      // Shared memory does not notice that a peer is gone, which our stream does, and must be told
      // to pretend. Its rendezvous would go over tcp.
      ucp_.ucp_config_modify(config, "MM_ERROR_HANDLING", "y");
      ucp_.ucp_config_modify(config, "RNDV_THRESH", "inf");
    }
    if (!any_has_rdma(options.devices)) {
      // Its tcp aborts the process when a peer dies while a message is sent without copying.
      ucp_.ucp_config_modify(config, "ZCOPY_THRESH", "inf");
    }
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED;
    params.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
    params.mt_workers_shared = 1;
    status = ucp_.ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &context_);
    ucp_.ucp_config_release(config);
    if (status != UCS_OK) {
      context_ = nullptr;
      return std::string("UCX does not start with transports \"") + transports + "\" on \"" +
             options.devices + "\": " + ucp_.ucs_status_string(status);
    }
    return {};
  }

  const Ucp& ucp_;
  ucp_context_h context_ = nullptr;
  // With shared memory each lane has a worker of its own: who is killed while it writes to the
  // queue of a worker stops that queue for everybody, for ever.
  bool separate_ = false;
  std::mutex mutex_;
  std::vector<std::unique_ptr<UcxWorker>> workers_;
  size_t next_ = 0;
};

LaneTransport* create(const LaneOptions* options, StreamError* error) {
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
      say(error, GLS_ERR_INVALID_ARGUMENT,
          "net.data_devices: there is no interface \"" + unknown + "\"");
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

#define GLS_TEXT_(value) #value
#define GLS_TEXT(value) GLS_TEXT_(value)

extern "C" __attribute__((visibility("default"))) const gls::net::LanePlugin gls_plugin;
const gls::net::LanePlugin gls_plugin = {
    {gls::net::kLanePluginVersion,
     GLS_TEXT(GLS_VERSION_MAJOR) "." GLS_TEXT(GLS_VERSION_MINOR) "." GLS_TEXT(GLS_VERSION_PATCH)},
    gls::net::create};
