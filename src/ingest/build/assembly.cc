#include "ingest/build/assembly.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "context/parallel.h"
#include "format/manifest.h"
#include "graph/dataset/weight_check.h"
#include "graph/topology/topology_check.h"
#include "ingest/text/text_import.h"

namespace gls {
namespace {

// The number of nodes of a type, and its origin.
struct NodeCount {
  int64_t value = -1;  // unknown
  std::string by;
};

// The ids of one node type in one file or array.
struct Mentions {
  size_t type = 0;
  int64_t largest = -1;
  int64_t count = 0;
};

// Ratios of the largest id to the number of mentions: above the first a warning, above the second
// an error. Fewer nodes than this are always accepted.
constexpr int64_t kSparse = 8;
constexpr int64_t kTooSparse = 64;
constexpr int64_t kFewNodes = int64_t{1} << 20;

// A given array of node ids.
struct IdArray {
  std::string argument;  // "source"
  std::string owner;     // the node or edge type that it belongs to
};

template <typename T>
int64_t largest_of(const T* ids, int64_t size) {
  T largest = -1;
  for (int64_t i = 0; i < size; ++i) {
    largest = std::max(largest, ids[i]);
  }
  return largest;
}

int64_t largest_of(const IdSpan& ids) {
  return ids.wide() ? largest_of(static_cast<const int64_t*>(ids.data()), ids.size())
                    : largest_of(static_cast<const int32_t*>(ids.data()), ids.size());
}

class Assembler {
 public:
  Assembler(Workspace& workspace, const BuilderInputs& parts)
      : workspace_(workspace), parts_(parts), counts_(parts.nodes.size()) {
    out_.id_maps.resize(parts.nodes.size());
    out_.node_types.resize(parts.nodes.size());
    out_.edges.resize(parts.edges.size());
    read_edges_.resize(parts.edges.size());
  }

  Result<Assembly> run() {
    for (size_t i = 0; i < parts_.nodes.size(); ++i) {
      GLS_TRY(read_nodes(i));
    }
    GLS_TRY(count_by_topologies());
    GLS_TRY(read_named_edges());
    for (size_t i = 0; i < parts_.nodes.size(); ++i) {
      GLS_TRY(count_by_names(i));
    }
    GLS_TRY(count_by_ids());
    for (size_t i = 0; i < parts_.nodes.size(); ++i) {
      out_.node_types[i].count = counts_[i].value;
    }
    for (size_t i = 0; i < parts_.edges.size(); ++i) {
      GLS_TRY(finish_edges(i));
    }
    return std::move(out_);
  }

 private:
  // ---- the number of nodes ----

  Status claim(size_t type, int64_t count, std::string by) {
    NodeCount& known = counts_[type];
    if (known.value >= 0 && known.value != count) {
      return invalid("node type \"{}\" has {} nodes by {}, but {} by {}", parts_.nodes[type].name,
                     known.value, known.by, count, by)
          .with("type", parts_.nodes[type].name);
    }
    known = {count, known.value < 0 ? std::move(by) : known.by};
    return {};
  }

  Status read_nodes(size_t i) {
    const NodeInput& part = parts_.nodes[i];
    NodeType& out = out_.node_types[i];
    out.name = part.name;
    if (part.options.num_nodes > 0) {
      GLS_TRY(claim(i, part.options.num_nodes, "num_nodes"));
    }
    out.columns = part.columns;
    out.id_sets = part.id_sets;
    GLS_TRY(check_weights_of(part.columns, part.name, GLS_ERR_INVALID_ARGUMENT));
    for (const Column& column : part.columns) {
      GLS_TRY(claim(i, column.data.rows(), formatted("the rows of column \"{}\"", column.name)));
    }
    if (part.arrow) {
      GLS_TRY(read_stream_of_nodes(i));
    }
    if (!part.text) {
      return {};
    }
    auto ids = make_listed_ids(workspace_, part.name, part.options.ids);
    GLS_ASSIGN(std::vector<Column> columns,
               read_nodes_text(workspace_, part.text->path, part.text->options, *ids,
                               part.options.ids != NodeIds::kString));
    GLS_TRY(ids->finish(workspace_));
    GLS_TRY(claim(i, ids->count(), formatted("the lines of {}", part.text->path)));
    out.columns.insert(out.columns.end(), std::make_move_iterator(columns.begin()),
                       std::make_move_iterator(columns.end()));
    out_.id_maps[i] = std::move(ids);
    return {};
  }

