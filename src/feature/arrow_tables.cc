#include "feature/arrow_tables.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "feature/gather.h"
#include "graph/dataset/node_keys.h"
#include "graph/dataset/topology_query.h"
#include "system/file_guard.h"
#include "tensor/arrow_export.h"

namespace gls {
namespace {

constexpr uint64_t kBatchBytes = uint64_t{8} << 20;
constexpr int64_t kMostRows = int64_t{1} << 16;

using Owners = std::vector<std::shared_ptr<const void>>;

// Text that a batch owns, as Arrow's large utf8.
struct OwnText {
  std::vector<int64_t> offsets{0};
  std::string bytes;
};

// One column of a table: its field, and its rows of a batch.
class TableField {
 public:
  virtual ~TableField() = default;
  virtual Result<ArrowFieldSpec> field() const = 0;
  virtual uint64_t row_bytes() const = 0;
  virtual Result<ArrowArraySpec> rows(int64_t begin, int64_t count, Owners* owners) = 0;
};

ArrowArraySpec numbers_array(std::vector<int64_t> numbers, Owners* owners) {
  const auto count = static_cast<int64_t>(numbers.size());
  auto held = std::make_shared<const std::vector<int64_t>>(std::move(numbers));
  const void* const values = held->data();
  owners->push_back(std::move(held));
  return {count, {nullptr, values}};
}

class ColumnField : public TableField {
 public:
  ColumnField(const Context& context, const Column& column) : context_(context), column_(column) {}

  Result<ArrowFieldSpec> field() const override {
    Result<ArrowFieldSpec> field =
        arrow_field_of(column_.name, column_.dtype(), column_.shape(), column_.logical_type);
    if (!field.ok()) {
      return std::move(field.status())
          .prefixed(formatted("column \"{}\": ", column_.name))
          .with("column", column_.name);
    }
    return field;
  }
  uint64_t row_bytes() const override {
    uint64_t bytes = dtype_bytes(column_.dtype());
    for (size_t d = 1; d < column_.shape().size(); ++d) {
      bytes *= static_cast<uint64_t>(column_.shape()[d]);
    }
    return bytes;
  }
  Result<ArrowArraySpec> rows(int64_t begin, int64_t count, Owners* owners) override {
    if (column_.codebook == nullptr) {
      return arrow_rows_of(column_.data, begin, count, owners);
    }
    std::vector<int64_t> ids(static_cast<size_t>(count));
    std::iota(ids.begin(), ids.end(), begin);
    const Tensor numbers = gather_decoded(*context_.buffers(), column_.data, *column_.codebook,
                                          span_of(ids), GatherOptions::from(context_));
    return arrow_rows_of(numbers, 0, count, owners);
  }

 private:
  const Context& context_;
  const Column& column_;
};

// Names of nodes: original ids, or node ids for types without.
class NodeNames {
 public:
  explicit NodeNames(const NodeType& type) : type_(type) {
    if (type.keys) {
      reader_.emplace(type);
    }
  }
  bool has_keys() const { return reader_.has_value(); }
  ArrowFieldSpec field(std::string name) const {
    return {std::move(name), reader_ && reader_->strings() ? "U" : "l"};
  }
  Result<ArrowArraySpec> names(std::vector<int64_t> ids, Owners* owners) const {
    if (!reader_) {
      return numbers_array(std::move(ids), owners);
    }
    if (!reader_->strings()) {
      std::transform(ids.begin(), ids.end(), ids.begin(),
                     [&](int64_t id) { return reader_->integer(id); });
      return numbers_array(std::move(ids), owners);
    }
    auto text = std::make_shared<OwnText>();
    text->offsets.reserve(ids.size() + 1);
    for (const int64_t id : ids) {
      GLS_ASSIGN(const std::string_view key, reader_->text(id));
      if (!is_utf8(key)) {  // consumers rely on it
        return corrupt("the key of node {} of type \"{}\" is not UTF-8", id, type_.name)
            .with("type", type_.name);
      }
      text->bytes += key;
      text->offsets.push_back(static_cast<int64_t>(text->bytes.size()));
    }
    const OwnText& held = *text;
    owners->push_back(std::move(text));
    return ArrowArraySpec{static_cast<int64_t>(ids.size()),
                          {nullptr, held.offsets.data(), held.bytes.data()}};
  }

