#include "cluster/part/partitioned_source.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "cluster/part/edge_query.h"
#include "cluster/part/row_fetch.h"
#include "sample/kernels/id_array.h"

namespace gls {
namespace {

// ---- hops --------------------------------------------------------------------------------------

// A hop question that was sent to the owners of its nodes.
class PendingHop {
 public:
  PendingHop(const Parts& parts, BufferPool& pool) : parts_(parts), pool_(pool) {}

  Status ask(const PartitionBook& book,
             const std::vector<std::shared_ptr<const PartSampler>>& samplers,
             const SplitByOwner::Instead& halos, const HopQuestion& question, DLDataType ids,
             bool edge_ids, bool wide_edges) {
    ids_ = ids;
    edge_ids_ = edge_ids;
    wide_edges_ = wide_edges;
    GLS_ASSIGN(split_, SplitByOwner::split(book, question.nodes, halos));
    asked_.resize(parts_.size());
    trees_.resize(parts_.size());
    times_.resize(parts_.size());
    ask_all(parts_, split_, [&](size_t p, const SplitByOwner::Share& share) {
      HopQuestion of = question;
      of.nodes = share.span();
      of.trees = taken(question.trees, share, &trees_[p]);
      of.times = taken(question.times, share, &times_[p]);
      asked_[p] = samplers[p]->ask(of);
    });
    return {};
  }

  Result<HopPicks> take() {
    std::vector<HopPicks> picks;
    GLS_TRY(take_all(parts_, &asked_, &picks));
    int64_t total = 0;
    for (const HopPicks& of : picks) {
      total += of.neighbors.defined() ? of.neighbors.rows() : 0;
    }
    return join(picks, total);
  }

 private:
  static IdSpan taken(const IdSpan& values, const SplitByOwner::Share& share,
                      std::vector<int64_t>* out) {
    if (values.size() == 0) {
      return {};
    }
    out->reserve(share.places.size());
    for (const int64_t place : share.places) {
      out->push_back(values[place]);
    }
    return {out->data(), true, static_cast<int64_t>(out->size())};
  }

  Result<HopPicks> join(const std::vector<HopPicks>& picks, int64_t total) const {
    const auto nodes = static_cast<int64_t>(split_.owners().size());
    const bool wide = same_dtype(ids_, kInt64);
    IdArray counts(pool_, false, nodes);
    IdArray neighbors(pool_, wide, total);
    IdArray edges = edge_ids_ ? IdArray(pool_, wide_edges_, total) : IdArray();
    struct Cursor {
      int64_t node = 0;
      int64_t pick = 0;
    };
    std::vector<Cursor> cursors(picks.size());
    int64_t at = 0;
    for (int64_t i = 0; i < nodes; ++i) {
      const size_t p = split_.owners()[static_cast<size_t>(i)];
      Cursor& cursor = cursors[p];
      const int32_t count = picks[p].counts.as<int32_t>()[cursor.node++];
      counts.set(i, count);
      copy(picks[p].neighbors, cursor.pick, count, wide, neighbors.at(at));
      if (edge_ids_) {
        copy(picks[p].edge_ids, cursor.pick, count, wide_edges_, edges.at(at));
      }
      cursor.pick += count;
      at += count;
    }
    HopPicks out;
    out.counts = counts.finish(nodes);
    out.neighbors = neighbors.finish(total);
    out.edge_ids = edge_ids_ ? edges.finish(total) : Tensor();
    return out;
  }

  static void copy(const Tensor& from, int64_t begin, int64_t count, bool wide, void* to) {
    if (count > 0) {  // otherwise the arrays may not be allocated
      const int64_t width = wide ? 8 : 4;
      std::memcpy(to, from.data() + begin * width, static_cast<size_t>(count * width));
    }
  }

  const Parts& parts_;
  BufferPool& pool_;
  DLDataType ids_{};
  bool edge_ids_ = false;
  bool wide_edges_ = false;
  SplitByOwner split_;
  std::vector<std::vector<int64_t>> trees_;  // the ids that the questions view, by part
  std::vector<std::vector<int64_t>> times_;
  std::vector<Deferred<HopPicks>> asked_;
};

class PartsHops final : public HopSource {
 public:
  PartsHops(std::shared_ptr<BufferPool> pool, std::shared_ptr<const Partition> partition,
            Parts parts, const SamplerOptions& options)
      : pool_(std::move(pool)),
        partition_(std::move(partition)),
        parts_(std::move(parts)),
        in_(options.direction == Direction::kIn),
        wide_(!options.int32),
        edge_ids_(options.edge_ids) {}

