#include "ingest/common/id_map.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "ingest/common/parallel_sort.h"
#include "ingest/common/spool.h"
#include "ingest/common/text_value.h"

namespace gls {
namespace {

constexpr const char* kNumbering = "numbering nodes";
constexpr size_t kMostKeyBytes = size_t{1} << 20;
constexpr int64_t kReportEvery = int64_t{1} << 20;

Status bad_id(std::string_view field, std::string_view why) {
  return corrupt("node id \"{}\" {}", shown(field), why);
}

Status parse_key(std::string_view field, int64_t* key) {
  if (const char* const why = parse_integer(field, key)) {
    return bad_id(field, field.empty() ? "is empty" : why);
  }
  return {};
}

Status check_text_key(std::string_view field) {
  if (field.empty()) {
    return bad_id(field, "is empty");
  }
  if (field.size() > kMostKeyBytes) {
    return bad_id(field, formatted("is longer than {} bytes", kMostKeyBytes));
  }
  if (field.find('\0') != std::string_view::npos) {
    return bad_id(field, "contains a zero byte");
  }
  if (const size_t good = utf8_prefix(field); good < field.size()) {
    return bad_id(field, formatted("is not UTF-8 (byte {:#04x} at offset {})",
                                   static_cast<unsigned char>(field[good]), good));
  }
  return {};
}

// The differences between IntegerKeys and StringKeys in the code below.
struct Integers {
  using Table = IntegerKeys;
  static constexpr bool kStrings = false;
  struct Entry {
    int64_t key;
    int64_t id;
  };
  static Entry entry(int64_t id, int64_t key) { return {key, id}; }
  static bool less(const Entry& a, const Entry& b) { return a.key < b.key; }
  static Status parse(std::string_view field, int64_t* key) { return parse_key(field, key); }
  using Key = int64_t;
  // The key for an integer. It lives as long as this object.
  struct OfNumber {
    explicit OfNumber(int64_t number) : key(number) {}
    int64_t key;
  };
};

struct Strings {
  using Table = StringKeys;
  static constexpr bool kStrings = true;
  struct Entry {
    uint64_t prefix;  // decides most comparisons without reading the text
    std::string_view key;
    int64_t id;
  };
  static Entry entry(int64_t id, std::string_view key) {
    std::array<unsigned char, 8> first{};
    std::memcpy(first.data(), key.data(), std::min<size_t>(key.size(), 8));
    uint64_t prefix = 0;
    for (const unsigned char c : first) {
      prefix = prefix << 8 | c;
    }
    return {prefix, key, id};
  }
  static bool less(const Entry& a, const Entry& b) {
    return a.prefix != b.prefix ? a.prefix < b.prefix : a.key < b.key;
  }
  static Status parse(std::string_view field, std::string_view* key) {
    GLS_TRY(check_text_key(field));
    *key = field;
    return {};
  }
  using Key = std::string_view;
  // Its decimal digits.
  struct OfNumber {
    explicit OfNumber(int64_t number)
        : key(digits.data(),
              static_cast<size_t>(
                  std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr -
                  digits.data())) {}
    OfNumber(const OfNumber&) = delete;
    OfNumber& operator=(const OfNumber&) = delete;
    std::array<char, 20> digits;
    std::string_view key;
  };
};

// Calls resolve(key, id) for each of `keys`.
template <typename Key, typename Resolve>
Status resolve_each(std::span<const Key> keys, int64_t* ids, size_t* at, const Resolve& resolve) {
  for (*at = 0; *at < keys.size(); ++*at) {
    GLS_TRY(resolve(keys[*at], &ids[*at]));
  }
  return {};
}

// Writes keys in the order of node ids, as a dataset keeps them.
class KeyWriter {
 public:
  static Result<KeyWriter> create(Workspace& workspace, bool strings) {
    GLS_ASSIGN(Spool values, Spool::create(workspace, "keys"));
    GLS_ASSIGN(Spool offsets, Spool::create(workspace, "key-offsets"));
    KeyWriter writer(std::move(values), std::move(offsets));
    if (strings) {
      GLS_TRY(writer.add_offset());
    }
    return writer;
  }
  Status add(int64_t key) {
    ++count_;
    return values_.append(std::as_bytes(std::span(&key, 1)));
  }
  Status add(std::string_view key) {
    ++count_;
    GLS_TRY(values_.append(std::as_bytes(std::span(key))));
    return add_offset();
  }
  Result<NodeKeys> finish(bool strings) {
    NodeKeys keys;
    keys.strings = strings;
    const auto bytes = static_cast<int64_t>(values_.size());
    GLS_ASSIGN(keys.values, values_.finish(strings ? kUint8 : kInt64, {strings ? bytes : count_}));
    if (strings) {
      GLS_ASSIGN(keys.offsets, offsets_.finish(kInt64, {count_ + 1}));
    }
    return keys;
  }

