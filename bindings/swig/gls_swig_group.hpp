/** @file gls_swig_group.hpp
 *  Part of gls_swig.hpp: groups of processes.
 */
#ifndef GLS_SWIG_GROUP_HPP
#define GLS_SWIG_GROUP_HPP

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "gls_swig_calls.hpp"
#include "gls_swig_context.hpp"

namespace gls::facade {

/** Exchanges bytes among all processes of a group, on the thread that joins it. Each binding
 *  implements it in its own way; exchange() must not throw. */
class Exchange {
 public:
  virtual ~Exchange() = default;
  /** False ends joining with GLS_ERR_CANCELED.
   *  @param all  out: those of `world_size` processes, by rank */
  virtual bool exchange(const void* mine, size_t size, uint32_t world_size, void* all) = 0;

#ifndef SWIG
  struct Use {
    Exchange* exchange;
    uint32_t world_size;
  };
  static int32_t call(void* use, const void* mine, size_t size, void* all) {
    const Use* const of = static_cast<Use*>(use);
    return of->exchange->exchange(mine, size, of->world_size, all) ? 0 : 1;
  }
#endif
};

struct GroupInfo {
  uint32_t rank;
  uint32_t world_size;
  uint32_t local_rank;
  uint32_t local_size;
  int32_t launcher;
  uint64_t operations;
};

/** A process of a group. */
class MemberInfo {
 public:
  const char* name() const { return name_.c_str(); }
  const char* host() const { return host_.c_str(); }
  const char* address() const { return address_.c_str(); }
  uint64_t process() const { return process_; }

#ifndef SWIG
  explicit MemberInfo(const gls_member_info_t& info)
      : name_(info.name), host_(info.host), address_(info.address), process_(info.process) {}
#endif

 private:
  std::string name_;
  std::string host_;
  std::string address_;
  uint64_t process_;
};

class Group {
 public:
  std::string name() const { return group_.info().name; }
  GroupInfo* info() const {
    const gls_group_info_t i = group_.info();
    return new GroupInfo{i.rank,       i.world_size, i.local_rank,
                         i.local_size, i.launcher,   i.operations};
  }
  MemberInfo* member(uint32_t rank) const { return new MemberInfo(group_.member(rank)); }
  /** Timeouts are as in gls.h. */
  Future* barrier(int64_t timeout_ms) { return new Future(group_.barrier(timeout_ms)); }
  /** @param data  may be NULL: none */
  Future* all_gather(const Tensor* data, int64_t timeout_ms) {
    const Bytes bytes = bytes_of(data);
    return new Future(group_.all_gather(bytes.data, bytes.size, timeout_ms));
  }
  /** Calls of it come out of the queue. */
  void function(const char* name, const CallQueue* queue) {
    const std::string text = text_or_empty(name);
    queue->attach([&](auto run, void* user_data, auto destroy) {
      group_.function(text, run, user_data, destroy);
    });
  }
  /** @param data  may be NULL: none */
  Future* call(uint32_t rank, const char* function, const Tensor* data, int64_t timeout_ms,
               bool idempotent) {
    const Bytes bytes = bytes_of(data);
    return new Future(group_.call(rank, text_or_empty(function), bytes.data, bytes.size, timeout_ms,
                                  call_options(idempotent)));
  }
  void leave(int64_t timeout_ms) { group_.leave(timeout_ms); }

#ifndef SWIG
  explicit Group(gls::Group group) : group_(std::move(group)) {}
#endif

 private:
  gls::Group group_;
};

/** How a group is joined. */
class GroupOptions {
 public:
  GroupOptions() = default;
  void set_name(const char* name) { name_ = text_or_empty(name); }
  void set_launcher(int32_t launcher) { options_.launcher = launcher; }
  /** @param world_size  0: as the launcher says, also the rank */
  void set_place(uint32_t rank, uint32_t world_size) {
    options_.rank = rank;
    options_.world_size = world_size;
  }
  /** That hand calls over to the queues of functions; 0: as many as the context has. */
  void set_num_threads(uint32_t threads) { options_.num_threads = threads; }
  void set_rendezvous(const char* address) { rendezvous_ = text_or_empty(address); }
  void set_listen(const char* address) { listen_ = text_or_empty(address); }
  void set_process_name(const char* name) { process_name_ = text_or_empty(name); }
  /** As in gls.h, whose default holds otherwise. */
  void set_timeout(int64_t timeout_ms) { timeout_ms_ = timeout_ms; }
  /** Waits for all.
   *  @param exchange  may be NULL; else set_place() is needed
   *  @param progress  may be NULL */
  Group* join(const Context* context, Exchange* exchange, Progress* progress) const {
    gls_group_options_t options = options_;
    options.name = null_if_empty(name_);
    options.rendezvous = null_if_empty(rendezvous_);
    options.listen = null_if_empty(listen_);
    options.process_name = null_if_empty(process_name_);
    Exchange::Use use{exchange, options.world_size};
    if (exchange != nullptr) {
      if (options.world_size == 0) {  // how much is given to all is not known here otherwise
        throw std::invalid_argument("world_size: is needed where addresses are exchanged");
      }
      options.exchange = Exchange::call;
      options.exchange_user_data = &use;
    }
    if (progress != nullptr) {
      options.progress = Progress::call;
      options.progress_user_data = progress;
    }
    return new Group(gls::Group(context->impl(), options, timeout_ms_));
  }

 private:
  gls_group_options_t options_ = GLS_GROUP_OPTIONS_INIT;
  int64_t timeout_ms_ = GLS_TIMEOUT_DEFAULT;
  std::string name_;
  std::string rendezvous_;
  std::string listen_;
  std::string process_name_;
};

}  // namespace gls::facade

#endif  // GLS_SWIG_GROUP_HPP
