// libfabric whose provider for TCP says that it knows memory of GPUs (FI_HMEM), and is looked at:
// it is told what memory that is before anything is to land there, with what it gave for that,
// until nothing lands there any more. Its endpoints are of the real one, which writes to that
// memory as to any other.
#pragma once

#include <gtest/gtest.h>
#include <sys/uio.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "gpu_driver.h"
#include "plugins/ofi/ofi.h"
#include "plugins/ofi/packet.h"

namespace gls::net {

struct FakeOfi {
  // ---- what it is like ----

  static inline int mode = 0;  // what it wants beside: FI_MR_HMEM, FI_MR_ENDPOINT
  static inline std::atomic<bool> has_hmem = true;
  static inline std::atomic<bool> looks = true;          // at whether it is asked for that
  static inline std::string its_name;                    // instead of its own
  static inline std::atomic<bool> enables = true;        // endpoints that know GPUs
  static inline std::atomic<int> way = -1;               // to GPUs, if it says so
  static inline std::atomic<int> failure = 0;            // of each registration of a GPU's memory
  static inline std::atomic<bool> holds_pieces = false;  // nothing long is sent

  // ---- what it saw ----

  static inline std::atomic<int> registered = 0;  // memory of GPUs
  static inline std::atomic<int> received = 0;    // places of a GPU that something may come to
  static inline std::atomic<int> read = 0;
  static inline std::atomic<int> without_context = 0;  // calls

  static void begin(const Ofi& functions, int its_mode) {
    real = functions;
    mode = its_mode;
    has_hmem = looks = enables = true;
    way = -1;
    its_name.clear();
    holds_pieces = false;
    failure = registered = received = read = without_context = 0;
    forget_log();
  }
  static size_t num_known() {
    const std::lock_guard lock(mutex);
    return known.size();
  }
  static bool knows(const void* data) {
    const std::lock_guard lock(mutex);
    return std::any_of(known.begin(), known.end(),
                       [&](const Known& one) { return covers(one.bytes, data, 1); });
  }
  static void forget_log() {
    const std::lock_guard lock(mutex);
    events.clear();
  }
  static std::vector<std::string> log() {
    const std::lock_guard lock(mutex);
    return events;
  }

  static Ofi functions() {
    Ofi out = real;
    out.fi_getinfo = get_info;
    out.fi_fabric = open_fabric;
    return out;
  }

 private:
  struct Known {
    fid_mr handle{};  // first
    iovec bytes{};
    uint64_t access = 0;
    uint64_t key = 0;
    const fid* domain = nullptr;
    const fid* endpoint = nullptr;
    bool enabled = false;
  };

  static bool covers(const iovec& bytes, const void* data, size_t size) {
    const auto from = reinterpret_cast<uintptr_t>(bytes.iov_base);
    const auto at = reinterpret_cast<uintptr_t>(data);
    return at >= from && at + size <= from + bytes.iov_len;
  }
  static void note(const char* what) {
    const std::lock_guard lock(mutex);
    events.emplace_back(what);
  }
  static void count_context() {
    without_context += DriverOfTests::active && DriverOfTests::stack.empty() ? 1 : 0;
  }

  // ---- what is found ----