 private:
  KeyWriter(Spool values, Spool offsets)
      : values_(std::move(values)), offsets_(std::move(offsets)) {}
  Status add_offset() {
    const auto end = static_cast<int64_t>(values_.size());
    return offsets_.append(std::as_bytes(std::span(&end, 1)));
  }
  Spool values_;
  Spool offsets_;
  int64_t count_ = 0;
};

class DenseIds : public IdMap {
 public:
  DenseIds(std::string type, int64_t limit) : type_(std::move(type)), limit_(limit) {}
  Status resolve(std::string_view field, int64_t* id) override {
    if (const char* const why = parse_integer(field, id)) {
      return bad_id(field, field.empty() ? "is empty"
                                         : formatted("{}; declare node type \"{}\" with string "
                                                     "ids if that is what they are",
                                                     why, type_));
    }
    return check(*id);
  }
  Status resolve_numbers(std::span<const int64_t> keys, int64_t* ids, size_t* at) override {
    return resolve_each(keys, ids, at, [&](int64_t key, int64_t* id) {
      *id = key;
      return check(key);
    });
  }
  Status finish(Workspace&) override { return {}; }

 private:
  Status check(int64_t id) const {
    if (id < 0 || id >= limit_) {
      return corrupt("node id {} is outside [0, {}) of node type \"{}\"", id, limit_, type_);
    }
    return {};
  }

  std::string type_;
  int64_t limit_;
};

template <typename Kind>
class CollectedIds : public IdMap {
 public:
  explicit CollectedIds(Workspace& workspace) { table_.emplace(workspace.budget()); }

  Status resolve(std::string_view field, int64_t* id) override {
    typename Kind::Key key{};
    GLS_TRY(Kind::parse(field, &key));
    return table_->intern(key, id);
  }
  Status resolve_numbers(std::span<const int64_t> keys, int64_t* ids, size_t* at) override {
    if constexpr (!Kind::kStrings) {
      return table_->intern_all(keys, ids);
    } else {
      return resolve_each(keys, ids, at, [&](int64_t key, int64_t* id) {
        return table_->intern(typename Kind::OfNumber(key).key, id);
      });
    }
  }
  Status resolve_texts(std::span<const std::string_view> keys, int64_t* ids, size_t* at) override {
    if constexpr (Kind::kStrings) {
      for (*at = 0; *at < keys.size(); ++*at) {
        GLS_TRY(check_text_key(keys[*at]));
      }
      return table_->intern_all(keys, ids);
    } else {
      return IdMap::resolve_texts(keys, ids, at);
    }
  }

  Status finish(Workspace& workspace) override {
    count_ = table_->size();
    GLS_ASSIGN(numbering_, Numbering::create(workspace, table_->limit(), count_));
    using Entry = typename Kind::Entry;
    MemoryLease lease(workspace.budget());
    GLS_TRY(lease.add(static_cast<uint64_t>(count_) * 2 * sizeof(Entry), "sorting node ids"));
    std::vector<Entry> entries;
    entries.reserve(static_cast<size_t>(count_));
    table_->for_each([&](int64_t id, auto key) { entries.push_back(Kind::entry(id, key)); });
    GLS_TRY(parallel_sort(workspace.pool(), &entries, Kind::less));
    GLS_ASSIGN(KeyWriter writer, KeyWriter::create(workspace, Kind::kStrings));
    int64_t number = 0;
    for (const Entry& entry : entries) {
      if (number % kReportEvery == 0) {
        GLS_TRY(report(workspace.progress(), kNumbering, static_cast<uint64_t>(number),
                       static_cast<uint64_t>(count_), "nodes"));
      }
      numbering_->set(entry.id, number++);
      GLS_TRY(writer.add(entry.key));
    }
    GLS_ASSIGN(keys_, writer.finish(Kind::kStrings));
    table_.reset();
    return report(workspace.progress(), kNumbering, static_cast<uint64_t>(count_),
                  static_cast<uint64_t>(count_), "nodes");
  }
  const Numbering* numbering() const override { return &*numbering_; }
  int64_t count() const override { return count_; }
  std::optional<NodeKeys> keys() const override { return keys_; }

 private:
  std::optional<typename Kind::Table> table_;
  std::optional<Numbering> numbering_;
  int64_t count_ = 0;
  std::optional<NodeKeys> keys_;
};

template <typename Kind>
class Listed : public ListedIds {
 public:
  Listed(Workspace& workspace, std::string type, bool dense)
      : type_(std::move(type)), dense_(dense), lease_(workspace.budget()) {
    table_.emplace(workspace.budget());
  }

  Result<bool> add(std::string_view field) override {
    typename Kind::Key key{};
    GLS_TRY(Kind::parse(field, &key));
    return add_key(key);
  }
  Result<bool> add_number(int64_t key) override {
    return add_key(typename Kind::OfNumber(key).key);
  }

  Status check(std::string_view field) const override {
    typename Kind::Key key{};
    return Kind::parse(field, &key);
  }

