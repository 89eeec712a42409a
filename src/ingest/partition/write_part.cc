#include "ingest/partition/write_part.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "graph/dataset/node_keys.h"
#include "ingest/common/row_stream.h"

namespace gls {
namespace {

using ArrayPtr = std::unique_ptr<format::ArrayT>;
using Name = std::initializer_list<std::string_view>;

DLDataType id_dtype(int64_t limit) { return limit >= int64_t{1} << 31 ? kInt64 : kInt32; }

class PartWriter {
 public:
  PartWriter(const Dataset& dataset, const PartIds& ids, DatasetWriter writer, bool pad_rows,
             const std::function<Status()>& tick)
      : dataset_(dataset),
        ids_(ids),
        writer_(std::move(writer)),
        pad_rows_(pad_rows),
        tick_(tick) {}

  Status write(const PartNumber& part) {
    for (size_t t = 0; t < dataset_.node_types().size(); ++t) {
      GLS_TRY(add_node_type(dataset_.node_types()[t], ids_.nodes[t]));
    }
    for (size_t t = 0; t < dataset_.edge_types().size(); ++t) {
      GLS_TRY(add_edge_type(dataset_.edge_types()[t], ids_.edges[t]));
    }
    manifest_.part = std::make_unique<format::PartT>();
    manifest_.part->number = part.number;
    manifest_.part->parts = part.parts;
    manifest_.part->graph = part.graph;
    return writer_.commit(std::move(manifest_));
  }

 private:
  Result<RowStream> stream(Name name, DLDataType dtype, std::vector<int64_t> row_shape = {}) {
    return RowStream::create(writer_, writer_.file_name(name), dtype, row_shape, tick_);
  }

  // ---- nodes ----

  Status add_node_type(const NodeType& type, const TypeIds& ids) {
    auto out = std::make_unique<format::NodeTypeT>();
    out->name = type.name;
    out->count = ids.count();
    for (const Column& column : type.columns) {
      GLS_ASSIGN(auto written, write_column("nodes", type.name, column, ids));
      out->columns.push_back(std::move(written));
    }
    for (const IdSet& set : type.id_sets) {
      auto written = std::make_unique<format::IdSetT>();
      written->name = set.name;
      GLS_ASSIGN(written->array, write_id_set(type, set, ids));
      out->id_sets.push_back(std::move(written));
    }
    if (type.keys) {
      GLS_ASSIGN(out->keys, write_keys(type, ids));
    }
    GLS_ASSIGN(out->whole, write_whole("nodes", type.name, ids));
    manifest_.node_types.push_back(std::move(out));
    return {};
  }

  // Writes features and labels of owned and hot rows; columns of other roles have rows for all ids.
  Result<std::unique_ptr<format::ColumnT>> write_column(const char* kind, const std::string& owner,
                                                        const Column& column, const TypeIds& ids) {
    auto out = std::make_unique<format::ColumnT>();
    out->name = column.name;
    out->role = static_cast<format::Role>(column.role);
    out->row_shape.assign(column.shape().begin() + 1, column.shape().end());
    out->logical_type = column.logical_type;
    if (column.codebook != nullptr) {
      out->quantized = std::make_unique<format::QuantizedT>();
      out->quantized->bits = static_cast<uint32_t>(column.codebook->bits());
      out->quantized->codebook = column.codebook->values();
    }
    const Tensor& data = column.data;
    const int64_t row_bytes = data.row_bytes();
    const int64_t target = pad_rows_ ? padded_row_bytes(row_bytes) : row_bytes;
    std::vector<int64_t> row_shape(data.shape().begin() + 1, data.shape().end());
    if (target != row_bytes) {
      row_shape = {target / static_cast<int64_t>(dtype_bytes(data.dtype()))};
    }
    GLS_ASSIGN(RowStream rows,
               stream({kind, owner, "columns", column.name}, data.dtype(), row_shape));
    const auto add = [&](int64_t id) {
      return rows.add(data.data() + id * data.row_stride(), static_cast<size_t>(row_bytes));
    };
    if (kept_for_owned(column.role)) {
      GLS_TRY(ids.owned.each(add));
      GLS_TRY(ids.hot.count() > 0 ? ids.hot.each(add) : Status());
    } else {
      GLS_TRY(ids.each(add));
    }
    GLS_ASSIGN(out->array, rows.finish());
    return out;
  }

