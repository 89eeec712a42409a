#include "sample/drivers/node_numbering.h"

#include <algorithm>

namespace gls {

using kernels::kChunkPicks;
using kernels::kSlack;

NodeNumbering::NodeNumbering(const Input& input)
    : in_(input),
      pool_(*input.dataset.context()->buffers()),
      nodes_(input.dataset.node_types().size()) {}

NodeNumbering::~NodeNumbering() {
  // Also after a failure: the entries must be old for the next batch.
  for (Nodes& type : nodes_) {
    if (type.table != nullptr) {
      type.table->end_batch(type.count);
    }
  }
}

NodeNumbering::Nodes& NodeNumbering::reach(size_t node_type) {
  Nodes& type = nodes_[node_type];
  if (type.table == nullptr) {
    std::unique_ptr<Relabel>& table = in_.scratch.tables[node_type];
    if (table == nullptr) {
      const auto count = static_cast<uint64_t>(in_.dataset.node_types()[node_type].count);
      table = std::make_unique<Relabel>(count, false, in_.direct_limit,
                                        in_.dataset.context()->huge_pages());
    }
    table->begin_batch();
    type.table = table.get();
    type.ids = IdArray(pool_, in_.wide, in_.scratch.expected_nodes[node_type]);
  }
  return type;
}

Tensor NodeNumbering::number(size_t node_type, const IdSpan& ids) {
  if (ids.size() == 0) {
    return Tensor(nullptr, nullptr, in_.wide ? kInt64 : kInt32, {0}, false);
  }
  Nodes& type = reach(node_type);
  const bool wide = type.table->wide_neighbors();
  auto* const narrow = static_cast<uint32_t*>(in_.scratch.neighbors);
  IdArray local(pool_, in_.wide, ids.size());
  for (int64_t begin = 0; begin < ids.size(); begin += kChunkPicks) {
    const int64_t count = std::min(kChunkPicks, ids.size() - begin);
    for (int64_t i = 0; i < count; ++i) {
      if (wide) {
        static_cast<uint64_t*>(in_.scratch.neighbors)[i] = static_cast<uint64_t>(ids[begin + i]);
      } else {
        narrow[i] = static_cast<uint32_t>(ids[begin + i]);
      }
    }
    if (type.table->kind() == Relabel::Kind::kDirect) {
      // The vector kernel reads ahead, so a valid id must follow.
      std::fill_n(narrow + count, kSlack, narrow[count - 1]);
    }
    type.ids.reserve(type.count + count, type.count);
    type.count =
        type.table->run(in_.kernels.relabel[in_.wide ? 1 : 0], in_.wide, in_.scratch.neighbors,
                        count, static_cast<uint32_t>(type.count), type.ids.data(), local.at(begin));
  }
  return local.finish(ids.size());
}

Tensor NodeNumbering::finish(size_t node_type) {
  Nodes& type = nodes_[node_type];
  if (type.table == nullptr) {
    return Tensor(nullptr, nullptr, in_.wide ? kInt64 : kInt32, {0}, false);
  }
  in_.scratch.expected_nodes[node_type] = type.count + type.count / 16;
  return type.ids.finish(type.count);
}

}  // namespace gls
