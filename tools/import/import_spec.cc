// Reads the JSON description of an import. Nothing is ignored: an unknown key, a wrong type or a
// repeated key is an error that names the place.

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/nearest_name.h"
#include "import/import.h"
#include "session/arguments.h"
#include "session/tensor_io.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

namespace fs = std::filesystem;

class SpecReader {
 public:
  explicit SpecReader(std::string path) : path_(std::move(path)) {}

  ImportPlan read() {
    const Json document = parse();
    check_object(document, "the document", {"nodes", "edges"});
    ImportPlan plan;
    each(document, "nodes", "nodes", [&](const std::string& type, const Json& value) {
      plan.nodes.push_back(node(type, value, "nodes." + type));
    });
    each(document, "edges", "edges", [&](const std::string& type, const Json& value) {
      plan.edges.push_back(edge(type, value, "edges." + type));
    });
    if (plan.edges.empty()) {
      throw wrong("edges", "there are none");
    }
    try {
      plan.declare_ends("the key \"nodes\"");
    } catch (const UsageError& error) {
      throw wrong("edges", error.what());
    }
    return plan;
  }

 private:
  Failure wrong(const std::string& where, const std::string& what) const {
    return Failure(formatted("{}: {}: {}", path_, where, what), path_);
  }

  Json parse() const {
    std::ifstream in(path_);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf())) {
      throw system_failure("cannot read", path_, errno);
    }
    // The parser keeps one of several equal keys, and does not define which one.
    std::vector<std::set<std::string>> open_objects;
    const auto check_keys = [&](int, Json::parse_event_t event, Json& parsed) {
      if (event == Json::parse_event_t::object_start) {
        open_objects.emplace_back();
      } else if (event == Json::parse_event_t::object_end) {
        open_objects.pop_back();
      } else if (event == Json::parse_event_t::key &&
                 !open_objects.back().insert(parsed.get<std::string>()).second) {
        throw wrong(parsed.get<std::string>(), "the key is given twice");
      }
      return true;
    };
    try {
      return Json::parse(text.str(), check_keys);
    } catch (const Json::exception& error) {
      throw Failure(formatted("{} is not JSON: {}", path_, error.what()), path_);
    }
  }

  void check_object(const Json& value, const std::string& where,
                    const std::set<std::string>& known) const {
    if (!value.is_object()) {
      throw wrong(where, formatted("expected an object, found {}", value.type_name()));
    }
    for (const auto& item : value.items()) {
      if (!known.contains(item.key())) {
        std::string all;
        for (const std::string& key : known) {
          all += (all.empty() ? "" : ", ") + key;
        }
        const std::vector<std::string> names(known.begin(), known.end());
        throw wrong(where, formatted("unknown key \"{}\"; expected one of {}{}", item.key(), all,
                                     did_you_mean(item.key(), names)));
      }
    }
  }

  // Calls f(key, value) for the members of the object at `key`, if it exists.
  template <typename Function>
  void each(const Json& parent, const std::string& key, const std::string& where,
            Function&& f) const {
    const auto found = parent.find(key);
    if (found == parent.end()) {
      return;
    }
    if (!found->is_object()) {
      throw wrong(where, formatted("expected an object, found {}", found->type_name()));
    }
    for (const auto& item : found->items()) {
      f(item.key(), item.value());
    }
  }

  std::string text(const Json& value, const std::string& where) const {
    if (!value.is_string()) {
      throw wrong(where, formatted("expected a string, found {}", value.type_name()));
    }
    return value.get<std::string>();
  }

  std::string text_at(const Json& parent, const std::string& key, const std::string& where,
                      bool required) const {
    const auto found = parent.find(key);
    if (found == parent.end()) {
      if (required) {
        throw wrong(where, formatted("the key \"{}\" is missing", key));
      }
      return {};
    }
    return text(*found, where + "." + key);
  }

  bool flag_at(const Json& parent, const std::string& key, const std::string& where) const {
    const auto found = parent.find(key);
    if (found != parent.end() && !found->is_boolean()) {
      throw wrong(where + "." + key,
                  formatted("expected true or false, found {}", found->type_name()));
    }
    return found != parent.end() && found->get<bool>();
  }

  std::string file(const Json& value, const std::string& where) const {
    const fs::path named(text(value, where));
    return named.is_absolute() ? named.string() : (fs::path(path_).parent_path() / named).string();
  }

  std::string file_at(const Json& parent, const std::string& key, const std::string& where,
                      bool required) const {
    const std::string named = text_at(parent, key, where, required);
    return named.empty() ? named : file(named, where + "." + key);
  }

  // "x.npy", or {"file": "x.npy", "role": "label"}.
  ArrayFile array(const std::string& name, const Json& value, const std::string& where) const {
    ArrayFile out;
    out.name = name;
    if (!value.is_object()) {
      out.file = file(value, where);
      return out;
    }
    check_object(value, where, {"file", "role"});
    out.file = file_at(value, "file", where, true);
    out.role = role_at(value, where);
    return out;
  }

  int32_t role_at(const Json& parent, const std::string& where) const {
    const std::string role = text_at(parent, "role", where, false);
    if (!role.empty() && !is_role(role)) {
      throw wrong(where, formatted("\"{}\" is not a role", role));
    }
    return role.empty() ? GLS_ROLE_FEATURE : parse_role("role", role);
  }

  template <typename Value, typename Parse>
  Value chosen(const Json& parent, const std::string& key, const std::string& where,
               Value otherwise, Parse&& parse) const {
    const std::string value = text_at(parent, key, where, false);
    if (value.empty()) {
      return otherwise;
    }
    try {
      return parse(key, value);
    } catch (const UsageError& error) {
      throw wrong(where, error.what());
    }
  }

  // "writes.csv", or an object. `ends` are the keys that name id fields.
  TextFile text_file(const Json& value, const std::string& where,
                     const std::vector<std::string>& ends) const {
    TextFile out;
    if (!value.is_object()) {
      out.file = file(value, where);
      return out;
    }
    std::set<std::string> known = {"file",   "delimiter", "comment", "header",
                                   "ragged", "encoding",  "columns"};
    known.insert(ends.begin(), ends.end());
    check_object(value, where, known);
    out.file = file_at(value, "file", where, true);
    out.delimiter = chosen(value, "delimiter", where, '\0', parse_character);
    out.comment = chosen(value, "comment", where, '\0', parse_comment);
    out.header = chosen(value, "header", where, int32_t{GLS_HEADER_DETECT}, parse_header);
    out.ragged = flag_at(value, "ragged", where);
    out.encoding = chosen(value, "encoding", where, int32_t{GLS_ENCODING_DETECT}, parse_encoding);
    out.source_field = text_at(value, ends.front(), where, false);
    out.target_field = ends.size() > 1 ? text_at(value, ends.back(), where, false) : "";
    const auto columns = value.find("columns");
    if (columns == value.end()) {
      return out;
    }
    if (!columns->is_array()) {
      throw wrong(where + ".columns",
                  formatted("expected an array, found {}", columns->type_name()));
    }
    for (size_t i = 0; i < columns->size(); ++i) {
      out.columns.push_back(text_field((*columns)[i], formatted("{}.columns[{}]", where, i)));
    }
    return out;
  }

  TextField text_field(const Json& value, const std::string& where) const {
    check_object(value, where, {"field", "name", "dtype", "role"});
    TextField out;
    out.field = text_at(value, "field", where, true);
    out.name = text_at(value, "name", where, false);
    out.dtype = text_at(value, "dtype", where, true);
    if (!is_dtype_name(out.dtype)) {
      throw wrong(where, formatted("\"{}\" is not a dtype", out.dtype));
    }
    out.role = role_at(value, where);
    return out;
  }

  NodeImport node(const std::string& type, const Json& value, const std::string& where) const {
    check_object(value, where, {"count", "ids", "text", "columns", "sets"});
    NodeImport out;
    out.type = type;
    if (const auto count = value.find("count"); count != value.end()) {
      if (!count->is_number_integer() || count->get<int64_t>() < 0) {
        throw wrong(where + ".count", "expected a non-negative integer");
      }
      out.count = count->get<int64_t>();
    }
    out.ids = chosen(value, "ids", where, int32_t{GLS_IDS_DENSE}, parse_ids);
    if (const auto found = value.find("text"); found != value.end()) {
      out.text = text_file(*found, where + ".text", {"key"});
    }
    each(value, "columns", where + ".columns", [&](const std::string& name, const Json& column) {
      out.columns.push_back(array(name, column, where + ".columns." + name));
    });
    each(value, "sets", where + ".sets", [&](const std::string& name, const Json& set) {
      out.id_sets.push_back({name, GLS_ROLE_OTHER, file(set, where + ".sets." + name)});
    });
    return out;
  }

  EdgeImport edge(const std::string& type, const Json& value, const std::string& where) const {
    if (!is_edge_type(type)) {
      throw wrong(where, "the type is not of the form source__relation__target");
    }
    check_object(value, where, {"numpy", "text", "csc", "csr", "undirected", "columns"});
    EdgeImport out;
    out.type = type;
    out.undirected = flag_at(value, "undirected", where);
    if (const auto found = value.find("numpy"); found != value.end()) {
      out.arrays = edge_arrays(*found, where + ".numpy");
    }
    if (const auto found = value.find("text"); found != value.end()) {
      out.text = text_file(*found, where + ".text", {"source", "target"});
    }
    for (const auto& [key, layout] : {std::pair{"csc", gls_layout_t{GLS_LAYOUT_CSC}},
                                      std::pair{"csr", gls_layout_t{GLS_LAYOUT_CSR}}}) {
      if (const auto found = value.find(key); found != value.end()) {
        out.topologies.push_back(topology(layout, *found, where + "." + key));
      }
    }
    const int kinds =
        (out.arrays.empty() ? 0 : 1) + (out.text ? 1 : 0) + (out.topologies.empty() ? 0 : 1);
    if (kinds != 1) {
      throw wrong(where, "expected one of \"numpy\", \"text\", and \"csc\" or \"csr\" or both");
    }
    if (out.undirected && !out.topologies.empty()) {
      throw wrong(where, "a ready topology cannot be made undirected");
    }
    each(value, "columns", where + ".columns", [&](const std::string& name, const Json& column) {
      out.columns.push_back(array(name, column, where + ".columns." + name));
    });
    return out;
  }

  std::vector<std::string> edge_arrays(const Json& value, const std::string& where) const {
    if (!value.is_array()) {
      return {file(value, where)};
    }
    if (value.size() != 2) {
      throw wrong(where, "expected one file of shape [2, edges], or two: sources and targets");
    }
    return {file(value[0], where + "[0]"), file(value[1], where + "[1]")};
  }

  TopologyFiles topology(gls_layout_t layout, const Json& value, const std::string& where) const {
    check_object(value, where, {"indptr", "indices", "edge_ids"});
    TopologyFiles out;
    out.layout = layout;
    out.indptr = file_at(value, "indptr", where, true);
    out.indices = file_at(value, "indices", where, true);
    out.edge_ids = file_at(value, "edge_ids", where, false);
    return out;
  }

  const std::string path_;
};

}  // namespace

ImportPlan read_import_spec(const std::string& path) { return SpecReader(path).read(); }

}  // namespace gls::tool
