#include "cluster/server/table_service.h"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "table/finite.h"

namespace gls {

using cluster::TableAnswer;
using cluster::TableWhat;
using table::SharedTable;
using table::TableOptions;

namespace {

std::string label_of(const std::string& name) { return formatted("table \"{}\": ", name); }

// The least that a table counts as, so that tables without rows count, too.
constexpr uint64_t kPage = 4096;
constexpr uint64_t kMostReadBytes = uint64_t{256} << 20;

uint64_t bytes_of(const TableOptions& options, int64_t rows) {
  uint64_t out = kPage;
  for (const table::ArrayForm& form : table::arrays_of(options)) {
    uint64_t bytes = 0;
    if (__builtin_mul_overflow(static_cast<uint64_t>(rows), static_cast<uint64_t>(form.row_bytes()),
                               &bytes) ||
        bytes > UINT64_MAX / 8) {
      return UINT64_MAX;
    }
    out += (bytes / kPage + 1) * kPage;
  }
  return out;
}

Result<std::vector<int64_t>> rows_of(const GlobalIds& whole, IdSpan ids) {
  if (const int64_t bad = ids.find_outside(whole.whole_count()); bad >= 0) {
    return invalid("id {} is there, expected 0 to {}", ids[bad], whole.whole_count() - 1);
  }
  std::vector<int64_t> out(static_cast<size_t>(ids.size()));
  whole.locals_of_owned(ids, out.data());
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] < 0) {
      return invalid("id {} is not of this part", ids[static_cast<int64_t>(i)]);
    }
  }
  return out;
}

Result<table::ArrayForm> form_of(const SharedTable& table, table::Array array) {
  const auto forms = table::arrays_of(table.options());
  const table::ArrayForm* const found = table::find_form(forms, array);
  return found != nullptr ? Result<table::ArrayForm>(*found)
                          : invalid("it has no array {}", static_cast<int>(array));
}

Status check_bytes(const cluster::TableRequest& request, int64_t row_bytes) {
  const auto wanted = static_cast<uint64_t>(request.ids.size()) * static_cast<uint64_t>(row_bytes);
  return request.rows.size() == wanted
             ? Status()
             : invalid("{} rows of {} bytes are {} bytes", request.ids.size(), row_bytes,
                       request.rows.size());
}

}  // namespace

Status TableService::add_to(group::FunctionTable* functions) {
  auto owning = std::make_unique<std::shared_ptr<TableService>>(shared_from_this());
  GLS_TRY(functions->add_own(
      cluster::kTableFunction,
      [](gls_call_t* call, void* service) {
        const std::unique_ptr<gls_call_t> handle(call);
        try {
          (*static_cast<std::shared_ptr<TableService>*>(service))->answer(std::move(handle->impl));
        } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
          // A call that is dropped without an answer reports that itself.
        }
      },
      owning.get(),
      [](void* service) { delete static_cast<std::shared_ptr<TableService>*>(service); }));
  static_cast<void>(owning.release());
  return {};
}

void TableService::answer(const CallHandle& call) {
  const auto fail = [&](const Status& why) { static_cast<void>(call->fail(why)); };
  try {
    auto request = cluster::decode_table_request(call->request().data);
    if (!request.ok()) {
      fail(request.status());
      return;
    }
    if (Status status = answer(call, *request); !status.ok()) {
      fail(std::move(status).prefixed(label_of(request->name)));
    }
  } catch (const std::bad_alloc&) {
    fail(Status::out_of_memory());
  }
}

Status TableService::answer(const CallHandle& call, const Request& request) {
  if (request.graph != graph_) {
    return error(GLS_ERR_INVALID_STATE, "another graph is served here");
  }
  TableAnswer answer;
  switch (request.what) {
    case TableWhat::kHolds:
      answer.number = number_;
      return reply(call, answer);
    case TableWhat::kOpen:
    case TableWhat::kState: {
      GLS_ASSIGN(const Table table,
                 request.what == TableWhat::kOpen ? open(request, &answer.made) : find(request));
      table::TableState state = table->state();
      answer.number = table->number();
      answer.form = table->options();
      answer.step = state.step;
      answer.loading = state.loading;
      answer.missing = std::move(state.missing);
      return reply(call, answer);
    }
    case TableWhat::kRead:
      return read(call, request);
    case TableWhat::kWrite:
      return write(call, request);
    case TableWhat::kStep:
    case TableWhat::kLoaded:
      return come(call, request);
    case TableWhat::kWait:
      return wait(call, request);
    case TableWhat::kWithdraw:
      return withdraw(call, request);
    case TableWhat::kBeginLoad: {
      GLS_ASSIGN(const Table table, find(request));
      GLS_TRY(table->begin_load(request.rank));
      return call->reply({});
    }
    case TableWhat::kDrop:
      drop(request);
      return call->reply({});
  }
  return error(GLS_ERR_INTERNAL, "a request of no kind");
}

