#include "ingest/partition/reassemble.h"

#include <utility>
#include <vector>

#include "graph/dataset/topology_query.h"
#include "ingest/common/row_stream.h"

namespace gls {
namespace {

class Reassembly {
 public:
  Reassembly(const OpenParts& parts, DatasetWriter& writer, const Progress& progress)
      : parts_(parts), partition_(*parts.partition), writer_(writer), progress_(progress) {}

  Status run() {
    const format::ManifestT& whole = partition_.whole();
    for (size_t t = 0; t < whole.node_types.size(); ++t) {
      GLS_TRY(add_node_type(t, *whole.node_types[t]));
    }
    for (size_t t = 0; t < whole.edge_types.size(); ++t) {
      GLS_TRY(add_edge_type(t, *whole.edge_types[t]));
    }
    return {};
  }

 private:
  Result<RowStream> stream(const format::ArrayT& array, const std::string& type) {
    Result<DLDataType> dtype = parse_dtype(array.dtype);
    if (!dtype.ok() || array.shape.empty()) {
      return corrupt("{}: {} of \"{}\" is described as {} {}", partition_.path(), array.file, type,
                     array.dtype, shape_text(array.shape))
          .with("file", partition_.path());
    }
    const std::vector<int64_t> row_shape(array.shape.begin() + 1, array.shape.end());
    const auto tick = [this, type]() -> Status {
      return report(progress_, "putting arrays together", done_++, 0, "MiB");
    };
    return RowStream::create(writer_, array.file, *dtype, row_shape, tick);
  }

  Result<RowStream> id_stream(const format::ArrayT& array, const std::string& type) {
    if (array.shape.size() != 1 || (array.dtype != "int32" && array.dtype != "int64")) {
      return corrupt("{}: {} of \"{}\" is described as {} {}, expected int32 or int64 in a row",
                     partition_.path(), array.file, type, array.dtype, shape_text(array.shape))
          .with("file", partition_.path());
    }
    return stream(array, type);
  }

  Status compare(const format::ArrayT& wanted, const format::ArrayT& made,
                 const std::string& type) const {
    if (made.shape == wanted.shape && made.dtype == wanted.dtype && made.xxh3 == wanted.xxh3) {
      return {};
    }
    return corrupt(
               "{}: {} of \"{}\", put together from the parts, is {} {} with checksum {}, expected "
               "{} "
               "{} with checksum {}",
               partition_.path(), wanted.file, type, made.dtype, shape_text(made.shape), made.xxh3,
               wanted.dtype, shape_text(wanted.shape), wanted.xxh3)
        .with("file", wanted.file)
        .with("type", type);
  }

  Status finish(RowStream& rows, const format::ArrayT& wanted, const std::string& type) {
    GLS_ASSIGN(const auto made, rows.finish());
    return compare(wanted, *made, type);
  }

  // ---- data kept unchanged ----

  Status copy(const format::ArrayT& array, const std::string& type) {
    GLS_ASSIGN(const Tensor tensor,
               partition_.map(SharedArray{file_of_whole(array.file), &array}.in_folder()));
    GLS_ASSIGN(const auto made, writer_.write_array(array.file, tensor, false, progress_,
                                                    "putting arrays together"));
    return compare(array, *made, type);
  }

  Status add_node_type(size_t type, const format::NodeTypeT& whole) {
    for (size_t c = 0; c < whole.columns.size(); ++c) {
      const auto column = [&](size_t p) -> const Column& {
        return parts_.parts[p]->node_types()[type].columns[c];
      };
      GLS_TRY(add_column(*whole.columns[c], whole.name, partition_.node_book(type), column));
    }
    for (const auto& set : whole.id_sets) {
      GLS_TRY(copy(*set->array, whole.name));
    }
    if (whole.keys != nullptr) {
      GLS_TRY(copy(*whole.keys->values, whole.name));
      GLS_TRY(whole.keys->offsets ? copy(*whole.keys->offsets, whole.name) : Status());
      GLS_TRY(whole.keys->order ? copy(*whole.keys->order, whole.name) : Status());
    }
    return {};
  }

  // ---- data in the parts ----

