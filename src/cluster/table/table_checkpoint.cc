#include "cluster/table/table_checkpoint.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "format/npy.h"
#include "format/sealed_json.h"
#include "query/seed_share.h"
#include "system/file.h"

namespace gls {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;
constexpr size_t kMostDescription = size_t{1} << 20;
constexpr int kMostNested = 4;  // nesting of a description
constexpr size_t kMostShown = 255;
constexpr int64_t kBytesAtOnce = int64_t{64} << 20;
constexpr const char* kPrefix = "table.";
constexpr const char* kSuffix = ".json";

std::string share_name(TableRank rank) { return formatted("{}-of-{}", rank.rank, rank.world_size); }
std::string description_name(TableRank rank) { return kPrefix + share_name(rank) + kSuffix; }
std::string array_name(const table::ArrayForm& form, TableRank rank) {
  return formatted("{}.{}.npy", form.name, share_name(rank));
}

Run share_of(int64_t rows, TableRank rank) { return even_run(rows, rank.world_size, rank.rank); }

int64_t rows_at_once(const table::ArrayForm& form) {
  return std::max<int64_t>(kBytesAtOnce / form.row_bytes(), 1);
}

Status damaged(const std::string& path, std::string_view what) {
  return corrupt("{}: {}", path, what).with("file", path);
}

// ---- descriptions ----

struct Description {
  std::string name;
  std::string number;  // distinguishes it from tables of the same name, and from other runs
  std::string type;
  int64_t rows = 0;
  int64_t width = 0;
  std::string dtype;
  std::string optimizer;
  bool row_steps = false;
  int64_t step = 0;
  TableRank rank;
  std::map<std::string, std::string> checksums;  // by name of the array

