// A folder of parts of a graph: their number, and the partition books, which are mapped and tell
// the owner of each id.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/dataset/dataset.h"
#include "graph/partition/partition_book.h"
#include "partition_generated.h"
#include "system/file.h"

namespace gls {

// Reads an array from its description; its file is in the folder of parts, local or remote.
using ArrayReader = std::function<Result<Tensor>(const format::ArrayT& array)>;

class Partition {
 public:
  // The folder, or its name in errors.
  const std::string& path() const { return path_; }
  std::string part_path(uint32_t number) const;
  uint32_t parts() const { return file_->parts; }
  const format::PartitionT& file() const { return *file_; }
  // The manifest that the whole graph would have as one dataset.
  const format::ManifestT& whole() const { return *file_->whole; }

  const PartitionBook& node_book(size_t type) const { return node_books_[type]; }
  // NULL: edge ids are positions, which determine the owner.
  const PartitionBook* edge_book(size_t type) const {
    return edge_books_[type] ? &*edge_books_[type] : nullptr;
  }
  // As Dataset::node_type_index(), for the names of the whole graph.
  Result<size_t> node_type_index(const char* name) const;
  // Maps an array that file() names. Not for a remote partition.
  Result<Tensor> map(const format::ArrayT& array) const { return arrays_(array); }
  // Checks the id.
  Result<uint32_t> owner_of(size_t node_type, int64_t id) const;

 private:
  friend Result<std::shared_ptr<const Partition>> make_partition(
      const std::string& path, std::shared_ptr<const format::PartitionT> file,
      const ArrayReader& arrays);
  friend Result<std::shared_ptr<const Partition>> open_partition(const std::string& path,
                                                                 Links links);
  friend Result<std::shared_ptr<const Partition>> open_uncut(const std::string& path, Links links);
  Status read(const ArrayReader& arrays);
  Result<PartitionBook> read_book(const format::BookT& book, int64_t count,
                                  const ArrayReader& arrays) const;

  std::string path_;
  bool uncut_ = false;  // the folder of a dataset; see graph/partition/single_part.h
  ArrayReader arrays_;
  std::shared_ptr<const format::PartitionT> file_;
  std::vector<PartitionBook> node_books_;
  std::vector<std::optional<PartitionBook>> edge_books_;  // by edge type
};

// Whether the path is a folder of parts.
bool is_partition(const std::string& path);

// Reads partition.json and maps the books; verify_parts() checks their contents.
Result<std::shared_ptr<const Partition>> open_partition(const std::string& path,
                                                        Links links = Links::kInside);

// As open_partition(), for a remote folder.
Result<std::shared_ptr<const Partition>> make_partition(
    const std::string& path, std::shared_ptr<const format::PartitionT> file,
    const ArrayReader& arrays);

// An array that belongs to no part: a partition book, or an id set or node keys of the whole graph.
struct SharedArray {
  std::string file;  // path in the folder of parts
  const format::ArrayT* array;

  // The same description, with the path in the folder of parts.
  format::ArrayT in_folder() const;
};
std::vector<SharedArray> shared_arrays(const format::PartitionT& partition);

// The path in the folder of parts of a file that the whole graph's manifest names.
std::string file_of_whole(const std::string& file);

// All shared arrays, mapped.
Result<std::vector<ArrayFile>> files_of(const Partition& partition);

// Maps an array of a folder and checks it against its description.
Result<Tensor> map_array(const std::string& folder, const format::ArrayT& array,
                         Links links = Links::kInside);

}  // namespace gls
