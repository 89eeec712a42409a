#include "ingest/arrow/arrow_import.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "context/parallel.h"
#include "format/manifest.h"
#include "ingest/arrow/arrow_id_work.h"
#include "ingest/arrow/arrow_ids.h"

namespace gls {
namespace {

constexpr size_t kMostSplits = 64;
constexpr uint64_t kSliceBytes = uint64_t{1} << 20;
constexpr size_t kLeastBuffer = size_t{4} << 10;
constexpr int64_t kMostSliceRows = int64_t{1} << 16;

// A column in the making: its parts with their readers, and where its rows go.
struct ColumnImport {
  const ArrowColumnPlan* plan;
  std::vector<ArrowRowReader> readers;  // one for each part
  std::vector<int64_t> row_shape;
  size_t row_bytes = 0;
  std::optional<Spool> rows;
  std::optional<Spool> mask;
};

// An id set in the making, or several of one text field.
struct IdSetImport {
  const ArrowIdSetPlan* plan;
  std::optional<ArrowRowReader> mask;  // of a bool field
  std::optional<ArrowIdReader> text;   // of a text field
  std::map<std::string, Spool, std::less<>> sets;
};

class ArrowImport {
 public:
  ArrowImport(Workspace& workspace, const ArrowInput& input, const char* stage)
      : workspace_(workspace), input_(input), stage_(stage) {
    std::vector<bool> used(input.fields.size(), false);
    for (const size_t field : input.plan.ids) {
      used[field] = true;
    }
    for (const ArrowColumnPlan& column : input.plan.columns) {
      for (const ArrowPart& part : column.parts) {
        used[part.field] = true;
      }
    }
    for (const ArrowIdSetPlan& set : input.plan.id_sets) {
      used[set.field] = true;
    }
    for (size_t i = 0; i < used.size(); ++i) {
      if (used[i]) {
        used_.push_back(i);
      }
    }
  }

  // `ids` may be NULL.
  Status run(IdWork* ids) {
    ids_ = ids;
    GLS_TRY(input_.stream->begin(input_.label));
    GLS_TRY(next_batch());
    MemoryLease buffers(workspace_.budget());
    GLS_TRY(set_buffers(&buffers));
    GLS_TRY(make_columns());
    GLS_TRY(make_id_sets());
    GLS_TRY(read_slices());
    input_.stream->close();
    return {};
  }

  int64_t rows() const { return rows_; }

  // Errors of rows name the stream, the row and the field.
  Status at_row(Status status, int64_t row, size_t field) const {
    return std::move(status)
        .prefixed(
            formatted("{}: row {}: field \"{}\" ", input_.label, row, input_.fields[field].name))
        .with("row", std::to_string(row))
        .with("field", input_.fields[field].name);
  }

  Result<std::vector<Column>> finish_columns() {
    std::vector<Column> out;
    for (ColumnImport& column : columns_) {
      const ArrowColumnPlan& plan = *column.plan;
      std::vector<int64_t> shape = {rows_};
      shape.insert(shape.end(), column.row_shape.begin(), column.row_shape.end());
      GLS_ASSIGN(Tensor data, column.rows->finish(plan.dtype, std::move(shape)));
      out.push_back({plan.name, plan.role, std::move(data)});
      out.back().logical_type = plan.logical_type;
      if (column.mask) {
        GLS_ASSIGN(Tensor mask, column.mask->finish(kBool, {rows_}));
        out.push_back({plan.mask, GLS_ROLE_OTHER, std::move(mask)});
      }
    }
    return out;
  }

  Result<std::vector<IdSet>> finish_id_sets() {
    std::vector<IdSet> out;
    for (IdSetImport& import : id_sets_) {
      for (auto& [name, spool] : import.sets) {
        const auto size = static_cast<int64_t>(spool.size() / sizeof(int64_t));
        GLS_ASSIGN(Tensor ids, spool.finish(kInt64, {size}));
        const auto same = [&name = name](const IdSet& set) { return set.name == name; };
        if (std::any_of(out.begin(), out.end(), same)) {
          return invalid("{}: id set \"{}\" comes from two fields", input_.label, name);
        }
        out.push_back({name, std::move(ids)});
      }
    }
    return out;
  }

