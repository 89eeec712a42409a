#include "cluster/table/distributed_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "base/checksum.h"
#include "base/float_mode.h"
#include "cluster/part/split_by_owner.h"
#include "query/graph_query.h"
#include "query/unique_ids.h"
#include "table/finite.h"

namespace gls {
namespace {

using table::Array;

// Positions in the order of ascending ids; repeated ids keep their order.
std::vector<int64_t> sorted_places(IdSpan ids) {
  std::vector<int64_t> out(static_cast<size_t>(ids.size()));
  std::iota(out.begin(), out.end(), int64_t{0});
  std::stable_sort(out.begin(), out.end(), [&](int64_t a, int64_t b) { return ids[a] < ids[b]; });
  return out;
}

Status check_numbers(const Tensor& rows, int64_t count, int64_t width, DLDataType dtype,
                     const char* what) {
  if (!same_dtype(rows.dtype(), dtype) || rows.shape() != std::vector<int64_t>{count, width}) {
    return invalid("{}: {} {}, expected {} {}", what, dtype_name(rows.dtype()),
                   shape_text(rows.shape()), dtype_name(dtype),
                   shape_text(std::vector<int64_t>{count, width}))
        .with("argument", what);
  }
  if (!rows.on_host()) {
    return error(GLS_ERR_UNSUPPORTED, "{} are in memory of a device", what).with("argument", what);
  }
  return {};
}

// A value that is not finite would stay in the row and in the state of the optimiser.
Status check_finite(const Tensor& gradients, IdSpan ids) {
  const auto width = static_cast<size_t>(gradients.shape()[1]);
  for (int64_t row = 0; row < gradients.rows(); ++row) {
    const auto* const numbers =
        reinterpret_cast<const float*>(gradients.data() + row * gradients.row_stride());
    const int64_t at = table::first_not_finite({numbers, width});
    if (at >= 0) {
      return invalid(
                 "gradients: row {}, of id {}, has {} at {}, expected finite numbers; leave the "
                 "step out, or clip the gradients",
                 row, ids[row], numbers[at], at)
          .with("argument", "gradients")
          .with("offset", std::to_string(row));
    }
  }
  return {};
}

// The sum of finite values may be infinite.
Status check_sums(std::span<const float> sums, const std::vector<int64_t>& ids, size_t width) {
  const int64_t at = table::first_not_finite(sums);
  return at < 0 ? Status()
                : invalid("gradients: those of id {} add up to {}, expected finite numbers",
                          ids[static_cast<size_t>(at) / width], sums[static_cast<size_t>(at)])
                      .with("argument", "gradients");
}

}  // namespace

Result<std::unique_ptr<DistributedTable>> DistributedTable::open(
    std::shared_ptr<const Dataset> dataset, TableSpec asked, TableRank rank, int64_t timeout_ms) {
  std::unique_ptr<DistributedTable> out(new DistributedTable);
  if (asked.options) {
    GLS_TRY(table::check(*asked.options));
  }
  if (dataset->part() && dataset->source() == nullptr) {
    return error(GLS_ERR_UNSUPPORTED,
                 "a part that is open by itself has no tables: they are of the whole graph");
  }
  const group::PartFunctions* const servers = group::PartFunctions::of(*dataset);
  if (servers == nullptr) {
    if (rank.world_size > 1) {
      return invalid(
                 "world_size is {}, but nobody serves this dataset: a table of it is of this "
                 "process alone",
                 rank.world_size)
          .with("argument", "world_size");
    }
    GLS_ASSIGN(out->shards_, open_local_table(*dataset, asked));
  } else {
    if (dataset->source()->parts() > 1) {
      out->book_ = dataset->source()->book(asked.type.of_nodes, asked.type.index);
      if (out->book_ == nullptr) {
        return error(GLS_ERR_UNSUPPORTED,
                     "edges of \"{}\" have no book that says which server has the row of each",
                     dataset->type_name(asked.type))
            .with("argument", "type");
      }
    }
    GLS_ASSIGN(out->shards_, open_remote_table(dataset, *servers, asked, timeout_ms));
  }
  const int64_t step = out->shards_.front()->step();
  for (const auto& shard : out->shards_) {
    const std::string words = table::difference(out->options(), shard->options());
    if (!words.empty()) {
      return error(GLS_ERR_INVALID_STATE, "parts have different tables: {}", words);
    }
    out->steps_differ_ = out->steps_differ_ || shard->step() != step;
    out->step_ = std::max(out->step_.load(), shard->step());
  }
  out->served_ = servers != nullptr;
  out->takes_steps_ = asked.options.has_value();
  out->dataset_ = std::move(dataset);
  out->asked_ = std::move(asked);
  out->rank_ = rank;
  out->forms_ = table::arrays_of(out->options());
  return out;
}

uint64_t DistributedTable::number() const {
  uint64_t out = 0;
  for (const auto& shard : shards_) {
    out ^= shard->number();
  }
  return out;
}

// ---- rows ----

Status DistributedTable::read_ids(Array array, IdSpan ids, std::byte* out) const {
  if (book_ == nullptr) {
    return shards_.front()->ask_read(array, ids, out)().status().copy();
  }
  GLS_ASSIGN(const SplitByOwner split, SplitByOwner::split(*book_, ids));
  const auto bytes = static_cast<size_t>(table::find_form(forms_, array)->row_bytes());
  struct Request {
    std::vector<std::byte> rows;
    Deferred<Done> later;
  };
  std::vector<Request> asked(shards_.size());
  for (size_t s = 0; s < shards_.size(); ++s) {
    const SplitByOwner::Share& share = split.shares()[s];
    if (!share.ids.empty()) {
      asked[s].rows.resize(share.ids.size() * bytes);
      asked[s].later = shards_[s]->ask_read(array, share.span(), asked[s].rows.data());
    }
  }
  for (size_t s = 0; s < shards_.size(); ++s) {
    if (asked[s].later) {
      GLS_TRY(asked[s].later().status().copy());
      const auto& places = split.shares()[s].places;
      for (size_t i = 0; i < places.size(); ++i) {
        std::memcpy(out + static_cast<size_t>(places[i]) * bytes, asked[s].rows.data() + i * bytes,
                    bytes);
      }
    }
  }
  return {};
}

template <typename Row>
Status DistributedTable::write_ids(Array array, IdSpan ids, const Row& row) const {
  std::vector<SplitByOwner::Share> shares(1);
  if (book_ != nullptr) {
    GLS_ASSIGN(const SplitByOwner split, SplitByOwner::split(*book_, ids));
    shares = split.shares();
  } else {
    for (int64_t i = 0; i < ids.size(); ++i) {
      shares[0].ids.push_back(ids[i]);
      shares[0].places.push_back(i);
    }
  }
  const auto bytes = static_cast<size_t>(table::find_form(forms_, array)->row_bytes());
  std::vector<std::vector<std::byte>> rows(shares.size());
  std::vector<Deferred<Done>> asked;
  for (size_t s = 0; s < shares.size(); ++s) {
    rows[s].resize(shares[s].ids.size() * bytes);
    for (size_t i = 0; i < shares[s].ids.size(); ++i) {
      std::memcpy(rows[s].data() + i * bytes, row(shares[s].places[i]), bytes);
    }
    if (!shares[s].ids.empty()) {
      asked.push_back(shards_[s]->ask_write(array, shares[s].span(), rows[s].data()));
    }
  }
  for (const auto& later : asked) {
    GLS_TRY(later().status().copy());
  }
  return {};
}

Result<Tensor> DistributedTable::find_rows(IdSpan ids) const {
  GLS_TRY(check_type_ids(*dataset_, asked_.type, ids, "ids"));
  const table::ArrayForm& of = forms_.front();
  const auto bytes = static_cast<size_t>(of.row_bytes());
  BufferPool& pool = *dataset_->context()->buffers();
  const SharedBytes memory =
      given_or_acquired(nullptr, pool, static_cast<size_t>(ids.size()) * bytes);
  const UniqueIds distinct(served_ ? ids : IdSpan());
  if (distinct.repeats().empty()) {
    GLS_TRY(read_ids(of.array, ids, memory.get()));
  } else {
    std::vector<std::byte> once(static_cast<size_t>(distinct.span().size()) * bytes);
    GLS_TRY(read_ids(of.array, distinct.span(), once.data()));
    const auto put = [&](int64_t place, const std::byte* row) {
      std::memcpy(memory.get() + static_cast<size_t>(place) * bytes, row, bytes);
    };
    for (int64_t i = 0; i < distinct.span().size(); ++i) {
      put(distinct.place(i), once.data() + static_cast<size_t>(i) * bytes);
    }
    for (const UniqueIds::Repeat& repeat : distinct.repeats()) {
      put(repeat.place, memory.get() + static_cast<size_t>(repeat.first) * bytes);
    }
  }
  return Tensor(memory, memory.get(), of.dtype, {ids.size(), of.width}, false);
}

Status DistributedTable::write_rows(IdSpan ids, const Tensor& rows) const {
  GLS_TRY(check_type_ids(*dataset_, asked_.type, ids, "ids"));
  GLS_TRY(check_numbers(rows, ids.size(), options().width, options().dtype, "rows"));
  std::vector<int64_t> once;
  std::vector<int64_t> places;
  for (const int64_t place : sorted_places(ids)) {
    if (!once.empty() && once.back() == ids[place]) {
      places.back() = place;
    } else {
      once.push_back(ids[place]);
      places.push_back(place);
    }
  }
  return write_ids(Array::kValues, span_of(once), [&](int64_t i) {
    return rows.data() + places[static_cast<size_t>(i)] * rows.row_stride();
  });
}

Status DistributedTable::read(Array array, int64_t begin, int64_t count, std::byte* out) const {
  std::vector<int64_t> ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), begin);
  return read_ids(array, span_of(ids), out);
}

