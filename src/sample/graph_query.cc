#include "sample/graph_query.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "graph/topology_query.h"
#include "sample/graph_source.h"

namespace gls {
namespace {

constexpr int64_t kMostAtOnce = int64_t{1} << 20;  // of ids, so that messages are bounded

Status check_ids(const IdSpan& ids, int64_t count, const char* argument, const char* what,
                 const std::string& type) {
  if (const int64_t bad = ids.find_outside(count); bad >= 0) {
    return invalid("{}: {} {} at index {} is outside 0 .. {} of type \"{}\"", argument, what,
                   ids[bad], bad, count - 1, type)
        .with("argument", argument);
  }
  return {};
}

// Gives the answers of `question`, piece by piece: the first id of a piece, and its numbers.
template <typename Take>
Status ask_pieces(const Dataset& dataset, const EdgeQuestion& question, const Take& take) {
  for (int64_t at = 0; at < question.ids.size(); at += kMostAtOnce) {
    const int64_t here = std::min(kMostAtOnce, question.ids.size() - at);
    EdgeQuestion piece = question;
    piece.ids = question.ids.part(at, here);
    if (question.others.size() > 0) {
      piece.others = question.others.part(at, here);
    }
    GLS_ASSIGN(const Tensor numbers, dataset.source()->ask_edges(piece)());
    take(here, numbers.as<int64_t>());
  }
  return {};
}

}  // namespace

Status find_edge_ends(const Dataset& dataset, size_t edge_type, const IdSpan& ids,
                      const char* argument, std::vector<int64_t>* sources,
                      std::vector<int64_t>* targets) {
  if (dataset.source() == nullptr) {
    return edge_ends(dataset, edge_type, ids, argument, sources, targets);
  }
  const EdgeType& type = dataset.edge_types()[edge_type];
  GLS_TRY(check_ids(ids, type.count, argument, "edge id", type.joined));
  const EdgeQuestion question = {EdgeQuestion::What::kEnds, edge_type, Layout::kCsc, ids, {}};
  return ask_pieces(dataset, question, [&](int64_t count, const int64_t* numbers) {
    sources->insert(sources->end(), numbers, numbers + count);
    targets->insert(targets->end(), numbers + count, numbers + 2 * count);
  });
}

Result<std::vector<uint8_t>> find_edges_between(const Dataset& dataset, size_t edge_type,
                                                const IdSpan& sources, const IdSpan& targets) {
  if (dataset.source() == nullptr) {
    return has_edges(dataset, edge_type, sources, targets);
  }
  const EdgeType& type = dataset.edge_types()[edge_type];
  if (sources.size() != targets.size()) {
    return invalid("target: {} nodes for {} of source, expected as many", targets.size(),
                   sources.size())
        .with("argument", "target");
  }
  const NodeType& from = dataset.node_types()[type.source];
  const NodeType& to = dataset.node_types()[type.target];
  GLS_TRY(check_ids(sources, from.count, "source", "node", from.name));
  GLS_TRY(check_ids(targets, to.count, "target", "node", to.name));
  std::vector<uint8_t> out;
  const EdgeQuestion question = {EdgeQuestion::What::kPairs, edge_type, Layout::kCsc, sources,
                                 targets};
  GLS_TRY(ask_pieces(dataset, question, [&](int64_t count, const int64_t* numbers) {
    std::transform(numbers, numbers + count, std::back_inserter(out),
                   [](int64_t number) { return static_cast<uint8_t>(number != 0); });
  }));
  return out;
}

Result<std::vector<int64_t>> find_degrees(const Dataset& dataset, size_t edge_type, Layout layout,
                                          const IdSpan& nodes) {
  if (dataset.source() == nullptr) {
    return degrees(dataset, edge_type, layout, nodes);
  }
  const EdgeType& type = dataset.edge_types()[edge_type];
  const NodeType& end = dataset.node_types()[layout == Layout::kCsc ? type.target : type.source];
  GLS_TRY(check_ids(nodes, end.count, "nodes", "node", end.name));
  std::vector<int64_t> out;
  const EdgeQuestion question = {EdgeQuestion::What::kDegrees, edge_type, layout, nodes, {}};
  GLS_TRY(ask_pieces(dataset, question, [&](int64_t count, const int64_t* numbers) {
    out.insert(out.end(), numbers, numbers + count);
  }));
  return out;
}

Result<std::vector<int64_t>> find_all_degrees(const Dataset& dataset, size_t edge_type,
                                              Layout layout) {
  if (dataset.source() == nullptr) {
    return all_degrees(dataset, edge_type, layout);
  }
  const EdgeType& type = dataset.edge_types()[edge_type];
  const size_t end = layout == Layout::kCsc ? type.target : type.source;
  std::vector<int64_t> nodes(static_cast<size_t>(dataset.node_types()[end].count));
  std::iota(nodes.begin(), nodes.end(), int64_t{0});
  return find_degrees(dataset, edge_type, layout,
                      IdSpan(nodes.data(), true, static_cast<int64_t>(nodes.size())));
}

Result<Column> find_all_rows(const Dataset& dataset, bool of_nodes, size_t type,
                             const Column& column, const char* argument) {
  const int64_t count =
      of_nodes ? dataset.node_types()[type].count : dataset.edge_types()[type].count;
  if (dataset.source() == nullptr || column.here()) {
    GLS_TRY(need_all_rows(
        column, count,
        of_nodes ? dataset.node_types()[type].name : dataset.edge_types()[type].joined, argument));
    return column;
  }
  const std::vector<Column>& columns =
      of_nodes ? dataset.node_types()[type].columns : dataset.edge_types()[type].columns;
  std::vector<int64_t> ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), int64_t{0});
  GLS_ASSIGN(Tensor rows, dataset.source()->ask_rows(
                              {of_nodes, type, static_cast<size_t>(&column - columns.data()),
                               IdSpan(ids.data(), true, count), column.dtype()},
                              count)());
  return Column{column.name, column.role, std::move(rows)};
}

}  // namespace gls
