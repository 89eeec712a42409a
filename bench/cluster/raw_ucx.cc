#include "bench/cluster/raw_ucx.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "plugins/channels/plugin.h"
#include "plugins/ucx/ucp.h"

namespace gls::bench {
namespace {

constexpr size_t kMostRequest = 1 << 20;

[[noreturn]] void fail_ucx(const std::string& what) {
  fmt::print(stderr, "UCX without channels: {}\n", what);
  std::exit(1);
}

struct Tags {
  decltype(&::ucp_tag_send_nbx) send = nullptr;
  decltype(&::ucp_tag_recv_nbx) receive = nullptr;
};

// As channels load it.
const net::Ucp& ucp() {
  static const net::Ucp* const functions = [] {
    std::string why;
    const net::Ucp* const found = net::load_ucp(&why);
    return found != nullptr ? found : (fail_ucx(why), nullptr);
  }();
  return *functions;
}

const Tags& tags() {
  static const Tags functions = [] {
    Tags found;
    std::string why;
    net::LateLibrary library;
    if (!library.open("libucp.so.0", "UCX", &why) ||
        !library.find("ucp_tag_send_nbx", &found.send, &why) ||
        !library.find("ucp_tag_recv_nbx", &found.receive, &why)) {
      fail_ucx(why);
    }
    return found;
  }();
  return functions;
}

void check(const char* what, ucs_status_t status) {
  if (status != UCS_OK) {
    fail_ucx(fmt::format("{}: {}", what, ucp().ucs_status_string(status)));
  }
}

}  // namespace

// Of one thread, once both are there.
class RawUcx::Side {
 public:
  explicit Side(const Options& options) : spin_(options.spin_ns) {
    ucp_config_t* config = nullptr;
    check("settings", ucp().ucp_config_read(nullptr, nullptr, &config));
    ucp().ucp_config_modify(config, "TLS", options.transports.c_str());
    ucp().ucp_config_modify(config, "NET_DEVICES", "lo");
    if (!options.careless) {  // as plugins/ucx/plugin.cc
      ucp().ucp_config_modify(config, "ZCOPY_THRESH", "inf");
      if (options.transports.starts_with("shm")) {
        ucp().ucp_config_modify(config, "MM_ERROR_HANDLING", "y");
        ucp().ucp_config_modify(config, "RNDV_THRESH", "inf");
      }
      err_mode_ = UCP_ERR_HANDLING_MODE_PEER;
    }
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_TAG | UCP_FEATURE_WAKEUP;
    check("context",
          ucp().ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &context_));
    ucp().ucp_config_release(config);
    ucp_worker_params_t of_worker{};
    of_worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    of_worker.thread_mode = UCS_THREAD_MODE_SINGLE;
    check("worker", ucp().ucp_worker_create(context_, &of_worker, &worker_));
    check("events", ucp().ucp_worker_get_efd(worker_, &events_));
  }
  ~Side() {
    ucp().ucp_worker_destroy(worker_);
    ucp().ucp_cleanup(context_);
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  void connect(Side& to) {
    ucp_address_t* address = nullptr;
    size_t size = 0;
    check("address", ucp().ucp_worker_get_address(to.worker_, &address, &size));
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE;
    params.address = address;
    params.err_mode = err_mode_;
    check("endpoint", ucp().ucp_ep_create(worker_, &params, &ep_));
    ucp().ucp_worker_release_address(to.worker_, address);
  }
  void disconnect() {
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = err_mode_ == UCP_ERR_HANDLING_MODE_PEER ? UCP_EP_CLOSE_FLAG_FORCE : 0;
    void* const request = ucp().ucp_ep_close_nbx(ep_, &param);
    for (int i = 0; i < 100000 && UCS_PTR_IS_PTR(request) &&
                    ucp().ucp_request_check_status(request) == UCS_INPROGRESS;
         ++i) {
      ucp().ucp_worker_progress(worker_);
    }
    if (UCS_PTR_IS_PTR(request)) {
      ucp().ucp_request_free(request);
    }
  }

  void* send(Bytes message) {
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_MEMORY_TYPE;
    param.memory_type = UCS_MEMORY_TYPE_HOST;
    return tags().send(ep_, message.data(), message.size(), 0, &param);
  }
  // One at a time.
  void* receive(void* out, size_t bytes) {
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                         UCP_OP_ATTR_FIELD_MEMORY_TYPE | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
    param.memory_type = UCS_MEMORY_TYPE_HOST;
    param.cb.recv = [](void* /*request*/, ucs_status_t status, const ucp_tag_recv_info_t* info,
                       void* user) {
      check("a message", status);
      static_cast<Side*>(user)->received_ = info->length;
    };
    param.user_data = this;
    return tags().receive(worker_, out, bytes, 0, 0, &param);
  }
  // The bytes of what was received last. `ends`: whether to give up, which `wake` may tell.
  template <typename Ends>
  size_t wait(void* request, int wake, const Ends& ends) {
    if (!UCS_PTR_IS_PTR(request)) {
      check("a message", UCS_PTR_STATUS(request));
      return received_;
    }
    uint64_t idle_since = now_ns();
    while (ucp().ucp_request_check_status(request) == UCS_INPROGRESS && !ends()) {
      if (ucp().ucp_worker_progress(worker_) != 0) {
        idle_since = now_ns();
      } else if (now_ns() > idle_since + spin_) {
        sleep(wake);
        idle_since = now_ns();
      }
    }
    ucp().ucp_request_free(request);
    return received_;
  }

 private:
  void sleep(int wake) {
    const ucs_status_t status = ucp().ucp_worker_arm(worker_);
    if (status == UCS_ERR_BUSY) {
      return;
    }
    check("arming", status);
    pollfd waits[2] = {{events_, POLLIN, 0}, {wake, POLLIN, 0}};
    static_cast<void>(::poll(waits, wake >= 0 ? 2 : 1, -1));
  }

  const uint64_t spin_;
  ucp_err_handling_mode_t err_mode_ = UCP_ERR_HANDLING_MODE_NONE;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h ep_ = nullptr;
  int events_ = -1;
  size_t received_ = 0;
};

class RawUcx::Both {
 public:
  Both(const Options& options, Sockets::Serve serve)
      : serve_(std::move(serve)), client_(options), server_(options) {
    client_.connect(server_);
    server_.connect(client_);
    thread_ = std::thread([this] { run(); });
  }
  ~Both() {
    ending_ = true;
    const uint64_t one = 1;
    static_cast<void>(!::write(wake_, &one, sizeof one));
    thread_.join();
    client_.disconnect();
    server_.disconnect();
    ::close(wake_);
  }
  Both(const Both&) = delete;
  Both& operator=(const Both&) = delete;

  void fetch(Bytes request, void* out, size_t bytes) {
    const auto never = [] { return false; };
    void* const reply = client_.receive(out, bytes);
    void* const sent = client_.send(request);
    if (client_.wait(reply, -1, never) != bytes) {
      fail_ucx("a reply is too short");
    }
    client_.wait(sent, -1, never);
  }

 private:
  void run() {
    const auto ends = [this] { return ending_.load(std::memory_order_relaxed); };
    std::vector<std::byte> request(kMostRequest);
    for (;;) {
      const size_t size =
          server_.wait(server_.receive(request.data(), request.size()), wake_, ends);
      if (ends()) {
        return;
      }
      server_.wait(server_.send(serve_({request.data(), size})), wake_, ends);
    }
  }

  const Sockets::Serve serve_;
  Side client_;
  Side server_;
  std::atomic<bool> ending_ = false;
  const int wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::thread thread_;
};

RawUcx::RawUcx(const Options& options, Sockets::Serve serve)
    : both_(std::make_unique<Both>(options, std::move(serve))) {}
RawUcx::~RawUcx() = default;

void RawUcx::fetch(Bytes request, void* out, size_t bytes) { both_->fetch(request, out, bytes); }

}  // namespace gls::bench
