// A part of a graph that is open in this process.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/part/global_to_local.h"
#include "cluster/part/part.h"
#include "cluster/part/replicated_rows.h"
#include "graph/dataset/dataset.h"
#include "graph/partition/halo_rows.h"

namespace gls {

class LocalPart final : public Part, public std::enable_shared_from_this<LocalPart> {
 public:
  // An error: the dataset is not a part of a graph.
  static Result<std::shared_ptr<const LocalPart>> create(std::shared_ptr<const Dataset> dataset);

  const Dataset& dataset() const { return *dataset_; }
  uint32_t number() const { return dataset_->part()->number; }

  // Only the members of `options` that picks of a hop depend on are used. Ids and pairs of
  // `exclude` that the part does not know are dropped.
  Result<std::shared_ptr<const PartSampler>> open_sampler(
      const SamplerOptions& options) const override;
  std::function<bool(int64_t node)> halo(size_t edge_type, Layout layout) const override;
  Deferred<Tensor> ask_rows(const RowQuestion& question) const override;
  Deferred<Done> ask_rows_to(const RowQuestion& question, const RowTarget& target) const override;
  Deferred<Tensor> ask_edges(const EdgeQuestion& question) const override;
  std::function<bool(int64_t id)> copies(const RowQuestion& question) const override;
  bool is_local() const override { return true; }
  std::vector<ArrayFile> files() const override { return dataset_->files(); }

  // Rows that are all in this part.
  struct FoundRows {
    const Column* column = nullptr;
    DLDataType dtype{};
    std::vector<int64_t> ids;   // ids in the part
    int64_t row_bytes() const;  // after conversion by gather
  };
  Result<size_t> find_column(bool of_nodes, size_t type, std::string_view name) const;
  Result<FoundRows> find_rows(const RowQuestion& question) const;
  // Writes the rows one after another, or to `places` of `out`, which begins at a cache line.
  void gather_to(std::byte* out, const FoundRows& rows, const int64_t* places = nullptr) const;

  Result<Tensor> answer_edges(const EdgeQuestion& question) const;

  // Translates excluded edges to ids in the part. An error names a type or an id that does not
  // exist.
  Result<std::vector<EdgeSet>> translate(const std::vector<EdgeSet>& exclude) const;

  // Null: no halo. Built at first use.
  const HaloRows* find_halo(size_t edge_type, Layout layout) const;
  // The halo, if it was built by a caller that holds the part. Other callers ask the owners.
  const HaloRows* made_halo(size_t edge_type, Layout layout) const;
  // The whole row of a global node id, in an existing edge type; -1: the part does not store it.
  int64_t row_of(size_t edge_type, Layout layout, int64_t node) const;

 private:
  // Indexes that are built at first use.
  struct Lookup {
    std::once_flag once;
    std::optional<GlobalToLocal> lookup;
    std::once_flag once_copies;
    std::optional<ReplicatedRows> copies;
    std::once_flag once_halo;  // for an edge type, which has a halo in at most one layout
    std::optional<HaloRows> halo;
    std::atomic<const HaloRows*> made_halo = nullptr;
  };
  explicit LocalPart(std::shared_ptr<const Dataset> dataset);
  struct TypeView {
    const std::string& name;
    const std::vector<Column>& columns;
    const GlobalIds& whole;
  };
  Result<TypeView> find_type(bool of_nodes, size_t type) const;
  Result<Tensor> gather_rows(const RowQuestion& question) const;
  Status gather_rows_to(const RowQuestion& question, const RowTarget& target) const;
  const GlobalToLocal& lookup(bool of_nodes, size_t type) const;
  const ReplicatedRows& row_copies(bool of_nodes, size_t type) const;
  Result<std::vector<int64_t>> find_degrees(const EdgeQuestion& question) const;
  Result<std::vector<int64_t>> find_ends(const EdgeQuestion& question) const;
  Result<std::vector<int64_t>> find_pairs(const EdgeQuestion& question) const;
  Result<std::vector<int64_t>> rows_of(size_t edge_type, Layout layout, const IdSpan& ids) const;
  Result<EdgeSet> translate_ids(const EdgeSet& set) const;
  Result<EdgeSet> translate_pairs(const EdgeSet& set) const;

  const std::shared_ptr<const Dataset> dataset_;
  std::unique_ptr<Lookup[]> node_lookups_;
  std::unique_ptr<Lookup[]> edge_lookups_;
};

}  // namespace gls
