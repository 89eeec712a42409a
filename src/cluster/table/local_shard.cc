// Tables in the memory of this process.
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/random_number.h"
#include "cluster/table/table_shard.h"

namespace gls {
namespace {

using table::SharedTable;

class LocalTables {
 public:
  Result<std::shared_ptr<SharedTable>> open(const Dataset& dataset, const TableSpec& asked) {
    const Key key(asked.type.of_nodes, asked.type.index, asked.name);
    const std::lock_guard lock(mutex_);
    if (const auto found = tables_.find(key); found != tables_.end()) {
      const std::string words =
          asked.options ? table::difference(found->second->options(), *asked.options) : "";
      return words.empty() ? Result<std::shared_ptr<SharedTable>>(found->second)
                           : error(GLS_ERR_ALREADY_EXISTS, "{}", words);
    }
    if (!asked.options) {
      return not_found("there is none of this name").with("argument", "name");
    }
    const std::shared_ptr<Context>& context = dataset.context();
    GLS_ASSIGN(auto rows, table::RowTable::create(
                              asked.name, *asked.options, dataset.type_count(asked.type),
                              [](int64_t row) { return row; }, context->pool()));
    const auto made = std::make_shared<SharedTable>(
        std::move(rows), std::shared_ptr<ThreadPool>(context, &context->pool()), random_number());
    tables_.emplace(key, made);
    return made;
  }

  void drop(const SharedTable& table) {
    std::shared_ptr<SharedTable> dropped;
    {
      const std::lock_guard lock(mutex_);
      for (auto at = tables_.begin(); at != tables_.end(); ++at) {
        if (at->second.get() == &table) {
          dropped = std::move(at->second);
          tables_.erase(at);
          break;
        }
      }
    }
    if (dropped != nullptr) {
      dropped->close("it was dropped");
    }
  }

 private:
  using Key = std::tuple<bool, size_t, std::string>;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<SharedTable>> tables_;
};

template <typename T>
Deferred<T> known(T value) {
  return [kept = std::move(value)]() -> Result<T> { return kept; };
}

// This process is the only trainer, so each operation ends at once.
class LocalShard final : public TableShard {
 public:
  LocalShard(std::shared_ptr<LocalTables> all, std::shared_ptr<SharedTable> table, std::string name)
      : all_(std::move(all)),
        table_(std::move(table)),
        name_(std::move(name)),
        step_(table_->state().step) {}

  const table::TableOptions& options() const override { return table_->options(); }
  uint64_t number() const override { return table_->number(); }
  int64_t step() const override { return step_; }
  Deferred<Done> ask_read(table::Array array, IdSpan ids, std::byte* out) const override {
    return named(table_->read(array, ids, out));
  }
  Deferred<Done> ask_write(table::Array array, IdSpan ids, const std::byte* rows) const override {
    return named(table_->write(array, ids, rows));
  }
  Status check_size(const TableTurn&) const override { return {}; }
  Deferred<Done> ask_come(const TableTurn& asked) const override {
    table::Turn turn;
    turn.loads = asked.loads;
    turn.step = asked.step;
    turn.rank = asked.rank.rank;
    turn.world_size = asked.rank.world_size;
    turn.learning_rate = asked.learning_rate;
    turn.token = asked.token;
    table::Gradients& own = turn.gradients;
    const auto count = static_cast<size_t>(asked.ids.size());
    own.rows.reserve(count);
    for (int64_t i = 0; i < asked.ids.size(); ++i) {
      own.rows.push_back(asked.ids[i]);
    }
    own.sums.assign(asked.sums, asked.sums + count * static_cast<size_t>(options().width));
    if (asked.counts != nullptr) {
      own.counts.assign(asked.counts, asked.counts + count);
    }
    return named(table_->come(std::move(turn)));
  }
  Deferred<Done> ask_wait(const TableTurn&, int64_t) const override { return known(Done()); }
  Deferred<Withdrawn> ask_withdraw(const TableTurn& turn) const override {
    return known(Withdrawn{!table_->withdraw(turn.rank.rank, turn.token), {}});
  }
  Deferred<Done> ask_begin_load(TableRank rank) const override {
    return named(table_->begin_load(rank.rank));
  }
  Deferred<table::TableState> ask_state() const override { return known(table_->state()); }
  Deferred<Done> ask_drop() const override {
    all_->drop(*table_);
    return known(Done());
  }

 private:
  // Errors name the table, as errors of servers do.
  Deferred<Done> named(Status status) const {
    return status.ok()
               ? known(Done())
               : failed<Done>(std::move(status).prefixed(formatted("table \"{}\": ", name_)));
  }

  const std::shared_ptr<LocalTables> all_;
  const std::shared_ptr<SharedTable> table_;
  const std::string name_;
  const int64_t step_;
};

}  // namespace

Result<TableShards> open_local_table(const Dataset& dataset, const TableSpec& asked) {
  GLS_ASSIGN(const auto kept,
             dataset.keep("tables", 0, UINT64_MAX, []() -> Result<std::shared_ptr<const void>> {
               return std::shared_ptr<const void>(std::make_shared<LocalTables>());
             }));
  const auto all =
      std::const_pointer_cast<LocalTables>(std::static_pointer_cast<const LocalTables>(kept));
  GLS_ASSIGN(auto table, all->open(dataset, asked));
  TableShards out;
  out.push_back(std::make_unique<LocalShard>(all, std::move(table), asked.name));
  return out;
}

}  // namespace gls