  Status read_stream_of_nodes(size_t i) {
    const NodeInput& part = parts_.nodes[i];
    NodeType& out = out_.node_types[i];
    std::unique_ptr<ListedIds> ids;
    if (!part.arrow->plan.ids.empty()) {
      ids = make_listed_ids(workspace_, part.name, part.options.ids);
    }
    GLS_ASSIGN(ArrowNodes nodes, read_nodes_arrow(workspace_, *part.arrow, ids.get()));
    GLS_TRY(claim(i, nodes.count, formatted("the rows of {}", part.arrow->label)));
    GLS_TRY(check_stream_weights(nodes.columns, part.name, part.arrow->label));
    for (IdSet& set : nodes.id_sets) {
      const auto same = [&](const IdSet& given) { return given.name == set.name; };
      if (std::any_of(part.id_sets.begin(), part.id_sets.end(), same)) {
        return invalid("id set \"{}\" of \"{}\" was added, and is in {}, too", set.name, part.name,
                       part.arrow->label)
            .with("type", part.name);
      }
      out.id_sets.push_back(std::move(set));
    }
    out.columns.insert(out.columns.end(), std::make_move_iterator(nodes.columns.begin()),
                       std::make_move_iterator(nodes.columns.end()));
    if (ids != nullptr) {
      GLS_TRY(ids->finish(workspace_));
      out_.id_maps[i] = std::move(ids);
    }
    return {};
  }

  // Checks weights in arrays and streams; weights in text were checked line by line.
  Status check_weights_of(const std::vector<Column>& columns, const std::string& owner,
                          gls_status_t code) const {
    const CheckRun run{workspace_.pool(), workspace_.progress(), "checking weights"};
    for (const Column& column : columns) {
      if (column.role == GLS_ROLE_WEIGHT) {
        GLS_TRY(check_weights(
            run, column,
            {formatted("column \"{}\" of \"{}\"", column.name, owner), false, owner, code}));
      }
    }
    return {};
  }

  Status check_stream_weights(const std::vector<Column>& columns, const std::string& owner,
                              const std::string& label) const {
    Status checked = check_weights_of(columns, owner, GLS_ERR_CORRUPT_DATA);
    return checked.ok() ? Status() : std::move(std::move(checked).prefixed(label + ": "));
  }

  Status count_by_topologies() {
    for (const EdgeInput& part : parts_.edges) {
      for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
        const GivenTopology& given = part.topologies[static_cast<size_t>(layout)];
        if (given.given()) {
          GLS_TRY(claim(layout == Layout::kCsc ? part.target : part.source, given.indptr.rows() - 1,
                        formatted("the {} indptr of \"{}\"", layout == Layout::kCsc ? "CSC" : "CSR",
                                  part.joined)));
        }
      }
    }
    return {};
  }

  // The names of a type's nodes in files and streams of edges.
  NamedEnd named_end(size_t type) {
    const NodeInput& part = parts_.nodes[type];
    std::unique_ptr<IdMap>& map = out_.id_maps[type];
    if (map == nullptr) {
      const int64_t known = counts_[type].value;
      map = part.options.ids == NodeIds::kDense
                ? make_dense_ids(part.name, known < 0 ? kMaxCount : known)
                : make_collected_ids(workspace_, part.options.ids);
    }
    return {map.get(), part.options.ids != NodeIds::kString};
  }

  Status read_named_edges() {
    for (size_t i = 0; i < parts_.edges.size(); ++i) {
      const EdgeInput& part = parts_.edges[i];
      if (!part.is_named()) {
        continue;
      }
      const NamedEnd source = named_end(part.source);
      const NamedEnd target = named_end(part.target);
      GLS_ASSIGN(ReadEdges edges,
                 part.text ? read_edges_text(workspace_, part.text->path, part.text->options,
                                             source, target)
                           : read_edges_arrow(workspace_, *part.arrow, *source.ids, *target.ids));
      if (part.arrow) {
        GLS_TRY(check_stream_weights(edges.columns, part.joined, part.arrow->label));
      }
      largest_.push_back({part.source, edges.source.largest(), edges.source.size()});
      largest_.push_back({part.target, edges.target.largest(), edges.target.size()});
      read_edges_[i] = std::make_unique<ReadEdges>(std::move(edges));
    }
    return {};
  }

  // Counts the nodes after all names were read.
  Status count_by_names(size_t i) {
    const NodeInput& part = parts_.nodes[i];
    IdMap* const map = out_.id_maps[i].get();
    if (map == nullptr) {
      return {};
    }
    if (part.lists_keys()) {
      static_cast<ListedIds*>(map)->close();
    } else {
      GLS_TRY(map->finish(workspace_));
      if (map->count() >= 0) {
        GLS_TRY(claim(i, map->count(), "the distinct ids in its edges"));
      }
    }
    out_.node_types[i].keys = map->keys();
    return {};
  }