  static int get_info(uint32_t version, const char* node, const char* service, uint64_t flags,
                      const fi_info* hints, fi_info** out) {
    if ((hints->caps & FI_HMEM) == 0) {
      const int status = real.fi_getinfo(version, node, service, flags, hints, out);
      return status == 0 ? named(*out) : status;
    }
    // Providers that want it registered are for those who say that they would.
    EXPECT_NE(hints->domain_attr->mr_mode & FI_MR_HMEM, 0);
    if (!has_hmem) {
      return -FI_ENODATA;
    }
    const OfiInfo less(without(hints), real.fi_freeinfo);
    const int status = real.fi_getinfo(version, node, service, flags, less.get(), out);
    for (fi_info* one = status == 0 && looks ? *out : nullptr; one != nullptr; one = one->next) {
      one->caps |= FI_HMEM;
      one->tx_attr->caps |= FI_HMEM;
      one->rx_attr->caps |= FI_HMEM;
      one->domain_attr->mr_mode |= mode;
    }
    return status == 0 ? named(*out) : status;
  }
  static int named(fi_info* all) {
    for (fi_info* one = its_name.empty() ? nullptr : all; one != nullptr; one = one->next) {
      std::free(one->fabric_attr->prov_name);
      one->fabric_attr->prov_name = ::strdup(its_name.c_str());
    }
    return 0;
  }
  static fi_info* without(const fi_info* info) {
    fi_info* const out = real.fi_dupinfo(info);
    out->caps &= ~FI_HMEM;
    out->tx_attr->caps &= ~FI_HMEM;
    out->rx_attr->caps &= ~FI_HMEM;
    out->domain_attr->mr_mode &= ~FI_MR_HMEM;
    if ((info->caps & FI_HMEM) != 0 && (mode & FI_MR_ENDPOINT) != 0) {
      out->domain_attr->mr_mode &= ~FI_MR_ENDPOINT;
    }
    return out;
  }

  // ---- what is opened: each object is the real one with some functions of these ----

  // A copy of its functions, once, in its place.
  template <typename Functions, typename Change>
  static void change(Functions** functions, Functions* real_ones, Functions* ours,
                     const Change& change_it) {
    const std::lock_guard lock(mutex);
    if (ours->size == 0) {
      *real_ones = **functions;
      *ours = **functions;
      change_it(ours);
    }
    *functions = ours;
  }

  static int open_fabric(fi_fabric_attr* attributes, fid_fabric** out, void* context) {
    const int status = real.fi_fabric(attributes, out, context);
    if (status == 0) {
      change(&(*out)->ops, &fabric_before, &fabric_now,
             [](fi_ops_fabric* ops) { ops->domain = open_domain; });
    }
    return status;
  }

  static int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** out, void* context) {
    if ((info->caps & FI_HMEM) == 0) {
      return fabric_before.domain(fabric, info, out, context);
    }
    const OfiInfo less(without(info), real.fi_freeinfo);
    const int status = fabric_before.domain(fabric, less.get(), out, context);
    if (status == 0) {
      change(&(*out)->ops, &domain_before, &domain_now,
             [](fi_ops_domain* ops) { ops->endpoint = open_endpoint; });
      change(&(*out)->mr, &mr_before, &mr_now,
             [](fi_ops_mr* ops) { ops->regattr = register_memory; });
      change(&(*out)->fid.ops, &domain_fid_before, &domain_fid_now,
             [](fi_ops* ops) { ops->close = close_domain; });
    }
    return status;
  }
  static int close_domain(fid* domain) {
    {
      const std::lock_guard lock(mutex);
      EXPECT_TRUE(std::none_of(known.begin(), known.end(),
                               [&](const Known& one) { return one.domain == domain; }));
      events.emplace_back("domain");
    }
    return domain_fid_before.close(domain);
  }

