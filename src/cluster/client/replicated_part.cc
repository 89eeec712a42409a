#include "cluster/client/replicated_part.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "cluster/client/remote_sampler.h"
#include "cluster/rpc/remote_call.h"
#include "context/stop_scope.h"

namespace gls {

using cluster::Deadline;
using cluster::is_of_server;

ReplicatedPart::ReplicatedPart(std::shared_ptr<Context> context, std::shared_ptr<Replicas> replicas,
                               int64_t timeout_ms, std::function<void()> nobody)
    : context_(std::move(context)),
      replicas_(std::move(replicas)),
      timeout_ms_(timeout_ms),
      nobody_(std::move(nobody)) {}

template <typename T>
Deferred<T> ReplicatedPart::ask_any(Ask<T> ask) const {
  const Deadline deadline(timeout_ms_);
  Replicas::One first = replicas_->asked();
  Deferred<T> later = ask(first);
  return [self = shared_from_this(), ask = std::move(ask), deadline, first = std::move(first),
          later = std::move(later)] { return self->wait_for_any(ask, deadline, first, later); };
}

template <typename T>
Result<T> ReplicatedPart::wait_for_any(const Ask<T>& ask, const Deadline& deadline,
                                       const Replicas::One& first, Deferred<T> later) const {
  constexpr int64_t kPauseMs = 20;
  Replicas::One one = first;
  Replicas::All tried;
  for (Status why;;) {  // the first server failed
    Result<T> answer = later();
    if (answer.ok()) {
      if (replicas_->prefer(one, first)) {
        context_->log().write(GLS_LOG_WARN, "cluster", "{}; from now on {} is asked", why.message(),
                              one->address());
      }
      return answer;
    }
    if (!is_of_server(answer.status()) || replicas_->closed()) {
      return answer;
    }
    if (deadline.left_ms() == 0) {
      Status nobody = replicas_->nobody();
      return nobody.ok() ? std::move(answer) : Result<T>(std::move(nobody));
    }
    if (why.ok()) {
      why = answer.status().copy();
    }
    tried.push_back(std::move(one));
    one = replicas_->next(tried);
    if (one == nullptr) {  // no server can be asked now
      if (nobody_) {
        nobody_();
      }
      pause_or_stop(kPauseMs);
      if (is_given_up()) {
        return given_up().prefixed(why.message() + "; then: ");
      }
      tried.erase(tried.begin(), tried.end() - 1);
      one = replicas_->next(tried);
      one = one != nullptr ? std::move(one) : replicas_->asked();
      tried.clear();
    }
    later = ask(one);
  }
}

Deferred<Tensor> ReplicatedPart::ask_rows(const RowQuestion& question) const {
  return ask_any<Tensor>([question](const Replicas::One& one) { return one->ask_rows(question); });
}

Deferred<Done> ReplicatedPart::ask_rows_to(const RowQuestion& question,
                                           const RowTarget& target) const {
  // A failed server must not write to the destination after another one has answered. A single
  // server waits until its writes have ended. Where there are several, the others need not wait for
  // that.
  RowTarget own = target;
  own.owner = replicas_->all().size() == 1 ? target.owner : nullptr;
  return ask_any<Done>(
      [question, own](const Replicas::One& one) { return one->ask_rows_to(question, own); });
}

// Asks one server. If it fails, the caller asks another one by other means.
Deferred<bool> ReplicatedPart::land_rows(const RowQuestion& question,
                                         const RowLanding& landing) const {
  return [later = replicas_->asked()->land_rows(question, landing),
          alone = replicas_->all().size() == 1]() -> Result<bool> {
    Result<bool> landed = later();
    return landed.ok() || alone || !is_of_server(landed.status()) ? std::move(landed)
                                                                  : Result<bool>(false);
  };
}

Deferred<Tensor> ReplicatedPart::ask_edges(const EdgeQuestion& question) const {
  return ask_any<Tensor>([question](const Replicas::One& one) { return one->ask_edges(question); });
}

// A sampler that each server opens at its first request.
class ReplicatedSampler final : public PartSampler,
                                public std::enable_shared_from_this<ReplicatedSampler> {
 public:
  ReplicatedSampler(std::shared_ptr<const ReplicatedPart> part,
                    std::shared_ptr<const RemoteSampler> first)
      : part_(std::move(part)), first_(std::move(first)) {
    samplers_.emplace(first_->part(), first_);
  }

  Deferred<HopPicks> ask(const HopQuestion& question) const override {
    return part_->ask_any<HopPicks>(
        [self = shared_from_this(), question](const Replicas::One& one) {
          return self->at(one)->ask(question);
        });
  }
  std::shared_ptr<const RemoteSampler> at(const Replicas::One& one) const {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const RemoteSampler>& out = samplers_[one];
    if (out == nullptr) {
      out = RemoteSampler::like(*first_, one);
      const Replicas::All all = part_->replicas_->all();
      std::erase_if(samplers_, [&](const auto& entry) {  // samplers of servers that were removed
        return entry.first != one && std::find(all.begin(), all.end(), entry.first) == all.end();
      });
    }
    return samplers_[one];
  }

 private:
  const std::shared_ptr<const ReplicatedPart> part_;
  const std::shared_ptr<const RemoteSampler> first_;
  mutable std::mutex mutex_;
  mutable std::map<Replicas::One, std::shared_ptr<const RemoteSampler>> samplers_;
};

Result<std::shared_ptr<const PartSampler>> ReplicatedPart::open_sampler(
    const SamplerOptions& options) const {
  GLS_ASSIGN(auto first, RemoteSampler::prepare(replicas_->asked(), options));
  const auto sampler = std::make_shared<ReplicatedSampler>(shared_from_this(), std::move(first));
  // One server reports errors of the options now.
  auto opened = ask_any<Done>([&](const Replicas::One& one) -> Deferred<Done> {
    return [at = sampler->at(one)]() -> Result<Done> {
      GLS_TRY(at->open());
      return Done{};
    };
  })();
  if (!opened.ok()) {
    return std::move(opened.status());
  }
  return std::shared_ptr<const PartSampler>(sampler);
}

}  // namespace gls