 private:
  // ---- batches ----

  // The next batch with rows; none: batch_ is NULL.
  Status next_batch() {
    do {
      GLS_ASSIGN(batch_, input_.stream->next(input_.label));
      if (batch_ == nullptr) {
        return {};
      }
      if (Status checked = check_batch(*batch_); !checked.ok()) {
        return std::move(checked).prefixed(
            formatted("{}: batch from row {} on: ", input_.label, batch_row_));
      }
    } while (batch_->length == 0);
    at_ = 0;
    return {};
  }

  Status check_batch(const ArrowArray& batch) const {
    const auto fields = static_cast<int64_t>(input_.fields.size());
    if (batch.n_children != fields || (fields > 0 && batch.children == nullptr)) {
      return corrupt("it has {} fields, and the schema {}", batch.n_children, fields);
    }
    int64_t end = 0;
    if (batch.length < 0 || batch.offset < 0 ||
        __builtin_add_overflow(batch.length, batch.offset, &end)) {
      return corrupt("it has {} rows from {} on", batch.length, batch.offset);
    }
    for (const size_t field : used_) {
      if (batch.children[field] == nullptr) {
        return corrupt("field \"{}\" is missing", input_.fields[field].name);
      }
      GLS_TRY(check_arrow_array(input_.fields[field], *batch.children[field], batch.offset, end));
    }
    if (batch.n_buffers > 0 && batch.buffers != nullptr && batch.buffers[0] != nullptr &&
        batch.null_count != 0) {
      const auto* const bits = static_cast<const uint8_t*>(batch.buffers[0]);
      for (auto row = static_cast<uint64_t>(batch.offset); row < static_cast<uint64_t>(end);
           ++row) {
        if ((bits[row / 8] >> (row % 8) & 1) == 0) {
          const int64_t null = batch_row_ + static_cast<int64_t>(row) - batch.offset;
          return corrupt("row {} as a whole is null", null).with("row", std::to_string(null));
        }
      }
    }
    return {};
  }

  // ---- what is made ----

  // The more files are written at the same time, the smaller their buffers.
  Status set_buffers(MemoryLease* lease) {
    size_t spools = 0;
    for (const ArrowColumnPlan& plan : input_.plan.columns) {
      spools += plan.mask.empty() ? 1 : 2;
    }
    for (const ArrowIdSetPlan& plan : input_.plan.id_sets) {
      spools += plan.name.empty() ? kMostSplits : 1;
    }
    if (spools == 0 || !workspace_.has_scratch()) {
      return {};
    }
    buffer_ = std::clamp<size_t>(workspace_.budget()->available() / (8 * spools), kLeastBuffer,
                                 FileWriter::kBuffer);
    return lease->add(spools * buffer_, "writing columns of Arrow batches");
  }

  Status make_columns() {
    for (const ArrowColumnPlan& plan : input_.plan.columns) {
      ColumnImport column{&plan, {}, {}, 0, {}, {}};
      for (const ArrowPart& part : plan.parts) {
        GLS_ASSIGN(std::vector<int64_t> shape, known_shape(part));
        column.readers.emplace_back(input_.fields[part.field], shape, plan.dtype, part.fill,
                                    !plan.mask.empty());
        column.row_bytes += column.readers.back().row_bytes();
        column.row_shape = std::move(shape);
      }
      if (plan.parts.size() > 1) {
        column.row_shape = {static_cast<int64_t>(column.row_bytes / dtype_bytes(plan.dtype))};
      }
      GLS_ASSIGN(Spool rows, Spool::create(workspace_, "column", buffer_));
      column.rows.emplace(std::move(rows));
      if (!plan.mask.empty()) {
        GLS_ASSIGN(Spool mask, Spool::create(workspace_, "mask", buffer_));
        column.mask.emplace(std::move(mask));
      }
      columns_.push_back(std::move(column));
    }
    return {};
  }