  static int open_endpoint(fid_domain* domain, fi_info* info, fid_ep** out, void* context) {
    if (info->ep_attr->type != FI_EP_RDM) {  // of a connection: the provider's own
      return domain_before.endpoint(domain, info, out, context);
    }
    count_context();
    const OfiInfo less(without(info), real.fi_freeinfo);
    const int status = domain_before.endpoint(domain, less.get(), out, context);
    if (status == 0) {
      change(&(*out)->tagged, &tagged_before, &tagged_now, [](fi_ops_tagged* ops) {
        ops->recv = receive;
        ops->send = send;
      });
      change(&(*out)->rma, &rma_before, &rma_now, [](fi_ops_rma* ops) { ops->read = read_memory; });
      change(&(*out)->fid.ops, &endpoint_before, &endpoint_now, [](fi_ops* ops) {
        ops->close = close_endpoint;
        ops->control = control_endpoint;
      });
      change(&(*out)->ops, &options_before, &options_now,
             [](fi_ops_ep* ops) { ops->getopt = get_option; });
      const std::lock_guard lock(mutex);
      domains[&(*out)->fid] = &domain->fid;
    }
    return status;
  }
  static int get_option(fid* endpoint, int level, int name, void* value, size_t* size) {
    if (level != FI_OPT_ENDPOINT || name != FI_OPT_FI_HMEM_P2P || way < 0) {
      return options_before.getopt(endpoint, level, name, value, size);
    }
    EXPECT_EQ(*size, sizeof(int));
    *static_cast<int*>(value) = way;
    return 0;
  }
  static int control_endpoint(fid* endpoint, int command, void* argument) {
    if (command == FI_ENABLE && !enables) {
      return -FI_EOPNOTSUPP;
    }
    return endpoint_before.control(endpoint, command, argument);
  }
  static int close_endpoint(fid* endpoint) {
    count_context();
    {
      const std::lock_guard lock(mutex);
      if (std::any_of(known.begin(), known.end(),
                      [&](const Known& one) { return one.endpoint == endpoint; }) ||
          std::any_of(hosts.begin(), hosts.end(),
                      [&](const auto& one) { return one.second == endpoint; })) {
        ADD_FAILURE() << "an endpoint stays open";
        return -FI_EBUSY;
      }
      events.emplace_back("endpoint");
      domains.erase(endpoint);
    }
    return endpoint_before.close(endpoint);
  }

  // ---- memory ----

  static int register_memory(fid* domain, const fi_mr_attr* attributes, uint64_t flags,
                             fid_mr** out) {
    count_context();
    if (attributes->iface == FI_HMEM_SYSTEM) {
      const int status = mr_before.regattr(domain, attributes, flags, out);
      if (status == 0 && (mode & FI_MR_ENDPOINT) != 0) {
        change(&(*out)->fid.ops, &host_before, &host_now, [](fi_ops* ops) {
          ops->close = forget_host;
          ops->bind = bind_host;
          ops->control = [](fid*, int, void*) { return 0; };
        });
      }
      return status;
    }
    EXPECT_EQ(attributes->iface, FI_HMEM_CUDA);
    EXPECT_EQ(attributes->device.cuda, 1);
    EXPECT_EQ(attributes->iov_count, 1U);
    EXPECT_TRUE(DriverOfTests::has(attributes->mr_iov->iov_base, attributes->mr_iov->iov_len));
    if (failure != 0) {
      return failure;
    }
    static fi_ops ops{sizeof ops, forget, bind, control_memory, nullptr, nullptr, nullptr};
    const std::lock_guard lock(mutex);
    for (const Known& one : known) {
      EXPECT_TRUE(one.domain != domain || one.key != attributes->requested_key);
    }
    Known& made = known.emplace_back();
    made.handle.fid = {FI_CLASS_MR, nullptr, &ops};
    made.handle.mem_desc = &made;
    made.bytes = *attributes->mr_iov;
    made.access = attributes->access;
    made.key = attributes->requested_key;
    made.domain = domain;
    ++registered;
    *out = &made.handle;
    return 0;
  }
  static int bind_host(fid* memory, fid* endpoint, uint64_t /*flags*/) {
    const std::lock_guard lock(mutex);
    hosts[memory] = endpoint;
    return 0;
  }
  static int forget_host(fid* memory) {
    {
      const std::lock_guard lock(mutex);
      hosts.erase(memory);
    }
    return host_before.close(memory);
  }
  static int forget(fid* memory) {
    note("memory");
    const std::lock_guard lock(mutex);
    EXPECT_EQ(std::erase_if(known, [&](const Known& one) { return &one.handle.fid == memory; }),
              1U);
    return 0;
  }
  static int bind(fid* memory, fid* endpoint, uint64_t /*flags*/) {
    const std::lock_guard lock(mutex);
    reinterpret_cast<Known*>(memory)->endpoint = endpoint;
    return 0;
  }
  static int control_memory(fid* memory, int command, void* /*argument*/) {
    EXPECT_EQ(command, FI_ENABLE);
    const std::lock_guard lock(mutex);
    auto* const one = reinterpret_cast<Known*>(memory);
    EXPECT_NE(one->endpoint, nullptr);
    one->enabled = true;
    return 0;
  }