 private:
  const NodeType& type_;
  std::optional<KeyReader> reader_;
};

class NodeNameField : public TableField {
 public:
  explicit NodeNameField(const NodeType& type) : names_(type) {}
  Result<ArrowFieldSpec> field() const override {
    return names_.field(names_.has_keys() ? "_key" : "_id");
  }
  uint64_t row_bytes() const override { return 16; }
  Result<ArrowArraySpec> rows(int64_t begin, int64_t count, Owners* owners) override {
    std::vector<int64_t> ids(static_cast<size_t>(count));
    std::iota(ids.begin(), ids.end(), begin);
    return names_.names(std::move(ids), owners);
  }

 private:
  NodeNames names_;
};

// Reads the ends of a batch's edges once for both fields.
class EdgeEnds {
 public:
  EdgeEnds(const Dataset& dataset, size_t type) : dataset_(dataset), type_(type) {}

  // `end` is 0 for sources and 1 for targets, which are asked for in turn.
  Result<std::vector<int64_t>> take(size_t end, int64_t begin, int64_t count) {
    if (end == 0) {
      sources_.clear();
      targets_.clear();
      std::vector<int64_t> ids(static_cast<size_t>(count));
      std::iota(ids.begin(), ids.end(), begin);
      GLS_TRY(edge_ends(dataset_, type_, span_of(ids), "edge_type", &sources_, &targets_));
    }
    return std::move(end == 0 ? sources_ : targets_);
  }

 private:
  const Dataset& dataset_;
  size_t type_;
  std::vector<int64_t> sources_;
  std::vector<int64_t> targets_;
};

class EdgeEndField : public TableField {
 public:
  EdgeEndField(std::shared_ptr<EdgeEnds> ends, size_t end, const NodeType& type)
      : ends_(std::move(ends)), end_(end), names_(type) {}
  Result<ArrowFieldSpec> field() const override {
    return names_.field(end_ == 0 ? "_source" : "_target");
  }
  uint64_t row_bytes() const override { return 32; }
  Result<ArrowArraySpec> rows(int64_t begin, int64_t count, Owners* owners) override {
    GLS_ASSIGN(std::vector<int64_t> ids, ends_->take(end_, begin, count));
    return names_.names(std::move(ids), owners);
  }

 private:
  std::shared_ptr<EdgeEnds> ends_;
  size_t end_;
  NodeNames names_;
};

// A table, and how far its stream was read.
class TableStream {
 public:
  TableStream(std::shared_ptr<const Dataset> dataset, int64_t rows,
              std::vector<std::unique_ptr<TableField>> fields)
      : dataset_(std::move(dataset)), rows_(rows), fields_(std::move(fields)) {
    uint64_t bytes = 1;
    for (const auto& field : fields_) {
      bytes += field->row_bytes();
    }
    batch_rows_ = static_cast<int64_t>(
        std::clamp<uint64_t>(kBatchBytes / bytes, 1, static_cast<uint64_t>(kMostRows)));
  }

  Result<ArrowFieldSpec> schema() const {
    ArrowFieldSpec root{"", "+s"};
    for (const auto& field : fields_) {
      GLS_ASSIGN(ArrowFieldSpec spec, field->field());
      root.children.push_back(std::move(spec));
    }
    return root;
  }

  // At the end, `out` stays without release.
  Status next(ArrowArray* out) {
    if (at_ == rows_) {
      return {};
    }
    const FileReadScope reads;
    const int64_t count = std::min(batch_rows_, rows_ - at_);
    auto owners = std::make_shared<Owners>();
    owners->push_back(dataset_);
    ArrowArraySpec root{count, {nullptr}};
    for (const auto& field : fields_) {
      GLS_ASSIGN(ArrowArraySpec rows, field->rows(at_, count, owners.get()));
      root.children.push_back(std::move(rows));
    }
    GLS_TRY(dataset_->check_files());
    make_arrow_array(root, owners, out);
    at_ += count;
    return {};
  }

  // What Arrow's interface returns for the status, whose words are kept for last_error().
  int code_of(Status status) {
    fixed_error_ = nullptr;
    error_.clear();
    if (status.ok()) {
      return 0;
    }
    error_ = status.message();
    return status.code() == GLS_ERR_OUT_OF_MEMORY ? ENOMEM : EIO;
  }
  const char* last_error() const {
    return fixed_error_ != nullptr ? fixed_error_ : error_.empty() ? nullptr : error_.c_str();
  }

