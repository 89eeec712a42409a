#include "query/graph_query.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "graph/dataset/topology_query.h"
#include "query/graph_source.h"

namespace gls {
namespace {

constexpr int64_t kMostAtOnce = int64_t{1} << 20;  // ids in one message, to bound its size

// Passes the answers of `question` piece by piece: the first id of a piece, and its numbers.
template <typename Take>
Status ask_pieces(const Dataset& dataset, const EdgeQuestion& question, const Take& take) {
  for (int64_t at = 0; at < question.ids.size(); at += kMostAtOnce) {
    const int64_t count = std::min(kMostAtOnce, question.ids.size() - at);
    EdgeQuestion piece = question;
    piece.ids = question.ids.part(at, count);
    if (question.others.size() > 0) {
      piece.others = question.others.part(at, count);
    }
    GLS_ASSIGN(const Tensor numbers, dataset.source()->ask_edges(piece)());
    take(count, numbers.as<int64_t>());
  }
  return {};
}

Result<std::vector<int32_t>> owners_in(const PartitionBook& book, const IdSpan& ids) {
  std::vector<int32_t> out(static_cast<size_t>(ids.size()));
  for (int64_t i = 0; i < ids.size(); ++i) {
    const uint32_t owner = book[ids[i]];
    if (owner >= book.parts()) {
      return book.damaged_at(ids[i]);
    }
    out[static_cast<size_t>(i)] = static_cast<int32_t>(owner);
  }
  return out;
}

// The owners of edges are the owners of the ends whose rows store them: targets where in-neighbours
// are stored.
Result<std::vector<int32_t>> owners_of_rows(const Dataset& dataset, size_t edge_type,
                                            const IdSpan& edges, const char* argument) {
  std::vector<int64_t> sources;
  std::vector<int64_t> targets;
  GLS_TRY(find_edge_ends(dataset, edge_type, edges, argument, &sources, &targets));
  const EdgeType& type = dataset.edge_types()[edge_type];
  const bool of_targets = type.stores(Layout::kCsc);
  const std::vector<int64_t>& ends = of_targets ? targets : sources;
  const PartitionBook& book = *dataset.source()->book(true, of_targets ? type.target : type.source);
  const IdSpan nodes(ends.data(), true, static_cast<int64_t>(ends.size()));
  if (const int64_t bad = nodes.find_outside(book.count()); bad >= 0) {
    return corrupt("a part says that edge {} of \"{}\" is at node {}, of {}", edges[bad],
                   type.joined, nodes[bad], book.count());
  }
  return owners_in(book, nodes);
}

}  // namespace

Status check_type_ids(const Dataset& dataset, Dataset::TypeIndex type, const IdSpan& ids,
                      const char* argument) {
  const int64_t count = dataset.type_count(type);
  if (const int64_t bad = ids.find_outside(count); bad >= 0) {
    return invalid("{}: {} {} at index {} is outside 0 .. {} of type \"{}\"", argument,
                   type.of_nodes ? "node" : "edge id", ids[bad], bad, count - 1,
                   dataset.type_name(type))
        .with("argument", argument);
  }
  return {};
}

Status find_edge_ends(const Dataset& dataset, size_t edge_type, const IdSpan& ids,
                      const char* argument, std::vector<int64_t>* sources,
                      std::vector<int64_t>* targets) {
  if (dataset.topology_source() == nullptr) {
    return edge_ends(dataset, edge_type, ids, argument, sources, targets);
  }
  GLS_TRY(check_type_ids(dataset, {false, edge_type}, ids, argument));
  GLS_TRY(need_ends(dataset.edge_types()[edge_type], argument));
  const EdgeQuestion question = {EdgeQuestion::What::kEnds, edge_type, Layout::kCsc, ids, {}};
  return ask_pieces(dataset, question, [&](int64_t count, const int64_t* numbers) {
    sources->insert(sources->end(), numbers, numbers + count);
    targets->insert(targets->end(), numbers + count, numbers + 2 * count);
  });
}

Result<std::vector<uint8_t>> find_edges_between(const Dataset& dataset, size_t edge_type,
                                                const IdSpan& sources, const IdSpan& targets) {
  if (dataset.topology_source() == nullptr) {
    return has_edges(dataset, edge_type, sources, targets);
  }
  const EdgeType& type = dataset.edge_types()[edge_type];
  if (sources.size() != targets.size()) {
    return invalid("target: {} nodes for {} of source, expected as many", targets.size(),
                   sources.size())
        .with("argument", "target");
  }
  GLS_TRY(check_type_ids(dataset, {true, type.source}, sources, "source"));
  GLS_TRY(check_type_ids(dataset, {true, type.target}, targets, "target"));
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
  if (dataset.topology_source() == nullptr) {
    return degrees(dataset, edge_type, layout, nodes);
  }
  const EdgeType& type = dataset.edge_types()[edge_type];
  const size_t end = layout == Layout::kCsc ? type.target : type.source;
  GLS_TRY(check_type_ids(dataset, {true, end}, nodes, "nodes"));
  std::vector<int64_t> out;
  const EdgeQuestion question = {EdgeQuestion::What::kDegrees, edge_type, layout, nodes, {}};
  GLS_TRY(ask_pieces(dataset, question, [&](int64_t count, const int64_t* numbers) {
    out.insert(out.end(), numbers, numbers + count);
  }));
  return out;
}

Result<std::vector<int64_t>> find_all_degrees(const Dataset& dataset, size_t edge_type,
                                              Layout layout) {
  if (dataset.topology_source() == nullptr) {
    return all_degrees(dataset, edge_type, layout);
  }
  const EdgeType& type = dataset.edge_types()[edge_type];
  const size_t end = layout == Layout::kCsc ? type.target : type.source;
  std::vector<int64_t> nodes(static_cast<size_t>(dataset.node_types()[end].count));
  std::iota(nodes.begin(), nodes.end(), int64_t{0});
  return find_degrees(dataset, edge_type, layout,
                      IdSpan(nodes.data(), true, static_cast<int64_t>(nodes.size())));
}

Result<std::vector<int32_t>> find_owners(const Dataset& dataset, Dataset::TypeIndex type,
                                         const IdSpan& ids, const char* argument) {
  GLS_TRY(check_type_ids(dataset, type, ids, argument));
  if (dataset.source() != nullptr && dataset.source()->parts() > 1) {
    if (const PartitionBook* const book = dataset.source()->book(type.of_nodes, type.index)) {
      return owners_in(*book, ids);
    }
    return owners_of_rows(dataset, type.index, ids, argument);
  }
  std::vector<int32_t> out(static_cast<size_t>(ids.size()), 0);
  if (dataset.part()) {
    const auto& whole = type.of_nodes ? dataset.node_types()[type.index].whole
                                      : dataset.edge_types()[type.index].whole;
    const auto number = static_cast<int32_t>(dataset.part()->number);
    for (int64_t i = 0; i < ids.size(); ++i) {
      out[static_cast<size_t>(i)] = ids[i] < whole->owned() ? number : -1;
    }
  }
  return out;
}

Result<std::vector<int64_t>> find_share(const Dataset& dataset, Dataset::TypeIndex type,
                                        const IdSpan* ids, const ShareOptions& options,
                                        const char* argument) {
  const uint32_t parts = dataset.source() == nullptr ? 1 : dataset.source()->parts();
  GLS_TRY(check_share(options, parts));
  if (ids != nullptr) {
    GLS_TRY(check_type_ids(dataset, type, *ids, argument));
  }
  const int64_t count = ids != nullptr ? ids->size() : dataset.type_count(type);
  const auto id_at = [&](int64_t i) { return ids != nullptr ? (*ids)[i] : i; };
  std::vector<int64_t> out;
  if (parts == 1) {
    const Run run = even_run(count, options.world_size, options.rank);
    out.resize(static_cast<size_t>(run.size()));
    std::generate(out.begin(), out.end(), [&, i = run.begin]() mutable { return id_at(i++); });
    return out;
  }
  std::vector<int32_t> owners;
  owners.reserve(static_cast<size_t>(count));
  for (int64_t at = 0; at < count; at += kMostAtOnce) {
    std::vector<int64_t> piece(static_cast<size_t>(std::min(kMostAtOnce, count - at)));
    std::generate(piece.begin(), piece.end(), [&, i = at]() mutable { return id_at(i++); });
    GLS_ASSIGN(const std::vector<int32_t> found,
               find_owners(dataset, type, span_of(piece), argument));
    owners.insert(owners.end(), found.begin(), found.end());
  }
  out = share_by_owner(owners, parts, options);
  std::transform(out.begin(), out.end(), out.begin(), id_at);
  return out;
}

PartsOfGraph parts_of_graph(const Dataset& dataset) {
  if (dataset.source() != nullptr) {
    return {dataset.source()->parts(), dataset.source()->local_parts()};
  }
  if (dataset.part()) {
    return {dataset.part()->parts, {dataset.part()->number}};
  }
  return {};
}

Result<Column> find_all_rows(const Dataset& dataset, bool of_nodes, size_t type,
                             const Column& column, const char* argument) {
  const int64_t count =
      of_nodes ? dataset.node_types()[type].count : dataset.edge_types()[type].count;
  if (dataset.source() == nullptr || column.is_local()) {
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
                              count, nullptr)());
  return Column{column.name, column.role, std::move(rows)};
}

}  // namespace gls
