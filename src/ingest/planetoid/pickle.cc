#include "ingest/planetoid/pickle.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "ingest/planetoid/pickle_classes.h"
#include "ingest/planetoid/pickle_cursor.h"
#include "system/cpu.h"
#include "tensor/dtype.h"

namespace gls {

using Kind = PickleValue::Kind;

int64_t PickleArray::size() const {
  int64_t size = 1;
  for (const int64_t extent : shape) {
    size *= extent;
  }
  return size;
}

double PickleArray::real(int64_t index) const {
  return element_as_double(data.data(), dtype, static_cast<size_t>(index));
}

int64_t PickleArray::integer(int64_t index) const {
  if (dtype.code == kDLInt && dtype.bits == 64) {
    int64_t value = 0;
    std::memcpy(&value, data.data() + index * 8, sizeof value);
    return value;
  }
  return static_cast<int64_t>(real(index));
}

const PickleValue* PickleValue::find(std::string_view key) const {
  if (kind == Kind::kMatrix) {
    return items.empty() ? nullptr : items.front()->find(key);
  }
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i]->kind == Kind::kText && items[i]->text == key) {
      return items[i + 1];
    }
  }
  return nullptr;
}

// The virtual machine that runs a pickle. The size of the file bounds its work: each code makes at
// most one value. No code copies what is inside another value, since a small file may name that any
// number of times.
class PickleReader {
 public:
  explicit PickleReader(Pickle& pickle)
      : pickle_(pickle),
        in_({reinterpret_cast<const char*>(pickle.file_->bytes().data()),
             pickle.file_->bytes().size()}) {}

  Status run() {
    while (pickle_.root_ == nullptr) {
      const size_t start = in_.position();
      Status status = pickle_.values_.size() < max_values_
                          ? step()
                          : error(GLS_ERR_OUT_OF_MEMORY, "more values than fit in memory");
      if (!status.ok()) {
        return std::move(status)
            .prefixed(formatted("{}: byte {}: ", pickle_.path(), start))
            .with("file", pickle_.path())
            .with("offset", std::to_string(start));
      }
    }
    return {};
  }

 private:
  // ---- the stack ----

  PickleValue& push(Kind kind) {
    PickleValue& value = pickle_.values_.emplace_back();
    value.kind = kind;
    stack_.push_back(&value);
    return value;
  }
  Status push_int(int64_t integer) {
    push(Kind::kInt).integer = integer;
    return {};
  }
  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  Result<PickleValue*> pop() {
    if (stack_.size() <= floor()) {
      return corrupt("the stack is empty");
    }
    PickleValue* const value = stack_.back();
    stack_.pop_back();
    return value;
  }
  Result<PickleValue*> pop(Kind kind, const char* what) {
    GLS_ASSIGN(PickleValue* const value, pop());
    if (value->kind != kind) {
      return corrupt("expected {}", what);
    }
    return value;
  }
  Result<PickleValue*> top() {
    if (stack_.size() <= floor()) {
      return corrupt("the stack is empty");
    }
    return stack_.back();
  }
  // Pops the values that were pushed since the last mark.
  Status pop_mark(std::vector<const PickleValue*>* out) {
    if (marks_.empty()) {
      return corrupt("there is no mark");
    }
    out->assign(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return {};
  }
  Status collect(Kind kind) {
    std::vector<const PickleValue*> items;
    GLS_TRY(pop_mark(&items));
    if (kind == Kind::kDict && items.size() % 2 != 0) {
      return corrupt("a dict has a key without a value");
    }
    push(kind).items = std::move(items);
    return {};
  }
  Status tuple_of(size_t count) {
    if (stack_.size() - floor() < count) {
      return corrupt("the stack is empty");
    }
    std::vector<const PickleValue*> items(stack_.end() - static_cast<std::ptrdiff_t>(count),
                                          stack_.end());
    stack_.resize(stack_.size() - count);
    push(Kind::kTuple).items = std::move(items);
    return {};
  }
  // Adds `items` to the list or dict below them.
  Status extend(Kind kind, const std::vector<const PickleValue*>& items) {
    GLS_ASSIGN(PickleValue* const target, top());
    if (target->kind != kind || (kind == Kind::kDict && items.size() % 2 != 0)) {
      return corrupt("items are added to what is no {}", kind == Kind::kDict ? "dict" : "list");
    }
    target->items.insert(target->items.end(), items.begin(), items.end());
    return {};
  }
  Status extend_marked(Kind kind) {
    std::vector<const PickleValue*> items;
    GLS_TRY(pop_mark(&items));
    return extend(kind, items);
  }
  Status put(uint64_t index) {
    GLS_ASSIGN(PickleValue* const value, top());
    memo_[index] = value;
    return {};
  }
  Status get(uint64_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) {
      return corrupt("memo {} was never stored", index);
    }
    stack_.push_back(found->second);
    return {};
  }
  // ---- classes ----