  // Checks ids given as numbers: they must be below the count, or define it if nothing else did.
  Status count_by_ids() {
    std::vector<int64_t> largest(parts_.nodes.size(), -1);
    std::vector<int64_t> mentions(parts_.nodes.size(), 0);
    const auto meet = [&](const Mentions& met) {
      largest[met.type] = std::max(largest[met.type], met.largest);
      mentions[met.type] += met.count;
    };
    const auto scan = [&](size_t type, const Tensor& ids, const IdArray& name) -> Status {
      GLS_ASSIGN(const int64_t found, scan_ids(type, ids, name));
      meet({type, found, ids.rows()});
      return {};
    };
    for (const Mentions& met : largest_) {
      meet(met);
    }
    for (const EdgeInput& part : parts_.edges) {
      if (part.source_ids.defined()) {
        GLS_TRY(scan(part.source, part.source_ids, {"source", part.joined}));
        GLS_TRY(scan(part.target, part.target_ids, {"target", part.joined}));
      }
      for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
        const GivenTopology& given = part.topologies[static_cast<size_t>(layout)];
        if (given.given()) {
          GLS_TRY(scan(layout == Layout::kCsc ? part.source : part.target, given.indices,
                       {"indices", part.joined}));
        }
      }
    }
    for (size_t i = 0; i < parts_.nodes.size(); ++i) {
      for (const IdSet& set : parts_.nodes[i].id_sets) {
        GLS_TRY(scan(i, set.ids, {formatted("id set \"{}\"", set.name), parts_.nodes[i].name}));
      }
    }
    for (size_t i = 0; i < parts_.nodes.size(); ++i) {
      if (counts_[i].value < 0) {
        GLS_TRY(check_density(parts_.nodes[i].name, largest[i] + 1, mentions[i]));
        counts_[i] = {largest[i] + 1, "the largest id"};
      }
    }
    return {};
  }

  // A large id creates nodes that nothing names, and each needs memory.
  Status check_density(const std::string& type, int64_t nodes, int64_t mentions) const {
    if (nodes <= kFewNodes || nodes / kSparse <= mentions) {
      return {};
    }
    const std::string words = formatted(
        "node type \"{}\" has {} nodes by the largest id, but edges and id sets name nodes only {} "
        "times",
        type, nodes, mentions);
    if (nodes / kTooSparse <= mentions) {
      workspace_.context().log().write(GLS_LOG_WARN, "ingest",
                                       "{}; integer ids number only the nodes that occur in files "
                                       "and streams, and num_nodes says how many "
                                       "there are",
                                       words);
      return {};
    }
    return invalid(
               "{}; number the nodes that occur (in files and streams: integer ids), or declare "
               "num_nodes to "
               "have them all",
               words)
        .with("type", type)
        .with("argument", "num_nodes");
  }

  // The largest id, or -1 without ids.
  Result<int64_t> scan_ids(size_t type, const Tensor& tensor, const IdArray& array) const {
    GLS_ASSIGN(const IdSpan ids, IdSpan::of(tensor, array.argument));
    const std::string& name = parts_.nodes[type].name;
    const bool known = counts_[type].value >= 0;
    const int64_t limit = known ? counts_[type].value : kMaxCount;
    std::atomic<int64_t> largest{-1};
    std::atomic<uint64_t> done{0};
    const auto body = [&](size_t begin, size_t end) -> Status {
      const IdSpan part = ids.part(static_cast<int64_t>(begin), static_cast<int64_t>(end - begin));
      if (const int64_t at = part.find_outside(limit); at >= 0) {
        return invalid(
                   "{} of \"{}\": node id {} at position {} is outside [0, {}) of node type "
                   "\"{}\"{}",
                   array.argument, array.owner, part[at], static_cast<int64_t>(begin) + at, limit,
                   name, known ? formatted(" (by {})", counts_[type].by) : "")
            .with("argument", array.argument)
            .with("type", name)
            .with("offset", std::to_string(static_cast<int64_t>(begin) + at));
      }
      if (!known) {
        const int64_t mine = largest_of(part);
        int64_t seen = largest.load(std::memory_order_relaxed);
        while (seen < mine && !largest.compare_exchange_weak(seen, mine)) {
        }
      }
      done.fetch_add(end - begin, std::memory_order_relaxed);
      return {};
    };
    const auto tick = [&] {
      return report(workspace_.progress(), "checking ids", done, static_cast<uint64_t>(ids.size()),
                    "ids");
    };
    GLS_TRY(parallel_try(workspace_.pool(), static_cast<size_t>(ids.size()), size_t{1} << 18, body,
                         tick));
    return largest.load();
  }

