#include "ingest/arrow/arrow_id_work.h"

#include <functional>
#include <span>
#include <string>
#include <utility>

#include "ingest/arrow/arrow_ids.h"
#include "ingest/common/text_value.h"

namespace gls {
namespace {

class EdgeIds : public IdWork {
 public:
  EdgeIds(const ArrowInput& input, const std::array<ArrowIdReader, 2>& readers,
          const std::array<IdMap*, 2>& maps, ReadEdges* edges)
      : input_(input), readers_(readers), maps_(maps), edges_(edges) {}

  Status work(Slice* slice) override {
    for (size_t end = 0; end < 2; ++end) {
      slice->ids[end].resize(static_cast<size_t>(slice->count));
      GLS_TRY(readers_[end].is_text() ? resolve_text(end, slice) : resolve_numbers(end, slice));
    }
    return {};
  }

  Status drain(Slice* slice, int64_t count) override {
    const auto good = static_cast<size_t>(count);
    GLS_TRY(edges_->source.append(std::span(slice->ids[0]).first(good)));
    return edges_->target.append(std::span(slice->ids[1]).first(good));
  }

 private:
  // A fault of the data is the slice's; other failures end the import.
  static Status fault_of(Status status, int64_t row, size_t field, size_t end, Slice* slice) {
    if (status.ok() || status.code() != GLS_ERR_CORRUPT_DATA) {
      return status;
    }
    report_fault(
        slice, field,
        {row, formatted("cannot be the {}: {}", end == 0 ? "source" : "target", status.message())});
    return {};
  }

  Status resolve_numbers(size_t end, Slice* slice) {
    const size_t field = input_.plan.ids[end];
    std::vector<int64_t> keys(static_cast<size_t>(slice->count));
    ArrowFault fault;
    if (!readers_[end].read_numbers(field_array(*slice, field), slice->begin, keys, &fault)) {
      keys.resize(static_cast<size_t>(fault.row - slice->begin));
      report_fault(slice, field, std::move(fault));
    }
    size_t at = 0;
    Status status = maps_[end]->resolve_numbers(keys, slice->ids[end].data(), &at);
    return fault_of(std::move(status), slice->begin + static_cast<int64_t>(at), field, end, slice);
  }

  Status resolve_text(size_t end, Slice* slice) {
    const size_t field = input_.plan.ids[end];
    TextKeys keys;
    ArrowFault fault;
    if (!readers_[end].read_texts(field_array(*slice, field), slice->begin, slice->count, &keys,
                                  &fault)) {
      report_fault(slice, field, std::move(fault));
    }
    size_t at = 0;
    Status status = maps_[end]->resolve_texts(keys.texts, slice->ids[end].data(), &at);
    return fault_of(std::move(status), slice->begin + static_cast<int64_t>(at), field, end, slice);
  }

  const ArrowInput& input_;
  std::array<ArrowIdReader, 2> readers_;
  std::array<IdMap*, 2> maps_;
  ReadEdges* edges_;
};

class NodeIdsWork : public IdWork {
 public:
  NodeIdsWork(const ArrowInput& input, ArrowIdReader reader, ListedIds* ids)
      : field_(input.plan.ids[0]), reader_(reader), ids_(ids) {}

  Status work(Slice* slice) override {
    if (reader_.is_text()) {
      return {};
    }
    std::vector<int64_t>& keys = slice->ids[0];
    keys.resize(static_cast<size_t>(slice->count));
    ArrowFault fault;
    if (!reader_.read_numbers(field_array(*slice, field_), slice->begin, keys, &fault)) {
      report_fault(slice, field_, std::move(fault));
    }
    return {};
  }

  Status drain(Slice* slice, int64_t count) override {
    std::string scratch;
    for (int64_t row = 0; row < count; ++row) {
      Status added = reader_.is_text() ? add_text(*slice, row, &scratch) : add_number(*slice, row);
      if (added.code() == GLS_ERR_CORRUPT_DATA) {
        report_fault(slice, field_, {slice->begin + row, added.message()});
        return {};
      }
      GLS_TRY(std::move(added));
    }
    return {};
  }

 private:
  static Status check(Result<bool> added, const std::function<std::string()>& name) {
    if (!added.ok()) {
      return std::move(std::move(added.status()).prefixed("cannot be the key: "));
    }
    return *added ? Status() : Status(corrupt("has the key \"{}\", which occurs before", name()));
  }

  Status add_number(const Slice& slice, int64_t row) {
    const int64_t key = slice.ids[0][static_cast<size_t>(row)];
    return check(ids_->add_number(key), [&] { return std::to_string(key); });
  }

  Status add_text(const Slice& slice, int64_t row, std::string* scratch) {
    std::string_view key;
    ArrowFault fault;
    if (!reader_.read_text(field_array(slice, field_), slice.begin + row, scratch, &key, &fault)) {
      return corrupt("{}", fault.why);
    }
    return check(ids_->add(key), [&] { return shown(key); });
  }

  size_t field_;
  ArrowIdReader reader_;
  ListedIds* ids_;
};

Result<ArrowIdReader> reader_of(const ArrowInput& input, size_t id) {
  return ArrowIdReader::create(input.fields[input.plan.ids[id]]);
}

}  // namespace

Result<std::unique_ptr<IdWork>> make_edge_work(const ArrowInput& input,
                                               const std::array<IdMap*, 2>& maps,
                                               ReadEdges* edges) {
  GLS_ASSIGN(const ArrowIdReader source, reader_of(input, 0));
  GLS_ASSIGN(const ArrowIdReader target, reader_of(input, 1));
  const std::array<ArrowIdReader, 2> readers = {source, target};
  return std::unique_ptr<IdWork>(std::make_unique<EdgeIds>(input, readers, maps, edges));
}

Result<std::unique_ptr<IdWork>> make_node_work(const ArrowInput& input, ListedIds* ids) {
  GLS_ASSIGN(const ArrowIdReader reader, reader_of(input, 0));
  return std::unique_ptr<IdWork>(std::make_unique<NodeIdsWork>(input, reader, ids));
}

}  // namespace gls