  // Lists get their length from the first that is not null.
  Result<std::vector<int64_t>> known_shape(const ArrowPart& part) const {
    std::vector<int64_t> shape = part.rows.shape;
    if (shape.empty() || shape[0] >= 0) {
      return shape;
    }
    shape[0] = 0;
    if (batch_ != nullptr) {
      const ArrowField& field = input_.fields[part.field];
      shape[0] = first_list_length(field, *batch_->children[part.field], batch_->offset,
                                   batch_->offset + batch_->length);
      if (shape[0] < 0) {
        return corrupt(
                   "{}: field \"{}\" has only nulls in the first batch, so the length of its lists "
                   "is unknown; use lists of fixed size",
                   input_.label, field.name)
            .with("field", field.name);
      }
      int64_t width = 1;
      for (const int64_t extent : shape) {
        if (__builtin_mul_overflow(width, extent, &width) || width > int64_t{0x7fffffff}) {
          return corrupt("{}: field \"{}\" has rows of more than 2^31 - 1 numbers", input_.label,
                         field.name)
              .with("field", field.name);
        }
      }
    }
    return shape;
  }

  Status make_id_sets() {
    for (const ArrowIdSetPlan& plan : input_.plan.id_sets) {
      IdSetImport import{&plan, {}, {}, {}};
      if (plan.name.empty()) {
        GLS_ASSIGN(ArrowIdReader text, ArrowIdReader::create(input_.fields[plan.field]));
        import.text.emplace(text);
      } else {
        import.mask.emplace(input_.fields[plan.field], std::vector<int64_t>(), kBool, plan.fill,
                            false);
        GLS_ASSIGN(Spool ids, Spool::create(workspace_, "id-set", buffer_));
        import.sets.emplace(plan.name, std::move(ids));
      }
      id_sets_.push_back(std::move(import));
    }
    return {};
  }

  // ---- slices ----

  Status read_slices() {
    uint64_t row_bytes = 1;  // not zero, also if only rows are counted
    for (const size_t field : input_.plan.ids) {
      row_bytes += ArrowIdReader::row_bytes(input_.fields[field]);
    }
    for (const ColumnImport& column : columns_) {
      row_bytes += column.row_bytes + (column.readers.size() > 1 ? column.row_bytes : 0) + 1;
    }
    row_bytes += id_sets_.size();
    slice_rows_ = static_cast<int64_t>(
        std::clamp<uint64_t>(kSliceBytes / row_bytes, 1, static_cast<uint64_t>(kMostSliceRows)));
    const uint64_t slice_bytes = row_bytes * static_cast<uint64_t>(slice_rows_);
    std::vector<Slice> slices(workspace_.window(slice_bytes));
    MemoryLease lease(workspace_.budget());
    GLS_TRY(lease.add(slices.size() * slice_bytes, "reading Arrow batches"));
    for (Slice& slice : slices) {
      slice.columns.resize(columns_.size());
      slice.masks.resize(columns_.size());
      slice.members.resize(id_sets_.size());
    }
    Pipeline pipeline;
    pipeline.feed = [&](size_t i) { return feed(&slices[i]); };
    pipeline.work = [&](size_t i) { return work(&slices[i]); };
    pipeline.drain = [&](size_t i) { return drain(&slices[i]); };
    return run_pipeline(workspace_.pool(), slices.size(), pipeline);
  }

