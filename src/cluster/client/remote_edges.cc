// Asks a remote part about edges.
#include <algorithm>
#include <utility>

#include "cluster/client/remote_part.h"

namespace gls {
namespace {

using cluster::Call;
using cluster::Kind;
using What = EdgeQuestion::What;

int64_t numbers_of(const EdgeQuestion& question) {
  return question.ids.size() * (question.what == What::kEnds ? 2 : 1);
}

const char* name_of(What what) {
  switch (what) {
    case What::kDegrees:
      return "degrees of nodes";
    case What::kEnds:
      return "ends of edges";
    case What::kPairs:
      break;
  }
  return "edges between nodes";
}

}  // namespace

// Checks the reply, because callers rely on the numbers.
Status RemotePart::check_edges(const Tensor& numbers, const EdgeQuestion& question) const {
  const EdgeTypeCounts& type = edge_types_[question.edge_type];
  const int64_t count = question.ids.size();
  for (int64_t i = 0; i < numbers.rows(); ++i) {
    const int64_t number = numbers.as<int64_t>()[i];
    const bool of_targets = i >= count;
    const int64_t most = question.what == What::kDegrees ? type.edges
                         : question.what == What::kPairs ? 1
                         : of_targets                    ? type.targets - 1
                                                         : type.sources - 1;
    const int64_t least = question.what == What::kEnds ? -1 : 0;
    if (number < least || number > most) {
      return corrupt("it answered {} with {} at index {}, expected {} to {}",
                     name_of(question.what), number, i, least, most);
    }
    if (of_targets && (number < 0) != (numbers.as<int64_t>()[i - count] < 0)) {
      return corrupt("it knows one end of an edge alone, at index {}", i - count);
    }
  }
  return {};
}

Deferred<Tensor> RemotePart::ask_edges(const EdgeQuestion& question) const {
  if (question.edge_type >= edge_types_.size()) {
    return failed<Tensor>(
        invalid("edges: edge type number {}, of {}", question.edge_type, edge_types_.size()));
  }
  const auto call = std::make_shared<Call>(
      peer_, Kind::kEdges,
      [self = shared_from_this(), question]() -> Result<net::Message> {
        return cluster::encode(self->context_->buffers(),
                               cluster::EdgesRequest{self->graph_, self->number_, question});
      },
      cluster::Deadline(options_.timeout_ms), options_.ask_again);
  return [self = shared_from_this(), question, call]() -> Result<Tensor> {
    const auto about = [&](Status status) {
      return self->about(std::move(status), formatted("{} {} of type \"{}\"", question.ids.size(),
                                                      name_of(question.what),
                                                      self->edge_types_[question.edge_type].name));
    };
    Result<net::Message> reply = call->wait();
    if (!reply.ok()) {
      return about(std::move(reply.status()));
    }
    Result<Tensor> numbers = cluster::decode_edges_answer(reply.take(), numbers_of(question));
    if (!numbers.ok()) {
      return about(std::move(numbers.status()));
    }
    if (Status status = self->check_edges(*numbers, question); !status.ok()) {
      return about(std::move(status));
    }
    return numbers;
  };
}

}  // namespace gls
