// Answers questions about a local part's edges.
#include <algorithm>
#include <utility>

#include "cluster/part/local_part.h"
#include "graph/dataset/topology_query.h"
#include "tensor/vector_tensor.h"

namespace gls {
namespace {

using What = EdgeQuestion::What;

Status check_ids(const IdSpan& ids, int64_t count, const char* what, const std::string& type) {
  if (const int64_t bad = ids.find_outside(count); bad >= 0) {
    return invalid("edges: {} {} at index {} is outside 0 .. {} of type \"{}\"", what, ids[bad],
                   bad, count - 1, type)
        .with("argument", "ids");
  }
  return {};
}

// The layout in which edges belong to the owners of their rows.
Layout anchored(const EdgeType& type) { return type.csc ? Layout::kCsc : Layout::kCsr; }

// Counts the occurrences of each neighbour in the first `rows` rows.
Result<std::vector<int64_t>> count_neighbors(const EdgeType& type, const Topology& topology,
                                             int64_t rows) {
  const int64_t last = topology.indptr[std::min(rows, topology.num_rows)];
  if (last < 0 || last > topology.num_edges) {
    return corrupt("edge type \"{}\": indptr of node {} is {}, of {} edges", type.joined, rows,
                   last, topology.num_edges);
  }
  std::vector<int64_t> out(static_cast<size_t>(topology.num_neighbors));
  for (int64_t at = 0; at < last; ++at) {
    const int64_t neighbor = topology.neighbor(at);
    if (neighbor < 0 || neighbor >= topology.num_neighbors) {
      return bad_stored_id(type, "index", at, neighbor, topology.num_neighbors);
    }
    ++out[static_cast<size_t>(neighbor)];
  }
  return out;
}

}  // namespace

// Rows by ids in the part: rows of owned nodes, and rows that the halo stores whole.
Result<std::vector<int64_t>> LocalPart::rows_of(size_t edge_type, Layout layout,
                                                const IdSpan& ids) const {
  const EdgeType& type = dataset_->edge_types()[edge_type];
  const NodeType& nodes =
      dataset_->node_types()[layout == Layout::kCsc ? type.target : type.source];
  GLS_TRY(check_ids(ids, nodes.whole->whole_count(), "node", nodes.name));
  std::vector<int64_t> out(static_cast<size_t>(ids.size()));
  nodes.whole->locals_of_owned(ids, out.data());
  for (int64_t i = 0; i < ids.size(); ++i) {
    int64_t& row = out[static_cast<size_t>(i)];
    row = row >= 0 ? row : row_of(edge_type, layout, ids[i]);
    if (row < 0) {
      return invalid("edges: node {} of type \"{}\" is not owned by part {} of {}", ids[i],
                     nodes.name, number(), dataset_->part()->parts)
          .with("argument", "ids");
    }
  }
  return out;
}

Result<std::vector<int64_t>> LocalPart::find_degrees(const EdgeQuestion& question) const {
  const EdgeType& type = dataset_->edge_types()[question.edge_type];
  const bool of_targets = question.layout == Layout::kCsc;
  const size_t end = of_targets ? type.target : type.source;
  if (type.stores(question.layout)) {
    GLS_ASSIGN(const std::vector<int64_t> nodes,
               rows_of(question.edge_type, question.layout, question.ids));
    return degrees(*dataset_, question.edge_type, question.layout, span_of(nodes));
  }
  const NodeType& nodes = dataset_->node_types()[end];
  GLS_TRY(check_ids(question.ids, nodes.whole->whole_count(), "node", nodes.name));
  // Rows of owned nodes come first. Then come halo rows, whose edges their owners count.
  const size_t anchor = of_targets ? type.source : type.target;
  GLS_ASSIGN(const std::vector<int64_t> counts,
             count_neighbors(type, *type.topology(anchored(type)),
                             dataset_->node_types()[anchor].whole->owned()));
  const GlobalToLocal& known = lookup(true, end);
  std::vector<int64_t> out(static_cast<size_t>(question.ids.size()));
  for (int64_t i = 0; i < question.ids.size(); ++i) {
    const int64_t local = known.local_of(question.ids[i]);
    out[static_cast<size_t>(i)] = local < 0 ? 0 : counts[static_cast<size_t>(local)];
  }
  return out;
}

Result<std::vector<int64_t>> LocalPart::find_ends(const EdgeQuestion& question) const {
  const EdgeType& type = dataset_->edge_types()[question.edge_type];
  GLS_TRY(check_ids(question.ids, type.whole->whole_count(), "edge", type.joined));
  std::vector<int64_t> owned;
  std::vector<size_t> places;
  for (int64_t i = 0; i < question.ids.size(); ++i) {
    if (const int64_t local = type.whole->local_of_owned(question.ids[i]); local >= 0) {
      owned.push_back(local);
      places.push_back(static_cast<size_t>(i));
    }
  }
  std::vector<int64_t> sources;
  std::vector<int64_t> targets;
  GLS_TRY(edge_ends(*dataset_, question.edge_type, span_of(owned), "ids", &sources, &targets));
  const GlobalIds& of_source = *dataset_->node_types()[type.source].whole;
  const GlobalIds& of_target = *dataset_->node_types()[type.target].whole;
  const auto count = static_cast<size_t>(question.ids.size());
  std::vector<int64_t> out(2 * count, -1);
  for (size_t i = 0; i < owned.size(); ++i) {
    out[places[i]] = of_source.whole_of(sources[i]);
    out[count + places[i]] = of_target.whole_of(targets[i]);
  }
  return out;
}

Result<std::vector<int64_t>> LocalPart::find_pairs(const EdgeQuestion& question) const {
  const EdgeType& type = dataset_->edge_types()[question.edge_type];
  if (question.ids.size() != question.others.size()) {
    return invalid("edges: {} sources and {} targets", question.ids.size(), question.others.size())
        .with("argument", "ids");
  }
  const bool targets = anchored(type) == Layout::kCsc;  // the nodes that rows belong to
  const IdSpan& others = targets ? question.ids : question.others;
  const size_t other_type = targets ? type.source : type.target;
  const NodeType& other_nodes = dataset_->node_types()[other_type];
  GLS_TRY(check_ids(others, other_nodes.whole->whole_count(), "node", other_nodes.name));
  GLS_ASSIGN(const std::vector<int64_t> rows,
             rows_of(question.edge_type, anchored(type), targets ? question.others : question.ids));
  const GlobalToLocal& known = lookup(true, other_type);
  std::vector<int64_t> row;
  std::vector<int64_t> other;
  std::vector<size_t> places;
  for (size_t i = 0; i < rows.size(); ++i) {
    // A node that the part does not know has no edge in this part.
    if (const int64_t local = known.local_of(others[static_cast<int64_t>(i)]); local >= 0) {
      row.push_back(rows[i]);
      other.push_back(local);
      places.push_back(i);
    }
  }
  GLS_ASSIGN(
      const std::vector<uint8_t> found,
      rows_have(*dataset_, question.edge_type, anchored(type), span_of(row), span_of(other)));
  std::vector<int64_t> out(rows.size());
  for (size_t i = 0; i < places.size(); ++i) {
    out[places[i]] = found[i];
  }
  return out;
}

Result<Tensor> LocalPart::answer_edges(const EdgeQuestion& question) const {
  if (question.edge_type >= dataset_->edge_types().size()) {
    return invalid("edges: edge type number {}, of {}", question.edge_type,
                   dataset_->edge_types().size())
        .with("argument", "edge_type");
  }
  GLS_ASSIGN(std::vector<int64_t> found, question.what == What::kDegrees ? find_degrees(question)
                                         : question.what == What::kEnds  ? find_ends(question)
                                                                         : find_pairs(question));
  return vector_tensor(std::move(found), kInt64);
}

Deferred<Tensor> LocalPart::ask_edges(const EdgeQuestion& question) const {
  return [self = shared_from_this(), question] { return self->answer_edges(question); };
}

}  // namespace gls
