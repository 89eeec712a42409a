#include "ingest/pickle.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "ingest/pickle_classes.h"
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
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i]->kind == Kind::kText && items[i]->text == key) {
      return items[i + 1];
    }
  }
  return nullptr;
}

// The virtual machine a pickle is a program for.
class PickleReader {
 public:
  explicit PickleReader(Pickle& pickle)
      : pickle_(pickle),
        text_(reinterpret_cast<const char*>(pickle.file_->bytes().data()),
              pickle.file_->bytes().size()) {}

  Status run() {
    for (;;) {
      start_ = at_;
      char op = 0;
      GLS_TRY(byte(&op));
      if (op == '.') {
        GLS_ASSIGN(pickle_.root_, pop());
        return {};
      }
      GLS_TRY(step(op));
    }
  }

 private:
  template <typename... Args>
  Status bad(fmt::format_string<Args...> text, Args&&... args) const {
    return located(corrupt("{}", fmt::format(text, std::forward<Args>(args)...)));
  }
  Status located(Status status) const {
    return status.ok() ? Status()
                       : std::move(status)
                             .prefixed(fmt::format("{}: byte {}: ", pickle_.path(), start_))
                             .with("file", pickle_.path())
                             .with("offset", std::to_string(start_));
  }

  // ---- the program's bytes ----

