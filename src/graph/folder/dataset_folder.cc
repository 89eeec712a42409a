#include "graph/folder/dataset_folder.h"

#include <sys/mman.h>

#include <filesystem>
#include <utility>

#include "format/manifest.h"
#include "format/npy.h"
#include "graph/folder/verify.h"
#include "system/file.h"

namespace gls {
namespace {

class FolderReader {
 public:
  FolderReader(std::shared_ptr<Context> context, std::string folder, const FileOpener& opener)
      : context_(std::move(context)), folder_(std::move(folder)), opener_(opener) {}

  Result<std::shared_ptr<const Dataset>> read() {
    const std::string file = folder_ + "/" + kManifestFile;
    auto mapped = opener_(kManifestFile);
    if (!mapped.ok()) {
      return mapped.status().code() == GLS_ERR_NOT_FOUND
                 ? not_found("{} is not a dataset folder: no {} in it", folder_, kManifestFile)
                       .with("file", file)
                 : std::move(mapped.status());
    }
    const std::span<const std::byte> bytes = (*mapped)->bytes();
    if (bytes.size() > kMaxManifestBytes) {
      return corrupt("{} is larger than {} bytes", file, kMaxManifestBytes).with("file", file);
    }
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    GLS_ASSIGN(const format::ManifestT manifest, parse_manifest(text, file));
    std::vector<NodeType> node_types;
    for (const auto& type : manifest.node_types) {
      GLS_ASSIGN(NodeType out, read_node_type(*type));
      node_types.push_back(std::move(out));
    }
    std::vector<EdgeType> edge_types;
    for (const auto& type : manifest.edge_types) {
      GLS_ASSIGN(EdgeType out, read_edge_type(*type, node_types));
      edge_types.push_back(std::move(out));
    }
    advise();
    std::optional<PartNumber> part;
    if (manifest.part != nullptr) {
      part = {manifest.part->number, manifest.part->parts, manifest.part->graph};
    }
    Result<std::shared_ptr<const Dataset>> dataset = Dataset::create(
        context_, std::move(node_types), std::move(edge_types), std::move(files_), std::move(part));
    if (!dataset.ok()) {  // an inconsistency here means damaged files, not a wrong call
      Status& status = dataset.status();
      return corrupt("{}: {}", file, status.message()).with("file", file);
    }
    return dataset;
  }

 private:
  Result<Tensor> read_array(const format::ArrayT& array) {
    const std::string path = folder_ + "/" + array.file;
    auto mapped = opener_(array.file);
    if (!mapped.ok()) {
      if (mapped.status().code() == GLS_ERR_NOT_FOUND) {
        return corrupt("{} is named by the manifest but missing", path).with("file", path);
      }
      return std::move(mapped.status());
    }
    GLS_ASSIGN(Tensor tensor, npy_tensor(mapped.take()));
    GLS_ASSIGN(const DLDataType dtype, manifest_dtype(array, path));
    if (!same_dtype(dtype, tensor.dtype()) &&
        !(same_dtype(dtype, kBfloat16) && tensor.dtype().bits == 16)) {
      return corrupt("{} holds {}, the manifest says {}", path, dtype_name(tensor.dtype()),
                     array.dtype)
          .with("file", path);
    }
    if (tensor.shape() != array.shape) {
      return corrupt("{} has shape {}, the manifest says {}", path, shape_text(tensor.shape()),
                     shape_text(array.shape))
          .with("file", path);
    }
    tensor = Tensor(tensor.owner(), tensor.data(), dtype, tensor.shape()).with_file(path);
    files_.push_back({tensor, array.xxh3});
    return tensor;
  }

  static Result<DLDataType> manifest_dtype(const format::ArrayT& array, const std::string& path) {
    Result<DLDataType> dtype = parse_dtype(array.dtype);
    if (!dtype.ok()) {
      return corrupt("{}: {}", path, dtype.status().message()).with("file", path);
    }
    return dtype;
  }

