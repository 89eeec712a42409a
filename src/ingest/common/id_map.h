// Maps the names of nodes in files and streams to node ids, for one node type.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "graph/dataset/dataset.h"
#include "ingest/common/build_options.h"
#include "ingest/common/key_table.h"
#include "ingest/common/numbering.h"
#include "ingest/common/workspace.h"

namespace gls {

// Converts the names of one node type to node ids.
class IdMap {
 public:
  virtual ~IdMap() = default;
  // The id of the named node: the final one, or a provisional one that numbering() converts. Any
  // thread. The error does not name the place of the field.
  virtual Status resolve(std::string_view field, int64_t* id) = 0;
  // The same for names that are integers. A failure concerns keys[*at].
  virtual Status resolve_numbers(std::span<const int64_t> keys, int64_t* ids, size_t* at) = 0;
  // The same for names that are text.
  virtual Status resolve_texts(std::span<const std::string_view> keys, int64_t* ids, size_t* at);
  // Call it once, after all names were read: it numbers the nodes.
  virtual Status finish(Workspace& workspace) = 0;
  virtual const Numbering* numbering() const { return nullptr; }
  // The number of nodes; -1: names do not determine it.
  virtual int64_t count() const { return -1; }
  virtual std::optional<NodeKeys> keys() const { return std::nullopt; }
};

// For files whose ids are node ids, below `limit`.
std::unique_ptr<IdMap> make_dense_ids(std::string type, int64_t limit);

// Numbers all occurring names in ascending order. `ids` is not kDense.
std::unique_ptr<IdMap> make_collected_ids(Workspace& workspace, NodeIds ids);

// Nodes are numbered in the order of a list; other names are errors.
class ListedIds : public IdMap {
 public:
  // Appends the next node. False: the name exists already.
  virtual Result<bool> add(std::string_view key) = 0;
  virtual Result<bool> add_number(int64_t key) = 0;
  // Whether a field can be a key.
  virtual Status check(std::string_view field) const = 0;
  // Frees what only add() needs. finish() must come before any resolve().
  virtual void close() = 0;
};
// With kDense, keys must be 0, 1, 2, ..., and are not stored.
std::unique_ptr<ListedIds> make_listed_ids(Workspace& workspace, std::string type, NodeIds ids);

}  // namespace gls
