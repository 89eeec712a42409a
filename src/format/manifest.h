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

// Whether `folder` holds a manifest of any version; nothing else is checked.
bool holds_manifest(const std::string& folder);

// As holds_manifest(), for any JSON file that names its format.
bool holds_format(const std::string& folder, const char* name, const char* format);

// Limit of nodes or edges of one type. It is more than any memory holds, so a larger number is a
// mistake in the data. The contract's test vectors reach this limit. Sizes in bytes, and the
// contract's permutation (2^62), reach well beyond it.
inline constexpr int64_t kMaxCount = int64_t{1} << 52;

// Limit of parts of a graph, since owners are stored in 16 bits.
inline constexpr uint32_t kMaxParts = 65535;

// Parses and checks everything that can be checked without the arrays: the schema, the version,
// names, uniqueness, references between types, and that file names stay inside the folder.
Result<format::ManifestT> parse_manifest(std::string_view text, std::string_view file);
// The same checks for a manifest inside another file.
Status check_manifest(const format::ManifestT& manifest, std::string_view file);
// Checks that its file is a path inside the folder.
Status check_array_file(const format::ArrayT& array, std::string_view file);
// 16 lower-case hexadecimal digits.
bool is_hex64(std::string_view text);
std::string manifest_to_json(const format::ManifestT& manifest);

// Checks names of types, relations, columns and id sets: non-empty UTF-8 of at most 255 bytes
// without control characters. "__" and '_' at either end are not allowed, since "__" joins the
// parts of an edge type.
Status check_name(std::string_view name, std::string_view what);

}  // namespace gls