Result<const GlobalIds*> TableService::ids_of(const Request& request) const {
  const auto part = parts_.find(request.part);
  if (part == parts_.end()) {
    return error(GLS_ERR_INVALID_STATE, "part {} is not served here", request.part);
  }
  const Dataset& dataset = part->second->dataset();
  const size_t types = request.of_nodes ? dataset.node_types().size() : dataset.edge_types().size();
  if (request.type >= types) {
    return invalid("type number {}, of {}", request.type, types);
  }
  return request.of_nodes ? &*dataset.node_types()[request.type].whole
                          : &*dataset.edge_types()[request.type].whole;
}

Result<TableService::Table> TableService::find(const Request& request) const {
  const std::lock_guard lock(mutex_);
  const auto found = tables_.find(Key(request.part, request.of_nodes, request.type, request.name));
  if (found == tables_.end() || found->second->number() != request.number) {
    return error(GLS_ERR_INVALID_STATE,
                 "it is not there any more: it was dropped, or its server was started again; open "
                 "it and load it");
  }
  return found->second;
}

Result<TableService::Table> TableService::open(const Request& request, bool* made) {
  GLS_TRY(cluster::check_table_name(request.name));
  GLS_ASSIGN(const GlobalIds* const whole, ids_of(request));
  const Key key(request.part, request.of_nodes, request.type, request.name);
  const std::lock_guard one(making_);
  uint64_t free_bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) {
      return error(GLS_ERR_INVALID_STATE, "the server stops");
    }
    if (const auto found = tables_.find(key); found != tables_.end()) {
      const std::string words =
          request.form ? table::difference(found->second->options(), *request.form) : "";
      return words.empty() ? Result<Table>(found->second)
                           : Result<Table>(error(GLS_ERR_ALREADY_EXISTS, "{}", words));
    }
    free_bytes = most_bytes_ - bytes_;
  }
  if (!request.form) {
    return not_found("there is none of this name").with("argument", "name");
  }
  const uint64_t bytes = bytes_of(*request.form, whole->owned());
  if (bytes > free_bytes) {
    return error(GLS_ERR_OUT_OF_MEMORY,
                 "{} rows of {} bytes are more than the {} of {} bytes that are left for tables",
                 whole->owned(), table::bytes_per_row(*request.form), free_bytes, most_bytes_);
  }
  GLS_ASSIGN(auto rows,
             table::RowTable::create(
                 request.name, *request.form, whole->owned(),
                 [whole](int64_t row) { return whole->whole_of(row); }, context_->pool()));
  const auto table = std::make_shared<SharedTable>(
      std::move(rows), std::shared_ptr<ThreadPool>(context_, &context_->pool()), random_number());
  const std::lock_guard lock(mutex_);
  if (closed_) {
    return error(GLS_ERR_INVALID_STATE, "the server stops");
  }
  tables_.emplace(key, table);
  bytes_ += bytes;
  *made = true;
  return table;
}

Status TableService::reply(const CallHandle& call, const TableAnswer& answer) const {
  return call->reply(cluster::encode(context_->buffers(), answer, 0).message.bytes());
}

Status TableService::read(const CallHandle& call, const Request& request) const {
  GLS_ASSIGN(const Table table, find(request));
  GLS_ASSIGN(const GlobalIds* const whole, ids_of(request));
  GLS_ASSIGN(const table::ArrayForm form, form_of(*table, request.array));
  const auto row_bytes = static_cast<uint64_t>(form.row_bytes());
  if (static_cast<uint64_t>(request.ids.size()) > kMostReadBytes / row_bytes) {
    return invalid("{} rows of {} bytes are more than one answer has", request.ids.size(),
                   row_bytes);
  }
  GLS_ASSIGN(const std::vector<int64_t> rows, rows_of(*whole, request.ids));
  TableAnswer answer;
  answer.number = table->number();
  const auto packed = cluster::encode(context_->buffers(), answer, rows.size() * row_bytes);
  GLS_TRY(table->read(request.array, span_of(rows), packed.rows));
  return call->reply(packed.message.bytes());
}

