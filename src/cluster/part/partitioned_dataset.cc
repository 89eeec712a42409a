#include "cluster/part/partitioned_dataset.h"

#include <utility>

#include "cluster/part/local_part.h"
#include "cluster/part/partitioned_source.h"
#include "graph/folder/open_parts.h"
#include "query/graph_source.h"

namespace gls {
namespace {

class WholeReader {
 public:
  WholeReader(const Partition& partition, const ArrayReader& arrays)
      : path_(partition.path()), whole_(partition.whole()), arrays_(arrays) {}

  Result<std::vector<NodeType>> node_types() const {
    std::vector<NodeType> out;
    for (const auto& type : whole_.node_types) {
      NodeType& made = out.emplace_back();
      made.name = type->name;
      made.count = type->count;
      GLS_ASSIGN(made.columns, columns(type->columns, type->count));
      for (const auto& set : type->id_sets) {
        GLS_ASSIGN(Tensor ids, read(*set->array));
        made.id_sets.push_back({set->name, std::move(ids)});
      }
      if (type->keys != nullptr) {
        GLS_ASSIGN(made.keys, keys(*type->keys));
      }
    }
    return out;
  }

  Result<std::vector<EdgeType>> edge_types(const std::vector<NodeType>& node_types) const {
    std::vector<EdgeType> out;
    for (const auto& type : whole_.edge_types) {
      EdgeType& made = out.emplace_back();
      made.name = {type->source, type->relation, type->target};
      made.joined = made.name.joined();
      made.count = type->count;
      for (size_t i = 0; i < node_types.size(); ++i) {
        made.source = node_types[i].name == type->source ? i : made.source;
        made.target = node_types[i].name == type->target ? i : made.target;
      }
      const auto& any = type->csc != nullptr ? type->csc : type->csr;
      made.remote = {type->csc != nullptr, type->csr != nullptr, any->indices->dtype == "int64"};
      GLS_ASSIGN(made.columns, columns(type->columns, type->count));
    }
    return out;
  }

 private:
  // Reads an array in the folder "whole".
  Result<Tensor> read(const format::ArrayT& array) const {
    return arrays_(SharedArray{file_of_whole(array.file), &array}.in_folder());
  }

  Result<std::vector<Column>> columns(const std::vector<std::unique_ptr<format::ColumnT>>& of,
                                      int64_t count) const {
    std::vector<Column> out;
    for (const auto& column : of) {
      Result<DLDataType> dtype = parse_dtype(column->array->dtype);
      if (!dtype.ok()) {
        return corrupt("{}: {}", path_, dtype.status().message()).with("column", column->name);
      }
      const auto role = static_cast<int32_t>(column->role);
      std::vector<int64_t> shape = {count};
      if (column->quantized != nullptr) {
        GLS_ASSIGN(auto codebook, Codebook::create(column->quantized->bits, column->row_shape.at(0),
                                                   column->quantized->codebook));
        shape.push_back(codebook->packed_width());
        out.push_back(Column::of_codes(column->name, role,
                                       Tensor(nullptr, nullptr, *dtype, std::move(shape)),
                                       std::move(codebook)));
        continue;
      }
      shape.insert(shape.end(), column->row_shape.begin(), column->row_shape.end());
      out.push_back({column->name, role, Tensor(nullptr, nullptr, *dtype, std::move(shape))});
      out.back().logical_type = column->logical_type;
    }
    return out;
  }

  Result<NodeKeys> keys(const format::NodeKeysT& of) const {
    NodeKeys out;
    out.strings = of.kind == format::KeyKind::string;
    GLS_ASSIGN(out.values, read(*of.values));
    if (of.offsets != nullptr) {
      GLS_ASSIGN(out.offsets, read(*of.offsets));
    }
    if (of.order != nullptr) {
      GLS_ASSIGN(out.order, read(*of.order));
    }
    return out;
  }

  const std::string& path_;
  const format::ManifestT& whole_;
  const ArrayReader& arrays_;
};

}  // namespace

std::vector<ArrayFile> mapped_files(const Partition& partition,
                                    const std::vector<std::shared_ptr<const Part>>& parts) {
  std::vector<ArrayFile> out;
  out.reserve(partition.whole().node_types.size());
  for (size_t t = 0; t < partition.whole().node_types.size(); ++t) {
    out.push_back({partition.node_book(t).tensor(), {}});
  }
  for (size_t t = 0; t < partition.whole().edge_types.size(); ++t) {
    if (const PartitionBook* const book = partition.edge_book(t)) {
      out.push_back({book->tensor(), {}});
    }
  }
  for (const auto& part : parts) {
    std::vector<ArrayFile> files = part->files();
    out.insert(out.end(), files.begin(), files.end());
  }
  return out;
}

Result<std::shared_ptr<const Dataset>> whole_dataset(std::shared_ptr<Context> context,
                                                     const Partition& partition,
                                                     const ArrayReader& arrays,
                                                     std::shared_ptr<const GraphSource> source,
                                                     std::vector<ArrayFile> files) {
  const WholeReader reader(partition, arrays);
  GLS_ASSIGN(std::vector<NodeType> node_types, reader.node_types());
  GLS_ASSIGN(std::vector<EdgeType> edge_types, reader.edge_types(node_types));
  Result<std::shared_ptr<const Dataset>> made =
      Dataset::create(std::move(context), std::move(node_types), std::move(edge_types),
                      std::move(files), {}, std::move(source));
  if (!made.ok()) {  // an inconsistency here means damaged files, not a wrong call
    return corrupt("{}: {}", partition.path(), made.status().message());
  }
  return made;
}

Result<std::shared_ptr<const Dataset>> open_whole(const std::shared_ptr<Context>& context,
                                                  const std::string& path,
                                                  const OpenOptions& options) {
  GLS_ASSIGN(OpenParts opened, open_parts(context, path, options));
  std::vector<std::shared_ptr<const Part>> parts;
  for (const auto& part : opened.parts) {
    GLS_ASSIGN(auto local, LocalPart::create(part));
    parts.push_back(std::move(local));
  }
  const std::shared_ptr<const Partition> partition = opened.partition;
  std::vector<ArrayFile> files = mapped_files(*partition, parts);
  auto source =
      std::make_shared<PartitionedSource>(context->buffers(), partition, std::move(parts));
  return whole_dataset(
      context, *partition, [&](const format::ArrayT& array) { return partition->map(array); },
      std::move(source), std::move(files));
}

}  // namespace gls
