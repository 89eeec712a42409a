// Looks up the names of nodes in the imported data. Opening a dataset does not check keys; damaged
// keys give errors here, and never a read outside the arrays.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "graph/dataset/dataset.h"

namespace gls {

// The node with this name; integers are written in decimal.
Result<int64_t> find_node(const NodeType& type, std::string_view key);
// The name of node `id`.
Result<std::string> node_key(const NodeType& type, int64_t id);

// Reads the keys of one node type.
class KeyReader {
 public:
  explicit KeyReader(const NodeType& type) : type_(type), keys_(*type.keys) {}

  bool strings() const { return keys_.strings; }
  // The id at `position` in the ascending order of keys.
  Result<int64_t> id_at(int64_t position) const;
  // For keys of integer and string types; `id` is in range.
  int64_t integer(int64_t id) const { return keys_.values.as<int64_t>()[id]; }
  Result<std::string_view> text(int64_t id) const;

 private:
  const NodeType& type_;
  const NodeKeys& keys_;
};

}  // namespace gls
