// The interface through which a sorter reads edges: by position, from any thread, any number of
// times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "graph/dataset/dataset.h"
#include "graph/topology/topology.h"
#include "ingest/common/numbering.h"
#include "ingest/common/spool.h"
#include "tensor/tensor.h"

namespace gls {

// A list of edges with random access.
class EdgeSource {
 public:
  virtual ~EdgeSource() = default;
  virtual int64_t size() const = 0;
  // The ends of the edges at positions [begin, begin + count); NULL: this end is not needed.
  virtual void read(int64_t begin, size_t count, int64_t* sources, int64_t* targets) const = 0;
  // Whether edges have ids of their own; otherwise the id is the position.
  virtual bool has_ids() const { return false; }
  virtual void read_ids(int64_t begin, size_t count, int64_t* ids) const;
};

// Edges from two arrays.
class ArrayEdges : public EdgeSource {
 public:
  // Both are one-dimensional and of equal length.
  ArrayEdges(Tensor source, Tensor target);
  int64_t size() const override { return sources_.size(); }
  void read(int64_t begin, size_t count, int64_t* sources, int64_t* targets) const override;

 private:
  Tensor source_tensor_;
  Tensor target_tensor_;
  IdSpan sources_;
  IdSpan targets_;
};

// What a reader made of a file or stream of edges: provisional ids of the ends, and columns.
struct ReadEdges {
  IdSpool source;
  IdSpool target;
  std::vector<Column> columns;
};

// Edges that were read, with provisional ids that are converted to final ones while reading.
class SpooledEdges : public EdgeSource {
 public:
  // A NULL numbering leaves ids unchanged; both must outlive this object.
  SpooledEdges(IdSpool source, const Numbering* source_numbers, IdSpool target,
               const Numbering* target_numbers)
      : source_(std::move(source)),
        target_(std::move(target)),
        source_numbers_(source_numbers),
        target_numbers_(target_numbers) {}
  int64_t size() const override { return source_.size(); }
  void read(int64_t begin, size_t count, int64_t* sources, int64_t* targets) const override;

 private:
  IdSpool source_;
  IdSpool target_;
  const Numbering* source_numbers_;
  const Numbering* target_numbers_;
};

// Each edge reversed.
class ReversedEdges : public EdgeSource {
 public:
  explicit ReversedEdges(std::shared_ptr<const EdgeSource> edges) : edges_(std::move(edges)) {}
  int64_t size() const override { return edges_->size(); }
  void read(int64_t begin, size_t count, int64_t* sources, int64_t* targets) const override {
    edges_->read(begin, count, targets, sources);
  }

 private:
  std::shared_ptr<const EdgeSource> edges_;
};

// All edges, then all edges reversed.
class DoubledEdges : public EdgeSource {
 public:
  explicit DoubledEdges(std::shared_ptr<const EdgeSource> edges) : edges_(std::move(edges)) {}
  int64_t size() const override { return 2 * edges_->size(); }
  void read(int64_t begin, size_t count, int64_t* sources, int64_t* targets) const override;

 private:
  std::shared_ptr<const EdgeSource> edges_;
};

// Edges of an existing layout, in the order of its positions.
class TopologyEdges : public EdgeSource {
 public:
  TopologyEdges(Topology topology, Layout layout)
      : topology_(std::move(topology)), layout_(layout) {}
  int64_t size() const override { return topology_.num_edges; }
  void read(int64_t begin, size_t count, int64_t* sources, int64_t* targets) const override;
  bool has_ids() const override { return topology_.edge_ids != nullptr; }
  void read_ids(int64_t begin, size_t count, int64_t* ids) const override;

 private:
  Topology topology_;
  Layout layout_;
};

}  // namespace gls
