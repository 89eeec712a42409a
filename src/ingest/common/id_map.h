// From what text files call the nodes of one type to node ids.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "graph/dataset/dataset.h"
#include "ingest/common/build_options.h"
#include "ingest/common/key_table.h"
#include "ingest/common/numbering.h"
#include "ingest/common/workspace.h"

namespace gls {

class IdMap {
 public:
  virtual ~IdMap() = default;
  // The id of the node a field names: the final one, or a provisional one that numbering() turns
  // into it. Any thread. The error does not say where the field is.
  virtual Status resolve(std::string_view field, int64_t* id) = 0;
  // To be called once, when all names were met: it numbers the nodes.
  virtual Status finish(Workspace& workspace) = 0;
  virtual const Numbering* numbering() const { return nullptr; }
  // How many nodes there are; -1: not known from names.
  virtual int64_t count() const { return -1; }
  virtual std::optional<NodeKeys> keys() const { return std::nullopt; }
};

// Ids in the files are node ids already, below `limit`.
std::unique_ptr<IdMap> make_dense_ids(std::string type, int64_t limit);

// Whatever occurs is numbered in ascending order. `ids` is not kDense.
std::unique_ptr<IdMap> make_collected_ids(Workspace& workspace, NodeIds ids);

// Nodes are numbered as a list has them, and others are errors.
class ListedIds : public IdMap {
 public:
  // Appends the next node. False: there is one of this name already.
  virtual Result<bool> add(std::string_view key) = 0;
  // Whether a field can be a key.
  virtual Status check(std::string_view field) const = 0;
  // Frees what only resolving needs. finish() comes before anything is resolved.
  virtual void close() = 0;
};
// With kDense, keys must be 0, 1, 2, ..., and are not kept.
std::unique_ptr<ListedIds> make_listed_ids(Workspace& workspace, std::string type, NodeIds ids);

}  // namespace gls
