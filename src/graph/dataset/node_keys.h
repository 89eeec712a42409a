// Looks up what nodes were called in the imported data. Damaged keys give errors, never a read
// outside the arrays: they are not checked when a dataset is opened.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "graph/dataset/dataset.h"

namespace gls {

// The node called `key`; integers are written in decimal.
Result<int64_t> find_node(const NodeType& type, std::string_view key);
// What node `id` is called.
Result<std::string> node_key(const NodeType& type, int64_t id);

// Reads the keys of one node type.
class KeyReader {
 public:
  explicit KeyReader(const NodeType& type) : type_(type), keys_(*type.keys) {}

  bool strings() const { return keys_.strings; }
  // The id at `position` of the ascending order of keys.
  Result<int64_t> id_at(int64_t position) const;
  // Keys of integer and string types; `id` is in range.
  int64_t integer(int64_t id) const { return keys_.values.as<int64_t>()[id]; }
  Result<std::string_view> text(int64_t id) const;

 private:
  const NodeType& type_;
  const NodeKeys& keys_;
};

}  // namespace gls
