#include "plugins/tcp_tls/key.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

namespace gls::net {
namespace {

constexpr size_t kLeastBytes = 32;
constexpr size_t kMostBytes = 256;
constexpr size_t kMostText = 4 * kMostBytes;

int hex_value(unsigned char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

bool from_hex(const std::vector<unsigned char>& text, std::vector<unsigned char>& out) {
  if (text.size() % 2 != 0) {
    return false;
  }
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_value(text[i]);
    const int low = hex_value(text[i + 1]);
    if (high < 0 || low < 0) {
      return false;
    }
    out.push_back(static_cast<unsigned char>(high * 16 + low));
  }
  return true;
}

int base64_value(unsigned char c) {
  return c >= 'A' && c <= 'Z'   ? c - 'A'
         : c >= 'a' && c <= 'z' ? c - 'a' + 26
         : c >= '0' && c <= '9' ? c - '0' + 52
         : c == '+' || c == '-' ? 62
         : c == '/' || c == '_' ? 63
                                : -1;
}

bool from_base64(const std::vector<unsigned char>& text, std::vector<unsigned char>& out) {
  size_t size = text.size();
  for (int i = 0; i < 2 && size > 0 && text[size - 1] == '='; ++i) {
    --size;
  }
  if (size % 4 == 1) {
    return false;
  }
  uint32_t bits = 0;
  int count = 0;
  for (size_t i = 0; i < size; ++i) {
    const int value = base64_value(text[i]);
    if (value < 0) {
      return false;
    }
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<unsigned char>(bits >> count & 0xff));
    }
  }
  return true;
}

}  // namespace

// Reserves memory, because a growing vector leaves copies behind.
std::vector<unsigned char>& Key::empty() {
  key_.wipe();
  key_.bytes().reserve(kMostText);
  return key_.bytes();
}

bool Key::parse(const SecretBytes& text, bool may_be_raw, const std::string& from,
                std::string* error) {
  const std::vector<unsigned char>& given = text.bytes();
  SecretBytes trimmed;
  const auto is_space = [](unsigned char c) { return std::isspace(c) != 0; };
  const auto first = std::find_if_not(given.begin(), given.end(), is_space);
  const auto last = std::find_if_not(given.rbegin(), given.rend(), is_space).base();
  if (first < last) {
    trimmed.bytes().assign(first, last);
  }
  bool read = from_hex(trimmed.bytes(), empty()) || from_base64(trimmed.bytes(), empty());
  if (!read && may_be_raw) {
    empty().assign(given.begin(), given.end());
    read = true;
  }
  const size_t size = bytes().size();
  if (!read) {
    key_.wipe();
    *error = from + " is neither hexadecimal nor base64";
    return false;
  }
  if (size < kLeastBytes || size > kMostBytes) {
    key_.wipe();
    *error = from + " has a key of " + std::to_string(size) + " bytes, expected " +
             std::to_string(kLeastBytes) + " to " + std::to_string(kMostBytes);
    return false;
  }
  return true;
}

bool Key::read_file(const std::string& path, std::string* error) {
  constexpr SecurityFile kFile = {"net.key_file", "key file", true, kMostText};
  SecretBytes text;
  return net::read_file(kFile, path, &text, error) &&
         parse(text, true, "net.key_file: key file " + path, error);
}

bool Key::read_environment(const std::string& name, std::string* error) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) {
    *error = "environment variable " + name + " is not set, expected a key in it";
    return false;
  }
  const size_t size = std::strlen(value);
  if (size > kMostText) {
    *error =
        "environment variable " + name + " has more than " + std::to_string(kMostText) + " bytes";
    return false;
  }
  SecretBytes text;
  text.bytes().assign(value, value + size);
  return parse(text, false, "environment variable " + name, error);
}

}  // namespace gls::net
