#include "graph/folder/open_parts.h"

#include <utility>

#include "graph/folder/verify.h"

namespace gls {
namespace {

class Checker {
 public:
  Checker(const Partition& partition, const Dataset& part, uint32_t number)
      : partition_(partition), part_(part), number_(number) {}

  Status check() const {
    const std::optional<PartNumber>& part = part_.part();
    if (!part) {
      return bad("is no part of a graph, expected part {}", number_);
    }
    const std::string& graph = partition_.file().graph;
    if (part->number != number_ || part->parts != partition_.parts() || part->graph != graph) {
      return bad("is part {} of {} of partition {}, expected part {} of {} of {}", part->number,
                 part->parts, part->graph, number_, partition_.parts(), graph);
    }
    const format::ManifestT& whole = partition_.whole();
    if (part_.node_types().size() != whole.node_types.size() ||
        part_.edge_types().size() != whole.edge_types.size()) {
      return bad("has {} node types and {} edge types, expected {} and {}",
                 part_.node_types().size(), part_.edge_types().size(), whole.node_types.size(),
                 whole.edge_types.size());
    }
    for (size_t t = 0; t < whole.node_types.size(); ++t) {
      const NodeType& type = part_.node_types()[t];
      const format::NodeTypeT& wanted = *whole.node_types[t];
      GLS_TRY(check_type(type.name, wanted.name, *type.whole, wanted.count));
      GLS_TRY(check_columns(type.name, type.columns, wanted.columns));
      if (type.id_sets.size() != wanted.id_sets.size() ||
          type.keys.has_value() != (wanted.keys != nullptr)) {
        return bad("has other id sets or keys of \"{}\" than the whole", type.name);
      }
    }
    for (size_t t = 0; t < whole.edge_types.size(); ++t) {
      const EdgeType& type = part_.edge_types()[t];
      const format::EdgeTypeT& wanted = *whole.edge_types[t];
      const EdgeTypeName name = {wanted.source, wanted.relation, wanted.target};
      GLS_TRY(check_type(type.joined, name.joined(), *type.whole, wanted.count));
      GLS_TRY(check_columns(type.joined, type.columns, wanted.columns));
      if (type.csc.has_value() != (wanted.csc != nullptr) ||
          type.csr.has_value() != (wanted.csr != nullptr)) {
        return bad("has other layouts of \"{}\" than the whole", type.joined);
      }
    }
    return {};
  }

 private:
  template <typename... Args>
  Status bad(fmt::format_string<Args...> text, Args&&... args) const {
    const std::string path = partition_.part_path(number_);
    return corrupt("{} {}", path, formatted(text, std::forward<Args>(args)...)).with("file", path);
  }

  Status check_type(const std::string& name, const std::string& wanted, const GlobalIds& ids,
                    int64_t count) const {
    if (name != wanted || ids.whole_count() != count) {
      return bad("has the type \"{}\" with {} in the whole, expected \"{}\" with {}", name,
                 ids.whole_count(), wanted, count);
    }
    return {};
  }

  Status check_columns(const std::string& type, const std::vector<Column>& columns,
                       const std::vector<std::unique_ptr<format::ColumnT>>& wanted) const {
    bool same = columns.size() == wanted.size();
    for (size_t c = 0; same && c < wanted.size(); ++c) {
      const std::vector<int64_t>& shape = columns[c].shape();
      same = columns[c].name == wanted[c]->name &&
             dtype_name(columns[c].data.dtype()) == wanted[c]->array->dtype &&
             std::vector<int64_t>(shape.begin() + 1, shape.end()) == wanted[c]->row_shape &&
             columns[c].role == static_cast<int32_t>(wanted[c]->role) &&
             columns[c].logical_type == wanted[c]->logical_type &&
             (columns[c].codebook != nullptr) == (wanted[c]->quantized != nullptr);
    }
    return same ? Status() : bad("has other columns of \"{}\" than the whole", type);
  }

  const Partition& partition_;
  const Dataset& part_;
  uint32_t number_;
};

using IdsOfPart = std::function<const GlobalIds&(size_t part)>;

// The owned ids of each part ascend, so the ids of an owner come in order.
Status check_owned(const OpenParts& parts, const PartitionBook& book, const char* what,
                   const std::string& type, const IdsOfPart& ids, const Progress& progress) {
  std::vector<int64_t> next(parts.parts.size());
  constexpr int64_t kStep = int64_t{1} << 20;
  for (int64_t id = 0; id < book.count(); ++id) {
    if (id % kStep == 0) {
      GLS_TRY(report(progress, "checking owners", static_cast<uint64_t>(id),
                     static_cast<uint64_t>(book.count()), what));
    }
    const uint32_t owner = book[id];
    if (owner >= parts.parts.size()) {
      return corrupt("{}: the owner of {} {} of \"{}\" is {}, expected a number below {}",
                     book.tensor().file(), what, id, type, owner, parts.parts.size())
          .with("file", book.tensor().file())
          .with("type", type);
    }
    const GlobalIds& whole = ids(owner);
    int64_t& at = next[owner];
    if (at >= whole.owned() || whole.whole_of(at) != id) {
      const std::string has =
          at >= whole.owned() ? "no more" : formatted("{} there", whole.whole_of(at));
      return corrupt("{}: {} {} of \"{}\" belongs to part {} as the book says, but that has {}",
                     whole.ids().file(), what, id, type, owner, has)
          .with("file", whole.ids().file())
          .with("type", type);
    }
    ++at;
  }
  for (size_t p = 0; p < next.size(); ++p) {
    const GlobalIds& whole = ids(p);
    if (next[p] != whole.owned()) {
      return corrupt("{}: part {} owns {} {} of \"{}\", which belongs to another as the book says",
                     whole.ids().file(), p, what, whole.whole_of(next[p]), type)
          .with("file", whole.ids().file())
          .with("type", type);
    }
  }
  return {};
}

}  // namespace

Status check_part(const Partition& partition, const Dataset& part, uint32_t number) {
  return Checker(partition, part, number).check();
}

Result<OpenParts> open_parts(const std::shared_ptr<Context>& context, const std::string& path,
                             const OpenOptions& options) {
  OpenParts out;
  GLS_ASSIGN(out.partition, open_partition(path, links_of(*context)));
  if (options.verify_checksums) {
    GLS_TRY(verify_checksums(*out.partition, context->pool(), options.progress));
  }
  for (uint32_t p = 0; p < out.partition->parts(); ++p) {
    GLS_ASSIGN(auto part, open_dataset(context, out.partition->part_path(p), options));
    GLS_TRY(check_part(*out.partition, *part, p));
    out.parts.push_back(std::move(part));
  }
  return out;
}

Status check_owners(const OpenParts& parts, const Progress& progress) {
  const format::ManifestT& whole = parts.partition->whole();
  for (size_t t = 0; t < whole.node_types.size(); ++t) {
    const auto ids = [&](size_t p) -> const GlobalIds& {
      return *parts.parts[p]->node_types()[t].whole;
    };
    GLS_TRY(check_owned(parts, parts.partition->node_book(t), "node", whole.node_types[t]->name,
                        ids, progress));
  }
  for (size_t t = 0; t < whole.edge_types.size(); ++t) {
    const auto ids = [&](size_t p) -> const GlobalIds& {
      return *parts.parts[p]->edge_types()[t].whole;
    };
    if (const PartitionBook* book = parts.partition->edge_book(t)) {
      GLS_TRY(
          check_owned(parts, *book, "edge", parts.parts[0]->edge_types()[t].joined, ids, progress));
    }
  }
  return {};
}

}  // namespace gls
