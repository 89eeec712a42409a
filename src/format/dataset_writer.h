// Writes a dataset folder: first the arrays, then the manifest; then the folder gets its final
// name.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/progress.h"
#include "format/npy.h"
#include "manifest_generated.h"
#include "system/file.h"

namespace gls {

// Rows start at a cache line if that costs at most a quarter more space. A gather of 400-byte rows
// then touches 7 lines instead of 7.25, and copies whole vectors.
int64_t padded_row_bytes(int64_t row_bytes);

class DatasetWriter {
 public:
  static Result<DatasetWriter> create(const std::string& path, bool overwrite);
  // For a folder that is not a dataset, but also has arrays and a JSON file.
  static Result<DatasetWriter> create(const std::string& path, const FolderOptions& options);

  // A writer that writes nothing, and only describes the arrays.
  static DatasetWriter measuring();

  // Checks that the file system has room for this many bytes.
  Status check_space(double bytes) const;

  // A unique file name inside the folder, made from the parts. Characters that file systems or
  // shells dislike are replaced. ".npy" is appended.
  std::string file_name(std::initializer_list<std::string_view> parts);
  // For files that are removed before the folder gets its final name.
  std::string scratch_path(std::string_view name) const;

  Result<NpyWriter> create_array(const std::string& file, DLDataType dtype,
                                 std::span<const int64_t> row_shape);
  // Completes `array` and describes it for the manifest.
  Result<std::unique_ptr<format::ArrayT>> finish_array(const std::string& file, NpyWriter& array);
  // Writes a whole tensor `copies` times in a row. `stage` is for progress.
  Result<std::unique_ptr<format::ArrayT>> write_array(const std::string& file, const Tensor& tensor,
                                                      bool pad_rows, const Progress& progress,
                                                      const char* stage, int copies = 1);

  Status commit(format::ManifestT manifest);
  // `text` is a JSON object; it gets a checksum (format/sealed_json.h).
  Status commit(const char* file, const std::string& text);
  // The path of the folder until commit().
  const std::string& working_path() const { return folder_->working_path(); }
  // Sets the members that commit() adds to a manifest.
  static void stamp(format::ManifestT* manifest);

 private:
  DatasetWriter(std::string path, std::optional<FolderWriter> folder)
      : path_(std::move(path)), folder_(std::move(folder)) {}
  std::string path_;
  std::optional<FolderWriter> folder_;
  std::set<std::string> names_;
};

}  // namespace gls