  Status bytes(size_t count, std::string_view* out) {
    if (count > text_.size() - at_) {
      return bad("the pickle ends too early");
    }
    *out = text_.substr(at_, count);
    at_ += count;
    return {};
  }
  Status byte(char* out) {
    std::string_view one;
    GLS_TRY(bytes(1, &one));
    *out = one.front();
    return {};
  }
  // A little-endian number of `count` bytes, at most 8.
  Status number(size_t count, uint64_t* out) {
    std::string_view raw;
    GLS_TRY(bytes(count, &raw));
    *out = 0;
    std::memcpy(out, raw.data(), count);
    return {};
  }
  Status line(std::string_view* out) {
    const size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) {
      return bad("the pickle ends too early");
    }
    *out = text_.substr(at_, end - at_);
    at_ = end + 1;
    return {};
  }
  Status sized_text(size_t length_bytes) {
    uint64_t length = 0;
    GLS_TRY(number(length_bytes, &length));
    std::string_view text;
    GLS_TRY(bytes(length, &text));
    push(Kind::kText).text = text;
    return {};
  }

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
      return bad("the stack is empty");
    }
    PickleValue* const value = stack_.back();
    stack_.pop_back();
    return value;
  }
  Result<PickleValue*> pop(Kind kind, const char* what) {
    GLS_ASSIGN(PickleValue* const value, pop());
    if (value->kind != kind) {
      return bad("expected {}", what);
    }
    return value;
  }
  Result<PickleValue*> top() {
    if (stack_.size() <= floor()) {
      return bad("the stack is empty");
    }
    return stack_.back();
  }
  // What was pushed since the last mark.
  Status pop_mark(std::vector<const PickleValue*>* out) {
    if (marks_.empty()) {
      return bad("there is no mark");
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
      return bad("a dict has a key without a value");
    }
    push(kind).items = std::move(items);
    return {};
  }
  Status tuple_of(size_t count) {
    if (stack_.size() - floor() < count) {
      return bad("the stack is empty");
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
      return bad("items are added to what is no {}", kind == Kind::kDict ? "dict" : "list");
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
      return bad("memo {} was never stored", index);
    }
    stack_.push_back(found->second);
    return {};
  }
  Status line_number(uint64_t* out) {
    std::string_view text;
    GLS_TRY(line(&text));
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), *out);
    return ec == std::errc() && end == text.data() + text.size() ? Status()
                                                                 : bad("damaged memo index");
  }

  // ---- numbers and strings ----

  Status text_int() {
    std::string_view text;
    GLS_TRY(line(&text));
    if (text.ends_with('L')) {
      text.remove_suffix(1);
    }
    int64_t value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec != std::errc() || end != text.data() + text.size()) {
      return bad("an integer is damaged or does not fit in 64 bits");
    }
    return push_int(value);
  }
  Status binary_long(size_t length_bytes) {
    uint64_t length = 0;
    GLS_TRY(number(length_bytes, &length));
    if (length > 8) {
      return bad("an integer does not fit in 64 bits");
    }
    uint64_t value = 0;
    GLS_TRY(number(length, &value));
    if (length > 0 && length < 8 && (value >> (8 * length - 1)) != 0) {
      value |= ~uint64_t{0} << (8 * length);  // two's complement
    }
    return push_int(static_cast<int64_t>(value));
  }
  Status text_real() {
    std::string_view text;
    GLS_TRY(line(&text));
    double value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec != std::errc() || end != text.data() + text.size()) {
      return bad("a float is damaged");
    }
    push(Kind::kReal).real = value;
    return {};
  }
  Status binary_real() {  // big-endian, unlike everything else
    std::string_view raw;
    GLS_TRY(bytes(8, &raw));
    std::array<char, 8> reversed{};
    std::reverse_copy(raw.begin(), raw.end(), reversed.begin());
    std::memcpy(&push(Kind::kReal).real, reversed.data(), 8);
    return {};
  }

  static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  }
  // The text between quotes as Python 2 writes it with repr().
  Status quoted_text() {
    std::string_view text;
    GLS_TRY(line(&text));
    if (text.size() < 2 || text.front() != text.back() ||
        (text.front() != '\'' && text.front() != '"')) {
      return bad("a string is not quoted");
    }
    text = text.substr(1, text.size() - 2);
    std::string& out = pickle_.texts_.emplace_back();
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\') {
        out += text[i];
        continue;
      }
      if (++i == text.size()) {
        return bad("a string ends in the middle of an escape");
      }
      constexpr std::string_view kNames = "nrt\\'\"";
      constexpr std::string_view kMeanings = "\n\r\t\\'\"";
      if (const size_t which = kNames.find(text[i]); which != std::string_view::npos) {
        out += kMeanings[which];
      } else if (text[i] == 'x' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
                 hex_digit(text[i + 2]) >= 0) {
        out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
        i += 2;
      } else {
        return bad("a string has an unknown escape");
      }
    }
    push(Kind::kText).text = out;
    return {};
  }

  // ---- classes ----

  Status global() {
    std::string_view module;
    std::string_view name;
    GLS_TRY(line(&module));
    GLS_TRY(line(&name));
    std::string& full = pickle_.texts_.emplace_back(module);
    full += '.';
    full += name;
    GLS_TRY(located(check_pickle_global(full)));
    push(Kind::kGlobal).text = full;
    return {};
  }
  Status reduce() {
    GLS_ASSIGN(const PickleValue* const arguments, pop(Kind::kTuple, "a tuple of arguments"));
    GLS_ASSIGN(const PickleValue* const callee, pop(Kind::kGlobal, "a class or function"));
    return located(call_pickle_global(*callee, arguments->items, &push(Kind::kNone)));
  }
  Status new_object() {
    GLS_ASSIGN(const PickleValue* const arguments, pop(Kind::kTuple, "a tuple of arguments"));
    GLS_ASSIGN(const PickleValue* const callee, pop(Kind::kGlobal, "a class"));
    return located(make_pickle_object(*callee, arguments->items, &push(Kind::kNone)));
  }
  Status build() {
    GLS_ASSIGN(const PickleValue* const state, pop());
    GLS_ASSIGN(PickleValue* const target, top());
    return located(set_pickle_state(*state, target));
  }

  Status step(char op) {
    uint64_t index = 0;
    switch (op) {
      case '\x80':
        GLS_TRY(number(1, &index));
        return index <= 2 ? Status()
                          : located(error(GLS_ERR_UNSUPPORTED,
                                          "pickle protocol {}, expected 0 to 2", index));
      case '(':
        marks_.push_back(stack_.size());
        return {};
      case '0': {
        GLS_ASSIGN([[maybe_unused]] const PickleValue* const dropped, pop());
        return {};
      }
      case 'N':
        push(Kind::kNone);
        return {};
      case '\x88':
        return push_int(1);
      case '\x89':
        return push_int(0);
      case 'I':
      case 'L':
        return text_int();
      case 'J':
        GLS_TRY(number(4, &index));
        return push_int(static_cast<int32_t>(index));
      case 'K':
        GLS_TRY(number(1, &index));
        return push_int(static_cast<int64_t>(index));
      case 'M':
        GLS_TRY(number(2, &index));
        return push_int(static_cast<int64_t>(index));
      case '\x8a':
        return binary_long(1);
      case '\x8b':
        return binary_long(4);
      case 'F':
        return text_real();
      case 'G':
        return binary_real();
      case 'S':
        return quoted_text();
      case 'T':
      case 'X':
        return sized_text(4);
      case 'U':
        return sized_text(1);
      case 'V': {
        std::string_view text;
        GLS_TRY(line(&text));
        push(Kind::kText).text = text;
        return {};
      }
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
      case 'c':
        return global();
      case 'R':
        return reduce();
      case '\x81':
        return new_object();
      case 'b':
        return build();
      case 'p':
        GLS_TRY(line_number(&index));
        return put(index);
      case 'q':
        GLS_TRY(number(1, &index));
        return put(index);
      case 'r':
        GLS_TRY(number(4, &index));
        return put(index);
      case 'g':
        GLS_TRY(line_number(&index));
        return get(index);
      case 'h':
        GLS_TRY(number(1, &index));
        return get(index);
      case 'j':
        GLS_TRY(number(4, &index));
        return get(index);
      default:
        return bad("unknown pickle code 0x{:02x}", static_cast<unsigned char>(op));
    }
  }

  Pickle& pickle_;
  std::string_view text_;
  size_t at_ = 0;
  size_t start_ = 0;  // of the current code
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
