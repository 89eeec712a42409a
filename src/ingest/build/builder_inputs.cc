#include "ingest/build/builder_inputs.h"

#include <algorithm>
#include <utility>

#include "base/nearest_name.h"
#include "format/manifest.h"
#include "system/file_guard.h"

namespace gls {
namespace {

Status check_mapped_columns(const std::vector<Column>& columns) {
  for (const Column& column : columns) {
    GLS_TRY(check_mapped_file(column.data.data()));
  }
  return {};
}

template <typename Part>
Part* find(std::vector<Part>& parts, const std::string& label) {
  const auto found = std::find_if(parts.begin(), parts.end(),
                                  [&](const Part& part) { return part.label() == label; });
  return found == parts.end() ? nullptr : &*found;
}

template <typename Part>
std::string labels(const std::vector<Part>& parts) {
  constexpr size_t kMost = 8;
  std::string out;
  for (size_t i = 0; i < std::min(parts.size(), kMost); ++i) {
    out += i > 0 ? ", " : "";
    out += parts[i].label();
  }
  return parts.empty()          ? "none"
         : parts.size() > kMost ? formatted("{}, ... ({} in all)", out, parts.size())
                                : out;
}

template <typename Part>
Result<Part*> require(std::vector<Part>& parts, const std::string& label, const char* what) {
  if (label.empty()) {
    if (parts.size() == 1) {
      return &parts.front();
    }
    return invalid("no {} type was named, and those declared so far are: {}", what, labels(parts))
        .with("argument", "type");
  }
  if (Part* const part = find(parts, label)) {
    return part;
  }
  std::vector<std::string> known;
  known.reserve(parts.size());
  for (const Part& part : parts) {
    known.push_back(part.label());
  }
  return not_found("there is no {} type \"{}\"; declared so far: {}{}", what, label, labels(parts),
                   did_you_mean(label, known))
      .with("type", label);
}

template <typename Part>
Status check_column_of(const Part& part, const std::string& name) {
  const auto named = [&](const Column& column) { return column.name == name; };
  bool taken = std::any_of(part.columns.begin(), part.columns.end(), named);
  if (part.text) {
    const auto& columns = part.text->options.columns;
    taken |= std::any_of(columns.begin(), columns.end(),
                         [&](const TextColumn& column) { return column_name(column) == name; });
  }
  if (part.arrow) {
    const std::vector<std::string> names = part.arrow->plan.column_names();
    taken |= std::find(names.begin(), names.end(), name) != names.end();
  }
  if (taken) {
    return error(GLS_ERR_ALREADY_EXISTS, "column \"{}\" of \"{}\" was added before", name,
                 part.label())
        .with("type", part.label())
        .with("column", name);
  }
  return {};
}

}  // namespace

Status BuilderInputs::check_files() const {
  if (!any_file_damaged()) {
    return {};
  }
  for (const NodeInput& part : nodes) {
    GLS_TRY(check_mapped_columns(part.columns));
    for (const IdSet& set : part.id_sets) {
      GLS_TRY(check_mapped_file(set.ids.data()));
    }
  }
  for (const EdgeInput& part : edges) {
    GLS_TRY(check_mapped_columns(part.columns));
    GLS_TRY(check_mapped_file(part.source_ids.data()));
    GLS_TRY(check_mapped_file(part.target_ids.data()));
    for (const GivenTopology& topology : part.topologies) {
      GLS_TRY(check_mapped_file(topology.indptr.data()));
      GLS_TRY(check_mapped_file(topology.indices.data()));
      GLS_TRY(check_mapped_file(topology.edge_ids.data()));
    }
  }
  return {};
}

Status NodeInput::check_new_column(const std::string& column) const {
  return check_column_of(*this, column);
}
Status NodeInput::check_new_id_set(const std::string& set) const {
  bool taken = std::any_of(id_sets.begin(), id_sets.end(),
                           [&](const IdSet& known) { return known.name == set; });
  if (arrow) {
    taken |= std::any_of(arrow->plan.id_sets.begin(), arrow->plan.id_sets.end(),
                         [&](const ArrowIdSetPlan& known) { return known.name == set; });
  }
  if (taken && !set.empty()) {
    return error(GLS_ERR_ALREADY_EXISTS, "id set \"{}\" of \"{}\" was added before", set, name)
        .with("type", name);
  }
  return {};
}
Status NodeInput::check_not_listed() const {
  if (!text && !arrow) {
    return {};
  }
  return error(GLS_ERR_ALREADY_EXISTS, "the nodes of type \"{}\" were listed before, in {}", name,
               text ? text->path : arrow->label)
      .with("type", name);
}
Status EdgeInput::check_new_column(const std::string& column) const {
  return check_column_of(*this, column);
}

NodeInput* BuilderInputs::find_node_type(const std::string& name) { return find(nodes, name); }
EdgeInput* BuilderInputs::find_edge_type(const std::string& joined) { return find(edges, joined); }

Result<NodeInput*> BuilderInputs::node_type(const std::string& name) {
  return require(nodes, name, "node");
}
Result<EdgeInput*> BuilderInputs::edge_type(const std::string& joined) {
  return require(edges, joined, "edge");
}

size_t BuilderInputs::declare(const std::string& name) {
  if (const NodeInput* const known = find_node_type(name)) {
    return static_cast<size_t>(known - nodes.data());
  }
  NodeInput part;
  part.name = name;
  nodes.push_back(std::move(part));
  return nodes.size() - 1;
}

Result<EdgeTypeName> BuilderInputs::check_new_edges(const std::string& edge_type,
                                                    bool add_reverse) {
  GLS_ASSIGN(EdgeTypeName name, parse_edge_type(edge_type));
  const auto check = [&](const std::string& joined) -> Status {
    if (find_edge_type(joined) != nullptr) {
      return error(GLS_ERR_ALREADY_EXISTS, "edge type \"{}\" was added before", joined)
          .with("type", joined);
    }
    return {};
  };
  GLS_TRY(check(edge_type));
  if (add_reverse && name.source != name.target) {
    const EdgeTypeName reverse{name.target, "rev_" + name.relation, name.source};
    GLS_TRY(check_name(reverse.relation, "relation"));
    GLS_TRY(check(reverse.joined()));
  }
  return name;
}

EdgeInput& BuilderInputs::add_edges(EdgeTypeName name, bool add_reverse) {
  EdgeInput part;
  part.source = declare(name.source);
  part.target = declare(name.target);
  part.joined = name.joined();
  part.name = std::move(name);
  part.doubled = add_reverse && part.source == part.target;
  const size_t index = edges.size();
  if (add_reverse && !part.doubled) {
    EdgeInput reverse;
    reverse.source = part.target;
    reverse.target = part.source;
    reverse.name = {part.name.target, "rev_" + part.name.relation, part.name.source};
    reverse.joined = reverse.name.joined();
    reverse.reverse_of = index;
    edges.push_back(std::move(part));
    edges.push_back(std::move(reverse));
  } else {
    edges.push_back(std::move(part));
  }
  return edges[index];
}

}  // namespace gls