Status TableService::write(const CallHandle& call, const Request& request) const {
  GLS_ASSIGN(const Table table, find(request));
  GLS_ASSIGN(const GlobalIds* const whole, ids_of(request));
  GLS_ASSIGN(const table::ArrayForm form, form_of(*table, request.array));
  GLS_TRY(check_bytes(request, form.row_bytes()));
  GLS_ASSIGN(const std::vector<int64_t> rows, rows_of(*whole, request.ids));
  GLS_TRY(table->write(request.array, span_of(rows), request.rows.data(),
                       [&call] { return call->canceled(); }));
  return call->reply({});
}

Result<std::shared_ptr<const void>> TableService::take_room(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const uint64_t taken = bytes_ + *brought_;
  if (bytes > most_bytes_ - std::min(most_bytes_, taken)) {
    return error(GLS_ERR_OUT_OF_MEMORY,
                 "{} bytes of gradients are more than what is left of the {} bytes for tables",
                 bytes, most_bytes_);
  }
  *brought_ += bytes;
  return std::shared_ptr<const void>(
      nullptr, [brought = brought_, bytes](const void*) { *brought -= bytes; });
}

Status TableService::come(const CallHandle& call, const Request& request) {
  GLS_ASSIGN(const Table table, find(request));
  table::Turn turn;
  turn.loads = request.what == TableWhat::kLoaded;
  turn.step = request.step;
  turn.rank = request.rank;
  turn.world_size = request.world_size;
  turn.learning_rate = request.learning_rate;
  turn.token = request.token;
  if (!turn.loads) {
    GLS_ASSIGN(const GlobalIds* const whole, ids_of(request));
    GLS_TRY(check_bytes(request, table->options().width * int64_t{sizeof(float)}));
    if (table->options().mean != (request.counts != nullptr) && request.ids.size() > 0) {
      return invalid("counts are of means, and of all of them");
    }
    for (int64_t i = 0; request.counts != nullptr && i < request.ids.size(); ++i) {
      if (request.counts[i] < 1) {
        return invalid("{} gradients are summed", request.counts[i]);
      }
    }
    table::Gradients& own = turn.gradients;
    GLS_ASSIGN(own.room, take_room(request.rows.size() + static_cast<uint64_t>(request.ids.size()) *
                                                             (sizeof(int64_t) + sizeof(int32_t))));
    GLS_ASSIGN(own.rows, rows_of(*whole, request.ids));
    const auto* const sums = reinterpret_cast<const float*>(request.rows.data());
    const auto count = static_cast<size_t>(request.ids.size() * table->options().width);
    if (const int64_t at = table::first_not_finite({sums, count}); at >= 0) {
      return invalid("gradients: those of id {} are {} at {}, expected finite numbers",
                     request.ids[at / table->options().width], sums[at],
                     at % table->options().width)
          .with("argument", "gradients");
    }
    own.sums.assign(sums, sums + request.ids.size() * table->options().width);
    if (request.counts != nullptr) {
      own.counts.assign(request.counts, request.counts + request.ids.size());
    }
  }
  GLS_TRY(table->come(std::move(turn)));
  return call->reply({});
}

Status TableService::wait(const CallHandle& call, const Request& request) const {
  GLS_ASSIGN(const Table table, find(request));
  table->wait(
      request.rank, request.token,
      [call, name = request.name](Status status) {
        static_cast<void>(status.ok() ? call->reply({})
                                      : call->fail(std::move(status).prefixed(label_of(name))));
      },
      [call] { return call->canceled(); });
  return {};
}

Status TableService::withdraw(const CallHandle& call, const Request& request) const {
  GLS_ASSIGN(const Table table, find(request));
  TableAnswer answer;
  answer.missing = table->state().missing;
  answer.taken = !table->withdraw(request.rank, request.token);
  return reply(call, answer);
}

void TableService::drop(const Request& request) {
  Table table;
  {
    const std::lock_guard lock(mutex_);
    const auto found =
        tables_.find(Key(request.part, request.of_nodes, request.type, request.name));
    if (found == tables_.end() || found->second->number() != request.number) {
      return;
    }
    table = std::move(found->second);
    tables_.erase(found);
    bytes_ -= bytes_of(table->options(), table->rows());
  }
  table->close("it was dropped");
}

void TableService::close() {
  std::map<Key, Table> tables;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    bytes_ = 0;
    tables.swap(tables_);
  }
  for (const auto& [key, table] : tables) {
    table->close("its server stops");
  }
}

}  // namespace gls