Status DistributedTable::write(Array array, int64_t begin, int64_t count,
                               const std::byte* rows) const {
  std::vector<int64_t> ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), begin);
  const int64_t bytes = table::find_form(forms_, array)->row_bytes();
  return write_ids(array, span_of(ids), [&](int64_t i) { return rows + i * bytes; });
}

// ---- steps ----

Status DistributedTable::can_step() const {
  if (!takes_steps_) {
    return error(GLS_ERR_INVALID_STATE,
                 "table \"{}\" was opened without options, by who takes no steps", asked_.name);
  }
  if (options().optimizer == table::Optimizer::kNone) {
    return error(GLS_ERR_INVALID_STATE, "table \"{}\" has no optimizer", asked_.name);
  }
  if (steps_differ_) {
    return error(
        GLS_ERR_INVALID_STATE,
        "parts of table \"{}\" are at different steps, up to {}: a trainer ended amid one; "
        "load what was saved",
        asked_.name, step_.load());
  }
  return {};
}

Result<int64_t> DistributedTable::common_step() const {
  if (undecided_) {
    return error(
        GLS_ERR_INVALID_STATE,
        "table \"{}\": step {} failed when some parts may have taken it: take it again, or "
        "load what was saved",
        asked_.name, step_.load() + 1);
  }
  std::vector<Deferred<table::TableState>> asked;
  for (const auto& shard : shards_) {
    asked.push_back(shard->ask_state());
  }
  std::optional<int64_t> out;
  for (const auto& later : asked) {
    GLS_ASSIGN(const table::TableState state, later());
    if (state.loading || out.value_or(state.step) != state.step) {
      return error(GLS_ERR_INVALID_STATE, "table \"{}\": {}", asked_.name,
                   state.loading ? "it is being loaded, or was not loaded to the end"
                                 : "its parts are at different steps");
    }
    out = state.step;
  }
  return *out;
}