  template <typename ColumnOf>
  Status add_column(const format::ColumnT& whole, const std::string& type,
                    const PartitionBook& book, const ColumnOf& column) {
    GLS_ASSIGN(RowStream rows, stream(*whole.array, type));
    std::vector<int64_t> next(parts_.parts.size());
    for (int64_t id = 0; id < book.count(); ++id) {
      const uint32_t owner = book[id];
      const Tensor& data = column(owner).data;
      const auto bytes = static_cast<size_t>(data.row_bytes());
      if (bytes > rows.row_bytes()) {
        return corrupt("{}: rows of {} bytes, expected at most {}", data.file(), bytes,
                       rows.row_bytes())
            .with("file", data.file())
            .with("type", type);
      }
      GLS_TRY(rows.add(data.data() + next[owner]++ * data.row_stride(), bytes));
    }
    return finish(rows, *whole.array, type);
  }

  Status add_edge_type(size_t type, const format::EdgeTypeT& whole) {
    const std::string& name = parts_.parts[0]->edge_types()[type].joined;
    for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
      const auto& topology = layout == Layout::kCsc ? whole.csc : whole.csr;
      GLS_TRY(topology != nullptr ? add_topology(type, *topology, layout) : Status());
    }
    for (size_t c = 0; c < whole.columns.size(); ++c) {
      const auto column = [&](size_t p) -> const Column& {
        return parts_.parts[p]->edge_types()[type].columns[c];
      };
      const PartitionBook* const book = partition_.edge_book(type);
      if (book == nullptr) {
        return corrupt("{}: there is no book of \"{}\", which has columns", partition_.path(), name)
            .with("file", partition_.path())
            .with("type", name);
      }
      GLS_TRY(add_column(*whole.columns[c], name, *book, column));
    }
    return {};
  }

  Status add_topology(size_t type, const format::TopologyT& whole, Layout layout) {
    const EdgeType& first = parts_.parts[0]->edge_types()[type];
    const std::string& name = first.joined;
    const size_t row_type = layout == Layout::kCsc ? first.target : first.source;
    const size_t neighbor_type = layout == Layout::kCsc ? first.source : first.target;
    const PartitionBook& book = partition_.node_book(row_type);
    GLS_ASSIGN(RowStream indptr, id_stream(*whole.indptr, name));
    GLS_ASSIGN(RowStream indices, id_stream(*whole.indices, name));
    std::optional<RowStream> edge_ids;
    if (whole.edge_ids != nullptr) {
      GLS_ASSIGN(edge_ids, id_stream(*whole.edge_ids, name));
    }
    std::vector<int64_t> next(parts_.parts.size());
    int64_t total = 0;
    GLS_TRY(indptr.add_id(0));
    for (int64_t row = 0; row < book.count(); ++row) {
      const Dataset& part = *parts_.parts[book[row]];
      const EdgeType& edges = part.edge_types()[type];
      const Topology& topology = *edges.topology(layout);
      const NodeType& neighbors = part.node_types()[neighbor_type];
      GLS_ASSIGN(const RowRange range, row_range(edges, topology, next[book[row]]++));
      for (int64_t at = range.begin; at < range.end; ++at) {
        const int64_t neighbor = topology.neighbor(at);
        const int64_t id = topology.edge_id(at);
        if (neighbor < 0 || neighbor >= neighbors.count) {
          return bad_stored_id(edges, "index", at, neighbor, neighbors.count);
        }
        if (id < 0 || id >= edges.count) {
          return bad_stored_id(edges, "edge id", at, id, edges.count);
        }
        GLS_TRY(indices.add_id(neighbors.whole->whole_of(neighbor)));
        const int64_t whole_id = edges.whole->whole_of(id);
        if (edge_ids) {
          GLS_TRY(edge_ids->add_id(whole_id));
        } else if (whole_id != total) {
          return corrupt("{}: edge {} of part {} is {} of \"{}\" in the whole, expected {}",
                         edges.whole->ids().file(), id, book[row], whole_id, name, total)
              .with("file", edges.whole->ids().file())
              .with("type", name);
        }
        ++total;
      }
      GLS_TRY(indptr.add_id(total));
    }
    GLS_TRY(finish(indptr, *whole.indptr, name));
    GLS_TRY(finish(indices, *whole.indices, name));
    return edge_ids ? finish(*edge_ids, *whole.edge_ids, name) : Status();
  }

  const OpenParts& parts_;
  const Partition& partition_;
  DatasetWriter& writer_;
  const Progress& progress_;
  uint64_t done_ = 0;
};

}  // namespace

Status reassemble(const OpenParts& parts, DatasetWriter& writer, const Progress& progress) {
  return Reassembly(parts, writer, progress).run();
}

}  // namespace gls
