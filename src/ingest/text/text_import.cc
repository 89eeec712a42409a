#include "ingest/text/text_import.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/utf8.h"
#include "context/parallel.h"
#include "ingest/common/text_value.h"
#include "ingest/text/text_layout.h"
#include "ingest/text/text_parser.h"
#include "ingest/text/text_reader.h"

namespace gls {
namespace {

constexpr size_t kChunk = size_t{1} << 20;

// Handles the ids of one kind of file: collects them chunk by chunk on any thread, then processes
// the chunks in order.
class Records : public IdSink {
 public:
  virtual void clear() = 0;
  // Whether draining needs the line of each record.
  virtual bool wants_lines() const { return false; }
  // Called in order. A failure concerns record number `*at` of the chunk.
  virtual Status drain(size_t* at) = 0;
};

class TextImport {
 public:
  using MakeRecords = std::function<std::unique_ptr<Records>()>;

  TextImport(Workspace& workspace, const std::string& path, const TextOptions& options,
             std::vector<IdField> ids, const char* stage)
      : workspace_(workspace),
        path_(path),
        options_(options),
        ids_(std::move(ids)),
        stage_(stage),
        layout_(text_layout(options)) {}

  Result<std::vector<Column>> run(const MakeRecords& make_records) {
    GLS_ASSIGN(TextReader reader, TextReader::open(path_, options_.encoding));
    reader_.emplace(std::move(reader));
    GLS_TRY(find_first_line());
    std::vector<Spool> spools;
    for (size_t i = 0; i < options_.columns.size(); ++i) {
      GLS_ASSIGN(Spool spool, Spool::create(workspace_, "column"));
      spools.push_back(std::move(spool));
    }
    if (first_line_found_) {
      GLS_TRY(read_lines(TextParser(layout_, options_.columns), make_records, &spools));
    }
    warn_of_comments();
    std::vector<Column> columns;
    for (size_t i = 0; i < spools.size(); ++i) {
      const TextColumn& column = options_.columns[i];
      GLS_ASSIGN(Tensor data, spools[i].finish(column.dtype, {records_}));
      columns.push_back(
          {column.name.empty() ? column.field : column.name, column.role, std::move(data)});
    }
    return columns;
  }

 private:
  struct Slot {
    std::string text;
    size_t skip = 0;  // bytes at the start that were handled already
    ParsedText parsed;
    std::unique_ptr<Records> records;
    std::vector<uint32_t> record_lines;
  };

  Status located(Status status, int64_t line) const {
    if (status.code() != GLS_ERR_CORRUPT_DATA) {
      return status;
    }
    return std::move(status)
        .prefixed(formatted("{}:{}: ", path_, line))
        .with("file", path_)
        .with("line", std::to_string(line));
  }

  // Determines the layout from the first line that is neither a comment nor blank. Stops before it,
  // or after it if it is a header.
  Status find_first_line() {
    const size_t chunk = chunk_size();
    for (;;) {
      GLS_ASSIGN(const bool more, reader_->next(chunk, &pending_));
      if (!more) {
        return needs_header(options_, ids_)
                   ? located(corrupt("the file has no header line"), lines_ + 1)
                   : Status();
      }
      std::string_view rest = pending_;
      while (!rest.empty()) {
        const size_t begin = pending_.size() - rest.size();
        const std::string_view line = cut_line(&rest);
        ++lines_;
        if (Status checked = check_line(line); !checked.ok()) {
          return located(std::move(checked), lines_);
        }
        if (!line.empty() && !layout_.is_comment(line.front()) && !is_blank(line)) {
          return settle(line, begin, pending_.size() - rest.size());
        }
      }
    }
  }

  Status settle(std::string_view line, size_t begin, size_t end) {
    Status settled = settle_layout(options_, ids_, line, &layout_);
    if (!settled.ok()) {
      return located(std::move(settled), lines_);
    }
    if (layout_.header_is_a_guess) {
      workspace_.context().log().write(
          GLS_LOG_WARN, "ingest",
          "{}:{}: taken for a header, as its ids are no numbers; say whether there is one", path_,
          lines_);
    }
    warn_of_unread_fields();
    first_line_found_ = true;
    pending_skip_ = layout_.has_header ? end : begin;
    lines_ -= layout_.has_header ? 0 : 1;
    return {};
  }