// Builds what each part receives: each id once, in ascending order.
Result<std::vector<DistributedTable::Share>> DistributedTable::sum_up(
    IdSpan ids, const Tensor& gradients) const {
  const auto width = static_cast<size_t>(options().width);
  std::vector<Share> out(shards_.size());
  const DefaultFloatMode mode;
  for (const int64_t place : sorted_places(ids)) {
    const auto* const row =
        reinterpret_cast<const float*>(gradients.data() + place * gradients.row_stride());
    const int64_t id = ids[place];
    const size_t owner = book_ != nullptr ? (*book_)[id] : 0;
    if (owner >= out.size()) {
      return book_->damaged_at(id);
    }
    Share& share = out[owner];
    if (share.ids.empty() || share.ids.back() != id) {
      share.ids.push_back(id);
      share.counts.push_back(1);
      share.sums.insert(share.sums.end(), row, row + width);
      continue;
    }
    ++share.counts.back();
    float* const sum = share.sums.data() + share.sums.size() - width;
    for (size_t i = 0; i < width; ++i) {
      sum[i] += row[i];
    }
  }
  return out;
}

Status DistributedTable::take_turn(const TableTurn& turn, const std::vector<Share>& shares,
                                   int64_t timeout_ms) {
  std::vector<TableTurn> turns;
  for (size_t s = 0; s < shards_.size(); ++s) {
    TableTurn own = turn;
    own.rank = rank_;
    own.token = token_;
    if (!shares.empty()) {
      own.ids = span_of(shares[s].ids);
      own.sums = shares[s].sums.data();
      own.counts = options().mean ? shares[s].counts.data() : nullptr;
    }
    if (Status status = shards_[s]->check_size(own); !status.ok()) {
      undecided_.reset();  // no part received it
      return status;
    }
    turns.push_back(own);
  }
  // Sends to all parts before it waits for any, so that no part waits while another refuses.
  std::vector<Deferred<Done>> asked;
  asked.reserve(shards_.size());
  for (size_t s = 0; s < shards_.size(); ++s) {
    asked.push_back(shards_[s]->ask_come(turns[s]));
  }
  Status failure;
  for (const auto& later : asked) {
    Status status = later().status().copy();
    failure = failure.ok() ? std::move(status) : std::move(failure);
  }
  asked.clear();
  if (failure.ok()) {
    for (size_t s = 0; s < shards_.size(); ++s) {
      asked.push_back(shards_[s]->ask_wait(turns[s], timeout_ms));
    }
    for (const auto& later : asked) {
      Status status = later().status().copy();
      failure = failure.ok() ? std::move(status) : std::move(failure);
    }
  }
  return failure.ok() ? Status() : give_up(turns, std::move(failure));
}

