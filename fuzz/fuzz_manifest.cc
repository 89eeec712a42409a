// Manifests, descriptions of folders of parts, and dataset folders, which may be parts. An input
// that begins with '{' is a manifest; with '[' before it, a description of parts. Any other input
// is a flag byte, a manifest after its length in two bytes, and bytes for the arrays. These fill
// files with the dtypes and shapes in the manifest, so that most folders open.
#include <filesystem>
#include <fstream>
#include <map>

#include "format/manifest.h"
#include "format/npy.h"
#include "format/partition_file.h"
#include "graph/dataset/node_keys.h"
#include "graph/folder/dataset_folder.h"
#include "graph/folder/verify.h"
#include "input.h"
#include "loader/pipeline/loader.h"
#include "sample/part_hops.h"

namespace {

using namespace gls;

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gls-fuzz-XXXXXX").string();
    CLAIM(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }
  void clear() const {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  // False: no file can have this name.
  bool write(const std::string& name, std::string_view text) const {
    std::error_code failed;
    const std::filesystem::path file = path_ + "/" + name;
    std::filesystem::create_directories(file.parent_path(), failed);
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    return !failed && out.good();
  }

 private:
  std::string path_;
};

void check_manifest(const std::string& text) {
  Result<format::ManifestT> manifest = parse_manifest(text, "input");
  if (!manifest.ok()) {
    fuzz::claim_error(manifest.status());
    return;
  }
  const std::string written = manifest_to_json(*manifest);
  Result<format::ManifestT> again = parse_manifest(written, "written");
  CLAIM(again.ok());
  CLAIM(manifest_to_json(*again) == written);
}

void check_partition(const std::string& text) {
  Result<format::PartitionT> partition = parse_partition(text, "input");
  if (!partition.ok()) {
    fuzz::claim_error(partition.status());
    return;
  }
  const std::string written = partition_to_json(*partition);
  Result<format::PartitionT> again = parse_partition(written, "written");
  CLAIM(again.ok());
  CLAIM(partition_to_json(*again) == written);
}

// ---- folders -----------------------------------------------------------------------------------

constexpr int64_t kMostBytes = 4096;

class Arrays {
 public:
  Arrays(const Folder& folder, std::string_view bytes) : folder_(folder), bytes_(bytes) {}

  void add(const std::unique_ptr<format::ArrayT>& array) {
    Result<DLDataType> dtype = array == nullptr ? DLDataType{} : parse_dtype(array->dtype);
    if (array == nullptr || !dtype.ok() || !written_.emplace(array->file, true).second) {
      return;
    }
    auto size = static_cast<int64_t>(dtype_bytes(*dtype));
    for (const int64_t extent : array->shape) {
      if (__builtin_mul_overflow(size, extent, &size) || size > kMostBytes) {
        return;
      }
    }
    std::string text = make_npy_header(*dtype, array->shape);
    for (int64_t i = 0; i < size; ++i) {
      text += bytes_.empty() ? '\0' : bytes_[at_++ % bytes_.size()];
    }
    folder_.write(array->file, text);
  }
  void add(const std::unique_ptr<format::WholeT>& whole) {
    if (whole != nullptr) {
      add(whole->ids);
      add(whole->index);
    }
  }
  void add(const std::unique_ptr<format::TopologyT>& topology) {
    if (topology != nullptr) {
      add(topology->indptr);
      add(topology->indices);
      add(topology->edge_ids);
    }
  }

