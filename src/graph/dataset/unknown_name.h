// Errors of unknown names: each lists the known names.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "graph/dataset/dataset.h"

namespace gls {

// "a, b, c": at most eight names, and their total number; "none" for an empty list.
std::string known_names(std::span<const std::string> names);
// As known_names(), and the name that an unknown one probably meant.
std::string known_names(std::span<const std::string> names, std::string_view unknown);

// For a column of one type. `argument` is the option that named it; NULL: the call itself did.
Status no_column(const char* argument, const NodeType& type, std::string_view column);
Status no_column(const char* argument, const EdgeType& type, std::string_view column);
// For a column that no node type, or no edge type has.
Status no_node_column(const char* argument, const Dataset& dataset, std::string_view column);
Status no_edge_column(const char* argument, const Dataset& dataset, std::string_view column);
// For a column that no type of either kind has.
Status no_column_anywhere(const char* argument, const Dataset& dataset, std::string_view column);

// For a node or edge type.
Status no_type(const char* argument, const Dataset& dataset, std::string_view type);

// For an id set that no node type has.
Status no_id_set(const char* argument, const Dataset& dataset, std::string_view name);

}  // namespace gls
