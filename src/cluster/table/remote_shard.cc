// Tables on servers.
#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "cluster/table/table_shard.h"
#include "cluster/wire/envelope.h"
#include "context/stop_scope.h"

namespace gls {
namespace {

using cluster::TableAnswer;
using cluster::TableRequest;
using cluster::TableWhat;
using group::Future;

constexpr int64_t kPieceBytes = int64_t{32} << 20;  // bytes of rows in one message
constexpr int64_t kPatienceMs = 1000;  // wait for an unreachable server, where other servers exist
constexpr int64_t kShortMs = 2000;     // timeout of requests that clean up after an error
constexpr int64_t kHurryMs = 500;      // the same after an interruption
constexpr int64_t kMostTurnBytes = (int64_t{1} << 30) - (int64_t{1} << 20);

// A reply: its bytes, and the answer that views them.
struct TableReply {
  Tensor bytes;
  TableAnswer answer;
};

class Server {
 public:
  Server(std::shared_ptr<const Dataset> dataset, const group::PartFunctions& functions,
         std::shared_ptr<net::Peer> peer, TableRequest base)
      : dataset_(std::move(dataset)),
        functions_(functions),
        peer_(std::move(peer)),
        base_(std::move(base)) {}

  const std::shared_ptr<net::Peer>& peer() const { return peer_; }
  TableRequest& base() { return base_; }
  const TableRequest& base() const { return base_; }

  // Every request may be repeated: writes replace whole rows, or carry a token.
  std::shared_ptr<Future> ask(const TableRequest& request, int64_t timeout_ms,
                              int64_t patience_ms) const {
    const net::Message message = cluster::encode(dataset_->context()->buffers(), request);
    group::CallRules rules;
    rules.timeout_ms = timeout_ms;
    rules.idempotent = true;
    rules.patience_ms = patience_ms;
    return functions_.call_server(
        peer_, {cluster::kTableFunction, -1, int64_t{base_.part}, message.bytes()}, rules);
  }

  static Result<TableReply> take(const Future& answer) {
    GLS_TRY(answer.wait_for_status());
    TableReply out;
    out.bytes = answer.item(0);
    GLS_ASSIGN(out.answer, cluster::decode_table_answer(
                               {out.bytes.data(), static_cast<size_t>(out.bytes.rows())}));
    return out;
  }

 private:
  const std::shared_ptr<const Dataset> dataset_;  // its source is `functions_`
  const group::PartFunctions& functions_;
  const std::shared_ptr<net::Peer> peer_;
  TableRequest base_;
};

// Cancels requests whose caller no longer waits.
struct PendingCalls {
  explicit PendingCalls(std::vector<std::shared_ptr<Future>> given) : answers(std::move(given)) {}
  ~PendingCalls() {
    for (const auto& answer : answers) {
      answer->cancel();
    }
  }
  PendingCalls(const PendingCalls&) = delete;
  PendingCalls& operator=(const PendingCalls&) = delete;
  const std::vector<std::shared_ptr<Future>> answers;
};

Deferred<Done> all_of(std::vector<std::shared_ptr<Future>> answers) {
  return [asked = std::make_shared<PendingCalls>(std::move(answers))]() -> Result<Done> {
    for (const auto& answer : asked->answers) {
      GLS_TRY(answer->wait_for_status());
    }
    return Done{};
  };
}

class RemoteShard final : public TableShard {
 public:
  RemoteShard(Server server, const TableAnswer& opened, int64_t timeout_ms)
      : server_(std::move(server)),
        options_(*opened.form),
        forms_(table::arrays_of(options_)),
        step_(opened.step),
        timeout_ms_(timeout_ms) {
    server_.base().number = opened.number;
  }

  const table::TableOptions& options() const override { return options_; }
  uint64_t number() const override { return server_.base().number; }
  int64_t step() const override { return step_; }

