#include "cluster/discovery/array_fetcher.h"

#include <algorithm>
#include <utility>

#include "cluster/discovery/graph_description.h"
#include "context/stop_scope.h"

namespace gls {

ArrayFetcher::ArrayFetcher(std::shared_ptr<Context> context, const ServerDiscovery::Owners& owners,
                           std::shared_ptr<const format::PartitionT> partition,
                           cluster::Deadline deadline)
    : context_(std::move(context)), partition_(std::move(partition)), deadline_(deadline) {
  for (const auto& [number, of_part] : owners) {
    for (const ServerDiscovery::Owner& owner : of_part) {
      if (std::find(servers_.begin(), servers_.end(), owner.peer) == servers_.end()) {
        servers_.push_back(owner.peer);
      }
    }
  }
}

Result<Tensor> ArrayFetcher::fetch(const std::string& file) {
  constexpr int64_t kPauseMs = 20;
  for (size_t failed = 1;; ++failed) {
    const std::shared_ptr<net::Peer>& server = servers_[asked_];
    // A lost server is waited for only where no other server remains.
    Result<Tensor> array = fetch_array(server, context_->buffers(), *partition_, file,
                                       {deadline_.left_ms(), servers_.size() == 1});
    if (array.ok() || !cluster::is_of_server(array.status()) || servers_.size() == 1 ||
        deadline_.left_ms() == 0) {
      return array;
    }
    asked_ = (asked_ + 1) % servers_.size();
    if (failed % servers_.size() == 0) {  // no server answers at the moment
      pause_or_stop(kPauseMs);
      if (is_given_up()) {
        return given_up();
      }
    } else {
      context_->log().write(GLS_LOG_WARN, "cluster", "{}; {} is asked", array.status().message(),
                            servers_[asked_]->address());
    }
  }
}

}  // namespace gls
