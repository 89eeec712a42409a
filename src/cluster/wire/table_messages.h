// What a client asks a server of the tables it holds: docs/decisions/0086. It goes as the call of a
// function, so that it can be answered when others have come. What was decoded was verified against
// the bytes, and views them; whether it fits the graph is checked by who uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/wire/messages.h"
#include "table/table_options.h"

namespace gls::cluster {

inline constexpr const char* kTableFunction = "gls.table";
inline constexpr size_t kMostTableName = 255;

// As names of columns.
Status check_table_name(const std::string& name);

// Never renumber.
enum class TableWhat : uint8_t {
  kHolds = 0,  // whether the server holds tables
  kOpen = 1,   // without a form: one that is there
  kRead = 2,
  kWrite = 3,
  kStep = 4,    // a trainer has come, and is answered at once
  kLoaded = 5,  // the same
  kState = 6,
  kDrop = 7,
  kWait = 8,  // until what came is taken
  kWithdraw = 9,
  kBeginLoad = 10
};

struct TableRequest {
  uint64_t graph = 0;
  uint32_t part = 0;
  TableWhat what = TableWhat::kHolds;
  bool of_nodes = true;
  size_t type = 0;
  std::string name;
  uint64_t number = 0;
  std::optional<table::TableOptions> form;
  table::Array array = table::Array::kValues;
  IdSpan ids;
  const int32_t* counts = nullptr;  // as many as ids
  Bytes rows;
  int64_t step = 0;
  uint32_t rank = 0;
  uint32_t world_size = 0;
  double learning_rate = 0;
  uint64_t token = 0;
};

struct TableAnswer {
  uint64_t number = 0;  // of the table; of kHolds: of the server
  int64_t step = 0;
  std::optional<table::TableOptions> form;
  std::vector<uint32_t> missing;
  bool made = false;     // by this opening
  bool taken = false;    // the turn, before it was withdrawn
  bool loading = false;  // a load was begun and has not ended well
  Bytes rows;
};

net::Message encode(const Pool& pool, const TableRequest& request);
Result<TableRequest> decode_table_request(Bytes bytes);
// `rows` of `rows_bytes` are written by who calls, behind what is returned.
struct PackedAnswer {
  net::Message message;
  std::byte* rows = nullptr;
};
PackedAnswer encode(const Pool& pool, const TableAnswer& answer, uint64_t rows_bytes);
Result<TableAnswer> decode_table_answer(Bytes bytes);

}  // namespace gls::cluster