  Result<bool> feed(Slice* slice) {
    if (batch_ != nullptr && at_ == batch_->length) {
      batch_row_ += batch_->length;
      GLS_TRY(next_batch());
    }
    if (batch_ == nullptr) {
      return false;
    }
    slice->batch = batch_;
    slice->begin = batch_->offset + at_;
    slice->count = std::min(slice_rows_, batch_->length - at_);
    slice->first_row = batch_row_ + at_;
    slice->fault.reset();
    at_ += slice->count;
    GLS_TRY(
        report(workspace_.progress(), stage_, static_cast<uint64_t>(slice->first_row), 0, "rows"));
    return true;
  }

  Status work(Slice* slice) const {
    for (size_t i = 0; i < columns_.size(); ++i) {
      read_column(columns_[i], slice, &slice->columns[i], &slice->masks[i]);
    }
    for (size_t i = 0; i < id_sets_.size(); ++i) {
      if (id_sets_[i].mask) {
        std::vector<uint8_t>& members = slice->members[i];
        members.resize(static_cast<size_t>(slice->count));
        read_rows(*id_sets_[i].mask, id_sets_[i].plan->field,
                  {reinterpret_cast<std::byte*>(members.data()), nullptr}, slice);
      }
    }
    return ids_ != nullptr ? ids_->work(slice) : Status();
  }

  struct Destination {
    std::byte* rows;
    uint8_t* valid;
  };
  static void read_rows(const ArrowRowReader& reader, size_t field, const Destination& to,
                        Slice* slice) {
    ArrowFault fault;
    if (!reader.read(field_array(*slice, field), slice->begin, slice->count, to.rows, to.valid,
                     &fault)) {
      report_fault(slice, field, std::move(fault));
    }
  }

  static void read_column(const ColumnImport& column, Slice* slice, std::vector<std::byte>* rows,
                          std::vector<uint8_t>* mask) {
    const auto count = static_cast<size_t>(slice->count);
    rows->resize(count * column.row_bytes);
    mask->assign(column.mask ? count : 0, 1);
    uint8_t* const valid = column.mask ? mask->data() : nullptr;
    if (column.readers.size() == 1) {
      read_rows(column.readers[0], column.plan->parts[0].field, {rows->data(), valid}, slice);
      return;
    }
    std::vector<std::byte> part;
    size_t at = 0;  // of the part in a row
    for (size_t p = 0; p < column.readers.size(); ++p) {
      const size_t bytes = column.readers[p].row_bytes();
      part.resize(count * bytes);
      read_rows(column.readers[p], column.plan->parts[p].field, {part.data(), valid}, slice);
      for (size_t row = 0; row < count; ++row) {
        std::copy_n(part.data() + row * bytes, bytes, rows->data() + row * column.row_bytes + at);
      }
      at += bytes;
    }
  }

  // Of all faults of a slice, the one of the first row counts.
  static int64_t good_rows(const Slice& slice) {
    return slice.fault ? slice.fault->row - slice.begin : slice.count;
  }

  Status drain(Slice* slice) {
    if (ids_ != nullptr) {
      GLS_TRY(ids_->drain(slice, good_rows(*slice)));
    }
    for (IdSetImport& import : id_sets_) {
      GLS_TRY(import.text ? add_split(slice, &import) : Status());
    }
    if (slice->fault) {
      return at_row(corrupt("{}", slice->fault->why), slice->first_row + good_rows(*slice),
                    slice->fault_field);
    }
    for (size_t i = 0; i < columns_.size(); ++i) {
      GLS_TRY(columns_[i].rows->append(slice->columns[i]));
      if (columns_[i].mask) {
        GLS_TRY(columns_[i].mask->append(std::as_bytes(std::span(slice->masks[i]))));
      }
    }
    for (size_t i = 0; i < id_sets_.size(); ++i) {
      GLS_TRY(id_sets_[i].mask ? add_members(slice->members[i], *slice, &id_sets_[i]) : Status());
    }
    rows_ += slice->count;
    slice->batch.reset();
    return {};
  }

