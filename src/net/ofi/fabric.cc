#include "net/ofi/fabric.h"

#include <arpa/inet.h>
#include <gls.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "net/lanes/plugin.h"
#include "net/lanes/token.h"
#include "net/ofi/address.h"
#include "net/ofi/packet.h"

namespace gls::net {
namespace {

// Of the interface of libfabric, whatever its own version is.
constexpr uint32_t kApi = FI_VERSION(1, 17);

// Those for networks with RDMA, and one that is everywhere: "net", which newer versions call "tcp".
// Which of them comes first is libfabric's to say.
constexpr char kDefaultProviders[] = "efa,cxi,opx,psm3,psm2,net,tcp";

// What libfabric puts over a provider that lacks something: their endpoints crash when they are
// closed while something is under way.
constexpr char kLayered[] = ";ofi_rx";

// It leaves 16 MB in /dev/shm for each process that is killed, and checks nothing of what it is
// told.
constexpr char kSharedMemory[] = "shm";

bool same_address(const sockaddr* a, const void* b, size_t b_size) {
  if (a == nullptr || b == nullptr || b_size < sizeof(sockaddr_in) ||
      a->sa_family != static_cast<const sockaddr*>(b)->sa_family) {
    return false;
  }
  if (a->sa_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in*>(a)->sin_addr.s_addr ==
           static_cast<const sockaddr_in*>(b)->sin_addr.s_addr;
  }
  return a->sa_family == AF_INET6 && b_size >= sizeof(sockaddr_in6) &&
         std::memcmp(&reinterpret_cast<const sockaddr_in6*>(a)->sin6_addr,
                     &static_cast<const sockaddr_in6*>(b)->sin6_addr, sizeof(in6_addr)) == 0;
}

// Whether one of the addresses of this interface is where the endpoint would be.
bool is_address_of(const std::string& device, const fi_info& info) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) {
    return false;
  }
  bool found = false;
  for (const ifaddrs* one = all; one != nullptr && !found; one = one->ifa_next) {
    found = device == one->ifa_name && same_address(one->ifa_addr, info.src_addr, info.src_addrlen);
  }
  freeifaddrs(all);
  return found;
}

// "mlx5_0" and "rdmap0s6-rdm" are names of domains; "eth1" has an address, or is the domain's name.
bool is_on(const std::string& device, const fi_info& info) {
  const char* const domain = info.domain_attr->name;
  const bool named = domain != nullptr && device == domain;
  const bool of_card = info.nic != nullptr && info.nic->device_attr != nullptr &&
                       info.nic->device_attr->name != nullptr &&
                       device == info.nic->device_attr->name;
  return named || of_card || is_address_of(device, info);
}

// Those of which it is known that the card reads memory without the other side's processor. Others
// may, or have its driver answer; libfabric does not say.
bool is_rdma(const fi_info& info) { return std::string_view(info.fabric_attr->prov_name) == "cxi"; }

// Keys are for us to choose, or are found out by who counts.
std::string register_memory(const OfiFabric& fabric, fid_domain* domain, fid_ep* ep,
                            OfiBytes memory, Fid<fid_mr>* out) {
  const int mode = fabric.info()->domain_attr->mr_mode;
  LaneToken random{};
  if ((mode & FI_MR_PROV_KEY) == 0) {
    if (!make_random(&random)) {
      return "the system gives no random bytes";
    }
    const size_t size = fabric.info()->domain_attr->mr_key_size;
    if (size < sizeof random[0]) {
      random[0] &= (uint64_t{1} << (8 * size)) - 1;
    }
  }
  fid_mr* made = nullptr;
  int status = fi_mr_reg(domain, memory.data(), memory.size(), FI_REMOTE_READ, 0, random[0], 0,
                         &made, nullptr);
  if (status != 0) {
    return "libfabric does not register it: " + said(fabric.ofi(), status);
  }
  out->reset(made);
  if (ep != nullptr && (mode & FI_MR_ENDPOINT) != 0) {
    status = fi_mr_bind(made, &ep->fid, 0);
    status = status == 0 ? fi_mr_enable(made) : status;
    if (status != 0) {
      return "libfabric does not register it for an endpoint: " + said(fabric.ofi(), status);
    }
  }
  return {};
}

bool is_allowed(const std::vector<std::string>& allowed, const fi_info& info) {
  return std::find(allowed.begin(), allowed.end(), info.fabric_attr->prov_name) != allowed.end();
}

// Packets fit in a message, and our tags in one of its.
bool is_enough(const fi_info& info) {
  return info.ep_attr->max_msg_size >= kPacketBytes &&
         (info.ep_attr->mem_tag_format >> (kTagBits - 1)) != 0;
}