  // ---- what lands there ----

  // True: in memory of a GPU, of which it was told as it wants.
  static bool check(const fid_ep* endpoint, const void* data, size_t size, const void* desc,
                    uint64_t access) {
    count_context();
    if (!DriverOfTests::has(data, size)) {
      EXPECT_EQ(desc, nullptr);
      return false;
    }
    if ((mode & FI_MR_HMEM) == 0) {
      EXPECT_EQ(desc, nullptr);
      return true;
    }
    const std::lock_guard lock(mutex);
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const Known& one) { return &one == desc; });
    if (found == known.end()) {
      ADD_FAILURE() << "memory of a GPU that is not registered";
      return true;
    }
    EXPECT_TRUE(covers(found->bytes, data, size));
    EXPECT_EQ(found->access & access, access);
    EXPECT_EQ(found->domain, domains.at(&endpoint->fid));
    EXPECT_EQ(found->enabled, (mode & FI_MR_ENDPOINT) != 0);
    EXPECT_TRUE(found->endpoint == nullptr || found->endpoint == &endpoint->fid);
    return true;
  }
  static ssize_t receive(fid_ep* endpoint, void* data, size_t size, void* desc, fi_addr_t from,
                         uint64_t tag, uint64_t ignore, void* context) {
    const bool on_gpu = check(endpoint, data, size, desc, FI_RECV);
    const ssize_t status =
        tagged_before.recv(endpoint, data, size, nullptr, from, tag, ignore, context);
    received += on_gpu && status == 0 ? 1 : 0;
    return status;
  }
  static ssize_t send(fid_ep* endpoint, const void* data, size_t size, void* desc, fi_addr_t to,
                      uint64_t tag, void* context) {
    count_context();
    EXPECT_EQ(desc, nullptr);
    return holds_pieces && size > kPacketBytes
               ? -FI_EAGAIN
               : tagged_before.send(endpoint, data, size, nullptr, to, tag, context);
  }
  static ssize_t read_memory(fid_ep* endpoint, void* data, size_t size, void* desc, fi_addr_t from,
                             uint64_t address, uint64_t key, void* context) {
    const bool on_gpu = check(endpoint, data, size, desc, FI_READ);
    const ssize_t status =
        rma_before.read(endpoint, data, size, nullptr, from, address, key, context);
    read += on_gpu && status == 0 ? 1 : 0;
    return status;
  }

  static inline Ofi real;
  static inline std::mutex mutex;
  static inline std::list<Known> known;
  static inline std::map<const fid*, const fid*> domains;  // of endpoints
  static inline std::map<const fid*, const fid*> hosts;  // endpoints by memory that is bound to it
  static inline std::vector<std::string> events;
  static inline fi_ops_fabric fabric_before{}, fabric_now{};
  static inline fi_ops_domain domain_before{}, domain_now{};
  static inline fi_ops_mr mr_before{}, mr_now{};
  static inline fi_ops domain_fid_before{}, domain_fid_now{};
  static inline fi_ops host_before{}, host_now{};
  static inline fi_ops endpoint_before{}, endpoint_now{};
  static inline fi_ops_ep options_before{}, options_now{};
  static inline fi_ops_tagged tagged_before{}, tagged_now{};
  static inline fi_ops_rma rma_before{}, rma_now{};
};

}  // namespace gls::net
