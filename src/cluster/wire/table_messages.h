// Requests of a client about tables that a server holds: docs/decisions/0086. A request travels as
// a function call, so that the server can answer it later, after other trainers have arrived.
// Decoding verifies a message, and its result views the bytes. The code that uses it checks that it
// fits the graph.
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

// The same rules as for names of columns.
Status check_table_name(const std::string& name);

// Kinds of table requests. Never renumber.
enum class TableWhat : uint8_t {
  kHolds = 0,  // asks whether the server holds tables
  kOpen = 1,   // without a form: opens an existing table
  kRead = 2,
  kWrite = 3,
  kStep = 4,    // announces that a trainer has arrived with a step; answered at once
  kLoaded = 5,  // announces that a trainer has finished loading; answered at once
  kState = 6,
  kDrop = 7,
  kWait = 8,  // waits until the announced step is taken
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
  const int32_t* counts = nullptr;  // one for each id
  Bytes rows;
  int64_t step = 0;
  uint32_t rank = 0;
  uint32_t world_size = 0;
  double learning_rate = 0;
  uint64_t token = 0;
};

struct TableAnswer {
  uint64_t number = 0;  // number of the table; for kHolds: of the server
  int64_t step = 0;
  std::optional<table::TableOptions> form;
  std::vector<uint32_t> missing;
  bool made = false;     // this request created the table
  bool taken = false;    // the step was taken before it was withdrawn
  bool loading = false;  // a load started and has not succeeded yet
  Bytes rows;
};

net::Message encode(const Pool& pool, const TableRequest& request);
Result<TableRequest> decode_table_request(Bytes bytes);
// The caller writes `rows` of `rows_bytes` behind the returned bytes.
struct PackedAnswer {
  net::Message message;
  std::byte* rows = nullptr;
};
PackedAnswer encode(const Pool& pool, const TableAnswer& answer, uint64_t rows_bytes);
Result<TableAnswer> decode_table_answer(Bytes bytes);

}  // namespace gls::cluster
