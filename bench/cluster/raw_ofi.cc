#include "bench/cluster/raw_ofi.h"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "plugins/ofi/ofi.h"

namespace gls::bench {
namespace {

constexpr size_t kMostRequest = 1 << 20;
constexpr uint64_t kTag = 1;
constexpr uint64_t kAwake = 20'000'000;  // ns; then the server looks every millisecond

[[noreturn]] void fail_ofi(const std::string& what) {
  fmt::print(stderr, "libfabric without channels: {}\n", what);
  std::exit(1);
}

// As channels load it.
const net::Ofi& ofi() {
  static const net::Ofi* const functions = [] {
    std::string why;
    const net::Ofi* const found = net::load_ofi(&why);
    return found != nullptr ? found : (fail_ofi(why), nullptr);
  }();
  return *functions;
}

void check(const char* what, ssize_t status) {
  if (status != 0) {
    fail_ofi(fmt::format("{}: {}", what, net::error_text(ofi(), status)));
  }
}

// "net", which newer versions call "tcp".
fi_info* find_provider() {
  for (const char* const name : {"net", "tcp"}) {
    fi_info* const hints = ofi().fi_dupinfo(nullptr);
    hints->caps = FI_TAGGED | FI_SEND | FI_RECV;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->fabric_attr->prov_name = ::strdup(name);
    fi_info* found = nullptr;
    const int status =
        ofi().fi_getinfo(FI_VERSION(1, 17), "127.0.0.1", nullptr, FI_SOURCE, hints, &found);
    ofi().fi_freeinfo(hints);
    if (status == 0) {
      return found;
    }
  }
  fail_ofi("no provider for TCP");
}

}  // namespace

// Of one thread, once both are there.
class RawOfi::Side {
 public:
  Side() : info_(find_provider()) {
    fid_fabric* fabric = nullptr;
    check("fabric", ofi().fi_fabric(info_->fabric_attr, &fabric, nullptr));
    fabric_.reset(fabric);
    fid_domain* domain = nullptr;
    check("domain", fi_domain(fabric, info_, &domain, nullptr));
    domain_.reset(domain);
    fi_cq_attr of_cq{};
    of_cq.format = FI_CQ_FORMAT_MSG;
    of_cq.wait_obj = FI_WAIT_NONE;
    fid_cq* cq = nullptr;
    check("queue", fi_cq_open(domain, &of_cq, &cq, nullptr));
    cq_.reset(cq);
    fi_av_attr of_av{};
    fid_av* av = nullptr;
    check("addresses", fi_av_open(domain, &of_av, &av, nullptr));
    av_.reset(av);
    fid_ep* ep = nullptr;
    check("endpoint", fi_endpoint(domain, info_, &ep, nullptr));
    ep_.reset(ep);
    check("addresses of an endpoint", fi_ep_bind(ep, &av->fid, 0));
    check("queue of an endpoint", fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV));
    check("endpoint", fi_enable(ep));
  }
  ~Side() {
    ep_.reset();
    cq_.reset();
    av_.reset();
    domain_.reset();
    fabric_.reset();
    ofi().fi_freeinfo(info_);
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  void connect(const Side& to) {
    std::array<std::byte, 1024> name;
    size_t size = name.size();
    check("name", fi_getname(&to.ep_->fid, name.data(), &size));
    if (fi_av_insert(av_.get(), name.data(), 1, &to_, 0, nullptr) != 1) {
      fail_ofi("an address was not taken");
    }
  }

  void receive(void* out, size_t bytes) {
    done_ = false;
    check("receiving", fi_trecv(ep_.get(), out, bytes, nullptr, FI_ADDR_UNSPEC, kTag, 0, &in_));
  }
  void send(Bytes message) {
    sent_ = false;
    ssize_t status = -FI_EAGAIN;
    while (status == -FI_EAGAIN) {
      status = fi_tsend(ep_.get(), message.data(), message.size(), nullptr, to_, kTag, &out_);
      progress();
    }
    check("sending", status);
  }
  // Until what is sent has gone and, if it is waited for, something has come: its bytes.
  template <typename Ends>
  size_t wait(bool comes, const Ends& ends) {
    uint64_t idle_since = now_ns();
    while ((!sent_ || (comes && !done_)) && !ends()) {
      if (progress()) {
        idle_since = now_ns();
      } else if (now_ns() > idle_since + kAwake) {
        ::usleep(1000);
      }
    }
    return received_;
  }

 private:
  bool progress() {
    fi_cq_msg_entry entry{};
    const ssize_t count = fi_cq_read(cq_.get(), &entry, 1);
    if (count == -FI_EAGAIN) {
      return false;
    }
    if (count != 1) {
      fail_ofi("a message was lost");
    }
    if (entry.op_context == &in_) {
      done_ = true;
      received_ = entry.len;
    } else {
      sent_ = true;
    }
    return true;
  }

  fi_info* const info_;
  net::Fid<fid_fabric> fabric_;
  net::Fid<fid_domain> domain_;
  net::Fid<fid_cq> cq_;
  net::Fid<fid_av> av_;
  net::Fid<fid_ep> ep_;
  fi_addr_t to_ = FI_ADDR_UNSPEC;
  fi_context2 in_{};
  fi_context2 out_{};
  bool sent_ = true;
  bool done_ = false;
  size_t received_ = 0;
};

class RawOfi::Both {
 public:
  explicit Both(Sockets::Serve serve) : serve_(std::move(serve)) {
    client_.connect(server_);
    server_.connect(client_);
    thread_ = std::thread([this] { run(); });
  }
  ~Both() {
    ending_ = true;
    thread_.join();
  }
  Both(const Both&) = delete;
  Both& operator=(const Both&) = delete;

  void fetch(Bytes request, void* out, size_t bytes) {
    client_.receive(out, bytes);
    client_.send(request);
    if (client_.wait(true, [] { return false; }) != bytes) {
      fail_ofi("a reply is too short");
    }
  }

 private:
  void run() {
    const auto ends = [this] { return ending_.load(std::memory_order_relaxed); };
    std::vector<std::byte> request(kMostRequest);
    for (;;) {
      server_.receive(request.data(), request.size());
      const size_t size = server_.wait(true, ends);
      if (ends()) {
        return;
      }
      server_.send(serve_({request.data(), size}));
      server_.wait(false, ends);
    }
  }

  const Sockets::Serve serve_;
  Side client_;
  Side server_;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

RawOfi::RawOfi(Sockets::Serve serve) : both_(std::make_unique<Both>(std::move(serve))) {}
RawOfi::~RawOfi() = default;

void RawOfi::fetch(Bytes request, void* out, size_t bytes) { both_->fetch(request, out, bytes); }

}  // namespace gls::bench
