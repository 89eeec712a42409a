#include "cluster/replicated_part.h"

#include <chrono>
#include <thread>
#include <utility>

#include "cluster/call.h"

namespace gls {

using cluster::Deadline;
using cluster::is_of_server;

ReplicatedPart::ReplicatedPart(std::shared_ptr<Context> context,
                               std::vector<std::shared_ptr<const ServedPart>> replicas,
                               size_t first, int64_t timeout_ms)
    : context_(std::move(context)),
      replicas_(std::move(replicas)),
      timeout_ms_(timeout_ms),
      asked_(first % replicas_.size()) {}

void ReplicatedPart::prefer(size_t replica, size_t failed, const Status& why) const {
  if (replica != failed && asked_.compare_exchange_strong(failed, replica)) {
    context_->log().write(GLS_LOG_WARN, "cluster", "{}; from now on {} is asked", why.message(),
                          replicas_[replica]->address());
  }
}

template <typename T>
Later<T> ReplicatedPart::ask_any(std::function<Later<T>(size_t replica)> ask) const {
  const Deadline deadline(timeout_ms_);
  const size_t first = asked_;
  auto later = std::make_shared<Later<T>>(ask(first));
  return [self = shared_from_this(), ask = std::move(ask), deadline, first, later]() -> Result<T> {
    constexpr auto kPause = std::chrono::milliseconds(20);
    size_t replica = first;
    Status why;  // the first one failed
    for (size_t failed = 1;; ++failed) {
      Result<T> answer = (*later)();
      if (answer.ok() || !is_of_server(answer.status()) || deadline.left_ms() == 0 ||
          self->replicas_[replica]->closed()) {
        if (answer.ok()) {
          self->prefer(replica, first, why);
        }
        return answer;
      }
      if (failed == 1) {
        why = answer.status().copy();
      }
      replica = (replica + 1) % self->replicas_.size();
      if (failed % self->replicas_.size() == 0) {  // none is there now
        std::this_thread::sleep_for(kPause);
      }
      *later = ask(replica);
    }
  };
}

Later<Tensor> ReplicatedPart::ask_rows(const RowQuestion& question) const {
  return ask_any<Tensor>([self = shared_from_this(), question](size_t replica) {
    return self->replicas_[replica]->ask_rows(question);
  });
}

Later<Done> ReplicatedPart::ask_rows_to(const RowQuestion& question,
                                        const RowTarget& target) const {
  // One that failed must not write there when another has answered.
  RowTarget own = target;
  own.owner = nullptr;
  return ask_any<Done>([self = shared_from_this(), question, own](size_t replica) {
    return self->replicas_[replica]->ask_rows_to(question, own);
  });
}

Later<Tensor> ReplicatedPart::ask_edges(const EdgeQuestion& question) const {
  return ask_any<Tensor>([self = shared_from_this(), question](size_t replica) {
    return self->replicas_[replica]->ask_edges(question);
  });
}

class ReplicatedSampler final : public PartSampler {
 public:
  ReplicatedSampler(std::shared_ptr<const ReplicatedPart> part,
                    std::vector<std::shared_ptr<const PartSampler>> samplers)
      : part_(std::move(part)), samplers_(std::move(samplers)) {}

  Later<HopPicks> ask(const HopQuestion& question) const override {
    return part_->ask_any<HopPicks>([samplers = samplers_, question](size_t replica) {
      return samplers[replica]->ask(question);
    });
  }

 private:
  const std::shared_ptr<const ReplicatedPart> part_;
  const std::vector<std::shared_ptr<const PartSampler>> samplers_;
};

Result<std::shared_ptr<const PartSampler>> ReplicatedPart::open_sampler(
    const SamplerOptions& options) const {
  std::vector<std::shared_ptr<const PartSampler>> samplers;
  for (const auto& replica : replicas_) {
    GLS_ASSIGN(auto sampler, replica->prepare_sampler(options));
    samplers.push_back(std::move(sampler));
  }
  // One of them says now what is wrong with the options.
  auto opened = ask_any<std::shared_ptr<const PartSampler>>([self = shared_from_this(),
                                                             &options](size_t replica) {
    return [self, &options, replica] { return self->replicas_[replica]->open_sampler(options); };
  })();
  if (!opened.ok()) {
    return opened;
  }
  return std::shared_ptr<const PartSampler>(
      std::make_shared<ReplicatedSampler>(shared_from_this(), std::move(samplers)));
}

}  // namespace gls
