#include "store/column_store.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "format/manifest.h"
#include "query/unique_ids.h"

namespace gls {

// The rows of one question, while they are fetched.
class ColumnStore::Rows {
 public:
  // `out` has room for `rows` rows.
  Rows(std::shared_ptr<ColumnStore> store, BufferPool& pool, const IdSpan& ids, int64_t rows,
       SharedBytes out, const GatherOptions& options)
      : store_(std::move(store)), options_(options), rows_(rows), out_(std::move(out)) {
    const int64_t row_bytes = store_->row_bytes();
    std::fill(out_.get() + ids.size() * row_bytes, out_.get() + rows * row_bytes, std::byte{0});
    std::vector<int64_t> missing = copy_cached(ids);
    if (missing.empty()) {
      return;
    }
    if (static_cast<int64_t>(missing.size()) == ids.size()) {
      fetched_ = out_;
    } else {
      fetched_ = given_or_acquired(nullptr, pool, missing.size() * static_cast<size_t>(row_bytes));
    }
    if (store_->cache() != nullptr) {
      missing_ = missing;
    }
    asked_.emplace(store_,
                   store_->cut({std::move(missing), true, fetched_.get(), row_bytes, fetched_}));
  }

  Result<Tensor> take() {
    GLS_TRY(asked_.has_value() ? asked_->wait() : Status());
    const int64_t row_bytes = store_->row_bytes();
    for (size_t i = 0; i < missing_.size(); ++i) {
      store_->cache()->insert(missing_[i], {fetched_.get() + static_cast<int64_t>(i) * row_bytes,
                                            static_cast<size_t>(row_bytes)});
    }
    if (fetched_ != out_ && row_bytes > 0) {
      scatter_rows(out_.get(), fetched_.get(), row_bytes, places_.data(),
                   static_cast<int64_t>(places_.size()), options_);
    }
    std::vector<int64_t> shape = store_->spec().row_shape;
    shape.insert(shape.begin(), rows_);
    const std::byte* const data = out_.get();
    return Tensor(std::move(out_), data, store_->spec().dtype, std::move(shape), false);
  }

 private:
  // Writes the rows that the cache has; the other ids.
  std::vector<int64_t> copy_cached(const IdSpan& ids) {
    std::vector<int64_t> missing(static_cast<size_t>(ids.size()));
    SieveCache* const cache = store_->cache();
    if (cache == nullptr) {
      for (int64_t i = 0; i < ids.size(); ++i) {
        missing[static_cast<size_t>(i)] = ids[i];
      }
      return missing;
    }
    const int64_t row_bytes = store_->row_bytes();
    size_t count = 0;
    for (int64_t i = 0; i < ids.size(); ++i) {
      std::byte* const to = out_.get() + i * row_bytes;
      if (!cache->find(ids[i], [to](std::span<const std::byte> row) {
            std::copy(row.begin(), row.end(), to);
          })) {
        missing[count++] = ids[i];
        places_.push_back(i);
      }
    }
    store_->note_cached(missing.size() - count);
    missing.resize(count);
    return missing;
  }

  const std::shared_ptr<ColumnStore> store_;
  const GatherOptions options_;
  const int64_t rows_;
  SharedBytes out_;
  SharedBytes fetched_;           // rows of the ids that the cache did not have
  std::vector<int64_t> places_;   // where they go
  std::vector<int64_t> missing_;  // these ids, if they go into the cache
  std::optional<Asked> asked_;
};

// For messages. The only node type has no name here.
static std::string name_of(const ColumnStore::Spec& spec) {
  std::string name = formatted("the store of column \"{}\"", spec.name);
  return spec.type.empty() ? name : name + formatted(" of \"{}\"", spec.type);
}

ColumnStore::ColumnStore(Spec spec, int64_t row_bytes, StoreOptions options)
    : Store(name_of(spec), std::move(options)), spec_(std::move(spec)), row_bytes_(row_bytes) {}

Result<std::shared_ptr<ColumnStore>> ColumnStore::create(Spec spec, StoreOptions options) {
  GLS_TRY(check_name(spec.name, "column"));
  if (!dtype_supported(spec.dtype)) {
    return invalid("dtype: {} is no dtype of a column", dtype_name(spec.dtype))
        .with("argument", "dtype");
  }
  constexpr int64_t kMostBytes = int64_t{1} << 31;
  auto bytes = static_cast<int64_t>(dtype_bytes(spec.dtype));
  for (const int64_t extent : spec.row_shape) {
    if (extent < 0 || (extent > 0 && bytes > kMostBytes / extent)) {
      return invalid("row_shape: {} is no shape of a row of at most 2 GiB",
                     shape_text(spec.row_shape))
          .with("argument", "row_shape");
    }
    bytes *= extent;
  }
  return std::shared_ptr<ColumnStore>(new ColumnStore(std::move(spec), bytes, std::move(options)));
}

Deferred<Tensor> ColumnStore::ask_stored(BufferPool& pool, const IdSpan& ids, int64_t rows,
                                         SharedBytes memory, const GatherOptions& options) {
  const int64_t all = std::max(rows, ids.size());
  SharedBytes out =
      given_or_acquired(std::move(memory), pool, static_cast<size_t>(all * row_bytes_));
  auto asked = std::make_shared<Rows>(std::static_pointer_cast<ColumnStore>(shared_from_this()),
                                      pool, ids, all, std::move(out), options);
  return [asked = std::move(asked)] { return asked->take(); };
}

Deferred<Tensor> ColumnStore::ask(BufferPool& pool, const RowQuestion& question, int64_t rows,
                                  SharedBytes memory, const GatherOptions& options) {
  const UniqueIds unique = question.repeats ? UniqueIds(question.ids) : UniqueIds();
  const bool repeats = !unique.repeats().empty();
  if (same_dtype(question.dtype, spec_.dtype) && !repeats) {
    return ask_stored(pool, question.ids, rows, std::move(memory), options);
  }
  // Widens the rows, or repeats them.
  const IdSpan ids = repeats ? unique.span() : question.ids;
  std::vector<int64_t> places = repeats ? unique.numbers() : std::vector<int64_t>();
  if (!repeats) {
    places.resize(static_cast<size_t>(ids.size()));
    std::iota(places.begin(), places.end(), int64_t{0});
  }
  return [&pool, stored = ask_stored(pool, ids, 0, nullptr, options), places = std::move(places),
          dtype = question.dtype, rows, memory = std::move(memory), options]() -> Result<Tensor> {
    GLS_ASSIGN(const Tensor found, stored());
    const IdSpan at(places.data(), true, static_cast<int64_t>(places.size()));
    return gather(pool, found, at, dtype, options, rows, memory);
  };
}

}  // namespace gls