  Status resolve(std::string_view field, int64_t* id) override {
    typename Kind::Key key{};
    GLS_TRY(Kind::parse(field, &key));
    return find(key, id);
  }
  Status resolve_numbers(std::span<const int64_t> keys, int64_t* ids, size_t* at) override {
    return resolve_each(keys, ids, at, [&](int64_t key, int64_t* id) {
      return find(typename Kind::OfNumber(key).key, id);
    });
  }

  Status finish(Workspace& workspace) override {
    GLS_ASSIGN(numbering_, Numbering::create(workspace, table_->limit(), count()));
    for (size_t i = 0; i < nodes_.size(); ++i) {
      numbering_->set(nodes_[i], static_cast<int64_t>(i));
    }
    if (dense_) {
      return {};
    }
    using Entry = typename Kind::Entry;
    MemoryLease lease(workspace.budget());
    GLS_TRY(lease.add(nodes_.size() * 2 * sizeof(Entry), "sorting node ids"));
    std::vector<Entry> entries;
    entries.reserve(nodes_.size());
    GLS_ASSIGN(KeyWriter writer, KeyWriter::create(workspace, Kind::kStrings));
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const auto key = table_->key(nodes_[i]);
      GLS_TRY(writer.add(key));
      entries.push_back(Kind::entry(static_cast<int64_t>(i), key));
    }
    GLS_ASSIGN(keys_, writer.finish(Kind::kStrings));
    if (std::is_sorted(entries.begin(), entries.end(), Kind::less)) {
      return {};
    }
    GLS_TRY(parallel_sort(workspace.pool(), &entries, Kind::less));
    GLS_ASSIGN(Spool order, Spool::create(workspace, "key-order"));
    for (const Entry& entry : entries) {
      GLS_TRY(order.append(std::as_bytes(std::span(&entry.id, 1))));
    }
    GLS_ASSIGN(keys_->order, order.finish(kInt64, {count()}));
    return {};
  }
  void close() override {
    table_.reset();
    numbering_.reset();
    nodes_ = {};
    lease_.clear();
  }
  int64_t count() const override { return count_; }
  std::optional<NodeKeys> keys() const override { return keys_; }

 private:
  Result<bool> add_key(typename Kind::Key key) {
    int64_t id = 0;
    bool added = false;
    GLS_TRY(table_->intern(key, &id, &added));
    if (added) {
      if (nodes_.size() == nodes_.capacity()) {
        const size_t size = std::max<size_t>(1024, 2 * nodes_.size());
        GLS_TRY(lease_.add((size - nodes_.size()) * 8, "the list of nodes"));
        nodes_.reserve(size);
      }
      if constexpr (!Kind::kStrings) {
        if (dense_ && key != count_) {
          return corrupt(
              "node id {} is number {} of the list of nodes of type \"{}\", but ids are dense: "
              "the list must be 0, 1, 2, ...; give integer ids to number nodes by their order in "
              "the list",
              key, count_, type_);
        }
      }
      nodes_.push_back(id);
      ++count_;
    }
    return added;
  }

  Status find(typename Kind::Key key, int64_t* id) const {
    const int64_t provisional = table_->find(key);
    if (provisional < 0) {
      if constexpr (Kind::kStrings) {
        return corrupt("no node of type \"{}\" is called \"{}\"", type_, shown(key));
      } else {
        return corrupt("no node of type \"{}\" is called \"{}\"", type_, key);
      }
    }
    *id = (*numbering_)(provisional);
    return {};
  }

  std::string type_;
  bool dense_;  // the key of node i is i, and is not stored
  std::optional<typename Kind::Table> table_;
  MemoryLease lease_;
  int64_t count_ = 0;
  std::vector<int64_t> nodes_;  // provisional ids, in the order of the list
  std::optional<Numbering> numbering_;
  std::optional<NodeKeys> keys_;
};

}  // namespace

Status IdMap::resolve_texts(std::span<const std::string_view> keys, int64_t* ids, size_t* at) {
  return resolve_each(keys, ids, at,
                      [&](std::string_view key, int64_t* id) { return resolve(key, id); });
}

std::unique_ptr<IdMap> make_dense_ids(std::string type, int64_t limit) {
  return std::make_unique<DenseIds>(std::move(type), limit);
}

std::unique_ptr<IdMap> make_collected_ids(Workspace& workspace, NodeIds ids) {
  if (ids == NodeIds::kString) {
    return std::make_unique<CollectedIds<Strings>>(workspace);
  }
  return std::make_unique<CollectedIds<Integers>>(workspace);
}

std::unique_ptr<ListedIds> make_listed_ids(Workspace& workspace, std::string type, NodeIds ids) {
  if (ids == NodeIds::kString) {
    return std::make_unique<Listed<Strings>>(workspace, std::move(type), false);
  }
  return std::make_unique<Listed<Integers>>(workspace, std::move(type), ids == NodeIds::kDense);
}

}  // namespace gls