  Status open(const SamplerOptions& options) {
    for (const auto& part : parts_) {
      GLS_ASSIGN(auto sampler, part->open_sampler(options));
      samplers_.push_back(std::move(sampler));
    }
    for (const auto& type : partition_->whole().edge_types) {
      GLS_ASSIGN(const size_t anchor,
                 partition_->node_type_index((in_ ? type->target : type->source).c_str()));
      anchors_.push_back(anchor);
      const size_t t = halos_.size();
      const bool picks = std::ranges::any_of(options.fanouts[t], [](auto f) { return f != 0; });
      halos_.push_back(picks ? local_halos(parts_, t, in_ ? Layout::kCsc : Layout::kCsr)
                             : SplitByOwner::Instead());
    }
    return {};
  }

  Deferred<HopPicks> ask(const HopQuestion& question) const override {
    const int64_t edges = partition_->whole().edge_types[question.edge_type]->count;
    auto asked = std::make_shared<PendingHop>(parts_, *pool_);
    Status status = asked->ask(partition_->node_book(anchors_[question.edge_type]), samplers_,
                               halos_[question.edge_type], question, wide_ ? kInt64 : kInt32,
                               edge_ids_, wide_ || edges > int64_t{0x7fffffff});
    if (!status.ok()) {
      return failed<HopPicks>(std::move(status));
    }
    return [asked] { return asked->take(); };
  }

 private:
  const std::shared_ptr<BufferPool> pool_;
  const std::shared_ptr<const Partition> partition_;
  const Parts parts_;
  const bool in_;
  const bool wide_;
  const bool edge_ids_;
  std::vector<std::shared_ptr<const PartSampler>> samplers_;
  std::vector<size_t> anchors_;  // by edge type: the node type whose rows are picked from
  std::vector<SplitByOwner::Instead> halos_;
};

}  // namespace

PartitionedSource::PartitionedSource(std::shared_ptr<BufferPool> pool,
                                     std::shared_ptr<const Partition> partition,
                                     std::vector<std::shared_ptr<const Part>> parts)
    : pool_(std::move(pool)), partition_(std::move(partition)), parts_(std::move(parts)) {}

Result<std::shared_ptr<const HopSource>> PartitionedSource::open_hops(
    const SamplerOptions& options) const {
  auto hops = std::make_shared<PartsHops>(pool_, partition_, parts_, options);
  GLS_TRY(hops->open(options));
  return std::shared_ptr<const HopSource>(std::move(hops));
}

const format::ColumnT& PartitionedSource::column_of(const RowQuestion& question) const {
  const format::ManifestT& whole = partition_->whole();
  return question.of_nodes ? *whole.node_types[question.type]->columns[question.column]
                           : *whole.edge_types[question.type]->columns[question.column];
}

Status PartitionedSource::no_book(const RowQuestion& question) const {
  return corrupt("{}: there is no book of the edges that have column \"{}\"", partition_->path(),
                 column_of(question).name);
}

Deferred<Tensor> PartitionedSource::ask_rows(const RowQuestion& question, int64_t rows,
                                             SharedBytes memory) const {
  const format::ColumnT& column = column_of(question);
  const PartitionBook* const owners = book(question.of_nodes, question.type);
  if (owners == nullptr) {
    return failed<Tensor>(no_book(question));
  }
  std::vector<int64_t> shape = {std::max(rows, question.ids.size())};
  shape.insert(shape.end(), column.row_shape.begin(), column.row_shape.end());
  auto asked = std::make_shared<RowFetch>(parts_, *pool_);
  Status status = asked->ask(*owners, question, std::move(shape), std::move(memory));
  if (!status.ok()) {
    return failed<Tensor>(std::move(status));
  }
  return [asked] { return asked->take(); };
}

Deferred<LandedRows> PartitionedSource::land_rows(const RowQuestion& question,
                                                  const RowLanding& landing) const {
  const PartitionBook* const owners = book(question.of_nodes, question.type);
  if (owners == nullptr) {
    return failed<LandedRows>(no_book(question));
  }
  auto asked = std::make_shared<DeviceRowFetch>(parts_);
  Status status = asked->ask(*owners, question, landing);
  if (!status.ok()) {
    return failed<LandedRows>(std::move(status));
  }
  return [asked] { return asked->take(); };
}

Deferred<Tensor> PartitionedSource::ask_edges(const EdgeQuestion& question) const {
  const auto asked = std::make_shared<EdgeQuery>(parts_, *partition_);
  if (Status status = asked->ask(question); !status.ok()) {
    return failed<Tensor>(std::move(status));
  }
  return [asked] { return asked->take(); };
}

std::vector<uint32_t> PartitionedSource::local_parts() const {
  std::vector<uint32_t> out;
  for (size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p]->is_local()) {
      out.push_back(static_cast<uint32_t>(p));
    }
  }
  return out;
}

}  // namespace gls
