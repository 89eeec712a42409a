#include "format/json_schema.h"

#include <flatbuffers/flatbuffers.h>
#include <flatbuffers/reflection_generated.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace gls {
namespace {

using Json = nlohmann::ordered_json;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using reflection::BaseType;
using reflection::Field;
using Offset0 = flatbuffers::uoffset_t;

constexpr size_t kMaxShown = 100;
constexpr size_t kMaxDepth = 32;

// ---- Parsing -----------------------------------------------------------------------------------

std::string joined(const std::string& where, const std::string& name) {
  return where.empty() ? name : where + "." + name;
}

// Follows the parser and stops it at text that no manifest contains: deeply nested values, repeated
// keys, and keys that no table has. The last check also limits the number of keys in an object, and
// so the time to find one.
class Guard {
 public:
  struct Refusal {
    std::string where;
    std::string why;
  };

  explicit Guard(const reflection::Schema& schema) {
    for (const reflection::Object* type : *schema.objects()) {
      for (const Field* field : *type->fields()) {
        known_.insert(field->name()->str());
      }
    }
  }

  bool operator()(Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::key) {
      enter_key(parsed.get_ref<const std::string&>());
    } else if (event == Event::object_end || event == Event::array_end) {
      open_.pop_back();
    } else {
      if (!open_.empty() && open_.back().is_array) {
        ++open_.back().index;
      }
      if (event != Event::value) {
        if (open_.size() == kMaxDepth) {
          throw Refusal{place(), formatted("nested deeper than {} levels", kMaxDepth)};
        }
        open_.push_back({event == Event::array_start, -1, {}, {}});
      }
    }
    return true;
  }

 private:
  struct Level {
    bool is_array;
    int64_t index;
    std::string key;
    std::set<std::string> keys;
  };

  void enter_key(const std::string& key) {
    open_.back().key = key.substr(0, kMaxShown);
    if (!known_.contains(key)) {
      throw Refusal{place(), "unknown field"};
    }
    if (!open_.back().keys.insert(key).second) {
      throw Refusal{place(), "is given twice"};
    }
  }

  std::string place() const {
    std::string out;
    for (const Level& level : open_) {
      out = level.is_array ? formatted("{}[{}]", out, level.index) : joined(out, level.key);
    }
    return out;
  }

  std::set<std::string> known_;
  std::vector<Level> open_;
};

// ---- JSON to FlatBuffer ------------------------------------------------------------------------

class Encoder {
 public:
  Encoder(const reflection::Schema& schema, std::string_view file) : schema_(schema), file_(file) {}

  Result<std::vector<uint8_t>> encode(const Json& root) {
    GLS_ASSIGN(const Offset0 table, encode_table(*schema_.root_table(), root, ""));
    builder_.Finish(Offset<void>(table));
    return std::vector<uint8_t>(builder_.GetBufferPointer(),
                                builder_.GetBufferPointer() + builder_.GetSize());
  }

 private:
  Status bad(const std::string& where, std::string text) const {
    return corrupt("{}: {}{}{}", file_, where, where.empty() ? "" : ": ", text)
        .with("file", std::string(file_))
        .with("field", where);
  }
  Status mismatch(const std::string& where, const Json& value, const char* expected) const {
    return bad(where, formatted("is {}, expected {}", value.type_name(), expected));
  }

  Result<Offset0> encode_table(const reflection::Object& type, const Json& value,
                               const std::string& where) {
    if (!value.is_object()) {
      return mismatch(where, value, "an object");
    }
    std::vector<std::pair<const Field*, Offset0>> offsets;
    std::vector<std::pair<const Field*, int64_t>> numbers;
    for (const auto& [name, item] : value.items()) {
      const Field* field = type.fields()->LookupByKey(name.c_str());
      if (field == nullptr) {
        return bad(joined(where, name), "unknown field");
      }
      const std::string place = joined(where, name);
      if (is_offset(field->type()->base_type())) {
        GLS_ASSIGN(const Offset0 offset, encode_offset(*field->type(), item, place));
        offsets.emplace_back(field, offset);
      } else {
        GLS_ASSIGN(const int64_t number, encode_number(*field->type(), item, place));
        numbers.emplace_back(field, number);
      }
    }
    for (const Field* field : *type.fields()) {
      if (field->required() && !value.contains(field->name()->str())) {
        return bad(joined(where, field->name()->str()), "is missing");
      }
    }
    const Offset0 start = builder_.StartTable();
    for (const auto& [field, offset] : offsets) {
      builder_.AddOffset(field->offset(), Offset<void>(offset));
    }
    for (const auto& [field, number] : numbers) {
      add_number(*field, number);
    }
    return builder_.EndTable(start);
  }