  Status global() {
    std::string_view module;
    std::string_view name;
    GLS_TRY(in_.line(&module));
    GLS_TRY(in_.line(&name));
    std::string& full = pickle_.texts_.emplace_back(module);
    full += '.';
    full += name;
    GLS_TRY(check_pickle_global(full));
    push(Kind::kGlobal).text = full;
    return {};
  }
  Status reduce() {
    GLS_ASSIGN(const PickleValue* const arguments, pop(Kind::kTuple, "a tuple of arguments"));
    GLS_ASSIGN(const PickleValue* const callee, pop(Kind::kGlobal, "a class or function"));
    return call_pickle_global(*callee, arguments->items, &push(Kind::kNone));
  }
  Status new_object() {
    GLS_ASSIGN(const PickleValue* const arguments, pop(Kind::kTuple, "a tuple of arguments"));
    GLS_ASSIGN(const PickleValue* const callee, pop(Kind::kGlobal, "a class"));
    return make_pickle_object(*callee, arguments->items, &push(Kind::kNone));
  }
  Status build() {
    GLS_ASSIGN(const PickleValue* const state, pop());
    GLS_ASSIGN(PickleValue* const target, top());
    return set_pickle_state(*state, target);
  }

  // ---- the program ----

  Status step() {
    char op = 0;
    uint64_t index = 0;
    GLS_TRY(in_.byte(&op));
    switch (op) {
      case '\x80':
        GLS_TRY(in_.number(1, &index));
        return index <= 2
                   ? Status()
                   : error(GLS_ERR_UNSUPPORTED, "pickle protocol {}, expected 0 to 2", index);
      case '.': {
        GLS_ASSIGN(pickle_.root_, pop());
        return {};
      }
      case '(':
        marks_.push_back(stack_.size());
        return {};
      case '0': {
        GLS_ASSIGN([[maybe_unused]] const PickleValue* const dropped, pop());
        return {};
      }
      case 'p':
        GLS_TRY(in_.text_index(&index));
        return put(index);
      case 'q':
        GLS_TRY(in_.number(1, &index));
        return put(index);
      case 'r':
        GLS_TRY(in_.number(4, &index));
        return put(index);
      case 'g':
        GLS_TRY(in_.text_index(&index));
        return get(index);
      case 'h':
        GLS_TRY(in_.number(1, &index));
        return get(index);
      case 'j':
        GLS_TRY(in_.number(4, &index));
        return get(index);
      case 'c':
        return global();
      case 'R':
        return reduce();
      case '\x81':
        return new_object();
      case 'b':
        return build();
      default:
        return literal(op);
    }
  }

  Status literal(char op) {
    uint64_t number = 0;
    switch (op) {
      case 'N':
        push(Kind::kNone);
        return {};
      case '\x88':
        push(Kind::kInt).integer = 1;
        return {};
      case '\x89':
        push(Kind::kInt).integer = 0;
        return {};
      case 'I':
      case 'L':
        return in_.text_int(&push(Kind::kInt).integer);
      case 'J':
        GLS_TRY(in_.number(4, &number));
        push(Kind::kInt).integer = static_cast<int32_t>(number);
        return {};
      case 'K':
      case 'M':
        GLS_TRY(in_.number(op == 'K' ? 1 : 2, &number));
        push(Kind::kInt).integer = static_cast<int64_t>(number);
        return {};
      case '\x8a':
        return in_.sized_int(1, &push(Kind::kInt).integer);
      case '\x8b':
        return in_.sized_int(4, &push(Kind::kInt).integer);
      case 'F':
        return in_.text_real(&push(Kind::kReal).real);
      case 'G':
        return in_.binary_real(&push(Kind::kReal).real);
      case 'S': {
        std::string& text = pickle_.texts_.emplace_back();
        GLS_TRY(in_.quoted_text(&text));
        push(Kind::kText).text = text;
        return {};
      }
      case 'T':
      case 'X':
        return in_.sized_text(4, &push(Kind::kText).text);
      case 'U':
        return in_.sized_text(1, &push(Kind::kText).text);
      case 'V':
        return in_.line(&push(Kind::kText).text);
      default:
        return container(op);
    }
  }

  Status container(char op) {
    switch (op) {
      case ')':
        push(Kind::kTuple);
        return {};
      case 't':
        return collect(Kind::kTuple);
      case '\x85':
        return tuple_of(1);
      case '\x86':
        return tuple_of(2);
      case '\x87':
        return tuple_of(3);
      case ']':
        push(Kind::kList);
        return {};
      case 'l':
        return collect(Kind::kList);
      case 'a': {
        GLS_ASSIGN(const PickleValue* const item, pop());
        return extend(Kind::kList, {item});
      }
      case 'e':
        return extend_marked(Kind::kList);
      case '}':
        push(Kind::kDict);
        return {};
      case 'd':
        return collect(Kind::kDict);
      case 's': {
        GLS_ASSIGN(const PickleValue* const value, pop());
        GLS_ASSIGN(const PickleValue* const key, pop());
        return extend(Kind::kDict, {key, value});
      }
      case 'u':
        return extend_marked(Kind::kDict);
      default:
        return corrupt("unknown pickle code 0x{:02x}", static_cast<unsigned char>(op));
    }
  }

  Pickle& pickle_;
  const size_t max_values_ = usable_memory() / 4 / sizeof(PickleValue);
  PickleCursor in_;
  std::vector<PickleValue*> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, PickleValue*> memo_;
};

Result<Pickle> Pickle::load(const std::string& path) {
  GLS_ASSIGN(std::shared_ptr<const MappedFile> file, MappedFile::open(path));
  constexpr size_t kMaxBytes = size_t{1} << 30;
  if (file->bytes().size() > kMaxBytes) {
    return error(GLS_ERR_UNSUPPORTED, "{}: a pickle larger than {} bytes", path, kMaxBytes)
        .with("file", path);
  }
  Pickle pickle(std::move(file));
  GLS_TRY(PickleReader(pickle).run());
  return pickle;
}

}  // namespace gls
