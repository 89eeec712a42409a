// The manifest of a dataset folder: manifest.json, checked against manifest.fbs.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "manifest_generated.h"

namespace gls {

inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kManifestFormat = "gls-dataset";
inline constexpr uint32_t kManifestVersion = 1;
inline constexpr uint32_t kPartManifestVersion = 2;
inline constexpr size_t kMaxManifestBytes = size_t{64} << 20;

// Whether `folder` holds a manifest, of whatever version; the rest is not looked at.
bool holds_manifest(const std::string& folder);

// The same of any JSON file that says its format.
bool holds_format(const std::string& folder, const char* name, const char* format);

// Nodes or edges of one type. More than any memory holds: a larger number is a mistake in the data.
// The contract's vectors reach up to this, and sizes in bytes and the contract's permutation (2^62)
// well beyond.
inline constexpr int64_t kMaxCount = int64_t{1} << 52;

// Parts of a graph: who owns what is written in 16 bits.
inline constexpr uint32_t kMaxParts = 65535;

// Parses and checks everything that can be checked without the arrays: the schema, the version,
// names, uniqueness, references between types, file names that stay inside the folder.
Result<format::ManifestT> parse_manifest(std::string_view text, std::string_view file);
// The same checks of one that was read as a piece of another file.
Status check_manifest(const format::ManifestT& manifest, std::string_view file);
// That its file is a path inside the folder.
Status check_array_file(const format::ArrayT& array, std::string_view file);
// 16 lower-case hexadecimal digits.
bool is_hex64(std::string_view text);
std::string manifest_to_json(const format::ManifestT& manifest);

// Names of types, relations, columns and id sets: non-empty UTF-8 of at most 255 bytes without
// control characters, and without "__" or '_' at either end, since "__" joins the parts of an edge
// type.
Status check_name(std::string_view name, std::string_view what);

}  // namespace gls