  std::string file() const { return description_name(rank); }
};

Description describe(const DistributedTable& table, int64_t step) {
  const table::TableOptions& options = table.options();
  Description out;
  out.name = table.name();
  out.number = hex64(table.number());
  out.type = table.type_name();
  out.rows = table.rows();
  out.width = options.width;
  out.dtype = dtype_name(options.dtype);
  out.optimizer = table::name_of(options.optimizer);
  out.row_steps = options.row_steps;
  out.step = step;
  out.rank = table.rank();
  return out;
}

std::string text_of(const Description& from) {
  nlohmann::ordered_json out;
  out["gls_table"] = kVersion;
  out["name"] = from.name;
  out["number"] = from.number;
  out["type"] = from.type;
  out["rows"] = from.rows;
  out["width"] = from.width;
  out["dtype"] = from.dtype;
  out["optimizer"] = from.optimizer;
  out["row_steps"] = from.row_steps;
  out["step"] = from.step;
  out["rank"] = from.rank.rank;
  out["world_size"] = from.rank.world_size;
  out["arrays"] = from.checksums;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Reads fields with their expected types. The file may be damaged or from another program.
class Fields {
 public:
  Fields(const Json& from, const std::string& path) : from_(from), path_(path) {}

  Result<std::string> text(const char* key) const {
    const auto found = from_.find(key);
    return found != from_.end() && found->is_string()
               ? Result<std::string>(found->get_ref<const std::string&>())
               : wrong(key);
  }
  Result<int64_t> number(const char* key, int64_t most) const {
    const auto found = from_.find(key);
    return found != from_.end() && found->is_number_unsigned() &&
                   found->get<uint64_t>() <= static_cast<uint64_t>(most)
               ? Result<int64_t>(found->get<int64_t>())
               : wrong(key);
  }
  Result<bool> flag(const char* key) const {
    const auto found = from_.find(key);
    return found != from_.end() && found->is_boolean() ? Result<bool>(found->get<bool>())
                                                       : wrong(key);
  }
  Result<std::map<std::string, std::string>> texts(const char* key) const {
    const auto found = from_.find(key);
    if (found == from_.end() || !found->is_object()) {
      return wrong(key);
    }
    std::map<std::string, std::string> out;
    for (const auto& [name, text] : found->items()) {
      if (!text.is_string()) {
        return wrong(key);
      }
      out[name] = text.get_ref<const std::string&>();
    }
    return out;
  }
  Status wrong(const char* key) const {
    return damaged(path_, formatted("\"{}\" is missing, or not what it can be", key));
  }

 private:
  const Json& from_;
  const std::string& path_;
};

bool is_hex64(std::string_view text) {
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Copying JSON recurses, and a file may contain anything. May return true for text that is not
// JSON.
bool is_shallow(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      i += c == '\\' ? 1 : 0;
      quoted = c != '"';
    } else if (c == '{' || c == '[') {
      if (++depth > kMostNested) {
        return false;
      }
    } else {
      depth -= c == '}' || c == ']' ? 1 : 0;
      quoted = c == '"';
    }
  }
  return true;
}

// Reads a description of this name in `folder`.
Result<Description> read_description(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/" + name;
  GLS_ASSIGN(const std::string text, read_text_file(path, kMostDescription));
  const Json json = is_shallow(text) ? Json::parse(text, nullptr, false) : Json();
  if (!json.is_object()) {
    return damaged(path, "it is no description of a table");
  }
  const Fields fields(json, path);
  if (json.contains("xxh3")) {
    GLS_ASSIGN(const std::string sum, fields.text("xxh3"));
    GLS_TRY(check_seal(text, sum, path));
  }
  GLS_ASSIGN(const int64_t version, fields.number("gls_table", INT32_MAX));
  if (version != kVersion) {
    return damaged(path, "it is no description of a table that this version knows");
  }
  Description out;
  GLS_ASSIGN(out.name, fields.text("name"));
  GLS_ASSIGN(out.number, fields.text("number"));
  if (!is_hex64(out.number)) {
    return fields.wrong("number");
  }
  GLS_ASSIGN(out.type, fields.text("type"));
  GLS_ASSIGN(out.rows, fields.number("rows", INT64_MAX));
  GLS_ASSIGN(out.width, fields.number("width", table::kMostWidth));
  GLS_ASSIGN(out.dtype, fields.text("dtype"));
  GLS_ASSIGN(out.optimizer, fields.text("optimizer"));
  GLS_ASSIGN(out.row_steps, fields.flag("row_steps"));
  GLS_ASSIGN(out.step, fields.number("step", table::kMostSteps - 1));
  GLS_ASSIGN(const int64_t world_size, fields.number("world_size", table::kMostTrainers));
  if (world_size == 0) {
    return fields.wrong("world_size");
  }
  GLS_ASSIGN(const int64_t rank, fields.number("rank", world_size - 1));
  out.rank = {static_cast<uint32_t>(rank), static_cast<uint32_t>(world_size)};
  GLS_ASSIGN(out.checksums, fields.texts("arrays"));
  if (name != out.file()) {
    return damaged(path, "it is of another rank than its name");
  }
  return out;
}

// Whether two shares belong to one save. The table's number determines its other properties.
bool same_save(const Description& a, const Description& b) {
  return a.name == b.name && a.number == b.number && a.type == b.type && a.step == b.step &&
         a.rank.world_size == b.rank.world_size;
}

std::string shown(const std::string& text) {
  return text.size() <= kMostShown ? text : text.substr(0, kMostShown) + "...";
}

std::string words_of(const Description& of) {
  return formatted("table \"{}\" ({}) after step {} by {} trainer{}", shown(of.name), of.number,
                   of.step, of.rank.world_size, of.rank.world_size == 1 ? "" : "s");
}

Result<std::vector<std::string>> descriptions_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code failure;
  for (std::filesystem::directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure)) {
    std::string name = at->path().filename().string();
    if (name.starts_with(kPrefix) && name.ends_with(kSuffix)) {
      out.push_back(std::move(name));
    }
  }
  if (failure) {
    return failure == std::errc::no_such_file_or_directory
               ? not_found("{} is not there", folder).with("file", folder)
               : io_error("cannot read folder", folder, failure.value());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// ---- saving ----

// Checks that the folder contains only other shares of the same save.
Status check_free(const Description& own, const std::string& folder) {
  GLS_ASSIGN(const auto names, descriptions_in(folder));
  for (const std::string& name : names) {
    const std::string path = formatted("{}/{}", folder, name);
    const auto taken = [&](std::string_view what) {
      return error(GLS_ERR_ALREADY_EXISTS, "{}: {} is there", path, what).with("file", path);
    };
    if (name == own.file()) {
      return taken("a saved table");
    }
    auto found = read_description(folder, name);
    if (found.ok()) {
      if (!same_save(own, *found)) {
        return taken(words_of(*found));
      }
    } else if (found.status().code() == GLS_ERR_CORRUPT_DATA) {
      return taken("something that is no share of this save");
    } else {
      return found.status().copy();
    }
  }
  return {};
}

// The files of a share, which are useless without its description. Files of an interrupted save are
// removed first; files of a failed save are removed at the end.
class ShareFiles {
 public:
  ShareFiles() = default;
  ShareFiles(const ShareFiles&) = delete;
  ShareFiles& operator=(const ShareFiles&) = delete;
  ~ShareFiles() {
    for (const std::string& path : paths_) {
      ::unlink(path.c_str());
    }
  }

  // Removes any file at `path`, and removes it again if the save fails.
  Status claim(const std::string& path) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
      return io_error("cannot replace", path, errno);
    }
    paths_.push_back(path);
    return {};
  }
  void keep() { paths_.clear(); }

 private:
  std::vector<std::string> paths_;
};