  static bool is_offset(BaseType type) {
    return type == BaseType::String || type == BaseType::Vector || type == BaseType::Obj;
  }

  Result<Offset0> encode_offset(const reflection::Type& type, const Json& value,
                                const std::string& where) {
    switch (type.base_type()) {
      case BaseType::String:
        return encode_string(value, where);
      case BaseType::Vector:
        return encode_vector(type, value, where);
      default:
        return encode_table(*schema_.objects()->Get(static_cast<Offset0>(type.index())), value,
                            where);
    }
  }

  Result<Offset0> encode_string(const Json& value, const std::string& where) {
    if (!value.is_string()) {
      return mismatch(where, value, "a string");
    }
    return builder_.CreateString(value.get_ref<const std::string&>()).o;
  }

  Result<Offset0> encode_vector(const reflection::Type& type, const Json& value,
                                const std::string& where) {
    if (!value.is_array()) {
      return mismatch(where, value, "an array");
    }
    const auto place = [&](size_t i) { return formatted("{}[{}]", where, i); };
    if (type.element() == BaseType::Long) {
      std::vector<int64_t> numbers;
      for (size_t i = 0; i < value.size(); ++i) {
        GLS_ASSIGN(const int64_t number, integer(value[i], place(i)));
        numbers.push_back(number);
      }
      return builder_.CreateVector(numbers).o;
    }
    if (type.element() == BaseType::Float) {
      std::vector<float> numbers;
      for (size_t i = 0; i < value.size(); ++i) {
        if (!value[i].is_number()) {
          return mismatch(place(i), value[i], "a number");
        }
        const auto number = value[i].get<double>();
        constexpr auto kInfinity = std::numeric_limits<float>::infinity();
        const bool fits = std::abs(number) <= double{std::numeric_limits<float>::max()};
        numbers.push_back(fits ? static_cast<float>(number) : kInfinity);
      }
      return builder_.CreateVector(numbers).o;
    }
    std::vector<Offset<void>> items;
    for (size_t i = 0; i < value.size(); ++i) {
      Offset0 offset = 0;
      if (type.element() == BaseType::String) {
        GLS_ASSIGN(offset, encode_string(value[i], place(i)));
      } else {
        GLS_ASSIGN(offset, encode_table(*schema_.objects()->Get(static_cast<Offset0>(type.index())),
                                        value[i], place(i)));
      }
      items.emplace_back(offset);
    }
    return builder_.CreateVector(items).o;
  }

  Result<int64_t> integer(const Json& value, const std::string& where) const {
    if (value.is_number_unsigned()) {
      const auto number = value.get<uint64_t>();
      if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        return bad(where, formatted("{} is too large", number));
      }
      return static_cast<int64_t>(number);
    }
    if (!value.is_number_integer()) {
      return mismatch(where, value, "an integer");
    }
    return value.get<int64_t>();
  }

  Result<int64_t> encode_number(const reflection::Type& type, const Json& value,
                                const std::string& where) const {
    if (type.index() >= 0) {
      return enum_value(*schema_.enums()->Get(static_cast<Offset0>(type.index())), value, where);
    }
    GLS_ASSIGN(const int64_t number, integer(value, where));
    if (type.base_type() == BaseType::UInt &&
        (number < 0 || number > std::numeric_limits<uint32_t>::max())) {
      return bad(where, formatted("is {}, expected 0 to 4294967295", number));
    }
    return number;
  }

  Result<int64_t> enum_value(const reflection::Enum& type, const Json& value,
                             const std::string& where) const {
    std::string names;
    for (const reflection::EnumVal* item : *type.values()) {
      if (value.is_string() && value.get_ref<const std::string&>() == item->name()->str()) {
        return item->value();
      }
      names += (names.empty() ? "" : ", ") + item->name()->str();
    }
    // Other values may be arbitrarily long.
    const bool short_text =
        value.is_string() && value.get_ref<const std::string&>().size() <= kMaxShown;
    return bad(where, formatted("is {}, expected one of {}",
                                short_text || value.is_number() ? value.dump(-1, ' ', true)
                                                                : value.type_name(),
                                names));
  }

  void add_number(const Field& field, int64_t number) {
    const auto at = field.offset();
    switch (field.type()->base_type()) {
      case BaseType::Byte:
        builder_.AddElement<int8_t>(at, static_cast<int8_t>(number),
                                    static_cast<int8_t>(field.default_integer()));
        break;
      case BaseType::UInt:
        builder_.AddElement<uint32_t>(at, static_cast<uint32_t>(number),
                                      static_cast<uint32_t>(field.default_integer()));
        break;
      default:  // the schema has no other kinds of scalars
        builder_.AddElement<int64_t>(at, number, field.default_integer());
    }
  }

  const reflection::Schema& schema_;
  std::string_view file_;
  FlatBufferBuilder builder_;
};