  Result<ArrayPtr> write_id_set(const NodeType& type, const IdSet& set, const TypeIds& ids) {
    GLS_ASSIGN(const IdSpan whole, IdSpan::of(set.ids, set.name));
    GLS_ASSIGN(RowStream rows, stream({"nodes", type.name, "sets", set.name}, set.ids.dtype()));
    for (int64_t i = 0; i < whole.size(); ++i) {
      if (const int64_t local = ids.owned.rank(whole[i]); local >= 0) {
        GLS_TRY(rows.add_id(local));
      }
    }
    return rows.finish();
  }

  Result<std::unique_ptr<format::NodeKeysT>> write_keys(const NodeType& type, const TypeIds& ids) {
    const KeyReader keys(type);
    auto out = std::make_unique<format::NodeKeysT>();
    out->kind = keys.strings() ? format::KeyKind::string : format::KeyKind::integer;
    std::vector<int64_t> whole;
    whole.reserve(static_cast<size_t>(ids.count()));
    GLS_TRY(ids.each([&](int64_t id) -> Status {
      whole.push_back(id);
      return {};
    }));
    std::vector<std::string_view> texts;
    if (keys.strings()) {
      GLS_TRY(write_text_keys(type, keys, whole, out.get(), &texts));
    } else {
      GLS_ASSIGN(RowStream values, stream({"nodes", type.name, "keys", "values"}, kInt64));
      for (const int64_t id : whole) {
        GLS_TRY(values.add_id(keys.integer(id)));
      }
      GLS_ASSIGN(out->values, values.finish());
    }
    std::vector<int64_t> order(whole.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const auto i = static_cast<size_t>(a);
      const auto j = static_cast<size_t>(b);
      return keys.strings() ? texts[i] < texts[j] : keys.integer(whole[i]) < keys.integer(whole[j]);
    });
    if (!std::is_sorted(order.begin(), order.end())) {
      GLS_ASSIGN(RowStream positions, stream({"nodes", type.name, "keys", "order"}, kInt64));
      for (const int64_t at : order) {
        GLS_TRY(positions.add_id(at));
      }
      GLS_ASSIGN(out->order, positions.finish());
    }
    return out;
  }

  Status write_text_keys(const NodeType& type, const KeyReader& keys,
                         const std::vector<int64_t>& whole, format::NodeKeysT* out,
                         std::vector<std::string_view>* texts) {
    const std::string file = writer_.file_name({"nodes", type.name, "keys", "values"});
    GLS_ASSIGN(NpyWriter values, writer_.create_array(file, kUint8, {}));
    GLS_ASSIGN(RowStream offsets, stream({"nodes", type.name, "keys", "offsets"}, kInt64));
    GLS_TRY(offsets.add_id(0));
    for (const int64_t id : whole) {
      GLS_ASSIGN(const std::string_view text, keys.text(id));
      GLS_TRY(values.append(std::as_bytes(std::span(text)), static_cast<int64_t>(text.size())));
      GLS_TRY(offsets.add_id(values.rows()));
      texts->push_back(text);
    }
    GLS_ASSIGN(out->values, writer_.finish_array(file, values));
    GLS_ASSIGN(out->offsets, offsets.finish());
    return {};
  }

  Result<std::unique_ptr<format::WholeT>> write_whole(const char* kind, const std::string& owner,
                                                      const TypeIds& ids) {
    auto out = std::make_unique<format::WholeT>();
    out->count = ids.owned.limit();
    out->owned = ids.owned.count();
    GLS_ASSIGN(RowStream rows, stream({kind, owner, "whole", "ids"}, kInt64));
    GLS_TRY(ids.each([&](int64_t id) { return rows.add_id(id); }));
    GLS_ASSIGN(out->ids, rows.finish());
    GLS_ASSIGN(out->index, writer_.write_array(writer_.file_name({kind, owner, "whole", "index"}),
                                               ids.owned.tensor(), false, {}, "writing parts"));
    return out;
  }

  // ---- edges ----

