// Options of node types, text files, Arrow streams and builds, as gls.h defines them.
#pragma once

#include <gls.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"

namespace gls {

enum class NodeIds : uint8_t { kDense = 0, kInteger = 1, kString = 2 };

struct NodeTypeOptions {
  int64_t num_nodes = 0;  // 0: found from the data
  NodeIds ids = NodeIds::kDense;
};

struct TextColumn {
  std::string field;  // name in the header, or "#2"
  std::string name;   // empty: same as the field
  DLDataType dtype{};
  int32_t role = GLS_ROLE_FEATURE;
};

enum class Header : uint8_t { kDetect = 0, kYes = 1, kNo = 2 };
enum class Encoding : uint8_t { kDetect = 0, kUtf8 = 1, kLatin1 = 2, kUtf16 = 3 };

struct TextOptions {
  char delimiter = 0;
  char comment = 0;
  Header header = Header::kDetect;
  std::string source_field = "#0";  // for nodes: the key
  std::string target_field = "#1";
  std::vector<TextColumn> columns;
  bool add_reverse = false;
  bool ragged = false;  // lines may have more or fewer fields than the first
  Encoding encoding = Encoding::kDetect;
};

enum class ArrowUse : uint8_t { kColumn = 0, kIdSet = 1, kSplit = 2 };

struct ArrowColumnOptions {
  std::string field;  // name in the schema, or "#2"
  std::string name;   // empty: as the field
  std::optional<DLDataType> dtype;
  std::optional<std::string> fill;
  std::string mask;  // empty: none
  int32_t role = GLS_ROLE_FEATURE;
  ArrowUse use = ArrowUse::kColumn;
};

struct ArrowOptions {
  std::optional<std::string> source_field;  // for nodes: the key
  std::optional<std::string> target_field;
  std::vector<ArrowColumnOptions> columns;
  bool all_fields = false;
  bool add_reverse = false;
  std::string label;  // what errors call the stream
};

struct BuildOptions {
  uint64_t memory = 0;  // 0: a quarter of RAM
  bool csc = true;
  bool csr = false;
  bool overwrite = false;
  bool pad_rows = true;
  Progress progress;
};

}  // namespace gls