// ---- FlatBuffer to JSON ------------------------------------------------------------------------

Json decode_table(const reflection::Schema& schema, const reflection::Object& type,
                  const flatbuffers::Table& table);

Json decode_vector(const reflection::Schema& schema, const reflection::Type& type,
                   const flatbuffers::Table& table, flatbuffers::voffset_t at) {
  Json out = Json::array();
  if (type.element() == BaseType::Long) {
    for (const int64_t number : *table.GetPointer<const flatbuffers::Vector<int64_t>*>(at)) {
      out.push_back(number);
    }
  } else if (type.element() == BaseType::Float) {
    // As double, whose shortest text reads back as the same number.
    for (const float number : *table.GetPointer<const flatbuffers::Vector<float>*>(at)) {
      out.push_back(static_cast<double>(number));
    }
  } else if (type.element() == BaseType::String) {
    for (const auto* text :
         *table.GetPointer<const flatbuffers::Vector<Offset<flatbuffers::String>>*>(at)) {
      out.push_back(text->str());
    }
  } else {
    const auto& element = *schema.objects()->Get(static_cast<Offset0>(type.index()));
    for (const auto* item :
         *table.GetPointer<const flatbuffers::Vector<Offset<flatbuffers::Table>>*>(at)) {
      out.push_back(decode_table(schema, element, *item));
    }
  }
  return out;
}

Json decode_number(const reflection::Schema& schema, const Field& field,
                   const flatbuffers::Table& table) {
  const auto at = field.offset();
  int64_t number = 0;
  switch (field.type()->base_type()) {
    case BaseType::Byte:
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, not a character
      number = table.GetField<int8_t>(at, static_cast<int8_t>(field.default_integer()));
      break;
    case BaseType::UInt:
      number = table.GetField<uint32_t>(at, static_cast<uint32_t>(field.default_integer()));
      break;
    default:
      number = table.GetField<int64_t>(at, field.default_integer());
  }
  if (field.type()->index() < 0) {
    return number;
  }
  const auto& type = *schema.enums()->Get(static_cast<Offset0>(field.type()->index()));
  return type.values()->LookupByKey(number)->name()->str();
}

Json decode_table(const reflection::Schema& schema, const reflection::Object& type,
                  const flatbuffers::Table& table) {
  std::vector<const Field*> fields(type.fields()->begin(), type.fields()->end());
  std::sort(fields.begin(), fields.end(),
            [](const Field* a, const Field* b) { return a->id() < b->id(); });
  Json out = Json::object();
  for (const Field* field : fields) {
    const auto at = field->offset();
    Json& slot = out[field->name()->str()];
    switch (field->type()->base_type()) {
      case BaseType::String:
        if (const auto* text = table.GetPointer<const flatbuffers::String*>(at)) {
          slot = text->str();
        }
        break;
      case BaseType::Vector:
        if (table.CheckField(at)) {
          slot = decode_vector(schema, *field->type(), table, at);
        }
        break;
      case BaseType::Obj:
        if (const auto* child = table.GetPointer<const flatbuffers::Table*>(at)) {
          slot = decode_table(
              schema, *schema.objects()->Get(static_cast<Offset0>(field->type()->index())), *child);
        }
        break;
      default:
        slot = decode_number(schema, *field, table);
    }
    if (slot.is_null()) {
      out.erase(field->name()->str());
    }
  }
  return out;
}

}  // namespace

Result<std::vector<uint8_t>> json_to_flatbuffer(std::string_view text,
                                                std::span<const uint8_t> schema,
                                                std::string_view file) {
  Json root;
  Guard guard(*reflection::GetSchema(schema.data()));
  try {
    root = Json::parse(
        text, [&](int, Json::parse_event_t event, Json& parsed) { return guard(event, parsed); });
  } catch (const Guard::Refusal& refusal) {
    return corrupt("{}: {}: {}", file, refusal.where, refusal.why)
        .with("file", std::string(file))
        .with("field", refusal.where);
  } catch (const Json::exception& e) {
    return corrupt("{}: not JSON: {}", file, e.what()).with("file", std::string(file));
  }
  return Encoder(*reflection::GetSchema(schema.data()), file).encode(root);
}

std::string flatbuffer_to_json(std::span<const uint8_t> buffer, std::span<const uint8_t> schema) {
  const reflection::Schema& types = *reflection::GetSchema(schema.data());
  const auto* root = flatbuffers::GetRoot<flatbuffers::Table>(buffer.data());
  return decode_table(types, *types.root_table(), *root).dump(2) + "\n";
}

}  // namespace gls
