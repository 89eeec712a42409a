// Errors of names that nothing has: each lists the names that there are.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "graph/dataset/dataset.h"

namespace gls {

// "a, b, c": at most eight of them, and how many there are; "none" of none.
std::string known_names(std::span<const std::string> names);
// The same, and which of them an unknown name was probably meant to be.
std::string known_names(std::span<const std::string> names, std::string_view unknown);

// Of a column of one type. `argument` is the option that named it; NULL: the call itself did.
Status no_column(const char* argument, const NodeType& type, std::string_view column);
Status no_column(const char* argument, const EdgeType& type, std::string_view column);
// Of a column that no node type, or no edge type has.
Status no_node_column(const char* argument, const Dataset& dataset, std::string_view column);
Status no_edge_column(const char* argument, const Dataset& dataset, std::string_view column);
// Of a column that no type of either kind has.
Status no_column_anywhere(const char* argument, const Dataset& dataset, std::string_view column);

// Of a node or edge type.
Status no_type(const char* argument, const Dataset& dataset, std::string_view type);

// Of an id set that no node type has.
Status no_id_set(const char* argument, const Dataset& dataset, std::string_view name);

}  // namespace gls