bool has_own_keys(const fi_info& info) { return (info.domain_attr->mr_mode & FI_MR_PROV_KEY) != 0; }

}  // namespace

OfiFabric::~OfiFabric() {
  fabric_.reset();
  if (info_ != nullptr) {
    ofi_.fi_freeinfo(info_);
  }
}

// All that could be used; null: nothing.
fi_info* OfiFabric::find(bool reads) const {
  fi_info* const hints = ofi_.fi_dupinfo(nullptr);
  if (hints == nullptr) {
    return nullptr;
  }
  hints->caps = FI_TAGGED | FI_SEND | FI_RECV | (reads ? FI_RMA | FI_READ | FI_REMOTE_READ : 0);
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  // Endpoints are made by other threads than the one that drives them.
  hints->domain_attr->threading = FI_THREAD_SAFE;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  // No memory is registered by us but what others read: those who want that for sending and
  // receiving (FI_MR_LOCAL) are not among what is found.
  hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  fi_info* all = nullptr;
  const int status = ofi_.fi_getinfo(kApi, nullptr, nullptr, 0, hints, &all);
  ofi_.fi_freeinfo(hints);
  return status == 0 ? all : nullptr;
}

int32_t OfiFabric::begin(const LaneOptions& options, std::string* why) {
  const std::string device = options.devices;
  const std::vector<std::string> allowed =
      parts_of(*options.transports != 0 ? options.transports : kDefaultProviders);
  if (device.find(',') != std::string::npos) {
    *why = "net.data_devices is \"" + device + "\", expected one interface: libfabric uses one";
    return GLS_ERR_INVALID_ARGUMENT;
  }
  if (std::find(allowed.begin(), allowed.end(), kSharedMemory) != allowed.end()) {
    *why =
        "net.data_transports: libfabric's shm is not used, as it leaves files behind for each "
        "process that is killed, and checks nothing; between processes of one host use UCX's";
    return GLS_ERR_UNSUPPORTED;
  }
  for (const std::string& name : allowed) {
    if (name.find(kLayered) != std::string::npos) {
      *why = "net.data_transports: \"" + name +
             "\" is not used, as it may crash when a peer is gone; for TCP there is \"net\" "
             "(\"tcp\" in newer versions of libfabric), and UCX for InfiniBand";
      return GLS_ERR_UNSUPPORTED;
    }
  }
  const bool reads = options.one_sided == OneSided::kOn;
  fi_info* all = find(reads);
  *why = choose(all, device, allowed, reads);
  if (why->empty() && reads) {
    reads_ = is_rdma(*info_) ? LaneReads::kRdma : LaneReads::kEmulated;
  }
  const bool known = has_interface(device) || info_ != nullptr;
  if (all != nullptr) {
    ofi_.fi_freeinfo(all);
  }
  if (why->empty() && options.one_sided == OneSided::kAuto && is_rdma(*info_)) {
    fi_info* const without = std::exchange(info_, nullptr);
    all = find(true);
    reads_ = choose(all, device, {without->fabric_attr->prov_name}, true).empty()
                 ? LaneReads::kRdma
                 : LaneReads::kNone;
    if (all != nullptr) {
      ofi_.fi_freeinfo(all);
    }
    fi_info* const left = info_ == nullptr ? std::exchange(info_, without) : without;
    if (left != nullptr) {
      ofi_.fi_freeinfo(left);
    }
  }
  if (!known) {
    *why = no_interface(device);
    return GLS_ERR_INVALID_ARGUMENT;
  }
  if (!why->empty()) {
    return GLS_ERR_UNSUPPORTED;
  }
  // What libfabric keeps ready for each endpoint; this is enough for one peer.
  info_->tx_attr->size = std::min<size_t>(info_->tx_attr->size, kMostUnderWay);
  info_->rx_attr->size = std::min<size_t>(info_->rx_attr->size, kMostUnderWay);
  fid_fabric* fabric = nullptr;
  const int opened = ofi_.fi_fabric(info_->fabric_attr, &fabric, nullptr);
  if (opened != 0) {
    *why = std::string("libfabric does not open ") + provider() + ": " + said(ofi_, opened);
    return GLS_ERR_UNSUPPORTED;
  }
  fabric_.reset(fabric);
  return 0;
}

bool OfiFabric::is_tcp() const {
  const std::string_view name = provider();
  return name == "net" || name == "tcp";
}