  // The array is [rows, ...row_shape], or [rows, width] with padded rows.
  Result<Column> read_column(const format::ColumnT& column) {
    GLS_ASSIGN(Tensor array, read_array(*column.array));
    std::shared_ptr<const Codebook> codebook;
    std::vector<int64_t> row_shape = column.row_shape;
    if (column.quantized != nullptr) {
      GLS_ASSIGN(codebook, Codebook::create(column.quantized->bits, column.row_shape.at(0),
                                            column.quantized->codebook));
      row_shape = {codebook->packed_width()};
    }
    std::vector<int64_t> shape = {array.rows()};
    shape.insert(shape.end(), row_shape.begin(), row_shape.end());
    Tensor data;
    if (shape == array.shape()) {
      data = std::move(array);
    } else {
      data = Tensor(array.owner(), array.data(), array.dtype(), std::move(shape),
                    array.row_stride(), true)
                 .with_file(array.file());
      // The array's own product cannot overflow, but the product of its row_shape can.
      int64_t elements = 1;
      bool fits = array.shape().size() == 2;
      for (const int64_t extent : row_shape) {
        fits = fits && !__builtin_mul_overflow(elements, extent, &elements);
      }
      if (!fits || elements > array.shape()[1]) {
        const std::string path = folder_ + "/" + column.array->file;
        return corrupt("{} has shape {}, which does not hold rows of {} of column \"{}\"", path,
                       shape_text(array.shape()), shape_text(row_shape), column.name)
            .with("file", path)
            .with("column", column.name);
      }
    }
    const auto role = static_cast<int32_t>(column.role);
    if (codebook != nullptr) {
      return Column::of_codes(column.name, role, std::move(data), std::move(codebook));
    }
    Column out{column.name, role, std::move(data)};
    out.logical_type = column.logical_type;
    return out;
  }

  Result<GlobalIds> read_whole(const format::WholeT& whole, int64_t count) {
    GLS_ASSIGN(Tensor ids, read_array(*whole.ids));
    GLS_ASSIGN(Tensor index, read_array(*whole.index));
    return GlobalIds::make(std::move(ids), std::move(index), count, whole.owned, whole.count);
  }

  Result<NodeType> read_node_type(const format::NodeTypeT& type) {
    NodeType out;
    out.name = type.name;
    out.count = type.count;
    for (const auto& column : type.columns) {
      GLS_ASSIGN(Column data, read_column(*column));
      out.columns.push_back(std::move(data));
    }
    for (const auto& set : type.id_sets) {
      GLS_ASSIGN(Tensor ids, read_array(*set->array));
      out.id_sets.push_back({set->name, std::move(ids)});
    }
    if (type.keys != nullptr) {
      NodeKeys keys;
      keys.strings = type.keys->kind == format::KeyKind::string;
      GLS_ASSIGN(keys.values, read_array(*type.keys->values));
      if (type.keys->offsets != nullptr) {
        GLS_ASSIGN(keys.offsets, read_array(*type.keys->offsets));
      }
      if (type.keys->order != nullptr) {
        GLS_ASSIGN(keys.order, read_array(*type.keys->order));
      }
      out.keys = std::move(keys);
    }
    if (type.whole != nullptr) {
      GLS_ASSIGN(out.whole, read_whole(*type.whole, type.count));
    }
    return out;
  }

  Result<Topology> read_topology(const format::TopologyT& topology, int64_t rows, int64_t edges,
                                 int64_t neighbors, const std::string& what) {
    GLS_ASSIGN(Tensor indptr, read_array(*topology.indptr));
    GLS_ASSIGN(Tensor indices, read_array(*topology.indices));
    Tensor edge_ids;
    if (topology.edge_ids != nullptr) {
      GLS_ASSIGN(edge_ids, read_array(*topology.edge_ids));
    }
    Result<Topology> made = Topology::make(std::move(indptr), std::move(indices),
                                           std::move(edge_ids), rows, edges, neighbors, what);
    if (!made.ok()) {  // any error here means that the folder is damaged
      return corrupt("{}", made.status().message()).with("file", folder_);
    }
    return made;
  }

