#include "graph/partition/single_part.h"

#include <array>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "format/manifest.h"
#include "format/partition_file.h"
#include "system/file.h"

namespace gls {
namespace {

constexpr char kBooks[] = "uncut/";  // not real files: part 0 owns all ids
constexpr char kWhole[] = "whole/";

std::unique_ptr<format::BookT> book_of(const std::string& type, const char* kind, size_t number) {
  auto out = std::make_unique<format::BookT>();
  out->type = type;
  out->array = std::make_unique<format::ArrayT>();
  out->array->file = formatted("{}{}-{}.npy", kBooks, kind, number);
  out->array->dtype = "int64";
  out->array->shape = {2};
  return out;
}

format::PartitionT description_of(format::ManifestT whole, std::string name) {
  format::PartitionT out;
  out.format = kPartitionFormat;
  out.version = kPartitionVersion;
  out.parts = 1;
  out.graph = std::move(name);
  out.method = "none";
  for (const auto& type : whole.node_types) {
    out.node_books.push_back(book_of(type->name, "node", out.node_books.size()));
  }
  for (const auto& type : whole.edge_types) {
    out.edge_books.push_back(book_of(type->source + "__" + type->relation + "__" + type->target,
                                     "edge", out.edge_books.size()));
  }
  out.whole = std::make_unique<format::ManifestT>(std::move(whole));
  return out;
}

// The number of ids in the book with this file name.
int64_t count_of(const format::PartitionT& partition, const std::string& file) {
  const format::ManifestT& whole = *partition.whole;
  for (size_t t = 0; t < whole.node_types.size(); ++t) {
    if (partition.node_books[t]->array->file == file) {
      return whole.node_types[t]->count;
    }
  }
  for (size_t t = 0; t < whole.edge_types.size(); ++t) {
    if (partition.edge_books[t]->array->file == file) {
      return whole.edge_types[t]->count;
    }
  }
  return -1;
}

Result<Tensor> array_of(const std::string& path, const format::PartitionT& partition,
                        const format::ArrayT& array, Links links) {
  if (const int64_t count = count_of(partition, array.file); count >= 0) {
    constexpr size_t kEnds = 2;
    auto ends = std::make_shared<std::array<int64_t, kEnds>>(std::array<int64_t, kEnds>{0, count});
    const auto* const data = reinterpret_cast<const std::byte*>(ends->data());
    return Tensor(std::move(ends), data, kInt64, {kEnds}).with_file(path + "/" + array.file);
  }
  format::ArrayT local = array;
  if (local.file.starts_with(kWhole)) {
    local.file.erase(0, sizeof kWhole - 1);
  }
  return map_array(path, local, links);
}

}  // namespace

bool is_dataset(const std::string& path) { return path_exists(path + "/" + kManifestFile); }

std::string name_of_uncut(std::span<const std::byte> manifest) { return hex64(hash64(manifest)); }

Result<std::shared_ptr<const Partition>> open_uncut(const std::string& path, Links links) {
  const std::string file = path + "/" + kManifestFile;
  GLS_TRY(check_inside(path, kManifestFile, links));
  GLS_ASSIGN(const std::string text, read_text_file(file, kMaxManifestBytes));
  GLS_ASSIGN(format::ManifestT manifest, parse_manifest(text, file));
  if (manifest.part != nullptr) {
    return invalid(
               "{} is part {} of {} of a graph, expected the folder of all parts, or a dataset "
               "that "
               "was not cut",
               path, manifest.part->number, manifest.part->parts)
        .with("argument", "path");
  }
  auto out = std::make_shared<Partition>();
  out->path_ = path;
  out->uncut_ = true;
  out->file_ = std::make_shared<const format::PartitionT>(
      description_of(std::move(manifest), name_of_uncut(std::as_bytes(std::span(text)))));
  out->arrays_ = [path, links, partition = out->file_](const format::ArrayT& array) {
    return array_of(path, *partition, array, links);
  };
  GLS_TRY(out->read(out->arrays_));
  return std::shared_ptr<const Partition>(std::move(out));
}

Result<std::shared_ptr<const Dataset>> as_only_part(const Dataset& dataset,
                                                    const std::string& name) {
  std::vector<NodeType> node_types = dataset.node_types();
  std::vector<EdgeType> edge_types = dataset.edge_types();
  for (NodeType& type : node_types) {
    type.whole = GlobalIds::all(type.count);
  }
  for (EdgeType& type : edge_types) {
    type.whole = GlobalIds::all(type.count);
  }
  return Dataset::create(dataset.context(), std::move(node_types), std::move(edge_types),
                         dataset.files(), PartNumber{0, 1, name});
}

}  // namespace gls