  Status add_edge_type(const EdgeType& type, const TypeIds& ids) {
    auto out = std::make_unique<format::EdgeTypeT>();
    out->source = type.name.source;
    out->relation = type.name.relation;
    out->target = type.name.target;
    out->count = ids.count();
    if (type.csc) {
      GLS_ASSIGN(out->csc, write_topology(type, ids, Layout::kCsc));
    }
    if (type.csr) {
      GLS_ASSIGN(out->csr, write_topology(type, ids, Layout::kCsr));
    }
    for (const Column& column : type.columns) {
      GLS_ASSIGN(auto written, write_column("edges", type.joined, column, ids));
      out->columns.push_back(std::move(written));
    }
    GLS_ASSIGN(out->whole, write_whole("edges", type.joined, ids));
    manifest_.edge_types.push_back(std::move(out));
    return {};
  }

  // Edge ids of the part are positions if those of the whole graph are. Rows keep their global
  // order, and all edges of a row come before those of the next row in both.
  static bool ids_are_positions(const EdgeType& type, Layout layout, const TypeIds& edges,
                                const TypeIds& rows) {
    return type.topology(layout)->edge_ids == nullptr && layout == owning_layout(type) &&
           (edges.others.count() == 0 || rows.hot.count() == 0);
  }

  Result<std::unique_ptr<format::TopologyT>> write_topology(const EdgeType& type,
                                                            const TypeIds& edges, Layout layout) {
    const bool in = layout == Layout::kCsc;
    const Topology& topology = *type.topology(layout);
    const TypeIds& rows = ids_.nodes[in ? type.target : type.source];
    const TypeIds& neighbors = ids_.nodes[in ? type.source : type.target];
    const RankBitset& complete =
        (in ? ids_.in_rows : ids_.out_rows)[in ? type.target : type.source];
    // A row that is not complete has the edges of the other layout's complete rows.
    const bool both = type.csc && type.csr;
    const RankBitset& other = (in ? ids_.out_rows : ids_.in_rows)[in ? type.source : type.target];
    const char* const folder = in ? "csc" : "csr";
    GLS_ASSIGN(RowStream indptr, stream({"edges", type.joined, folder, "indptr"}, kInt64));
    GLS_ASSIGN(RowStream indices,
               stream({"edges", type.joined, folder, "indices"}, id_dtype(neighbors.count())));
    std::optional<RowStream> edge_ids;
    if (!ids_are_positions(type, layout, edges, rows)) {
      GLS_ASSIGN(edge_ids,
                 stream({"edges", type.joined, folder, "edge_ids"}, id_dtype(edges.count())));
    }
    int64_t total = 0;
    GLS_TRY(indptr.add_id(0));
    const auto add_row = [&](int64_t row) -> Status {
      const bool all = complete.has(row);
      const int64_t end = all || both ? topology.indptr[row + 1] : topology.indptr[row];
      for (int64_t at = topology.indptr[row]; at < end; ++at) {
        const int64_t neighbor = topology.neighbor(at);
        if (!all && !other.has(neighbor)) {
          continue;
        }
        GLS_TRY(indices.add_id(neighbors.local(neighbor)));
        GLS_TRY(edge_ids ? edge_ids->add_id(edges.local(topology.edge_id(at))) : Status());
        ++total;
      }
      return indptr.add_id(total);
    };
    GLS_TRY(rows.each(add_row));
    auto out = std::make_unique<format::TopologyT>();
    GLS_ASSIGN(out->indptr, indptr.finish());
    GLS_ASSIGN(out->indices, indices.finish());
    if (edge_ids) {
      GLS_ASSIGN(out->edge_ids, edge_ids->finish());
    }
    return out;
  }

  const Dataset& dataset_;
  const PartIds& ids_;
  DatasetWriter writer_;
  bool pad_rows_;
  const std::function<Status()>& tick_;
  format::ManifestT manifest_;
};

}  // namespace

Status write_part(const Dataset& dataset, const PartIds& ids, const PartNumber& part,
                  const std::string& path, bool pad_rows, const std::function<Status()>& tick) {
  GLS_ASSIGN(DatasetWriter writer, DatasetWriter::create(path, false));
  return PartWriter(dataset, ids, std::move(writer), pad_rows, tick).write(part);
}

}  // namespace gls
