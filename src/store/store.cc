#include "store/store.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/clock.h"
#include "context/stop_scope.h"

namespace gls {

Store::Store(std::string name, StoreOptions options)
    : name_(std::move(name)),
      options_(std::move(options)),
      cache_(options_.cache_bytes > 0 ? std::make_unique<SieveCache>(options_.cache_bytes)
                                      : nullptr),
      turns_(options_.max_fetches) {}

StoreStats Store::stats() const {
  StoreStats out;
  {
    const std::lock_guard lock(mutex_);
    out = stats_;
  }
  out.cached_ids = cached_ids_;
  out.cache_bytes = cache_ != nullptr ? cache_->bytes() : 0;
  return out;
}

std::vector<Fetch::Question> Store::cut(Fetch::Question whole) const {
  std::vector<Fetch::Question> out;
  const size_t most = options_.max_ids;
  if (most == 0 || whole.ids.size() <= most) {
    out.push_back(std::move(whole));
    return out;
  }
  for (size_t at = 0; at < whole.ids.size(); at += most) {
    const auto begin = whole.ids.begin() + static_cast<std::ptrdiff_t>(at);
    const auto count = static_cast<std::ptrdiff_t>(std::min(most, whole.ids.size() - at));
    std::byte* const rows =
        whole.rows != nullptr ? whole.rows + static_cast<int64_t>(at) * whole.row_bytes : nullptr;
    out.push_back(
        {{begin, begin + count}, whole.of_rows, rows, whole.row_bytes, whole.owner, whole.limits});
  }
  return out;
}

void Store::end_turn(bool failed, uint64_t began) {
  {
    const std::lock_guard lock(mutex_);
    stats_.failures += failed ? 1 : 0;
    stats_.fetch_ns += now_ns() - began;
  }
  turns_.end();
}

void Store::note_timeout() {
  const std::lock_guard lock(mutex_);
  ++stats_.failures;
}

// The caller has taken a turn, which ends with the answer.
void Store::begin(const std::shared_ptr<Fetch>& fetch, uint64_t asked_at) {
  const uint64_t now = now_ns();
  {
    const std::lock_guard lock(mutex_);
    ++stats_.fetches;
    stats_.ids += fetch->question().ids.size();
    stats_.wait_ns += now - asked_at;
  }
  {
    const std::lock_guard lock(fetch->mutex_);
    fetch->started_at_ = now;
  }
  fetch->deadline_ = deadline_of(options_.deadline_ms);
  try {
    options_.fetch(fetch);
  } catch (const std::exception&) {  // no memory to hand it over
    static_cast<void>(fetch->fail(Status::out_of_memory()));
  }
}

// ---- Fetch -------------------------------------------------------------------------------------

int64_t Fetch::remaining_ms() const {
  if (deadline_ == kForever) {
    return -1;
  }
  const uint64_t now = now_ns();
  return deadline_ > now ? static_cast<int64_t>((deadline_ - now) / kMs) : 0;
}

Status Fetch::answer(Status status, NeighborLists lists) {
  {
    const std::lock_guard lock(mutex_);
    if (answered_) {
      return error(GLS_ERR_INVALID_STATE, "the question has been answered already");
    }
    answered_ = true;
    const bool failed = !status.ok() && !canceled_;
    status_ = std::move(status);
    lists_ = std::move(lists);
    // Before the thread that asked goes on: its caller may read the statistics.
    store_->end_turn(failed, started_at_);
  }
  over_.notify_all();
  return {};
}

Status Fetch::rows_done() {
  if (!question_.of_rows) {
    return error(GLS_ERR_INVALID_STATE, "the question asks for neighbours, and got rows");
  }
  return answer({}, {});
}

Status Fetch::check_lists(const int64_t* counts, const int64_t* neighbors,
                          const int64_t* edge_ids) const {
  constexpr int64_t kMostOfANode = int64_t{1} << 31;
  const NeighborLimits& limits = question_.limits;
  const size_t nodes = question_.ids.size();
  size_t sum = 0;
  for (size_t i = 0; i < nodes; ++i) {
    if (counts[i] < 0 || counts[i] >= kMostOfANode) {
      return invalid("counts: {} for node {}, expected 0 to 2^31 - 1", counts[i], question_.ids[i])
          .with("argument", "counts");
    }
    sum += static_cast<size_t>(counts[i]);
  }
  if (sum > 0 && neighbors == nullptr) {
    return invalid("neighbors is NULL, but the counts are not 0").with("argument", "neighbors");
  }
  if (limits.edge_ids ? sum > 0 && edge_ids == nullptr : edge_ids != nullptr) {
    return invalid("edge_ids: {}, as the store was made {} GLS_STORE_EDGE_IDS",
                   edge_ids == nullptr ? "missing" : "not expected",
                   limits.edge_ids ? "with" : "without")
        .with("argument", "edge_ids");
  }
  size_t at = 0;
  for (size_t i = 0; i < nodes; ++i) {
    for (const size_t end = at + static_cast<size_t>(counts[i]); at < end; ++at) {
      if (neighbors[at] < 0 || neighbors[at] >= limits.nodes) {
        return invalid("neighbors: {} as a neighbour of node {}, expected 0 to {}", neighbors[at],
                       question_.ids[i], limits.nodes - 1)
            .with("argument", "neighbors");
      }
      if (edge_ids != nullptr && (edge_ids[at] < 0 || edge_ids[at] >= limits.edges)) {
        return invalid("edge_ids: {} at node {}, expected 0 to {}", edge_ids[at], question_.ids[i],
                       limits.edges - 1)
            .with("argument", "edge_ids");
      }
    }
  }
  return {};
}

Status Fetch::set_neighbors(const int64_t* counts, const int64_t* neighbors,
                            const int64_t* edge_ids) {
  if (question_.of_rows) {
    return error(GLS_ERR_INVALID_STATE, "the question asks for rows, and got neighbours");
  }
  if (Status bad = check_lists(counts, neighbors, edge_ids); !bad.ok()) {
    GLS_TRY(answer(bad.copy(), {}));
    return bad;
  }
  NeighborLists lists;
  lists.counts.assign(counts, counts + question_.ids.size());
  size_t sum = 0;
  for (const int64_t count : lists.counts) {
    sum += static_cast<size_t>(count);
  }
  if (sum > 0) {
    lists.neighbors.assign(neighbors, neighbors + sum);
  }
  if (edge_ids != nullptr) {
    lists.edge_ids.assign(edge_ids, edge_ids + sum);
  }
  return answer({}, std::move(lists));
}

Status Fetch::fail(Status status) { return answer(std::move(status), {}); }

void Fetch::release() {
  {
    const std::lock_guard lock(mutex_);
    if (answered_) {
      return;
    }
  }
  static_cast<void>(
      answer(error(GLS_ERR_INTERNAL, "the question was released without an answer"), {}));
}

// ---- Asked -------------------------------------------------------------------------------------

Asked::Asked(std::shared_ptr<Store> store, std::vector<Fetch::Question> questions)
    : store_(std::move(store)), asked_at_(now_ns()) {
  fetches_.reserve(questions.size());
  for (Fetch::Question& question : questions) {
    fetches_.push_back(std::make_shared<Fetch>(store_, std::move(question)));
  }
  start_some();
}

Asked::~Asked() {
  for (const std::shared_ptr<Fetch>& fetch : fetches_) {
    fetch->canceled_ = true;
  }
}

// Starts as many as have a turn. A store that answers at once does so here, and one of its answers
// may be an error, or this thread may be cancelled meanwhile.
void Asked::start_some() {
  while (started_ < fetches_.size() && !has_failed_ && !is_given_up() &&
         store_->turns_.try_take()) {
    start_next();
  }
}

// The caller has a turn.
void Asked::start_next() {
  Fetch& fetch = *fetches_[started_];
  store_->begin(fetches_[started_++], asked_at_);
  const std::lock_guard lock(fetch.mutex_);
  has_failed_ = has_failed_ || (fetch.answered_ && !fetch.status_.ok());
}

Status Asked::wait_for(Fetch& fetch) {
  const int64_t ms = fetch.remaining_ms();
  std::unique_lock lock(fetch.mutex_);
  if (wait_ms_or_stop(fetch.over_, lock, ms, [&] { return fetch.answered_; })) {
    return fetch.status_.ok() ? Status() : fetch.status_.copy().prefixed(store_->name() + ": ");
  }
  fetch.canceled_ = true;
  if (is_given_up()) {
    return given_up();
  }
  store_->note_timeout();
  return error(GLS_ERR_TIMED_OUT, "{}: no answer for {} ids within {} ms", store_->name(),
               fetch.question().ids.size(), store_->options().deadline_ms);
}

Status Asked::wait_for_turn() {
  if (store_->turns_.wait(store_->options().deadline_ms)) {
    return {};
  }
  if (is_given_up()) {
    return given_up();
  }
  store_->note_timeout();
  return error(GLS_ERR_TIMED_OUT,
               "{}: {} questions are in work, and the store answered none of them within {} ms",
               store_->name(), store_->options().max_fetches, store_->options().deadline_ms);
}

Status Asked::wait() {
  for (size_t i = 0; i < fetches_.size(); ++i) {
    if (is_interrupted() || is_given_up()) {
      return given_up();
    }
    start_some();
    if (i == started_) {
      GLS_TRY(wait_for_turn());
      start_next();
    }
    GLS_TRY(wait_for(*fetches_[i]));
  }
  return {};
}

}  // namespace gls