Result<std::string> write_array(const DistributedTable& table, const table::ArrayForm& form,
                                Run run, const std::string& path) {
  GLS_ASSIGN(NpyWriter out, NpyWriter::create(path, form.dtype, std::vector<int64_t>{form.width}));
  std::vector<std::byte> rows;
  for (int64_t at = run.begin; at < run.end;) {
    const int64_t count = std::min(rows_at_once(form), run.end - at);
    rows.resize(static_cast<size_t>(count * form.row_bytes()));
    GLS_TRY(table.read(form.array, at, count, rows.data()));
    GLS_TRY(out.append(rows, count));
    at += count;
  }
  GLS_TRY(out.finish());
  return out.checksum();
}

Status write_text(const std::string& path, const std::string& text) {
  GLS_ASSIGN(FileWriter out, FileWriter::create(path));
  GLS_TRY(out.write(std::as_bytes(std::span(text))));
  return out.close(true);
}

// ---- loading ----

struct Saved {
  int64_t step = 0;
  std::vector<Description> shares;  // by rank
};

// Checks a description against the table.
Status check_table(const DistributedTable& table, const Description& saved,
                   const std::string& path) {
  const Description own = describe(table, 0);
  const auto check = [&](const char* what, const auto& found, const auto& is) -> Status {
    return found == is ? Status()
                       : invalid("{}: {} is {}, and that of table \"{}\" is {}", path, what, found,
                                 own.name, is)
                             .with("file", path);
  };
  GLS_TRY(check("type", shown(saved.type), shown(own.type)));
  GLS_TRY(check("rows", saved.rows, own.rows));
  GLS_TRY(check("width", saved.width, own.width));
  GLS_TRY(check("dtype", shown(saved.dtype), own.dtype));
  GLS_TRY(check("optimizer", shown(saved.optimizer), own.optimizer));
  return check("row_steps", saved.row_steps, own.row_steps);
}

Result<Saved> read_saved(const DistributedTable& table, const std::string& folder) {
  GLS_ASSIGN(const auto names, descriptions_in(folder));
  if (names.empty()) {
    return not_found("{}: no table was saved there", folder).with("file", folder);
  }
  std::vector<std::optional<Description>> found;
  std::optional<Description> first;
  for (const std::string& name : names) {
    GLS_ASSIGN(Description saved, read_description(folder, name));
    const std::string path = formatted("{}/{}", folder, name);
    GLS_TRY(check_table(table, saved, path));
    if (!first) {
      first = saved;
      found.resize(saved.rank.world_size);
    }
    if (!same_save(*first, saved)) {
      return invalid("{}: of {} a share is there, and of {}", folder, words_of(*first),
                     words_of(saved))
          .with("file", path);
    }
    found[saved.rank.rank] = std::move(saved);
  }
  Saved out;
  out.step = first->step;
  for (size_t rank = 0; rank < found.size(); ++rank) {
    if (!found[rank]) {
      const std::string path =
          folder + "/" +
          description_name({static_cast<uint32_t>(rank), static_cast<uint32_t>(found.size())});
      return not_found("{} is missing: a trainer did not save its share, or not here", path)
          .with("file", path);
    }
    out.shares.push_back(*std::move(found[rank]));
  }
  return out;
}

// Rows of one array that a trainer loads from a share.
struct Piece {
  const table::ArrayForm* form;
  Run run;
  Tensor rows;
};

