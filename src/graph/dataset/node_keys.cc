#include "graph/dataset/node_keys.h"

#include <charconv>

namespace gls {
namespace {

Status no_keys(const NodeType& type) {
  return error(GLS_ERR_UNSUPPORTED, "node type \"{}\" kept no original ids", type.name)
      .with("type", type.name);
}

Status unknown(const NodeType& type, std::string_view key) {
  return not_found("no node of type \"{}\" was called \"{}\"", type.name, key)
      .with("type", type.name);
}

// Binary search: `compare(id)` is negative, zero or positive if the key of `id` is before, at or
// after the wanted key. -1: not found.
template <typename Compare>
Result<int64_t> search(const KeyReader& reader, int64_t count, const Compare& compare) {
  int64_t low = 0;
  int64_t high = count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    GLS_ASSIGN(const int64_t id, reader.id_at(middle));
    GLS_ASSIGN(const int order, compare(id));
    if (order == 0) {
      return id;
    }
    (order < 0 ? low : high) = order < 0 ? middle + 1 : middle;
  }
  return int64_t{-1};
}

}  // namespace

Result<int64_t> KeyReader::id_at(int64_t position) const {
  if (!keys_.order.defined()) {
    return position;
  }
  const int64_t id = keys_.order.as<int64_t>()[position];
  if (id < 0 || id >= type_.count) {
    return corrupt("key order of node type \"{}\": id {} at position {} is outside [0, {})",
                   type_.name, id, position, type_.count)
        .with("type", type_.name)
        .with("offset", std::to_string(position));
  }
  return id;
}

Result<std::string_view> KeyReader::text(int64_t id) const {
  const auto* const offsets = keys_.offsets.as<int64_t>();
  const int64_t begin = offsets[id];
  const int64_t end = offsets[id + 1];
  if (begin < 0 || begin > end || end > keys_.values.rows()) {
    return corrupt("key offsets of node type \"{}\": node {} has bytes {} to {} of {}", type_.name,
                   id, begin, end, keys_.values.rows())
        .with("type", type_.name)
        .with("offset", std::to_string(id));
  }
  return std::string_view(keys_.values.as<char>() + begin, static_cast<size_t>(end - begin));
}

Result<int64_t> find_node(const NodeType& type, std::string_view key) {
  if (!type.keys) {
    return no_keys(type);
  }
  const KeyReader reader(type);
  int64_t found = -1;
  if (type.keys->strings) {
    const auto compare = [&](int64_t id) -> Result<int> {
      GLS_ASSIGN(const std::string_view text, reader.text(id));
      return text.compare(key);
    };
    GLS_ASSIGN(found, search(reader, type.count, compare));
  } else {
    int64_t wanted = 0;
    const auto [end, ec] = std::from_chars(key.data(), key.data() + key.size(), wanted);
    if (ec != std::errc() || end != key.data() + key.size()) {
      return unknown(type, key);
    }
    const auto compare = [&](int64_t id) -> Result<int> {
      const int64_t integer = reader.integer(id);
      return (integer > wanted) - (integer < wanted);
    };
    GLS_ASSIGN(found, search(reader, type.count, compare));
  }
  if (found < 0) {
    return unknown(type, key);
  }
  return found;
}

Result<std::string> node_key(const NodeType& type, int64_t id) {
  if (!type.keys) {
    return no_keys(type);
  }
  if (id < 0 || id >= type.count) {
    return invalid("node {} of type \"{}\" is outside [0, {})", id, type.name, type.count)
        .with("argument", "node");
  }
  const KeyReader reader(type);
  if (!type.keys->strings) {
    return std::to_string(reader.integer(id));
  }
  GLS_ASSIGN(const std::string_view text, reader.text(id));
  return std::string(text);
}

}  // namespace gls
