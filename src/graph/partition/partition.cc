#include "graph/partition/partition.h"

#include <filesystem>
#include <utility>

#include "format/manifest.h"
#include "format/npy.h"
#include "format/partition_file.h"
#include "system/file.h"

namespace gls {

Result<Tensor> map_array(const std::string& folder, const format::ArrayT& array, Links links) {
  const std::string path = folder + "/" + array.file;
  GLS_TRY(check_inside(folder, array.file, links));
  Result<Tensor> mapped = map_npy(path);
  if (!mapped.ok()) {
    return mapped.status().code() == GLS_ERR_NOT_FOUND
               ? corrupt("{} is named by the partition but missing", path).with("file", path)
               : std::move(mapped.status());
  }
  if (dtype_name(mapped->dtype()) != array.dtype || mapped->shape() != array.shape) {
    return corrupt("{} holds {} {}, the partition says {} {}", path, dtype_name(mapped->dtype()),
                   shape_text(mapped->shape()), array.dtype, shape_text(array.shape))
        .with("file", path);
  }
  return mapped->with_file(path);
}

std::string Partition::part_path(uint32_t number) const {
  return uncut_ ? path_ : path_ + "/" + part_folder(number);
}

Result<PartitionBook> Partition::read_book(const format::BookT& book, int64_t count,
                                           const ArrayReader& arrays) const {
  GLS_ASSIGN(Tensor tensor, arrays(*book.array));
  const std::string file = tensor.file();
  GLS_ASSIGN(PartitionBook out, PartitionBook::make(std::move(tensor), count, file_->parts, file));
  if (out.ranges()) {  // a few numbers, checked because a search relies on them
    if (const Status status = out.check(file); !status.ok()) {
      return corrupt("{}", status.message()).with("file", file);
    }
  }
  return out;
}

Status Partition::read(const ArrayReader& arrays) {
  for (size_t t = 0; t < whole().node_types.size(); ++t) {
    GLS_ASSIGN(PartitionBook book,
               read_book(*file_->node_books[t], whole().node_types[t]->count, arrays));
    node_books_.push_back(std::move(book));
  }
  for (const auto& type : whole().edge_types) {
    std::optional<PartitionBook>& out = edge_books_.emplace_back();
    for (const auto& book : file_->edge_books) {
      if (book->type == type->source + "__" + type->relation + "__" + type->target) {
        GLS_ASSIGN(out, read_book(*book, type->count, arrays));
      }
    }
  }
  return {};
}

Result<size_t> Partition::node_type_index(const char* name) const {
  const auto& types = whole().node_types;
  std::string known;
  for (size_t t = 0; t < types.size(); ++t) {
    if (name == nullptr ? types.size() == 1 : types[t]->name == name) {
      return t;
    }
    known += (t > 0 ? ", " : "") + types[t]->name;
  }
  return not_found("node_type: {}; the partition has: {}",
                   name == nullptr ? "none was named" : formatted("there is no \"{}\"", name),
                   known)
      .with("argument", "node_type");
}

Result<uint32_t> Partition::owner_of(size_t node_type, int64_t id) const {
  const PartitionBook& book = node_books_[node_type];
  const std::string& type = whole().node_types[node_type]->name;
  if (id < 0 || id >= book.count()) {
    return invalid("node {} of type \"{}\" is outside [0, {})", id, type, book.count())
        .with("argument", "ids");
  }
  const uint32_t owner = book[id];
  if (owner >= parts()) {
    return corrupt("{}: the owner of node {} of type \"{}\" is {}, expected a number below {}",
                   book.tensor().file(), id, type, owner, parts())
        .with("file", book.tensor().file());
  }
  return owner;
}

std::string file_of_whole(const std::string& file) { return "whole/" + file; }

format::ArrayT SharedArray::in_folder() const {
  format::ArrayT out = *array;
  out.file = file;
  return out;
}

std::vector<SharedArray> shared_arrays(const format::PartitionT& partition) {
  std::vector<SharedArray> out;
  for (const auto* books : {&partition.node_books, &partition.edge_books}) {
    for (const auto& book : *books) {
      out.push_back({book->array->file, book->array.get()});
    }
  }
  const auto add = [&](const format::ArrayT* array) {
    if (array != nullptr) {
      out.push_back({file_of_whole(array->file), array});
    }
  };
  for (const auto& type : partition.whole->node_types) {
    for (const auto& set : type->id_sets) {
      add(set->array.get());
    }
    if (type->keys != nullptr) {
      add(type->keys->values.get());
      add(type->keys->offsets.get());
      add(type->keys->order.get());
    }
  }
  return out;
}

Result<std::vector<ArrayFile>> files_of(const Partition& partition) {
  std::vector<ArrayFile> out;
  for (const SharedArray& shared : shared_arrays(partition.file())) {
    GLS_ASSIGN(Tensor tensor, partition.map(shared.in_folder()));
    out.push_back({std::move(tensor), shared.array->xxh3});
  }
  return out;
}

bool is_partition(const std::string& path) { return path_exists(path + "/" + kPartitionFile); }

Result<std::shared_ptr<const Partition>> open_partition(const std::string& path, Links links) {
  const std::string file = path + "/" + kPartitionFile;
  std::error_code ec;
  const bool unfinished =
      std::filesystem::canonical(path, ec).filename().string().ends_with(kPartialSuffix);
  GLS_TRY(check_inside(path, kPartitionFile, links));
  Result<std::string> text = read_text_file(file, kMaxManifestBytes);
  if (unfinished || (!text.ok() && text.status().code() == GLS_ERR_NOT_FOUND)) {
    return not_found("{} is not a folder of parts: {}", path,
                     unfinished
                         ? formatted("names that end in {} are of unfinished ones", kPartialSuffix)
                         : formatted("no {} in it", kPartitionFile))
        .with("file", file);
  }
  if (!text.ok()) {
    return std::move(text.status());
  }
  GLS_ASSIGN(format::PartitionT description, parse_partition(*text, file));
  auto out = std::make_shared<Partition>();
  out->path_ = path;
  out->file_ = std::make_shared<const format::PartitionT>(std::move(description));
  out->arrays_ = [path, links](const format::ArrayT& array) {
    return map_array(path, array, links);
  };
  GLS_TRY(out->read(out->arrays_));
  return std::shared_ptr<const Partition>(std::move(out));
}

Result<std::shared_ptr<const Partition>> make_partition(
    const std::string& path, std::shared_ptr<const format::PartitionT> file,
    const ArrayReader& arrays) {
  auto out = std::make_shared<Partition>();
  out->path_ = path;
  out->file_ = std::move(file);
  GLS_TRY(out->read(arrays));
  return std::shared_ptr<const Partition>(std::move(out));
}

}  // namespace gls
