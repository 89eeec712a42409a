#include "ingest/partition/write_parts.h"

#include <cmath>
#include <utility>

#include "base/checksum.h"
#include "format/manifest.h"
#include "format/partition_file.h"
#include "graph/dataset/saved_manifest.h"
#include "graph/folder/dataset_folder.h"
#include "graph/folder/verify.h"
#include "ingest/common/part_ids.h"
#include "ingest/partition/book_writer.h"
#include "ingest/partition/write_part.h"

namespace gls {
namespace {

// The least bytes: columns, edges once, and global ids.
double least_bytes(const Dataset& dataset) {
  double bytes = 0;
  const auto add = [&](const Tensor& tensor) {
    bytes += static_cast<double>(tensor.rows()) * static_cast<double>(tensor.row_bytes());
  };
  for (const NodeType& type : dataset.node_types()) {
    bytes += 8.0 * static_cast<double>(type.count);
    for (const Column& column : type.columns) {
      add(column.data);
    }
  }
  for (const EdgeType& type : dataset.edge_types()) {
    bytes += 8.0 * static_cast<double>(type.count);
    for (const Column& column : type.columns) {
      add(column.data);
    }
    for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
      if (const std::optional<Topology>& topology = type.topology(layout)) {
        bytes += 4.0 * static_cast<double>(topology->num_edges);
      }
    }
  }
  return bytes;
}

bool needs_book(const EdgeType& type) {
  return !type.columns.empty() || type.topology(owning_layout(type))->edge_ids != nullptr;
}

class PartsWriter {
 public:
  PartsWriter(const Dataset& dataset, const std::vector<Tensor>& owners,
              const PartsOptions& options, DatasetWriter writer)
      : dataset_(dataset), owners_(owners), options_(options), writer_(std::move(writer)) {}

  Status write() {
    for (size_t t = 0; t < owners_.size(); ++t) {
      GLS_TRY(add_owners(t));
    }
    GLS_TRY(describe_whole());
    file_.graph = fingerprint();
    for (uint32_t p = 0; p < options_.parts; ++p) {
      GLS_TRY(tick(p));
      const PartIdOptions rows = {options_.halo_hops, options_.hot_fraction, options_.hot_rows,
                                  options_.visits};
      GLS_ASSIGN(const PartIds ids, find_part_ids(dataset_, books_, p, rows));
      GLS_TRY(write_part(dataset_, ids, {p, options_.parts, file_.graph}, part_path(p),
                         options_.pad_rows, [&] { return tick(p); }));
    }
    GLS_TRY(tick(options_.parts));
    GLS_TRY(write_edge_books());
    file_.format = kPartitionFormat;
    file_.version = kPartitionVersion;
    file_.created_by = file_.whole->created_by;
    file_.method = options_.method;
    file_.options = options_.details;
    GLS_TRY(dataset_.check_files());
    return writer_.commit(kPartitionFile, partition_to_json(file_));
  }

 private:
  std::string part_path(uint32_t number) const {
    return writer_.working_path() + "/" + part_folder(number);
  }
  Status tick(uint32_t done) const {
    return report(options_.progress, "writing parts", done, options_.parts, "parts");
  }

  Status add_owners(size_t type) {
    const NodeType& node_type = dataset_.node_types()[type];
    const std::string what = formatted("owners of \"{}\"", node_type.name);
    if (!owners_[type].defined()) {
      return invalid("{} are not given", what).with("argument", "owners");
    }
    GLS_ASSIGN(PartitionBook book,
               PartitionBook::make(owners_[type], node_type.count, options_.parts, what));
    if (book.ranges()) {
      return invalid("{} are int64, expected uint8 or uint16", what).with("argument", "owners");
    }
    GLS_TRY(book.check(what));
    auto out = std::make_unique<format::BookT>();
    out->type = node_type.name;
    GLS_ASSIGN(out->array, write_book(writer_, formatted("book/nodes-{}.npy", type), owners_[type],
                                      options_.parts, [&] { return tick(0); }));
    file_.node_books.push_back(std::move(out));
    books_.push_back(std::move(book));
    return {};
  }