  Deferred<Done> ask_read(table::Array array, IdSpan ids, std::byte* out) const override {
    const int64_t row_bytes = table::find_form(forms_, array)->row_bytes();
    std::vector<std::shared_ptr<Future>> answers;
    for_pieces(ids, row_bytes, [&](int64_t begin, int64_t count) {
      TableRequest request = of(TableWhat::kRead);
      request.array = array;
      request.ids = ids.part(begin, count);
      answers.push_back(ask(request));
    });
    return [asked = std::make_shared<PendingCalls>(std::move(answers)), ids, row_bytes,
            out]() -> Result<Done> {
      std::byte* to = out;
      int64_t left = ids.size() * row_bytes;
      for (const auto& answer : asked->answers) {
        GLS_ASSIGN(const TableReply reply, Server::take(*answer));
        const auto bytes = static_cast<int64_t>(reply.answer.rows.size());
        if (bytes != std::min(left, piece_rows(row_bytes) * row_bytes)) {
          return corrupt("a server answered with {} bytes of rows of {}", bytes, row_bytes);
        }
        std::memcpy(to, reply.answer.rows.data(), static_cast<size_t>(bytes));
        to += bytes;
        left -= bytes;
      }
      return Done{};
    };
  }

  Deferred<Done> ask_write(table::Array array, IdSpan ids, const std::byte* rows) const override {
    const int64_t row_bytes = table::find_form(forms_, array)->row_bytes();
    std::vector<std::shared_ptr<Future>> answers;
    for_pieces(ids, row_bytes, [&](int64_t begin, int64_t count) {
      TableRequest request = of(TableWhat::kWrite);
      request.array = array;
      request.ids = ids.part(begin, count);
      request.rows = {rows + begin * row_bytes, static_cast<size_t>(count * row_bytes)};
      answers.push_back(ask(request));
    });
    return all_of(std::move(answers));
  }

  Status check_size(const TableTurn& turn) const override {
    const int64_t row_bytes = options_.width * int64_t{sizeof(float)} + int64_t{sizeof(int64_t)} +
                              int64_t{sizeof(int32_t)};
    return turn.ids.size() <= kMostTurnBytes / row_bytes
               ? Status()
               : invalid("gradients: {} rows for one part are more than a step has, {}",
                         turn.ids.size(), kMostTurnBytes / row_bytes)
                     .with("argument", "gradients");
  }
  Deferred<Done> ask_come(const TableTurn& turn) const override {
    TableRequest request = of(turn.loads ? TableWhat::kLoaded : TableWhat::kStep, turn);
    request.step = turn.step;
    request.learning_rate = turn.learning_rate;
    request.ids = turn.ids;
    request.counts = turn.counts;
    request.rows = {reinterpret_cast<const std::byte*>(turn.sums),
                    static_cast<size_t>(turn.ids.size() * options_.width) * sizeof(float)};
    return all_of({ask(request)});
  }
  Deferred<Done> ask_wait(const TableTurn& turn, int64_t timeout_ms) const override {
    return all_of({server_.ask(of(TableWhat::kWait, turn), timeout_ms, timeout_ms_)});
  }
  Deferred<Withdrawn> ask_withdraw(const TableTurn& turn) const override {
    const int64_t ms = is_given_up() ? kHurryMs : kShortMs;
    const auto asked = std::make_shared<PendingCalls>(
        std::vector{server_.ask(of(TableWhat::kWithdraw, turn), ms, ms)});
    return [asked]() -> Result<Withdrawn> {
      GLS_ASSIGN(TableReply reply, Server::take(*asked->answers.front()));
      return Withdrawn{reply.answer.taken, std::move(reply.answer.missing)};
    };
  }
  Deferred<Done> ask_begin_load(TableRank rank) const override {
    TableTurn turn;
    turn.rank = rank;
    return all_of({ask(of(TableWhat::kBeginLoad, turn))});
  }
  Deferred<table::TableState> ask_state() const override {
    const auto asked = std::make_shared<PendingCalls>(std::vector{ask(of(TableWhat::kState))});
    return [asked]() -> Result<table::TableState> {
      GLS_ASSIGN(TableReply reply, Server::take(*asked->answers.front()));
      return table::TableState{reply.answer.step, reply.answer.loading,
                               std::move(reply.answer.missing)};
    };
  }
  Deferred<Done> ask_drop() const override { return all_of({ask(of(TableWhat::kDrop))}); }

 private:
  static int64_t piece_rows(int64_t row_bytes) {
    return std::max<int64_t>(kPieceBytes / row_bytes, 1);
  }
  template <typename Ask>
  static void for_pieces(IdSpan ids, int64_t row_bytes, const Ask& ask) {
    const int64_t most = piece_rows(row_bytes);
    for (int64_t begin = 0; begin < ids.size(); begin += most) {
      ask(begin, std::min(most, ids.size() - begin));
    }
  }
  TableRequest of(TableWhat what, const TableTurn& turn = {}) const {
    TableRequest out = server_.base();
    out.what = what;
    out.rank = turn.rank.rank;
    out.world_size = turn.rank.world_size;
    out.token = turn.token;
    return out;
  }
  std::shared_ptr<Future> ask(const TableRequest& request) const {
    return server_.ask(request, timeout_ms_, timeout_ms_);
  }