// Withdraws a step that was not taken, so that it has no effect after the caller received an error.
Status DistributedTable::give_up(const std::vector<TableTurn>& turns, Status why) {
  std::vector<Deferred<Withdrawn>> asked;
  asked.reserve(shards_.size());
  for (size_t s = 0; s < shards_.size(); ++s) {
    asked.push_back(shards_[s]->ask_withdraw(turns[s]));
  }
  const UninterruptedScope scope;
  size_t taken = 0;
  size_t withdrawn = 0;
  std::set<uint32_t> missing;
  for (const auto& later : asked) {
    const Result<Withdrawn> withdrawal = later();
    if (withdrawal.ok()) {
      ++(withdrawal->taken ? taken : withdrawn);
      missing.insert(withdrawal->missing.begin(), withdrawal->missing.end());
    }
  }
  if (taken == shards_.size()) {
    return {};  // the step was taken meanwhile
  }
  if (withdrawn == shards_.size()) {
    undecided_.reset();
    token_ = random_number();
  }
  if (why.code() != GLS_ERR_TIMED_OUT || missing.empty()) {
    return why;
  }
  constexpr size_t kMostNamed = 16;
  std::string ranks;
  size_t count = 0;
  for (const uint32_t rank : missing) {
    ranks += ++count > kMostNamed ? "" : formatted("{}{}", count == 1 ? "" : ", ", rank);
  }
  return error(GLS_ERR_TIMED_OUT, "table \"{}\": rank{} {}{} of {} did not come in time",
               asked_.name, count == 1 ? "" : "s", ranks, count > kMostNamed ? " and others" : "",
               rank_.world_size);
}

