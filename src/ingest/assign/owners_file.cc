// Reads owners that other programs wrote.
#include <algorithm>
#include <charconv>
#include <string_view>
#include <type_traits>
#include <utility>

#include "format/npy.h"
#include "ingest/assign/assign_nodes.h"
#include "ingest/common/owner_tensor.h"
#include "system/file.h"

namespace gls {
namespace {

Status bad_owner(const std::string& path, const char* place, uint64_t at, std::string_view value,
                 uint32_t parts) {
  constexpr size_t kMostShown = 40;
  return invalid("{}, {} {}: \"{}\", expected a part, 0 .. {}", path, place, at,
                 value.substr(0, kMostShown), parts - 1)
      .with("file", path)
      .with("offset", std::to_string(at));
}

Status wrong_count(const std::string& path, uint64_t found, uint64_t expected,
                   const std::string& of) {
  return invalid("{}: {} owners, expected {}, one for each node of {}", path, found, expected, of)
      .with("file", path);
}

template <typename Owner>
using Values = std::vector<Owner>;

template <typename Stored, typename Owner>
Status copy_values(const Tensor& array, uint32_t parts, const std::string& path,
                   Values<Owner>* out) {
  const auto* const values = array.as<Stored>();
  for (size_t i = 0; i < out->size(); ++i) {
    if (std::cmp_less(values[i], 0) || std::cmp_greater_equal(values[i], parts)) {
      return bad_owner(path, "index", i, std::to_string(values[i]), parts);
    }
    (*out)[i] = static_cast<Owner>(static_cast<std::make_unsigned_t<Stored>>(values[i]));
  }
  return {};
}

template <typename Owner>
Status read_array(const std::string& path, uint32_t parts, const std::string& of,
                  Values<Owner>* out) {
  GLS_ASSIGN(const Tensor array, map_npy(path));
  if (array.shape().size() != 1) {
    return invalid("{}: shape {}, expected one dimension", path, shape_text(array.shape()))
        .with("file", path);
  }
  if (static_cast<size_t>(array.rows()) != out->size()) {
    return wrong_count(path, static_cast<uint64_t>(array.rows()), out->size(), of);
  }
  const DLDataType dtype = array.dtype();
  const bool is_signed = dtype.code == kDLInt;
  if (is_signed || dtype.code == kDLUInt) {
    switch (dtype.bits) {
      case 8:
        return is_signed ? copy_values<int8_t>(array, parts, path, out)
                         : copy_values<uint8_t>(array, parts, path, out);
      case 16:
        return is_signed ? copy_values<int16_t>(array, parts, path, out)
                         : copy_values<uint16_t>(array, parts, path, out);
      case 32:
        return is_signed ? copy_values<int32_t>(array, parts, path, out)
                         : copy_values<uint32_t>(array, parts, path, out);
      case 64:
        return is_signed ? copy_values<int64_t>(array, parts, path, out)
                         : copy_values<uint64_t>(array, parts, path, out);
      default:
        break;
    }
  }
  return invalid("{}: {}, expected integers", path, dtype_name(dtype)).with("file", path);
}

std::string_view without_blanks(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t begin = line.find_first_not_of(kBlanks);
  return begin == std::string_view::npos
             ? std::string_view()
             : line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
}

template <typename Owner>
Status read_lines(const std::string& path, uint32_t parts, const std::string& of,
                  Values<Owner>* out) {
  GLS_ASSIGN(const auto file, MappedFile::open(path));
  std::string_view rest(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  rest = rest.substr(0, rest.find_last_not_of(" \t\r\n") + 1);
  uint64_t lines = 0;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = without_blanks(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    uint32_t value = 0;
    const auto [stop, error_code] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error_code != std::errc() || stop != line.data() + line.size() || value >= parts) {
      return bad_owner(path, "line", lines + 1, line, parts);
    }
    if (lines < out->size()) {
      (*out)[lines] = static_cast<Owner>(value);
    }
    ++lines;
  }
  return lines == out->size() ? Status() : wrong_count(path, lines, out->size(), of);
}

template <typename Owner>
Result<Values<Owner>> read_values(const std::string& path, uint32_t parts, int64_t count,
                                  const std::string& of) {
  Values<Owner> out(static_cast<size_t>(count));
  GLS_TRY(path.ends_with(".npy") ? read_array(path, parts, of, &out)
                                 : read_lines(path, parts, of, &out));
  return out;
}

template <typename Owner>
Result<NodeOwners> read_all(const Dataset& dataset, uint32_t parts, const std::string& path) {
  int64_t count = 0;
  for (const NodeType& type : dataset.node_types()) {
    count += type.count;
  }
  GLS_ASSIGN(const Values<Owner> values, read_values<Owner>(path, parts, count, "all types"));
  NodeOwners out;
  auto at = values.begin();
  for (const NodeType& type : dataset.node_types()) {
    out.push_back(owner_tensor(Values<Owner>(at, at + type.count)));
    at += type.count;
  }
  return out;
}

Status check_parts(uint32_t parts) {
  return parts >= 1 && parts <= kMostParts
             ? Status()
             : invalid("parts: {}, expected 1 to {}", parts, kMostParts).with("argument", "parts");
}

}  // namespace

Result<NodeOwners> read_owners(const Dataset& dataset, uint32_t parts, const std::string& path) {
  GLS_TRY(check_parts(parts));
  return parts <= kMostNarrowParts ? read_all<uint8_t>(dataset, parts, path)
                                   : read_all<uint16_t>(dataset, parts, path);
}

Result<Tensor> read_owners_of(const NodeType& type, uint32_t parts, const std::string& path) {
  GLS_TRY(check_parts(parts));
  const std::string of = formatted("type \"{}\"", type.name);
  if (parts <= kMostNarrowParts) {
    GLS_ASSIGN(Values<uint8_t> values, read_values<uint8_t>(path, parts, type.count, of));
    return owner_tensor(std::move(values));
  }
  GLS_ASSIGN(Values<uint16_t> values, read_values<uint16_t>(path, parts, type.count, of));
  return owner_tensor(std::move(values));
}

}  // namespace gls
