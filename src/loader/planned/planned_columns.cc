#include "loader/planned/planned_columns.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "system/mapped_ranges.h"

namespace gls {
namespace {

// Columns stay mapped as long as they take at most this part of the memory together.
constexpr uint64_t kMappedParts = 16;

Result<PlannedColumn> open_column(size_t index, const ColumnToGather& wanted) {
  const Tensor& data = wanted.column->data;
  GLS_ASSIGN(StorageFile file, open_mapped(data));
  return PlannedColumn{index,
                       wanted,
                       std::move(file),
                       find_mapped(data.data(), data.span_bytes())->offset,
                       static_cast<uint64_t>(data.row_bytes()),
                       static_cast<uint64_t>(data.row_stride()),
                       static_cast<uint64_t>(data.rows())};
}

}  // namespace

Result<StorageFile> open_mapped(const Tensor& data) {
  const MappedRange mapped = *find_mapped(data.data(), data.span_bytes());
  GLS_ASSIGN(StorageFile file, StorageFile::open(mapped.path, true));
  struct stat info {};
  if (fstat(file.fd(), &info) != 0 || info.st_dev != mapped.device || info.st_ino != mapped.inode) {
    return error(GLS_ERR_IO, "{} was replaced since the dataset was opened; open it again",
                 mapped.path)
        .with("file", mapped.path);
  }
  return file;
}

const Tensor& largest(const std::vector<Tensor>& arrays) {
  return *std::max_element(arrays.begin(), arrays.end(), [](const Tensor& a, const Tensor& b) {
    return a.span_bytes() < b.span_bytes();
  });
}

bool has_topology_in_files(const Sampler& sampler) {
  const Dataset& dataset = *sampler.dataset();
  if (dataset.source() != nullptr || dataset.part().has_value()) {
    return false;
  }
  const std::vector<Tensor> arrays = topology_arrays(sampler);
  return !arrays.empty() && std::all_of(arrays.begin(), arrays.end(), [](const Tensor& array) {
    return find_mapped(array.data(), array.span_bytes()).has_value();
  });
}

bool is_in_file(const Column& column) {
  return column.is_local() && column.data.rows() > 0 && column.data.row_bytes() > 0 &&
         column.data.span_bytes() >= kDirectAlignment &&
         find_mapped(column.data.data(), column.data.span_bytes()).has_value();
}

const PlannedColumn& largest(const std::vector<PlannedColumn>& columns) {
  return *std::max_element(columns.begin(), columns.end(), [](const auto& a, const auto& b) {
    return a.row_bytes * a.num_rows < b.row_bytes * b.num_rows;
  });
}

uint64_t file_bytes(const std::vector<ColumnToGather>& columns) {
  uint64_t sum = 0;
  for (const ColumnToGather& wanted : columns) {
    sum += is_in_file(*wanted.column) ? wanted.column->data.span_bytes() : 0;
  }
  return sum;
}

uint64_t mapped_bytes(const std::vector<ColumnToGather>& columns,
                      const std::vector<PlannedColumn>& planned) {
  uint64_t sum = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    const bool is_planned = std::any_of(planned.begin(), planned.end(),
                                        [i](const PlannedColumn& of) { return of.index == i; });
    sum += is_planned ? 0 : columns[i].column->data.span_bytes();
  }
  return sum;
}

StorageOptions StorageOptions::from(const Settings& settings) {
  StorageOptions out;
  out.way = static_cast<StorageWay>(settings.choice(Setting::kStorageWay));
  out.memory = settings.bytes(Setting::kStorageMemory);
  if (out.memory == 0) {
    out.memory = usable_memory() / 4 * 3;
  }
  out.folder = settings.text(Setting::kStorageFolder);
  if (const size_t reads = settings.choice(Setting::kStorageReads); reads != 0) {
    out.reads = reads == 1 ? IoWay::kUring : IoWay::kThreads;
  }
  out.temporary_bytes = settings.bytes(Setting::kStorageTemporaryBytes);
  out.window = static_cast<uint64_t>(settings.integer(Setting::kStorageWindow));
  return out;
}

std::vector<Tensor> topology_arrays(const Sampler& sampler) {
  const SamplerOptions& options = sampler.options();
  std::vector<Tensor> out;
  const auto add = [&](const Tensor& array) {
    if (array.defined() && array.rows() > 0) {
      out.push_back(array);
    }
  };
  const std::vector<EdgeType>& types = sampler.dataset()->edge_types();
  for (size_t t = 0; t < types.size(); ++t) {
    const EdgeType& type = types[t];
    if (!options.fanouts.empty() && options.subgraph == Subgraph::kSampled &&
        std::ranges::all_of(options.fanouts[t], [](int64_t fanout) { return fanout == 0; })) {
      continue;
    }
    const auto& rows =
        type.topology(options.direction == Direction::kIn ? Layout::kCsc : Layout::kCsr);
    if (rows.has_value()) {
      add(rows->indptr_tensor);
      add(rows->indices_tensor);
      if (options.edge_ids) {
        add(rows->edge_ids_tensor);
      }
    }
    for (const std::string& name : {options.weight, options.edge_time}) {
      if (const Column* column = type.find_column(name); !name.empty() && column != nullptr) {
        add(column->data);
      }
    }
  }
  return out;
}

uint64_t topology_bytes(const Sampler& sampler) {
  uint64_t sum = 0;
  for (const Tensor& array : topology_arrays(sampler)) {
    sum += array.span_bytes();
  }
  return sum;
}

Result<std::vector<PlannedColumn>> plan_columns(const Sampler& sampler,
                                                const std::vector<ColumnToGather>& columns,
                                                const StorageOptions& options) {
  std::vector<PlannedColumn> out;
  if (options.way == StorageWay::kMapped || sampler.dataset()->source() != nullptr) {
    return out;
  }
  std::vector<size_t> order;  // of columns in files, the smallest first
  for (size_t i = 0; i < columns.size(); ++i) {
    if (is_in_file(*columns[i].column)) {
      order.push_back(i);
    }
  }
  uint64_t mapped = 0;  // bytes that may stay mapped
  if (options.way == StorageWay::kAuto) {
    if (topology_bytes(sampler) + file_bytes(columns) <= options.memory) {
      return out;
    }
    mapped = options.memory / kMappedParts;
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return columns[a].column->data.span_bytes() < columns[b].column->data.span_bytes();
  });
  size_t first = 0;
  for (uint64_t sum = 0; first < order.size(); ++first) {
    sum += columns[order[first]].column->data.span_bytes();
    if (sum > mapped) {
      break;
    }
  }
  std::sort(order.begin() + static_cast<ptrdiff_t>(first), order.end());
  for (size_t i = first; i < order.size(); ++i) {
    GLS_ASSIGN(PlannedColumn column, open_column(order[i], columns[order[i]]));
    out.push_back(std::move(column));
  }
  return out;
}

}  // namespace gls
