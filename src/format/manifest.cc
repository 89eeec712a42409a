#include "format/manifest.h"

#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "base/utf8.h"
#include "format/json_schema.h"
#include "format/sealed_json.h"
#include "manifest_bfbs_generated.h"
#include "system/file.h"
#include "tensor/arrow_type.h"
#include "tensor/codebook.h"

namespace gls {
namespace {

using format::ArrayT;
using format::ColumnT;

std::span<const uint8_t> manifest_schema() {
  return {format::ManifestBinarySchema::data(), format::ManifestBinarySchema::size()};
}

class ManifestChecker {
 public:
  explicit ManifestChecker(std::string_view file) : file_(file) {}

  Status check(const format::ManifestT& manifest) {
    if (manifest.format != kManifestFormat) {
      return bad("format is \"{}\", expected \"{}\"", manifest.format, kManifestFormat);
    }
    if (manifest.version == 0 || manifest.version > kPartManifestVersion) {
      return error(GLS_ERR_UNSUPPORTED,
                   "{}: dataset format version {} is not known to this library (it reads 1 to {})",
                   file_, manifest.version, kPartManifestVersion)
          .with("file", std::string(file_));
    }
    if (!manifest.xxh3.empty()) {
      return bad("the manifest in it has an xxh3, expected one of the file alone");
    }
    GLS_TRY(check_part(manifest));
    std::set<std::string> node_names;
    for (const auto& type : manifest.node_types) {
      GLS_TRY(check_node_type(*type));
      GLS_TRY(check_whole(type->whole.get(), type->count, type->name, manifest.part != nullptr));
      if (!node_names.insert(type->name).second) {
        return bad("node type \"{}\" occurs twice", type->name);
      }
    }
    std::set<std::string> edge_names;
    for (const auto& type : manifest.edge_types) {
      GLS_TRY(check_edge_type(*type, node_names));
      GLS_TRY(
          check_whole(type->whole.get(), type->count, type->relation, manifest.part != nullptr));
      if (!edge_names.insert(type->source + "__" + type->relation + "__" + type->target).second) {
        return bad("edge type \"{}__{}__{}\" occurs twice", type->source, type->relation,
                   type->target);
      }
    }
    return {};
  }

  Status check_array(const ArrayT& array) const {
    const std::string& path = array.file;
    bool good = !path.empty() && path.front() != '/' && path.find('\0') == std::string::npos;
    for (size_t begin = 0; good && begin <= path.size();) {
      const size_t end = std::min(path.find('/', begin), path.size());
      const std::string_view part = std::string_view(path).substr(begin, end - begin);
      good = !part.empty() && part != "." && part != "..";
      begin = end + 1;
    }
    if (!good) {
      return bad("array file \"{}\" is not a path inside the folder", path);
    }
    for (const int64_t extent : array.shape) {
      if (extent < 0) {
        return bad("array {} has a negative extent {}", path, extent);
      }
    }
    return {};
  }

 private:
  template <typename... Args>
  Status bad(fmt::format_string<Args...> text, Args&&... args) const {
    return corrupt("{}: {}", file_, formatted(text, std::forward<Args>(args)...))
        .with("file", std::string(file_));
  }

  Status check_part(const format::ManifestT& manifest) const {
    const bool is_part = manifest.part != nullptr;
    if (is_part != (manifest.version >= kPartManifestVersion)) {
      return bad("version is {}, expected {} for {}", manifest.version,
                 is_part ? kPartManifestVersion : kManifestVersion,
                 is_part ? "a part of a graph" : "a dataset that is no part");
    }
    if (!is_part) {
      return {};
    }
    const format::PartT& part = *manifest.part;
    if (part.parts > kMaxParts || part.number >= part.parts) {
      return bad("part number {} of {}, expected a number below that of the parts, at most {}",
                 part.number, part.parts, kMaxParts);
    }
    return is_hex64(part.graph)
               ? Status()
               : bad("part.graph is \"{}\", expected 16 hexadecimal digits", part.graph);
  }

  Status check_whole(const format::WholeT* whole, int64_t count, const std::string& owner,
                     bool is_part) const {
    if ((whole != nullptr) != is_part) {
      return bad("\"{}\" {}, but the dataset is {} of a graph", owner,
                 is_part ? "has no whole" : "has a whole", is_part ? "a part" : "no part");
    }
    if (whole == nullptr) {
      return {};
    }
    if (whole->count < count || whole->count > kMaxCount || whole->owned < 0 ||
        whole->owned > count) {
      return bad("\"{}\" has {} ids, of which {} are owned, of {} in the whole", owner, count,
                 whole->owned, whole->count);
    }
    GLS_TRY(check_array(*whole->ids));
    return check_array(*whole->index);
  }

  // An error that means a wrong call for a builder means damaged data for a reader.
  Status named(std::string_view name, std::string_view what) const {
    const Status status = check_name(name, what);
    return status.ok() ? Status() : bad("{}", status.message());
  }

  Status check_quantized(const ColumnT& column, const std::string& owner) const {
    if (column.row_shape.size() != 1 || column.array->dtype != "uint8") {
      return bad(
          "column \"{}\" of {} is quantized, but has rows of shape {} in an array of {}, "
          "expected one extent and uint8",
          column.name, owner, shape_text(column.row_shape), column.array->dtype);
    }
    auto codebook =
        Codebook::create(column.quantized->bits, column.row_shape[0], column.quantized->codebook);
    if (!codebook.ok()) {
      return bad("column \"{}\" of {}: {}", column.name, owner, codebook.status().message());
    }
    return {};
  }