  void warn_of_unread_fields() const {
    if (layout_.unread_fields.empty()) {
      return;
    }
    std::string fields;
    for (const size_t field : layout_.unread_fields) {
      fields += formatted("{}#{}", fields.empty() ? "" : ", ", field);
    }
    workspace_.context().log().write(
        GLS_LOG_WARN, "ingest",
        "{}:{}: the line has {} fields, and {} of them are not read: {}; put an id that contains "
        "the delimiter in quotes",
        path_, lines_, layout_.num_fields, layout_.unread_fields.size(), fields);
  }

  // After the first line, a line that looks like a comment may be a node with such a name.
  void warn_of_comments() const {
    if (comments_ > 0 && options_.comment == 0) {
      workspace_.context().log().write(
          GLS_LOG_WARN, "ingest",
          "{}: {} lines after the first begin with '#' or '%' and were skipped as comments; say "
          "what begins a comment, or that there are none",
          path_, comments_);
    }
  }

  size_t chunk_size() const {
    return std::clamp<size_t>(workspace_.budget()->available() / 64, size_t{64} << 10, kChunk);
  }

  Status read_lines(const TextParser& parser, const MakeRecords& make_records,
                    std::vector<Spool>* spools) {
    const size_t chunk = chunk_size();
    // Text and its result: an id or a value takes at most four times its text, and vectors grow by
    // doubling.
    const size_t slot_bytes = 9 * chunk;
    std::vector<Slot> slots(workspace_.window(slot_bytes));
    MemoryLease lease(workspace_.budget());
    GLS_TRY(lease.add(slots.size() * slot_bytes, "reading text"));
    for (Slot& slot : slots) {
      slot.records = make_records();
    }
    bool first = true;
    Pipeline pipeline;
    pipeline.feed = [&](size_t slot) -> Result<bool> {
      slots[slot].skip = 0;
      if (std::exchange(first, false)) {
        slots[slot].text = std::move(pending_);
        slots[slot].skip = pending_skip_;
        return true;
      }
      return reader_->next(chunk, &slots[slot].text);
    };
    pipeline.work = [&](size_t slot) -> Status {
      Slot& s = slots[slot];
      s.records->clear();
      s.record_lines.clear();
      parser.parse(std::string_view(s.text).substr(s.skip), *s.records, &s.parsed,
                   s.records->wants_lines() ? &s.record_lines : nullptr);
      return {};
    };
    pipeline.drain = [&](size_t slot) { return take(&slots[slot], spools); };
    return run_pipeline(workspace_.pool(), slots.size(), pipeline);
  }

  Status take(Slot* slot, std::vector<Spool>* spools) {
    size_t at = 0;
    Status taken = slot->records->drain(&at);
    if (!taken.ok()) {
      const int64_t line = at < slot->record_lines.size() ? slot->record_lines[at] : 0;
      return located(std::move(taken), lines_ + line);
    }
    if (!slot->parsed.failure.ok()) {
      return located(std::move(slot->parsed.failure), lines_ + slot->parsed.lines);
    }
    for (size_t i = 0; i < spools->size(); ++i) {
      GLS_TRY((*spools)[i].append(slot->parsed.columns[i]));
    }
    lines_ += slot->parsed.lines;
    records_ += slot->parsed.records;
    comments_ += slot->parsed.comments;
    return report(workspace_.progress(), stage_, reader_->bytes_read(), reader_->file_size(), "B");
  }