  Server server_;
  const table::TableOptions options_;
  const std::vector<table::ArrayForm> forms_;
  const int64_t step_;
  const int64_t timeout_ms_;
};

// ---- finding the servers that hold tables ----

using Holders = std::vector<std::pair<std::shared_ptr<net::Peer>, std::shared_ptr<Future>>>;

// Returns the server of a part that holds tables. One server may have several addresses.
Result<std::shared_ptr<net::Peer>> holder_of(uint32_t part, const Holders& asked) {
  std::map<uint64_t, std::shared_ptr<net::Peer>> holders;
  std::string addresses;
  Status lost;
  for (const auto& [peer, answer] : asked) {
    auto reply = Server::take(*answer);
    const Status& status = reply.status();
    if (reply.ok()) {
      if (holders.emplace(reply->answer.number, peer).second) {
        addresses += (addresses.empty() ? "" : ", ") + peer->address();
      }
    } else if (status.code() != GLS_ERR_NOT_FOUND && status.code() != GLS_ERR_INVALID_STATE) {
      lost = status.copy();
    }
  }
  if (holders.size() == 1) {
    return holders.begin()->second;
  }
  if (holders.size() > 1) {
    return error(GLS_ERR_UNSUPPORTED,
                 "{} servers of part {} hold tables, at {}, and nobody would keep them the same",
                 holders.size(), part, addresses);
  }
  if (!lost.ok()) {
    return lost;
  }
  return error(GLS_ERR_UNSUPPORTED,
               "no server of part {} holds tables: it is to be started with memory for them "
               "(table_bytes, gls serve --table-bytes)",
               part);
}

}  // namespace

Result<TableShards> open_remote_table(const std::shared_ptr<const Dataset>& dataset,
                                      const group::PartFunctions& servers, const TableSpec& asked,
                                      int64_t timeout_ms) {
  TableRequest base;
  base.graph = servers.graph();
  base.of_nodes = asked.type.of_nodes;
  base.type = asked.type.index;
  base.name = asked.name;
  const auto server_of = [&](uint32_t part, const std::shared_ptr<net::Peer>& peer) {
    base.part = part;
    return Server(dataset, servers, peer, base);
  };
  const auto owners = servers.servers();
  std::map<uint32_t, Holders> asking;
  for (const auto& [part, all] : owners) {
    for (const auto& peer : all) {
      const Server server = server_of(part, peer);
      asking[part].emplace_back(
          peer, server.ask(server.base(), timeout_ms, all.size() > 1 ? kPatienceMs : timeout_ms));
    }
  }
  std::vector<Server> holders;
  for (uint32_t part = 0; part < dataset->source()->parts(); ++part) {
    const auto found = asking.find(part);
    if (found == asking.end()) {
      return error(GLS_ERR_IO, "nobody serves part {} now", part);
    }
    GLS_ASSIGN(const auto peer, holder_of(part, found->second));
    holders.push_back(server_of(part, peer));
  }
  std::vector<std::shared_ptr<Future>> opening;
  for (const Server& server : holders) {
    TableRequest request = server.base();
    request.what = TableWhat::kOpen;
    request.form = asked.options;
    opening.push_back(server.ask(request, timeout_ms, timeout_ms));
  }
  TableShards out;
  std::vector<const TableShard*> made;  // created by this call, and dropped if the call fails
  Status failure;
  for (size_t p = 0; p < holders.size(); ++p) {
    auto reply = Server::take(*opening[p]);
    if (reply.ok() && !reply->answer.form) {
      reply = corrupt("a server did not say what its table is");
    }
    if (!reply.ok()) {
      failure = failure.ok() ? std::move(reply.status()) : std::move(failure);
      continue;
    }
    out.push_back(std::make_unique<RemoteShard>(holders[p], reply->answer, timeout_ms));
    if (reply->answer.made) {
      made.push_back(out.back().get());
    }
  }
  if (!failure.ok()) {
    for (const TableShard* shard : made) {
      static_cast<void>(shard->ask_drop()());
    }
    return failure;
  }
  return out;
}

}  // namespace gls
