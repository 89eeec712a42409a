#include "graph/dataset/unknown_name.h"

#include <algorithm>
#include <vector>

#include "base/nearest_name.h"

namespace gls {
namespace {

using Names = std::vector<std::string>;

void add_once(const std::string& name, Names* names) {
  if (std::find(names->begin(), names->end(), name) == names->end()) {
    names->push_back(name);
  }
}

template <typename Types>
void add_columns(const Types& types, Names* names) {
  for (const auto& type : types) {
    for (const Column& column : type.columns) {
      add_once(column.name, names);
    }
  }
}

std::string prefix_of(const char* argument) {
  return argument == nullptr ? std::string() : formatted("{}: ", argument);
}

Status about(const char* argument, Status status) {
  return argument == nullptr ? std::move(status) : std::move(status).with("argument", argument);
}

Status no_column_of(const char* argument, const char* kind, const std::string& type,
                    const std::vector<Column>& columns, std::string_view column) {
  Names names;
  for (const Column& one : columns) {
    names.push_back(one.name);
  }
  return about(argument,
               not_found("{}{} type \"{}\" has no column \"{}\"; it has: {}", prefix_of(argument),
                         kind, type, column, known_names(names, column))
                   .with("column", std::string(column))
                   .with("type", type));
}

Status no_column_among(const char* argument, const char* kind, const Names& names,
                       std::string_view column) {
  return about(argument, not_found("{}no {} has a column \"{}\"; there are: {}",
                                   prefix_of(argument), kind, column, known_names(names, column))
                             .with("column", std::string(column)));
}

}  // namespace

std::string known_names(std::span<const std::string> names) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i == 8) {
      return out + formatted(", ... ({} in all)", names.size());
    }
    out += (i > 0 ? ", " : "") + names[i];
  }
  return out.empty() ? "none" : out;
}

std::string known_names(std::span<const std::string> names, std::string_view unknown) {
  return known_names(names) + did_you_mean(unknown, {names.begin(), names.end()});
}

Status no_column(const char* argument, const NodeType& type, std::string_view column) {
  return no_column_of(argument, "node", type.name, type.columns, column);
}

Status no_column(const char* argument, const EdgeType& type, std::string_view column) {
  return no_column_of(argument, "edge", type.joined, type.columns, column);
}

Status no_node_column(const char* argument, const Dataset& dataset, std::string_view column) {
  Names names;
  add_columns(dataset.node_types(), &names);
  return no_column_among(argument, "node type", names, column);
}

Status no_edge_column(const char* argument, const Dataset& dataset, std::string_view column) {
  Names names;
  add_columns(dataset.edge_types(), &names);
  return no_column_among(argument, "edge type", names, column);
}

Status no_column_anywhere(const char* argument, const Dataset& dataset, std::string_view column) {
  Names names;
  add_columns(dataset.node_types(), &names);
  add_columns(dataset.edge_types(), &names);
  return no_column_among(argument, "type", names, column);
}

Status no_type(const char* argument, const Dataset& dataset, std::string_view type) {
  Names names;
  for (const NodeType& one : dataset.node_types()) {
    names.push_back(one.name);
  }
  for (const EdgeType& one : dataset.edge_types()) {
    names.push_back(one.joined);
  }
  return not_found("{}there is no node or edge type \"{}\"; the dataset has: {}",
                   prefix_of(argument), type, known_names(names, type))
      .with("argument", argument == nullptr ? "type" : argument)
      .with("type", std::string(type));
}

Status no_id_set(const char* argument, const Dataset& dataset, std::string_view name) {
  Names names;
  for (const NodeType& type : dataset.node_types()) {
    for (const IdSet& set : type.id_sets) {
      add_once(set.name, &names);
    }
  }
  return about(argument, not_found("{}no node type has an id set \"{}\"; there are: {}",
                                   prefix_of(argument), name, known_names(names, name)));
}

}  // namespace gls
