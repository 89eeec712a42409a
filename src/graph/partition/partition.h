// A folder of parts of a graph: how many there are, and who owns what. The books are mapped.
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

// Gives an array as it is described; its file is in the folder of parts, wherever that is.
using ArrayReader = std::function<Result<Tensor>(const format::ArrayT& array)>;

class Partition {
 public:
  // The folder, or what stands for it in errors.
  const std::string& path() const { return path_; }
  std::string part_path(uint32_t number) const;
  uint32_t parts() const { return file_->parts; }
  const format::PartitionT& file() const { return *file_; }
  // The whole, as one dataset would describe itself.
  const format::ManifestT& whole() const { return *file_->whole; }

  const Book& node_book(size_t type) const { return node_books_[type]; }
  // NULL: edges of the type are where their ids, which are positions, say.
  const Book* edge_book(size_t type) const {
    return edge_books_[type] ? &*edge_books_[type] : nullptr;
  }
  // Of the names, as Dataset::node_type_index().
  Result<size_t> node_type_index(const char* name) const;
  // An array that file() names, mapped. Not of a partition that is elsewhere.
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
  Result<Book> read_book(const format::BookT& book, int64_t count, const ArrayReader& arrays) const;

  std::string path_;
  bool uncut_ = false;  // the folder of a dataset, see graph/partition/single_part.h
  ArrayReader arrays_;
  std::shared_ptr<const format::PartitionT> file_;
  std::vector<Book> node_books_;
  std::vector<std::optional<Book>> edge_books_;  // by edge type
};

// Whether there is a folder of parts.
bool is_partition(const std::string& path);

// Reads partition.json and maps the books; their contents are checked by verify_parts().
Result<std::shared_ptr<const Partition>> open_partition(const std::string& path,
                                                        Links links = Links::kInside);

// The same of a folder that is elsewhere.
Result<std::shared_ptr<const Partition>> make_partition(
    const std::string& path, std::shared_ptr<const format::PartitionT> file,
    const ArrayReader& arrays);

// An array that no part has: a book, or an id set or key of the whole.
struct SharedArray {
  std::string file;  // in the folder of parts
  const format::ArrayT* array;

  // The same description, with the place of the file in the folder of parts.
  format::ArrayT in_folder() const;
};
std::vector<SharedArray> shared_arrays(const format::PartitionT& partition);

// Where a file that the whole's manifest names is in the folder of parts.
std::string file_of_whole(const std::string& file);

// All of the shared arrays, mapped.
Result<std::vector<ArrayFile>> files_of(const Partition& partition);

// Arrays of a folder, mapped and as they are described.
Result<Tensor> map_array(const std::string& folder, const format::ArrayT& array,
                         Links links = Links::kInside);

}  // namespace gls