  Result<EdgeType> read_edge_type(const format::EdgeTypeT& type,
                                  const std::vector<NodeType>& node_types) {
    EdgeType out;
    out.name = {type.source, type.relation, type.target};
    out.joined = out.name.joined();
    out.count = type.count;
    for (size_t i = 0; i < node_types.size(); ++i) {
      out.source = node_types[i].name == type.source ? i : out.source;
      out.target = node_types[i].name == type.target ? i : out.target;
    }
    const int64_t sources = node_types[out.source].count;
    const int64_t targets = node_types[out.target].count;
    if (type.csc != nullptr) {
      GLS_ASSIGN(out.csc, read_topology(*type.csc, targets, type.count, sources,
                                        formatted("{}: csc of {}", folder_, out.joined)));
    }
    if (type.csr != nullptr) {
      GLS_ASSIGN(out.csr, read_topology(*type.csr, sources, type.count, targets,
                                        formatted("{}: csr of {}", folder_, out.joined)));
    }
    for (const auto& column : type.columns) {
      GLS_ASSIGN(Column data, read_column(*column));
      out.columns.push_back(std::move(data));
    }
    if (type.whole != nullptr) {
      GLS_ASSIGN(out.whole, read_whole(*type.whole, type.count));
    }
    return out;
  }

  // Read-ahead helps a graph that fits in memory, and harms one that does not: each random access
  // would read 32 times what it needs.
  void advise() const {
    uint64_t total = 0;
    for (const ArrayFile& file : files_) {
      total += file.data.span_bytes();
    }
    if (total < usable_memory() / 4 * 3) {
      return;
    }
    for (const ArrayFile& file : files_) {
      const auto begin = reinterpret_cast<uintptr_t>(file.data.data()) & ~uintptr_t{4095};
      const auto end = reinterpret_cast<uintptr_t>(file.data.data()) + file.data.span_bytes();
      if (end > begin) {
        madvise(reinterpret_cast<void*>(begin), end - begin, MADV_RANDOM);
      }
    }
  }

  std::shared_ptr<Context> context_;
  std::string folder_;
  const FileOpener& opener_;
  std::vector<ArrayFile> files_;
};

}  // namespace

Links links_of(const Context& context) {
  return context.settings().flag(Setting::kDatasetOutsideLinks) ? Links::kAnywhere : Links::kInside;
}

Result<std::shared_ptr<const Dataset>> open_dataset(std::shared_ptr<Context> context,
                                                    const std::string& path,
                                                    const OpenOptions& options) {
  if (!path_exists(path)) {
    return not_found("there is no dataset folder {}", path).with("file", path);
  }
  std::error_code ec;
  if (std::filesystem::canonical(path, ec).filename().string().ends_with(kPartialSuffix)) {
    return not_found("{} is not a dataset folder: names that end in {} are of unfinished ones",
                     path, kPartialSuffix)
        .with("file", path);
  }
  const Links links = links_of(*context);
  return open_dataset(
      std::move(context), path,
      [&](const std::string& name) { return MappedFile::open_in(path, name, links); }, options);
}

Result<std::shared_ptr<const Dataset>> open_dataset(std::shared_ptr<Context> context,
                                                    const std::string& path,
                                                    const FileOpener& files,
                                                    const OpenOptions& options) {
  const Log& log = context->log();
  GLS_ASSIGN(std::shared_ptr<const Dataset> dataset,
             FolderReader(std::move(context), path, files).read());
  if (options.verify_checksums) {
    GLS_TRY(verify_checksums(*dataset, options.progress));
  }
  if (options.residency != Residency::kMapped) {
    const auto mapped = dataset;
    GLS_ASSIGN(dataset, make_resident(*mapped, options.residency, options.progress));
    GLS_TRY(mapped->check_files());
  }
  log.write(GLS_LOG_DEBUG, "dataset", "opened {}: {} node types, {} edge types", path,
            dataset->node_types().size(), dataset->edge_types().size());
  return dataset;
}

}  // namespace gls