  // Id sets and keys are kept unchanged, beside the parts.
  Status describe_whole() {
    const Progress reading = [&](const char*, uint64_t done, uint64_t total, const char* unit) {
      return !options_.progress || options_.progress("reading the whole", done, total, unit);
    };
    GLS_ASSIGN(format::ManifestT whole, describe_saved(dataset_, options_.pad_rows, reading));
    file_.parts = options_.parts;
    for (size_t t = 0; t < whole.node_types.size(); ++t) {
      const NodeType& type = dataset_.node_types()[t];
      for (size_t s = 0; s < type.id_sets.size(); ++s) {
        GLS_TRY(keep(*whole.node_types[t]->id_sets[s]->array, type.id_sets[s].ids));
      }
      if (type.keys) {
        const format::NodeKeysT& keys = *whole.node_types[t]->keys;
        GLS_TRY(keep(*keys.values, type.keys->values));
        GLS_TRY(keys.offsets != nullptr ? keep(*keys.offsets, type.keys->offsets) : Status());
        GLS_TRY(keys.order != nullptr ? keep(*keys.order, type.keys->order) : Status());
      }
    }
    file_.whole = std::make_unique<format::ManifestT>(std::move(whole));
    return {};
  }

  Status keep(const format::ArrayT& array, const Tensor& tensor) {
    GLS_ASSIGN(const auto written, writer_.write_array(file_of_whole(array.file), tensor, false,
                                                       options_.progress, "writing original ids"));
    return {};
  }

  std::string fingerprint() const {
    std::string text = manifest_to_json(*file_.whole);
    for (const auto& book : file_.node_books) {
      text += book->array->xxh3 + "\n";
    }
    text += formatted("{} {} {} {} {}", options_.parts, options_.halo_hops, options_.hot_rows,
                      options_.hot_fraction, options_.pad_rows);
    text += options_.hot_by;
    return hex64(hash64(std::as_bytes(std::span(text))));
  }

  Status write_edge_books() {
    std::vector<std::shared_ptr<const Dataset>> parts;
    for (size_t t = 0; t < dataset_.edge_types().size(); ++t) {
      if (!needs_book(dataset_.edge_types()[t])) {
        continue;
      }
      for (auto p = static_cast<uint32_t>(parts.size()); p < options_.parts; ++p) {
        GLS_ASSIGN(auto part, open_dataset(dataset_.context(), part_path(p), {}));
        parts.push_back(std::move(part));
      }
      std::vector<IdSpan> owned;
      for (const auto& part : parts) {
        const GlobalIds& whole = *part->edge_types()[t].whole;
        owned.emplace_back(whole.ids().data(), true, whole.owned());
      }
      auto book = std::make_unique<format::BookT>();
      book->type = dataset_.edge_types()[t].joined;
      GLS_ASSIGN(book->array, write_edge_book(writer_, formatted("book/edges-{}.npy", t), owned,
                                              [&] { return tick(options_.parts); }));
      file_.edge_books.push_back(std::move(book));
    }
    return {};
  }

  const Dataset& dataset_;
  const std::vector<Tensor>& owners_;
  const PartsOptions& options_;
  DatasetWriter writer_;
  std::vector<PartitionBook> books_;
  format::PartitionT file_;
};

}  // namespace

Status check_parts(const Dataset& dataset, const PartsOptions& options) {
  if (options.parts < 1 || options.parts > kMaxParts) {
    return invalid("parts is {}, expected 1 to {}", options.parts, kMaxParts)
        .with("argument", "parts");
  }
  if (!(options.hot_fraction >= 0) || std::isinf(options.hot_fraction)) {
    return invalid("hot_fraction is {}, expected a finite number not below 0", options.hot_fraction)
        .with("argument", "hot_fraction");
  }
  if (options.hot_rows < 0) {
    return invalid("hot_rows is {}, expected 0 or more", options.hot_rows)
        .with("argument", "hot_rows");
  }
  if (options.hot_rows > 0 && options.hot_fraction > 0) {
    return invalid("hot_rows and hot_fraction are both given, expected one of the two")
        .with("argument", "hot_rows");
  }
  if (dataset.part()) {
    return error(GLS_ERR_UNSUPPORTED,
                 "the dataset is part {} of {} of a graph; a part is not cut again",
                 dataset.part()->number, dataset.part()->parts)
        .with("argument", "dataset");
  }
  return {};
}

Status write_parts(const Dataset& dataset, const std::vector<Tensor>& owners,
                   const std::string& path, const PartsOptions& options) {
  GLS_TRY(check_parts(dataset, options));
  if (owners.size() != dataset.node_types().size()) {
    return invalid("owners: {} arrays for {} node types, expected one each", owners.size(),
                   dataset.node_types().size())
        .with("argument", "owners");
  }
  FolderOptions folder;
  folder.may_replace = options.overwrite ? holds_partition : nullptr;
  GLS_ASSIGN(DatasetWriter writer, DatasetWriter::create(path, folder));
  GLS_TRY(writer.check_space(least_bytes(dataset)));
  GLS_TRY(verify_dataset(dataset, options.progress));
  return PartsWriter(dataset, owners, options, std::move(writer)).write();
}

}  // namespace gls