  // ---- edges ----

  Status finish_edges(size_t i) {
    const EdgeInput& part = parts_.edges[i];
    AssembledEdges& out = out_.edges[i];
    out.part = &part;
    if (part.reverse_of) {
      const AssembledEdges& forward = out_.edges[*part.reverse_of];
      out.edges = std::make_shared<ReversedEdges>(forward.edges);
      out.count = forward.count;
      out.columns = forward.columns;
      return {};
    }
    out.columns = part.columns;
    GLS_TRY(check_weights_of(part.columns, part.joined, GLS_ERR_INVALID_ARGUMENT));
    if (part.source_ids.defined()) {
      out.edges = std::make_shared<ArrayEdges>(part.source_ids, part.target_ids);
      out.count = out.edges->size();
    } else if (part.is_named()) {
      ReadEdges& edges = *read_edges_[i];
      out.edges = std::make_shared<SpooledEdges>(
          std::move(edges.source), out_.id_maps[part.source]->numbering(), std::move(edges.target),
          out_.id_maps[part.target]->numbering());
      out.columns.insert(out.columns.end(), std::make_move_iterator(edges.columns.begin()),
                         std::make_move_iterator(edges.columns.end()));
      out.count = out.edges->size();
    } else {
      GLS_TRY(check_topologies(part, &out));
    }
    for (const Column& column : out.columns) {
      if (column.data.rows() != out.count) {
        return invalid("column \"{}\" of edge type \"{}\" has {} rows, expected {}, one per edge{}",
                       column.name, part.joined, column.data.rows(), out.count,
                       part.doubled ? " given (those added in reverse share them)" : "")
            .with("column", column.name)
            .with("type", part.joined);
      }
    }
    if (part.doubled) {
      out.edges = std::make_shared<DoubledEdges>(std::move(out.edges));
      out.count *= 2;
    }
    return {};
  }

  Status check_topologies(const EdgeInput& part, AssembledEdges* out) {
    std::array<TopologyNames, 2> names;
    for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
      const auto slot = static_cast<size_t>(layout);
      const GivenTopology& given = part.topologies[slot];
      if (!given.given()) {
        continue;
      }
      const std::string what =
          formatted("of the {} of \"{}\"", layout == Layout::kCsc ? "CSC" : "CSR", part.joined);
      const auto named = [&](const char* array) -> CheckedArray {
        return {formatted("{} {}", array, what), false, part.joined, GLS_ERR_INVALID_ARGUMENT};
      };
      names[slot] = {named("indptr"), named("indices"), named("edge_ids")};
      const size_t row_type = layout == Layout::kCsc ? part.target : part.source;
      const size_t neighbor_type = layout == Layout::kCsc ? part.source : part.target;
      out->count = given.indices.rows();
      Result<Topology> made =
          Topology::make(given.indptr, given.indices, given.edge_ids, counts_[row_type].value,
                         out->count, counts_[neighbor_type].value, part.joined);
      if (!made.ok()) {
        return invalid("{}", made.status().message()).with("type", part.joined);
      }
      MemoryLease lease(workspace_.budget());
      GLS_TRY(lease.add(given.edge_ids.defined() ? static_cast<uint64_t>(out->count) / 8 : 0,
                        "checking edge ids"));
      GLS_TRY(check_topology(workspace_.pool(), *made, names[slot], workspace_.progress()));
      out->edges = std::make_shared<TopologyEdges>(*made, layout);
      out->ready[slot] = made.take();
    }
    if (out->ready[0] && out->ready[1]) {
      return check_same_edges(workspace_.pool(), *out->ready[0], *out->ready[1], names[0],
                              "the CSR", workspace_.progress());
    }
    return {};
  }

  Workspace& workspace_;
  const BuilderInputs& parts_;
  Assembly out_;
  std::vector<std::unique_ptr<ReadEdges>> read_edges_;  // by edge type
  std::vector<NodeCount> counts_;
  std::vector<Mentions> largest_;  // in text files
};

}  // namespace

Result<Assembly> assemble(Workspace& workspace, const BuilderInputs& parts) {
  return Assembler(workspace, parts).run();
}

}  // namespace gls