  Workspace& workspace_;
  const std::string& path_;
  const TextOptions& options_;
  std::vector<IdField> ids_;
  const char* stage_;
  TextLayout layout_;
  std::optional<TextReader> reader_;
  std::string pending_;  // the chunk with the first line
  size_t pending_skip_ = 0;
  bool first_line_found_ = false;
  int64_t lines_ = 0;  // processed
  int64_t records_ = 0;
  int64_t comments_ = 0;  // after the first line
};

// Text files may be of another encoding, which the caller can name.
Status with_hint(Status status, std::string_view field) {
  if (status.code() != GLS_ERR_CORRUPT_DATA || is_utf8(field)) {
    return status;
  }
  return corrupt("{}; name the encoding of the file, such as latin-1", status.message());
}

class EdgeRecords : public Records {
 public:
  EdgeRecords(IdMap& source, IdMap& target, ReadEdges& text)
      : source_(source), target_(target), text_(text) {}

  void clear() override {
    sources_.clear();
    targets_.clear();
  }
  Status take(std::span<const std::string_view> ids) override {
    int64_t source = 0;
    int64_t target = 0;
    GLS_TRY(resolve(source_, ids[0], "source", &source));
    GLS_TRY(resolve(target_, ids[1], "target", &target));
    sources_.push_back(source);
    targets_.push_back(target);
    return {};
  }
  Status drain(size_t*) override {
    GLS_TRY(text_.source.append(sources_));
    return text_.target.append(targets_);
  }

 private:
  static Status resolve(IdMap& ids, std::string_view field, const char* end, int64_t* id) {
    Status status = with_hint(ids.resolve(field, id), field);
    if (status.code() != GLS_ERR_CORRUPT_DATA) {
      return status;
    }
    return std::move(status).prefixed(formatted("{}: ", end));
  }
  IdMap& source_;
  IdMap& target_;
  ReadEdges& text_;
  std::vector<int64_t> sources_;
  std::vector<int64_t> targets_;
};

// Any thread checks keys; only an ordered pass can check that they are unique.
class NodeRecords : public Records {
 public:
  explicit NodeRecords(ListedIds& ids) : ids_(ids) {}

  bool wants_lines() const override { return true; }

  void clear() override {
    text_.clear();
    ends_.clear();
  }
  Status take(std::span<const std::string_view> ids) override {
    GLS_TRY(with_hint(ids_.check(ids[0]), ids[0]));
    text_ += ids[0];
    ends_.push_back(static_cast<uint32_t>(text_.size()));
    return {};
  }
  Status drain(size_t* at) override {
    size_t begin = 0;
    for (*at = 0; *at < ends_.size(); ++*at) {
      const size_t end = ends_[*at];
      const std::string_view key = std::string_view(text_).substr(begin, end - begin);
      GLS_ASSIGN(const bool added, ids_.add(key));
      if (!added) {
        return corrupt("node \"{}\" occurs before", shown(key));
      }
      begin = end;
    }
    return {};
  }

 private:
  ListedIds& ids_;
  std::string text_;
  std::vector<uint32_t> ends_;
};

}  // namespace

Result<ReadEdges> read_edges_text(Workspace& workspace, const std::string& path,
                                  const TextOptions& options, const NamedEnd& source,
                                  const NamedEnd& target) {
  GLS_ASSIGN(IdSpool sources, IdSpool::create(workspace, "sources"));
  GLS_ASSIGN(IdSpool targets, IdSpool::create(workspace, "targets"));
  ReadEdges text{std::move(sources), std::move(targets), {}};
  TextImport import(
      workspace, path, options,
      {{options.source_field, source.is_number}, {options.target_field, target.is_number}},
      "reading edges");
  GLS_ASSIGN(text.columns, import.run([&] {
    return std::make_unique<EdgeRecords>(*source.ids, *target.ids, text);
  }));
  GLS_TRY(text.source.finish());
  GLS_TRY(text.target.finish());
  return text;
}

Result<std::vector<Column>> read_nodes_text(Workspace& workspace, const std::string& path,
                                            const TextOptions& options, ListedIds& ids,
                                            bool is_number) {
  TextImport import(workspace, path, options, {{options.source_field, is_number}}, "reading nodes");
  return import.run([&] { return std::make_unique<NodeRecords>(ids); });
}

}  // namespace gls
