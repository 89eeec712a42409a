#include "format/sealed_json.h"

#include <algorithm>
#include <span>

#include "base/checksum.h"

namespace gls {
namespace {

constexpr std::string_view kObjectEnd = "\n}\n";

std::string checksum_of(std::string_view text) {
  return hex64(hash64(std::as_bytes(std::span(text))));
}

std::string member(std::string_view xxh3) {
  return formatted("  \"xxh3\": \"{}\"{}", xxh3, kObjectEnd);
}

}  // namespace

std::string seal_json(std::string text) {
  text.resize(text.size() - kObjectEnd.size());
  text += ",\n";
  return text + member(checksum_of(text));
}

Status check_seal(std::string_view text, std::string_view xxh3, std::string_view file) {
  if (xxh3.empty()) {
    return {};
  }
  const std::string end = member(xxh3);
  const std::string_view sealed = text.substr(0, text.size() - std::min(end.size(), text.size()));
  const std::string found = checksum_of(sealed);
  if (text.ends_with(end) && found == xxh3) {
    return {};
  }
  return corrupt(
             "{}: its checksum is {}, the last line says {}; restore the file, or remove its "
             "last member \"xxh3\" if the change was intended",
             file, found, xxh3)
      .with("file", std::string(file));
}

}  // namespace gls