  Status check_columns(const std::vector<std::unique_ptr<ColumnT>>& columns,
                       const std::string& owner) const {
    std::set<std::string> names;
    for (const auto& column : columns) {
      GLS_TRY(named(column->name, "column"));
      GLS_TRY(check_array(*column->array));
      for (const int64_t extent : column->row_shape) {
        if (extent < 0) {
          return bad("column \"{}\" of {} has a negative extent {}", column->name, owner, extent);
        }
      }
      if (column->quantized != nullptr) {
        GLS_TRY(check_quantized(*column, owner));
      }
      if (!column->logical_type.empty()) {
        const Result<DLDataType> dtype = parse_dtype(column->array->dtype);
        if (!dtype.ok() || !is_logical_type_of(column->logical_type, *dtype)) {
          return bad("column \"{}\" of {} is {}, which cannot have the logical type \"{}\"",
                     column->name, owner, column->array->dtype, column->logical_type);
        }
      }
      if (!names.insert(column->name).second) {
        return bad("column \"{}\" of {} occurs twice", column->name, owner);
      }
    }
    return {};
  }

  Status check_node_type(const format::NodeTypeT& type) const {
    GLS_TRY(named(type.name, "node type"));
    if (type.count < 0 || type.count > kMaxCount) {
      return bad("node type \"{}\" has {} nodes, expected 0 to {}", type.name, type.count,
                 kMaxCount);
    }
    GLS_TRY(check_columns(type.columns, type.name));
    std::set<std::string> names;
    for (const auto& set : type.id_sets) {
      GLS_TRY(named(set->name, "id set"));
      GLS_TRY(check_array(*set->array));
      if (!names.insert(set->name).second) {
        return bad("id set \"{}\" of {} occurs twice", set->name, type.name);
      }
    }
    if (type.keys != nullptr) {
      GLS_TRY(check_array(*type.keys->values));
      for (const auto* extra : {&type.keys->offsets, &type.keys->order}) {
        if (*extra != nullptr) {
          GLS_TRY(check_array(**extra));
        }
      }
    }
    return {};
  }

  Status check_edge_type(const format::EdgeTypeT& type,
                         const std::set<std::string>& node_names) const {
    GLS_TRY(named(type.relation, "relation"));
    for (const std::string* end : {&type.source, &type.target}) {
      if (!node_names.contains(*end)) {
        return bad("relation \"{}\" names the node type \"{}\", which does not exist",
                   type.relation, *end);
      }
    }
    if (type.count < 0 || type.count > kMaxCount) {
      return bad("relation \"{}\" has {} edges, expected 0 to {}", type.relation, type.count,
                 kMaxCount);
    }
    if (type.csc == nullptr && type.csr == nullptr) {
      return bad("relation \"{}\" has neither csc nor csr", type.relation);
    }
    for (const auto* layout : {&type.csc, &type.csr}) {
      if (*layout != nullptr) {
        GLS_TRY(check_array(*(*layout)->indptr));
        GLS_TRY(check_array(*(*layout)->indices));
        if ((*layout)->edge_ids != nullptr) {
          GLS_TRY(check_array(*(*layout)->edge_ids));
        }
      }
    }
    return check_columns(type.columns, type.relation);
  }

  std::string_view file_;
};

}  // namespace

Status check_name(std::string_view name, std::string_view what) {
  const auto bad = [&](const char* why) {
    return invalid("{} name \"{}\" {}", what, is_utf8(name) ? name : "?", why)
        .with("argument", std::string(what));
  };
  if (name.empty()) {
    return bad("is empty");
  }
  if (name.size() > 255) {
    return bad("is longer than 255 bytes");
  }
  if (!is_utf8(name)) {
    return bad("is not UTF-8");
  }
  if (name.find("__") != std::string_view::npos || name.front() == '_' || name.back() == '_') {
    return bad(
        "contains \"__\" or begins or ends with '_', which separates the parts of edge types");
  }
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      return bad("contains a control character");
    }
  }
  return {};
}

bool holds_manifest(const std::string& folder) {
  return holds_format(folder, kManifestFile, kManifestFormat);
}

bool holds_format(const std::string& folder, const char* name, const char* wanted) {
  const Result<std::string> text = read_text_file(folder + "/" + name, kMaxManifestBytes);
  if (!text.ok()) {
    return false;
  }
  const auto top_level = [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    return depth <= 1;
  };
  const auto json = nlohmann::json::parse(*text, top_level, false);
  const auto format = json.is_object() ? json.find("format") : json.end();
  return format != json.end() && *format == wanted;
}

Result<format::ManifestT> parse_manifest(std::string_view text, std::string_view file) {
  GLS_ASSIGN(std::vector<uint8_t> buffer, json_to_flatbuffer(text, manifest_schema(), file));
  flatbuffers::Verifier verifier(buffer.data(), buffer.size());
  if (!format::VerifyManifestBuffer(verifier)) {
    return error(GLS_ERR_INTERNAL, "{}: the encoded manifest does not verify", file);
  }
  format::ManifestT manifest;
  format::GetManifest(buffer.data())->UnPackTo(&manifest);
  GLS_TRY(check_seal(text, manifest.xxh3, file));
  manifest.xxh3.clear();
  GLS_TRY(check_manifest(manifest, file));
  return manifest;
}

bool is_hex64(std::string_view text) {
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Status check_array_file(const format::ArrayT& array, std::string_view file) {
  return ManifestChecker(file).check_array(array);
}

Status check_manifest(const format::ManifestT& manifest, std::string_view file) {
  return ManifestChecker(file).check(manifest);
}

std::string manifest_to_json(const format::ManifestT& manifest) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(format::Manifest::Pack(builder, &manifest));
  return flatbuffer_to_json({builder.GetBufferPointer(), builder.GetSize()}, manifest_schema());
}

}  // namespace gls
