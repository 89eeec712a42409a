// Chooses the columns whose rows a planned loader reads itself, and opens their files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loader/columns/columns.h"
#include "storage/row_reader.h"

namespace gls {

// A column in a file.
struct PlannedColumn {
  size_t index = 0;  // in the loader's columns
  ColumnToGather wanted;
  StorageFile file;
  uint64_t offset = 0;  // of row 0
  uint64_t row_bytes = 0;
  uint64_t stride = 0;  // from row to row
  uint64_t num_rows = 0;

  RowFile rows() const { return {&file, offset, row_bytes, stride}; }
};

// How a loader reads columns that are in files; the setting storage.way.
enum class StorageWay : uint8_t { kAuto = 0, kMapped = 1, kPlanned = 2 };

struct StorageOptions {
  StorageWay way = StorageWay::kAuto;
  uint64_t memory = 0;           // of all that the loader uses, the graph's topology included
  std::string folder;            // for temporary files; empty: chosen
  uint64_t temporary_bytes = 0;  // of temporary files; 0: half of what is free
  std::optional<IoWay> reads;    // not set: chosen
  uint64_t window = 0;           // batches of a window at the most; 0: chosen

  static StorageOptions from(const Settings& settings);
};

// The arrays of followed edge types that a sampler reads at random places, and their bytes.
std::vector<Tensor> topology_arrays(const Sampler& sampler);
uint64_t topology_bytes(const Sampler& sampler);

// Whether the graph is local and all its arrays that a sampler reads are in files.
bool has_topology_in_files(const Sampler& sampler);

// The largest of some arrays.
const Tensor& largest(const std::vector<Tensor>& arrays);

// Whether reads of a column can be planned. A shorter column is one page.
bool is_in_file(const Column& column);
// The largest of the columns; its file stands for all, as they are mostly on one disk.
const PlannedColumn& largest(const std::vector<PlannedColumn>& columns);

// The mapped file that holds an array. An error: it was replaced.
Result<StorageFile> open_mapped(const Tensor& data);

// Bytes of the columns whose reads can be planned.
uint64_t file_bytes(const std::vector<ColumnToGather>& columns);
// Bytes of the columns whose reads are not planned.
uint64_t mapped_bytes(const std::vector<ColumnToGather>& columns,
                      const std::vector<PlannedColumn>& planned);

// None: all rows are read through mapped files. For kAuto this is so if the topology and the
// columns fit into the memory. Else small columns stay mapped, if the way is chosen here.
Result<std::vector<PlannedColumn>> plan_columns(const Sampler& sampler,
                                                const std::vector<ColumnToGather>& columns,
                                                const StorageOptions& options);

}  // namespace gls