Status DistributedTable::take_step(IdSpan ids, const Tensor& gradients, double learning_rate,
                                   int64_t timeout_ms) {
  GLS_TRY(can_step());
  GLS_TRY(check_type_ids(*dataset_, asked_.type, ids, "ids"));
  GLS_TRY(check_numbers(gradients, ids.size(), options().width, kFloat32, "gradients"));
  GLS_TRY(check_finite(gradients, ids));
  if (!std::isfinite(static_cast<float>(learning_rate))) {
    return invalid("learning_rate is {}", learning_rate).with("argument", "learning_rate");
  }
  GLS_ASSIGN(const std::vector<Share> shares, sum_up(ids, gradients));
  for (const Share& share : shares) {
    GLS_TRY(check_sums(share.sums, share.ids, static_cast<size_t>(options().width)));
  }
  uint64_t hash = hash64(std::as_bytes(std::span(&learning_rate, 1)));
  for (const Share& share : shares) {
    hash = hash64(std::as_bytes(std::span(share.ids)), hash);
    hash = hash64(std::as_bytes(std::span(share.sums)), hash);
    hash = hash64(std::as_bytes(std::span(share.counts)), hash);
  }
  if (undecided_.value_or(hash) != hash) {
    return error(GLS_ERR_INVALID_STATE,
                 "table \"{}\": step {} failed when some parts may have taken it: it can be taken "
                 "again with the same gradients alone; or load what was saved",
                 asked_.name, step_.load() + 1);
  }
  undecided_ = hash;  // until the outcome is known
  TableTurn turn;
  turn.step = step_ + 1;
  turn.learning_rate = learning_rate;
  GLS_TRY(take_turn(turn, shares, timeout_ms));
  ++step_;
  undecided_.reset();
  token_ = random_number();
  return {};
}

Status DistributedTable::begin_load() {
  if (!takes_steps_) {
    return error(GLS_ERR_INVALID_STATE,
                 "table \"{}\" was opened without options, by who takes no steps", asked_.name);
  }
  std::vector<Deferred<Done>> asked;
  for (const auto& shard : shards_) {
    asked.push_back(shard->ask_begin_load(rank_));
  }
  for (const auto& later : asked) {
    GLS_TRY(later().status().copy());
  }
  undecided_.reset();
  token_ = random_number();
  return {};
}

Status DistributedTable::finish_load(int64_t step, int64_t timeout_ms) {
  TableTurn turn;
  turn.loads = true;
  turn.step = step;
  GLS_TRY(take_turn(turn, {}, timeout_ms));
  step_ = step;
  steps_differ_ = false;
  token_ = random_number();
  return {};
}

Status DistributedTable::drop() const {
  std::vector<Deferred<Done>> asked;
  for (const auto& shard : shards_) {
    asked.push_back(shard->ask_drop());
  }
  Status failure;
  for (const auto& later : asked) {
    Status status = later().status().copy();
    // A server that does not know the table holds no step.
    if (failure.ok() && status.code() != GLS_ERR_INVALID_STATE) {
      failure = std::move(status);
    }
  }
  return failure;
}

}  // namespace gls