  // Runs `body`, which returns a Status; nothing may be thrown through the interface.
  template <typename Body>
  static int guarded(ArrowArrayStream* stream, const Body& body) noexcept {
    auto* const self = static_cast<TableStream*>(stream->private_data);
    try {
      Status process = self->dataset_->context()->check_process();
      return self->code_of(process.ok() ? body(self) : std::move(process));
    } catch (const std::exception& failure) {
      const bool no_memory = dynamic_cast<const std::bad_alloc*>(&failure) != nullptr;
      self->fixed_error_ = no_memory ? "out of memory" : "unexpected exception";
      return no_memory ? ENOMEM : EIO;
    }
  }

  static void move_to(std::unique_ptr<TableStream> self, ArrowArrayStream* out) {
    *out = {};
    out->get_schema = [](ArrowArrayStream* stream, ArrowSchema* schema) {
      return guarded(stream, [&](TableStream* table) -> Status {
        GLS_ASSIGN(const ArrowFieldSpec spec, table->schema());
        make_arrow_schema(spec, schema);
        return {};
      });
    };
    out->get_next = [](ArrowArrayStream* stream, ArrowArray* array) {
      return guarded(stream, [&](TableStream* table) -> Status {
        *array = {};
        return table->next(array);
      });
    };
    out->get_last_error = [](ArrowArrayStream* stream) {
      return static_cast<const TableStream*>(stream->private_data)->last_error();
    };
    out->release = [](ArrowArrayStream* stream) {
      auto* const table = static_cast<TableStream*>(stream->private_data);
      if (!table->dataset_->context()->in_forked_child()) {  // there its locks may be held for ever
        delete table;
      }
      stream->release = nullptr;
    };
    out->private_data = self.release();
  }

 private:
  std::shared_ptr<const Dataset> dataset_;
  int64_t rows_;
  std::vector<std::unique_ptr<TableField>> fields_;
  int64_t batch_rows_ = 1;
  int64_t at_ = 0;
  std::string error_;
  const char* fixed_error_ = nullptr;  // instead, where there was no memory for words
};

template <typename Type>
Status add_columns(const Dataset& dataset, const Type& type, const std::string& name,
                   std::vector<std::unique_ptr<TableField>>* fields) {
  for (const Column& column : type.columns) {
    GLS_TRY(need_all_rows(column, type.count, name, "type"));
    fields->push_back(std::make_unique<ColumnField>(*dataset.context(), column));
  }
  return {};
}

Status start(std::shared_ptr<const Dataset> dataset, int64_t rows,
             std::vector<std::unique_ptr<TableField>> fields, ArrowArrayStream* out) {
  auto table = std::make_unique<TableStream>(std::move(dataset), rows, std::move(fields));
  GLS_TRY(table->schema().status().copy());
  TableStream::move_to(std::move(table), out);
  return {};
}

}  // namespace

Status nodes_to_arrow(std::shared_ptr<const Dataset> dataset, size_t type, ArrowArrayStream* out) {
  GLS_TRY(dataset->need_arrays("a stream of nodes"));
  const NodeType& of = dataset->node_types()[type];
  std::vector<std::unique_ptr<TableField>> fields;
  fields.push_back(std::make_unique<NodeNameField>(of));
  GLS_TRY(add_columns(*dataset, of, of.name, &fields));
  const int64_t rows = of.count;
  return start(std::move(dataset), rows, std::move(fields), out);
}

Status edges_to_arrow(std::shared_ptr<const Dataset> dataset, size_t type, ArrowArrayStream* out) {
  GLS_TRY(dataset->need_arrays("a stream of edges"));
  const EdgeType& of = dataset->edge_types()[type];
  const auto ends = std::make_shared<EdgeEnds>(*dataset, type);
  std::vector<std::unique_ptr<TableField>> fields;
  fields.push_back(std::make_unique<EdgeEndField>(ends, 0, dataset->node_types()[of.source]));
  fields.push_back(std::make_unique<EdgeEndField>(ends, 1, dataset->node_types()[of.target]));
  GLS_TRY(add_columns(*dataset, of, of.joined, &fields));
  const int64_t rows = of.count;
  return start(std::move(dataset), rows, std::move(fields), out);
}

}  // namespace gls