 private:
  const Folder& folder_;
  std::string_view bytes_;
  size_t at_ = 0;
  std::map<std::string, bool> written_;
};

void write_arrays(const format::ManifestT& manifest, Arrays& arrays) {
  for (const auto& type : manifest.edge_types) {
    arrays.add(type->csc);
    arrays.add(type->csr);
    arrays.add(type->whole);
    for (const auto& column : type->columns) {
      arrays.add(column->array);
    }
  }
  for (const auto& type : manifest.node_types) {
    arrays.add(type->whole);
    for (const auto& column : type->columns) {
      arrays.add(column->array);
    }
    for (const auto& set : type->id_sets) {
      arrays.add(set->array);
    }
    if (type->keys != nullptr) {
      arrays.add(type->keys->values);
      arrays.add(type->keys->offsets);
      arrays.add(type->keys->order);
    }
  }
}

void use_keys(const Dataset& dataset) {
  for (const NodeType& type : dataset.node_types()) {
    if (!type.keys) {
      continue;
    }
    for (int64_t id = 0; id < std::min<int64_t>(type.count, 8); ++id) {
      Result<std::string> key = node_key(type, id);
      CLAIM(key.ok() || key.status().code() == GLS_ERR_CORRUPT_DATA);
      if (key.ok()) {
        Result<int64_t> found = find_node(type, *key);
        CLAIM(!found.ok() || (*found >= 0 && *found < type.count));
      }
    }
  }
}

// Asks a part for hops of all nodes that it may own.
void use_hops(const Sampler& sampler) {
  const Dataset& dataset = *sampler.dataset();
  for (size_t t = 0; dataset.part() && t < dataset.edge_types().size(); ++t) {
    const EdgeType& type = dataset.edge_types()[t];
    const bool in = sampler.options().direction == Direction::kIn;
    const GlobalIds& owned = *dataset.node_types()[in ? type.target : type.source].whole;
    std::vector<int64_t> nodes;
    for (int64_t id = 0; id < std::min<int64_t>(owned.whole_count(), 64); ++id) {
      if (owned.local_of_owned(id) >= 0) {
        nodes.push_back(id);
      }
    }
    HopQuestion question;
    question.edge_type = t;
    question.nodes = IdSpan(nodes.data(), true, static_cast<int64_t>(nodes.size()));
    question.trees = sampler.options().disjoint ? question.nodes : IdSpan();
    Result<HopPicks> picks = answer_hop_of_part(sampler, question);
    if (!picks.ok()) {
      fuzz::claim_error(picks.status());
    }
  }
}

// Samples and gathers everything, damaged or not.
void use_samples(const std::shared_ptr<const Dataset>& dataset, uint8_t flags) {
  SamplerOptions options;
  options.num_hops = 2;
  options.fanouts.assign(dataset->edge_types().size(), {(flags & 4) != 0 ? 2 : -1, 3});
  options.direction = (flags & 8) != 0 ? Direction::kOut : Direction::kIn;
  options.edge_ids = true;
  options.disjoint = (flags & 16) != 0;
  options.int32 = (flags & 32) != 0;
  options.weight = (flags & 64) != 0 ? "w" : "";
  auto sampler = Sampler::create(dataset, options);
  if (!sampler.ok()) {
    fuzz::claim_error(sampler.status());
    return;
  }
  use_hops(**sampler);
  LoaderOptions loading;
  loading.plan.batch_size = 16;
  for (size_t t = 0; t < dataset->node_types().size(); ++t) {
    for (const Column& column : dataset->node_types()[t].columns) {
      loading.columns.push_back({true, t, &column, false, column.data.dtype()});
    }
  }
  for (size_t t = 0; t < dataset->edge_types().size(); ++t) {
    for (const Column& column : dataset->edge_types()[t].columns) {
      loading.columns.push_back({false, t, &column, false, column.data.dtype()});
    }
  }
  for (size_t t = 0; t < dataset->node_types().size(); ++t) {
    loading.node_type = t;
    auto loader = Loader::create(*sampler, Tensor(), loading);
    CLAIM(loader.ok());
    for (int i = 0; i < 3; ++i) {
      std::shared_ptr<Batch> batch;
      Result<Loader::Next> next = (*loader)->next(-1, &batch);
      if (!next.ok()) {
        fuzz::claim_error(next.status());
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0 && (data[0] == '{' || data[0] == '[')) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    data[0] == '{' ? check_manifest(text) : check_partition(text.substr(1));
    return 0;
  }
  fuzz::Input input(data, size);
  const uint8_t flags = input.byte();
  const std::string text(input.piece());
  Result<format::ManifestT> manifest = parse_manifest(text, "input");
  if (!manifest.ok()) {
    fuzz::claim_error(manifest.status());
    return 0;
  }
  static const Folder folder;
  folder.clear();
  Arrays arrays(folder, input.rest());
  write_arrays(*manifest, arrays);
  CLAIM(folder.write(kManifestFile, text));
  OpenOptions options;
  options.residency = static_cast<Residency>(flags % 3);
  auto dataset = open_dataset(fuzz::shared_context(), folder.path(), options);
  if (!dataset.ok()) {
    fuzz::claim_error(dataset.status());
    return 0;
  }
  static_cast<void>((*dataset)->fingerprint());
  use_keys(**dataset);
  use_samples(*dataset, flags);
  const Status verified = verify_dataset(**dataset, {});
  if (!verified.ok()) {
    fuzz::claim_error(verified);
  }
  return 0;
}
