#include "format/dataset_writer.h"

#include <cstring>
#include <filesystem>
#include <vector>

#include "format/manifest.h"
#include "format/sealed_json.h"

namespace gls {
namespace {

constexpr const char* kScratchFolder = "scratch";

std::string safe_part(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || (c == '.' && !out.empty());
    out += plain ? c : '-';
  }
  constexpr size_t kLongest = 100;
  out.resize(std::min(out.size(), kLongest));
  return out;
}

std::string size_text(double bytes) {
  constexpr double kGiga = 1e9;
  return bytes < kGiga ? formatted("{:.1f} MB", bytes / 1e6)
                       : formatted("{:.1f} GB", bytes / kGiga);
}

}  // namespace

int64_t padded_row_bytes(int64_t row_bytes) {
  constexpr auto kLine = static_cast<int64_t>(64);
  const int64_t padded = (row_bytes + kLine - 1) / kLine * kLine;
  return row_bytes > kLine && padded - row_bytes <= row_bytes / 4 ? padded : row_bytes;
}

Result<DatasetWriter> DatasetWriter::create(const std::string& path, bool overwrite) {
  FolderOptions options;
  options.may_replace = overwrite ? holds_manifest : nullptr;
  return create(path, options);
}

Result<DatasetWriter> DatasetWriter::create(const std::string& path, const FolderOptions& options) {
  GLS_ASSIGN(FolderWriter folder, FolderWriter::create(path, options));
  GLS_TRY(make_folders(folder.file(kScratchFolder)));
  return DatasetWriter(path, std::move(folder));
}

DatasetWriter DatasetWriter::measuring() { return DatasetWriter({}, std::nullopt); }

Status DatasetWriter::check_space(double bytes) const {
  if (!folder_) {
    return {};
  }
  const auto free = static_cast<double>(free_space(folder_->file(kScratchFolder)));
  if (bytes <= free) {
    return {};
  }
  return error(GLS_ERR_IO,
               "{}: the dataset takes at least {}, but its file system has only {} left", path_,
               size_text(bytes), size_text(free))
      .with("file", path_);
}

std::string DatasetWriter::file_name(std::initializer_list<std::string_view> parts) {
  std::string base;
  for (const std::string_view part : parts) {
    if (!base.empty()) {
      base += '/';
    }
    base += safe_part(part);
  }
  std::string name = base + ".npy";
  for (int i = 2; !names_.insert(name).second; ++i) {
    name = formatted("{}~{}.npy", base, i);
  }
  return name;
}

std::string DatasetWriter::scratch_path(std::string_view name) const {
  return folder_->file(formatted("{}/{}", kScratchFolder, name));
}

Result<NpyWriter> DatasetWriter::create_array(const std::string& file, DLDataType dtype,
                                              std::span<const int64_t> row_shape) {
  if (!folder_) {
    return NpyWriter::measuring(dtype, row_shape);
  }
  const std::string path = folder_->file(file);
  GLS_TRY(make_folders(std::filesystem::path(path).parent_path().string()));
  return NpyWriter::create(path, dtype, row_shape);
}

Result<std::unique_ptr<format::ArrayT>> DatasetWriter::finish_array(const std::string& file,
                                                                    NpyWriter& array) {
  GLS_TRY(array.finish());
  auto out = std::make_unique<format::ArrayT>();
  out->file = file;
  out->dtype = dtype_name(array.dtype());
  out->shape = {array.rows()};
  out->shape.insert(out->shape.end(), array.row_shape().begin(), array.row_shape().end());
  out->xxh3 = array.checksum();
  return out;
}

Result<std::unique_ptr<format::ArrayT>> DatasetWriter::write_array(const std::string& file,
                                                                   const Tensor& tensor,
                                                                   bool pad_rows,
                                                                   const Progress& progress,
                                                                   const char* stage, int copies) {
  const int64_t row_bytes = tensor.row_bytes();
  const int64_t target = pad_rows ? padded_row_bytes(row_bytes) : row_bytes;
  const auto item = static_cast<int64_t>(dtype_bytes(tensor.dtype()));
  std::vector<int64_t> row_shape(tensor.shape().begin() + 1, tensor.shape().end());
  if (target != row_bytes) {
    row_shape = {target / item};
  }
  GLS_ASSIGN(NpyWriter array, create_array(file, tensor.dtype(), row_shape));
  const int64_t rows = tensor.rows();
  const int64_t chunk = std::max<int64_t>(1, (int64_t{4} << 20) / std::max<int64_t>(target, 1));
  const auto total = static_cast<uint64_t>(rows * row_bytes * copies);
  std::vector<std::byte> padded;
  for (int copy = 0; copy < copies; ++copy) {
    for (int64_t begin = 0; begin < rows; begin += chunk) {
      const int64_t count = std::min(chunk, rows - begin);
      const std::byte* source = tensor.data() + begin * tensor.row_stride();
      if (tensor.row_stride() == target && target == row_bytes) {
        GLS_TRY(array.append({source, static_cast<size_t>(count * target)}, count));
      } else {
        padded.assign(static_cast<size_t>(count * target), std::byte{0});
        for (int64_t i = 0; i < count; ++i) {
          std::memcpy(padded.data() + i * target, source + i * tensor.row_stride(),
                      static_cast<size_t>(row_bytes));
        }
        GLS_TRY(array.append(padded, count));
      }
      const auto done = static_cast<uint64_t>((copy * rows + begin + count) * row_bytes);
      GLS_TRY(report(progress, stage, done, total, "B"));
    }
  }
  return finish_array(file, array);
}

void DatasetWriter::stamp(format::ManifestT* manifest) {
  manifest->format = kManifestFormat;
  manifest->version = manifest->part != nullptr ? kPartManifestVersion : kManifestVersion;
  manifest->created_by =
      formatted("libgls {}.{}.{}", GLS_VERSION_MAJOR, GLS_VERSION_MINOR, GLS_VERSION_PATCH);
}

Status DatasetWriter::commit(format::ManifestT manifest) {
  if (!folder_) {
    return {};
  }
  stamp(&manifest);
  return commit(kManifestFile, manifest_to_json(manifest));
}

Status DatasetWriter::commit(const char* name, const std::string& text) {
  GLS_ASSIGN(FileWriter file, FileWriter::create(folder_->file(name)));
  const std::string sealed = seal_json(text);
  GLS_TRY(file.write(std::as_bytes(std::span(sealed))));
  GLS_TRY(file.close(true));
  remove_tree(folder_->file(kScratchFolder));
  return folder_->commit();
}

}  // namespace gls
