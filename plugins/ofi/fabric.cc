#include "plugins/ofi/fabric.h"

#include <arpa/inet.h>
#include <gls.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "plugins/channels/plugin.h"
#include "plugins/ofi/memory_registration.h"
#include "plugins/ofi/ofi_endpoint.h"
#include "plugins/ofi/packet.h"

namespace gls::net {
namespace {

// Version of libfabric's interface that this code uses; the library itself may be newer.
constexpr uint32_t kApi = FI_VERSION(1, 17);

// Providers for RDMA networks, and one that is always available: "net", which newer versions call
// "tcp". libfabric chooses their order.
constexpr char kDefaultProviders[] = "efa,cxi,opx,psm3,psm2,net,tcp";

// A utility layer that libfabric puts over providers without some features. Its endpoints crash
// when they are closed with operations in flight.
constexpr char kLayered[] = ";ofi_rx";

// These providers register any memory without an error, so nothing shows whether they can access
// it.
constexpr std::string_view kSilent[] = {"opx", "psm3"};

constexpr size_t kTriedBytes = 65536;  // of a GPU: the smallest size that cards map

// It leaves 16 MB in /dev/shm for each process that is killed, and does not validate its input.
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

// Whether the endpoint would use one of the addresses of this interface.
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

// Providers whose cards are known to read memory without the other side's CPU. Others may, or may
// answer in the driver; libfabric does not report it.
bool is_rdma(const fi_info& info) { return std::string_view(info.fabric_attr->prov_name) == "cxi"; }

bool is_allowed(const std::vector<std::string>& allowed, const fi_info& info) {
  return std::find(allowed.begin(), allowed.end(), info.fabric_attr->prov_name) != allowed.end();
}

// Checks that packets fit in a message, and that our tags fit in the provider's. Some providers
// accept a request for GPU memory without checking their support.
bool is_enough(const fi_info& info, bool gpus) {
  return (!gpus || (info.caps & FI_HMEM) != 0) && info.ep_attr->max_msg_size >= kPacketBytes &&
         (info.ep_attr->mem_tag_format >> (kTagBits - 1)) != 0;
}

bool has_own_keys(const fi_info& info) { return (info.domain_attr->mr_mode & FI_MR_PROV_KEY) != 0; }

}  // namespace

// All usable providers; null: none.
OfiInfo OfiFabric::find(const Wanted& wanted) const {
  const OfiInfo hints(ofi_.fi_dupinfo(nullptr), ofi_.fi_freeinfo);
  if (hints == nullptr) {
    return {nullptr, ofi_.fi_freeinfo};
  }
  hints->caps = FI_TAGGED | FI_SEND | FI_RECV |
                (wanted.reads ? FI_RMA | FI_READ | FI_REMOTE_READ : 0) |
                (wanted.gpus ? FI_HMEM : 0);
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  // Endpoints are created by other threads than the driving thread.
  hints->domain_attr->threading = FI_THREAD_SAFE;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  // This code registers host memory only for peers to read. Providers that require registration for
  // sending and receiving (FI_MR_LOCAL) are excluded.
  hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY |
                                FI_MR_ENDPOINT | (wanted.gpus ? FI_MR_HMEM : 0);
  fi_info* all = nullptr;
  const int status = ofi_.fi_getinfo(kApi, nullptr, nullptr, 0, hints.get(), &all);
  return {status == 0 ? all : nullptr, ofi_.fi_freeinfo};
}

int32_t OfiFabric::begin(const ChannelOptions& options, std::string* why) {
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
  Wanted wanted;
  wanted.reads = options.one_sided == OneSided::kOn;
  *why = choose(find(wanted), device, allowed, wanted);
  if (info_ == nullptr && !has_interface(device)) {
    *why = no_interface(device);
    return GLS_ERR_INVALID_ARGUMENT;
  }
  if (!why->empty()) {
    return GLS_ERR_UNSUPPORTED;
  }
  if (options.one_sided == OneSided::kAuto && is_rdma(*info_)) {
    wanted.reads = also(device, {true, false});
  }
  if (wanted.reads) {
    reads_ = is_rdma(*info_) ? ChannelReads::kRdma : ChannelReads::kEmulated;
  }
  if (options.device_memory == DeviceMemory::kOn ||
      (options.device_memory == DeviceMemory::kAuto && is_rdma(*info_))) {
    no_gpus_ = open_with_gpus(device, wanted.reads);
  } else {
    no_gpus_ = "net.device_memory is off, or auto and libfabric's provider is not one for RDMA";
  }
  *why = no_gpus_.empty() ? "" : open();
  return why->empty() ? 0 : GLS_ERR_UNSUPPORTED;
}

// Adds what the same provider offers with these requirements. False: it offers nothing.
bool OfiFabric::also(const std::string& device, const Wanted& wanted) {
  const std::string same = provider();
  return choose(find(wanted), device, {same}, wanted).empty();
}

// Returns an error text, or empty.
std::string OfiFabric::open() {
  // Resources that libfabric reserves for each endpoint; this is enough for one peer.
  info_->tx_attr->size = std::min<size_t>(info_->tx_attr->size, kMostUnderWay);
  info_->rx_attr->size = std::min<size_t>(info_->rx_attr->size, kMostUnderWay);
  fid_fabric* fabric = nullptr;
  const int opened = ofi_.fi_fabric(info_->fabric_attr, &fabric, nullptr);
  if (opened != 0) {
    return std::string("libfabric does not open ") + provider() + ": " + error_text(ofi_, opened);
  }
  fabric_.reset(fabric);
  return {};
}

// Empty, or why not; it is then unchanged, and not open. A provider may support GPU memory and
// still open no endpoint for it on a machine without GPUs, as efa does.
std::string OfiFabric::open_with_gpus(const std::string& device, bool reads) {
  const std::string name = provider();
  OfiInfo without(ofi_.fi_dupinfo(info()), ofi_.fi_freeinfo);
  if (without == nullptr || !also(device, {reads, true})) {
    return "libfabric's provider \"" + name + "\" knows no memory of GPUs (FI_HMEM)";
  }
  if (std::find(std::begin(kSilent), std::end(kSilent), name) != std::end(kSilent)) {
    info_ = std::move(without);
    return "libfabric's provider \"" + name + "\" does not say whose memory it takes";
  }
  std::string why = "there is no driver of CUDA";
  if (const std::optional<GpuContext::Driver> driver = find_driver_()) {
    gpus_ = std::make_unique<GpuContext>(*driver);
    const GpuTurn turn_of_gpu(gpus());
    why = open();
    if (why.empty()) {
      OfiEndpoint trial;
      why = trial.open(*this);
      if (why.empty() && trial.keeps_off_gpus()) {
        why = "libfabric's provider \"" + name + "\" does not get at memory of GPUs here";
      }
    }
  }
  if (!why.empty()) {
    fabric_.reset();
    gpus_.reset();
    info_ = std::move(without);
  }
  return why;
}

bool OfiFabric::reaches_gpus(std::string* why) const {
  *why = no_gpus_;
  if (gpus_ == nullptr) {
    return false;
  }
  const GpuTurn turn_of_gpu(gpus());
  if (!gpus_->is_current()) {
    *why = "this process uses no GPU yet";
    return false;
  }
  const GpuMemory some(*gpus_, kTriedBytes);
  if (some.status() != 0) {
    *why = "the GPU gives no " + std::to_string(kTriedBytes) + " bytes to try: error " +
           std::to_string(some.status()) + " of CUDA";
    return false;
  }
  OfiUse use;
  const OfiBytes bytes(static_cast<const std::byte*>(some.data()), kTriedBytes);
  *why = use_to_land(*this, bytes, &use) ? try_to_register(*this, use) : kNotOfGpus;
  return why->empty();
}

bool OfiFabric::is_tcp() const {
  const std::string_view name = provider();
  return name == "net" || name == "tcp";
}

std::string OfiFabric::choose(const OfiInfo& all, const std::string& device,
                              const std::vector<std::string>& allowed, const Wanted& wanted) {
  std::string listed;
  for (fi_info* one = all.get(); one != nullptr; one = one->next) {
    if (!is_on(device, *one) || !is_enough(*one, wanted.gpus)) {
      continue;
    }
    if (is_allowed(allowed, *one)) {
      // Keys that the provider chooses may allow more than requested. Keys of cxi allow access to
      // everything in its domain, and writes.
      const fi_info* best = one;
      for (const fi_info* other = one; wanted.reads && other != nullptr && has_own_keys(*best);
           other = other->next) {
        const bool same =
            std::strcmp(other->fabric_attr->prov_name, one->fabric_attr->prov_name) == 0;
        const bool fits = same && is_on(device, *other) && is_enough(*other, wanted.gpus);
        best = fits && !has_own_keys(*other) ? other : best;
      }
      OfiInfo chosen(ofi_.fi_dupinfo(best), ofi_.fi_freeinfo);
      if (chosen == nullptr) {
        return "out of memory";
      }
      info_ = std::move(chosen);
      return {};
    }
    const std::string name = one->fabric_attr->prov_name;
    if (listed.find("\"" + name + "\"") == std::string::npos) {
      listed += (listed.empty() ? "\"" : ", \"") + name + "\"";
    }
  }
  std::string names;
  for (const std::string& name : allowed) {
    names += (names.empty() ? "\"" : ", \"") + name + "\"";
  }
  return "libfabric has none of " + names + " on \"" + device + "\" for tagged messages" +
         (wanted.reads ? " and reads of memory" : "") + "; it has " +
         (listed.empty() ? "nothing there" : listed);
}

std::string OfiFabric::try_memory(OfiBytes memory) const {
  const GpuTurn turn_of_gpu(gpus());
  return try_to_register(*this, {memory, FI_REMOTE_READ});
}

}  // namespace gls::net
