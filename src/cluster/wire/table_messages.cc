#include "cluster/wire/table_messages.h"

#include <cstring>
#include <utility>

#include "cluster/wire/envelope.h"
#include "cluster/wire/wire_integers.h"
#include "format/manifest.h"

namespace gls::cluster {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

Offset<wire::TableForm> add_form(Builder& builder, const std::optional<table::TableOptions>& form) {
  if (!form) {
    return 0;
  }
  const auto& [dtype, width, low, high, seed, optimizer, mean, row_steps, epsilon, beta1, beta2] =
      *form;
  const auto name = builder.CreateString(dtype_name(dtype));
  return wire::CreateTableForm(builder, name, width, low, high, seed,
                               static_cast<uint8_t>(optimizer), mean, row_steps, epsilon, beta1,
                               beta2);
}

Status take_form(const wire::TableForm* form, std::optional<table::TableOptions>* out) {
  if (form == nullptr) {
    return {};
  }
  table::TableOptions read;
  GLS_ASSIGN(read.dtype, parse_dtype(form->dtype()->string_view()));
  GLS_TRY(take_choice(form->optimizer(), table::Optimizer::kAdam, "optimizer", &read.optimizer));
  read.width = form->width();
  read.low = form->low();
  read.high = form->high();
  read.seed = form->seed();
  read.mean = form->mean();
  read.row_steps = form->row_steps();
  read.epsilon = form->epsilon();
  read.beta1 = form->beta1();
  read.beta2 = form->beta2();
  *out = read;
  return table::check(read);
}

void copy(const void* from, uint64_t bytes, std::byte* to) {
  if (bytes > 0) {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace

Status check_table_name(const std::string& name) {
  const Status status = check_name(name, "table");
  return status.ok() ? Status() : invalid("{}", status.message()).with("argument", "name");
}

net::Message encode(const Pool& pool, const TableRequest& request) {
  Builder builder;
  const auto form = add_form(builder, request.form);
  const auto name = builder.CreateString(request.name);
  const auto ids = static_cast<uint64_t>(request.ids.size());
  const std::vector<uint64_t> sizes = {ids * (request.ids.wide() ? 8 : 4),
                                       request.counts != nullptr ? ids * sizeof(int32_t) : 0,
                                       request.rows.size()};
  Packed packed =
      pack(pool, builder,
           wire::CreateTableRequest(
               builder, request.graph, request.part, static_cast<uint8_t>(request.what),
               request.of_nodes, static_cast<uint32_t>(request.type), name, request.number, form,
               static_cast<uint8_t>(request.array), ids, request.ids.wide(),
               request.counts != nullptr, request.rows.size(), request.step, request.rank,
               request.world_size, request.learning_rate, request.token),
           sizes);
  copy(request.ids.data(), sizes[0], packed.arrays[0]);
  copy(request.counts, sizes[1], packed.arrays[1]);
  copy(request.rows.data(), sizes[2], packed.arrays[2]);
  return std::move(packed.message);
}

Result<TableRequest> decode_table_request(Bytes bytes) {
  Unpacker unpacker(bytes);
  const auto* const body = unpacker.body<wire::TableRequest>();
  if (body == nullptr || body->name()->size() > kMostTableName) {
    return malformed("a request about a table");
  }
  TableRequest out;
  out.graph = body->graph();
  out.part = body->part();
  GLS_TRY(take_choice(body->what(), TableWhat::kBeginLoad, "what", &out.what));
  out.of_nodes = body->of_nodes();
  out.type = body->type();
  out.name = body->name()->str();
  out.number = body->number();
  GLS_TRY(take_form(body->form(), &out.form));
  GLS_TRY(take_choice(body->array(), table::Array::kSteps, "array", &out.array));
  GLS_TRY(unpacker.take(body->ids(), body->wide(), &out.ids));
  const std::byte* counts = nullptr;
  GLS_TRY(unpacker.take(body->counts() ? body->ids() : 0, sizeof(int32_t), &counts));
  out.counts = body->counts() ? reinterpret_cast<const int32_t*>(counts) : nullptr;
  const std::byte* rows = nullptr;
  GLS_TRY(unpacker.take(body->rows_bytes(), 1, &rows));
  out.rows = {rows, body->rows_bytes()};
  out.step = body->step();
  out.rank = body->rank();
  out.world_size = body->world_size();
  out.learning_rate = body->learning_rate();
  out.token = body->token();
  GLS_TRY(unpacker.finish());
  return out;
}

PackedAnswer encode(const Pool& pool, const TableAnswer& answer, uint64_t rows_bytes) {
  Builder builder;
  const auto form = add_form(builder, answer.form);
  const auto missing = builder.CreateVector(answer.missing);
  Packed packed =
      pack(pool, builder,
           wire::CreateTableAnswer(builder, answer.number, answer.step, form, missing, rows_bytes,
                                   answer.made, answer.taken, answer.loading),
           std::span(&rows_bytes, 1));
  return {std::move(packed.message), packed.arrays[0]};
}

Result<TableAnswer> decode_table_answer(Bytes bytes) {
  Unpacker unpacker(bytes);
  const auto* const body = unpacker.body<wire::TableAnswer>();
  if (body == nullptr || body->missing()->size() > table::kMostTrainers) {
    return malformed("an answer about a table");
  }
  TableAnswer out;
  out.number = body->number();
  out.step = body->step();
  GLS_TRY(take_form(body->form(), &out.form));
  out.missing = numbers_in(*body->missing());
  out.made = body->made();
  out.taken = body->taken();
  out.loading = body->loading();
  const std::byte* rows = nullptr;
  GLS_TRY(unpacker.take(body->rows_bytes(), 1, &rows));
  out.rows = {rows, body->rows_bytes()};
  GLS_TRY(unpacker.finish());
  return out;
}

}  // namespace gls::cluster