std::string OfiFabric::choose(fi_info* all, const std::string& device,
                              const std::vector<std::string>& allowed, bool reads) {
  std::string there;
  for (fi_info* one = all; one != nullptr; one = one->next) {
    if (!is_on(device, *one) || !is_enough(*one)) {
      continue;
    }
    if (is_allowed(allowed, *one)) {
      // Keys of the provider's own may be good for more than they are asked for: those of cxi are
      // for all that its domain knows, and for writing.
      const fi_info* best = one;
      for (const fi_info* other = one; reads && other != nullptr && has_own_keys(*best);
           other = other->next) {
        const bool same =
            std::strcmp(other->fabric_attr->prov_name, one->fabric_attr->prov_name) == 0;
        best = same && is_on(device, *other) && is_enough(*other) && !has_own_keys(*other) ? other
                                                                                           : best;
      }
      info_ = ofi_.fi_dupinfo(best);
      return info_ != nullptr ? "" : "out of memory";
    }
    const std::string name = one->fabric_attr->prov_name;
    if (there.find("\"" + name + "\"") == std::string::npos) {
      there += (there.empty() ? "\"" : ", \"") + name + "\"";
    }
  }
  std::string wanted;
  for (const std::string& name : allowed) {
    wanted += (wanted.empty() ? "\"" : ", \"") + name + "\"";
  }
  return "libfabric has none of " + wanted + " on \"" + device + "\" for tagged messages" +
         (reads ? " and reads of memory" : "") + "; it has " +
         (there.empty() ? "nothing there" : there);
}

std::string OfiFabric::try_memory(OfiBytes memory) const {
  fid_domain* opened = nullptr;
  if (const int status = fi_domain(handle(), info(), &opened, nullptr); status != 0) {
    return "libfabric opens no domain for it: " + said(ofi_, status);
  }
  const Fid<fid_domain> domain(opened);
  Fid<fid_mr> memory_of_domain;  // goes first
  return register_memory(*this, opened, nullptr, memory, &memory_of_domain);
}

std::string OfiEndpoint::open(const OfiFabric& fabric) {
  const Ofi& ofi = fabric.ofi();
  const auto failed = [&](const char* what, int status) {
    close();
    return std::string(what) + " of " + fabric.provider() + " on " + fabric.device() + ": " +
           said(ofi, status);
  };
  fid_domain* domain = nullptr;
  int status = fi_domain(fabric.handle(), fabric.info(), &domain, nullptr);
  if (status != 0) {
    return failed("no domain", status);
  }
  domain_.reset(domain);
  fi_cq_attr of_cq{};
  of_cq.format = FI_CQ_FORMAT_MSG;
  of_cq.wait_obj = FI_WAIT_FD;
  fid_cq* cq = nullptr;
  status = fi_cq_open(domain, &of_cq, &cq, nullptr);
  if (status == 0) {
    cq_.reset(cq);
    if (fi_control(&cq->fid, FI_GETWAIT, &wait_fd_) != 0) {
      wait_fd_ = -1;
    }
  } else {
    of_cq.wait_obj = FI_WAIT_NONE;
    status = fi_cq_open(domain, &of_cq, &cq, nullptr);
    if (status != 0) {
      return failed("no queue", status);
    }
    cq_.reset(cq);
  }
  fi_av_attr of_av{};
  of_av.count = 1;
  fid_av* av = nullptr;
  status = fi_av_open(domain, &of_av, &av, nullptr);
  if (status != 0) {
    return failed("no table of addresses", status);
  }
  av_.reset(av);
  fid_ep* ep = nullptr;
  status = fi_endpoint(domain, fabric.info(), &ep, nullptr);
  if (status != 0) {
    return failed("no endpoint", status);
  }
  ep_.reset(ep);
  status = fi_ep_bind(ep, &av->fid, 0);
  status = status == 0 ? fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV) : status;
  status = status == 0 ? fi_enable(ep) : status;
  size_t size = 0;
  if (status == 0) {
    static_cast<void>(fi_getname(&ep->fid, nullptr, &size));  // says how long it is
    name_.resize(size);
    status = size == 0 || size > kMostEndpointName ? -FI_ETOOSMALL
                                                   : fi_getname(&ep->fid, name_.data(), &size);
  }
  return status == 0 ? std::string() : failed("no working endpoint", status);
}

std::string OfiEndpoint::share(const OfiFabric& fabric, uint64_t number, OfiBytes memory,
                               OfiKey* key) {
  const auto [found, is_new] = shared_.try_emplace(number);
  Shared& shared = found->second;
  if (is_new) {
    if (std::string why = register_memory(fabric, domain_.get(), ep_.get(), memory, &shared.handle);
        !why.empty()) {
      shared_.erase(found);
      return why;
    }
    shared.key.key = fi_mr_key(shared.handle.get());
    const bool whole = (fabric.info()->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
    shared.key.base = whole ? 0 : reinterpret_cast<uint64_t>(memory.data());
  }
  *key = shared.key;
  return {};
}

void OfiEndpoint::close() {
  shared_.clear();
  ep_.reset();
  cq_.reset();
  av_.reset();
  domain_.reset();
}

}  // namespace gls::net