// Checks the whole array, also where only some rows are needed, because the checksum covers all of
// it. Each trainer therefore reads every share that it uses completely.
Result<Tensor> open_array(const table::ArrayForm& form, const Description& share, int64_t count,
                          const std::string& folder) {
  const std::string path = folder + "/" + array_name(form, share.rank);
  const auto sum = share.checksums.find(std::string(form.name));
  if (sum == share.checksums.end()) {
    return damaged(folder + "/" + share.file(), formatted("no checksum of {} is there", form.name));
  }
  GLS_ASSIGN(Tensor saved, map_npy(path));
  if (!same_dtype(saved.dtype(), form.dtype) ||
      saved.shape() != std::vector<int64_t>{count, form.width}) {
    return damaged(path, "it has another dtype or shape than its description");
  }
  Checksum checksum;
  checksum.update({saved.data(), static_cast<size_t>(count * form.row_bytes())});
  if (sum->second != checksum.hex()) {
    return damaged(path, "its checksum is not the one that was saved");
  }
  return saved;
}

Result<std::vector<Piece>> open_pieces(const Saved& saved,
                                       const std::vector<table::ArrayForm>& forms, int64_t rows,
                                       Run own, const std::string& folder) {
  std::vector<Piece> out;
  for (const Description& share : saved.shares) {
    const Run all = share_of(rows, share.rank);
    const Run run = {std::max(own.begin, all.begin), std::min(own.end, all.end)};
    if (run.begin >= run.end) {
      continue;
    }
    for (const table::ArrayForm& form : forms) {
      GLS_ASSIGN(const Tensor array, open_array(form, share, all.end - all.begin, folder));
      const std::byte* const first = array.data() + (run.begin - all.begin) * form.row_bytes();
      out.push_back({&form, run,
                     Tensor(array.owner(), first, form.dtype, {run.end - run.begin, form.width})});
    }
  }
  return out;
}

Status load_piece(const DistributedTable& table, const Piece& piece) {
  const table::ArrayForm& form = *piece.form;
  for (int64_t at = piece.run.begin; at < piece.run.end;) {
    const int64_t count = std::min(rows_at_once(form), piece.run.end - at);
    GLS_TRY(table.write(form.array, at, count,
                        piece.rows.data() + (at - piece.run.begin) * form.row_bytes()));
    at += count;
  }
  return check_mapped_file(piece.rows.data());
}

}  // namespace

Status save_table(const DistributedTable& table, const std::string& folder) {
  GLS_ASSIGN(const int64_t step, table.common_step());
  Description own = describe(table, step);
  GLS_TRY(make_folders(folder));
  GLS_TRY(check_free(own, folder));
  const std::string path = folder + "/" + own.file();
  const std::string working = path + std::string(kPartialSuffix);
  ShareFiles files;
  GLS_TRY(files.claim(working));
  for (const table::ArrayForm& form : table::arrays_of(table.options())) {
    const std::string array = folder + "/" + array_name(form, own.rank);
    GLS_TRY(files.claim(array));
    GLS_ASSIGN(own.checksums[std::string(form.name)],
               write_array(table, form, share_of(own.rows, own.rank), array));
  }
  GLS_ASSIGN(const int64_t step_after, table.common_step());
  if (step_after != step) {
    return error(GLS_ERR_INVALID_STATE,
                 "a step was taken while the table was saved: it was at {}, and is at {}", step,
                 step_after);
  }
  GLS_TRY(write_text(working, seal_json(text_of(own))));
  // Other trainers may have written shares of another save meanwhile.
  GLS_TRY(check_free(own, folder));
  if (std::rename(working.c_str(), path.c_str()) != 0) {
    return io_error("cannot rename to", path, errno);
  }
  files.keep();
  return {};
}

Status load_table(DistributedTable* table, const std::string& folder, int64_t timeout_ms) {
  GLS_ASSIGN(const Saved saved, read_saved(*table, folder));
  const std::vector<table::ArrayForm> forms = table::arrays_of(table->options());
  const Run own = share_of(table->rows(), table->rank());
  // Finds all errors in the files before any row changes.
  GLS_ASSIGN(const auto pieces, open_pieces(saved, forms, table->rows(), own, folder));
  GLS_TRY(table->begin_load());
  for (const Piece& piece : pieces) {
    GLS_TRY(load_piece(*table, piece));
  }
  return table->finish_load(saved.step, timeout_ms);
}

}  // namespace gls
