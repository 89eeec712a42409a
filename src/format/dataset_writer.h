// Writes a dataset folder: arrays first, the manifest last, then the folder gets its name.
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

// Rows start on a cache line when that costs at most a quarter more space: a gather of 400-byte
// rows then touches 7 lines and not 7.25, and copies whole vectors.
int64_t padded_row_bytes(int64_t row_bytes);

class DatasetWriter {
 public:
  static Result<DatasetWriter> create(const std::string& path, bool overwrite);
  // Of a folder that is no dataset, but has arrays and a JSON file, too.
  static Result<DatasetWriter> create(const std::string& path, const FolderOptions& options);

  // One that writes nothing, and tells what the arrays would be like.
  static DatasetWriter measuring();

  // That the file system has room for so many bytes.
  Status check_space(double bytes) const;

  // A file name inside the folder made of the parts, unlike any given out before: characters that
  // file systems or shells dislike are replaced. ".npy" is added.
  std::string file_name(std::initializer_list<std::string_view> parts);
  // For files that are removed before the folder gets its name.
  std::string scratch_path(std::string_view name) const;

  Result<NpyWriter> create_array(const std::string& file, DLDataType dtype,
                                 std::span<const int64_t> row_shape);
  // Completes `array` and describes it for the manifest.
  Result<std::unique_ptr<format::ArrayT>> finish_array(const std::string& file, NpyWriter& array);
  // Writes a whole tensor, `copies` times one after another. `stage` is for progress.
  Result<std::unique_ptr<format::ArrayT>> write_array(const std::string& file, const Tensor& tensor,
                                                      bool pad_rows, const Progress& progress,
                                                      const char* stage, int copies = 1);

  Status commit(format::ManifestT manifest);
  // `text` is a JSON object; it gets a checksum (format/sealed_json.h).
  Status commit(const char* file, const std::string& text);
  // Where it is until then.
  const std::string& working_path() const { return folder_->working_path(); }
  // What commit() writes besides what is given.
  static void stamp(format::ManifestT* manifest);

 private:
  DatasetWriter(std::string path, std::optional<FolderWriter> folder)
      : path_(std::move(path)), folder_(std::move(folder)) {}
  std::string path_;
  std::optional<FolderWriter> folder_;
  std::set<std::string> names_;
};

}  // namespace gls