  static Status add_members(const std::vector<uint8_t>& members, const Slice& slice,
                            IdSetImport* import) {
    std::vector<int64_t> ids;
    for (int64_t row = 0; row < slice.count; ++row) {
      if (members[static_cast<size_t>(row)] != 0) {
        ids.push_back(slice.first_row + row);
      }
    }
    return import->sets.begin()->second.append(std::as_bytes(std::span(ids)));
  }

  Status add_split(Slice* slice, IdSetImport* import) {
    const size_t field = import->plan->field;
    const ArrowArray& array = field_array(*slice, field);
    const ArrowField& type = input_.fields[field];
    std::string scratch;
    const int64_t good = good_rows(*slice);
    for (int64_t row = 0; row < good; ++row) {
      const int64_t at = slice->begin + row;
      std::string_view name;
      ArrowFault fault;
      if (is_arrow_null(type, array, at)) {
        continue;
      }
      if (!import->text->read_text(array, at, &scratch, &name, &fault)) {
        report_fault(slice, field, std::move(fault));
        return {};
      }
      auto found = import->sets.find(name);
      if (found == import->sets.end()) {
        if (const Status checked = check_name(name, "id set"); !checked.ok()) {
          report_fault(slice, field, {at, formatted("names no id set: {}", checked.message())});
          return {};
        }
        if (import->sets.size() == kMostSplits) {
          report_fault(
              slice, field,
              {at, formatted("has more than {} different texts, and is no split", kMostSplits)});
          return {};
        }
        GLS_ASSIGN(Spool ids, Spool::create(workspace_, "id-set", buffer_));
        found = import->sets.emplace(std::string(name), std::move(ids)).first;
      }
      const int64_t id = slice->first_row + row;
      GLS_TRY(found->second.append(std::as_bytes(std::span(&id, 1))));
    }
    return {};
  }

  Workspace& workspace_;
  const ArrowInput& input_;
  const char* stage_;
  IdWork* ids_ = nullptr;
  std::vector<size_t> used_;  // fields
  std::vector<ColumnImport> columns_;
  std::vector<IdSetImport> id_sets_;
  std::shared_ptr<const ArrowArray> batch_;
  int64_t batch_row_ = 0;  // the first row of the batch, in the stream
  int64_t at_ = 0;         // in the batch
  int64_t slice_rows_ = 1;
  size_t buffer_ = FileWriter::kBuffer;  // of each file
  int64_t rows_ = 0;
};

}  // namespace

Result<ArrowNodes> read_nodes_arrow(Workspace& workspace, const ArrowInput& input, ListedIds* ids) {
  ArrowImport import(workspace, input, "reading nodes");
  std::unique_ptr<IdWork> work;
  if (ids != nullptr) {
    GLS_ASSIGN(work, make_node_work(input, ids));
  }
  GLS_TRY(import.run(work.get()));
  ArrowNodes nodes;
  nodes.count = import.rows();
  GLS_ASSIGN(nodes.columns, import.finish_columns());
  GLS_ASSIGN(nodes.id_sets, import.finish_id_sets());
  return nodes;
}

Result<ReadEdges> read_edges_arrow(Workspace& workspace, const ArrowInput& input, IdMap& source,
                                   IdMap& target) {
  GLS_ASSIGN(IdSpool sources, IdSpool::create(workspace, "sources"));
  GLS_ASSIGN(IdSpool targets, IdSpool::create(workspace, "targets"));
  ReadEdges edges{std::move(sources), std::move(targets), {}};
  GLS_ASSIGN(const std::unique_ptr<IdWork> ids, make_edge_work(input, {&source, &target}, &edges));
  ArrowImport import(workspace, input, "reading edges");
  GLS_TRY(import.run(ids.get()));
  GLS_ASSIGN(edges.columns, import.finish_columns());
  GLS_TRY(edges.source.finish());
  GLS_TRY(edges.target.finish());
  return edges;
}

}  // namespace gls
