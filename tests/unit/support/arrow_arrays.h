// Arrow arrays and streams made by hand, with buffers of exactly the bytes that they need.
#pragma once

#include <gls.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gls::test {

struct ArrowData {
  std::string name;
  std::string format;
  int64_t length = 0;
  int64_t offset = 0;
  int64_t null_count = 0;
  std::vector<std::optional<std::string>> buffers{};  // nullopt: NULL
  std::vector<ArrowData> children{};
  std::vector<ArrowData> dictionary{};  // one, or none
};

// ---- from values ----

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

inline std::string bits_of(const std::vector<bool>& values) {
  std::string out((values.size() + 7) / 8, '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    out[i / 8] = static_cast<char>(out[i / 8] | (values[i] ? 1 << (i % 8) : 0));
  }
  return out;
}

// The buffer of validity, and the number of nulls.
template <typename T>
std::optional<std::string> validity_of(const std::vector<std::optional<T>>& values,
                                       int64_t* null_count) {
  std::vector<bool> valid;
  *null_count = 0;
  for (const auto& value : values) {
    valid.push_back(value.has_value());
    *null_count += value ? 0 : 1;
  }
  return *null_count == 0 ? std::nullopt : std::optional<std::string>(bits_of(valid));
}

template <typename T>
ArrowData arrow_numbers(std::string name, std::string format,
                        const std::vector<std::optional<T>>& values) {
  ArrowData out{std::move(name), std::move(format), static_cast<int64_t>(values.size())};
  out.buffers.push_back(validity_of(values, &out.null_count));
  std::vector<T> numbers;
  for (const auto& value : values) {
    numbers.push_back(value.value_or(static_cast<T>(99)));  // what must not be read
  }
  out.buffers.push_back(bytes_of(numbers));
  return out;
}
inline ArrowData arrow_int64(std::string name, const std::vector<std::optional<int64_t>>& values) {
  return arrow_numbers<int64_t>(std::move(name), "l", values);
}
inline ArrowData arrow_float32(std::string name, const std::vector<std::optional<float>>& values) {
  return arrow_numbers<float>(std::move(name), "f", values);
}

inline ArrowData arrow_bool(std::string name, const std::vector<std::optional<bool>>& values) {
  ArrowData out{std::move(name), "b", static_cast<int64_t>(values.size())};
  out.buffers.push_back(validity_of(values, &out.null_count));
  std::vector<bool> bits;
  for (const auto& value : values) {
    bits.push_back(value.value_or(true));
  }
  out.buffers.push_back(bits_of(bits));
  return out;
}

using Texts = std::vector<std::optional<std::string>>;

// format: u, z, U, Z, vu or vz.
inline ArrowData arrow_text(std::string name, const Texts& values,
                            const std::string& format = "u") {
  ArrowData out{std::move(name), format, static_cast<int64_t>(values.size())};
  out.buffers.push_back(validity_of(values, &out.null_count));
  std::string data;
  std::vector<int64_t> offsets = {0};
  std::string views;
  for (const auto& value : values) {
    const std::string text = value.value_or("");
    const auto length = static_cast<int32_t>(text.size());
    std::string view(reinterpret_cast<const char*>(&length), 4);
    if (length <= 12) {
      view += text + std::string(12 - text.size(), '\0');
    } else {
      const int32_t where[2] = {0, static_cast<int32_t>(data.size())};
      view += text.substr(0, 4) + std::string(reinterpret_cast<const char*>(where), 8);
    }
    views += view;
    data += format[0] == 'v' && length <= 12 ? "" : text;
    offsets.push_back(static_cast<int64_t>(data.size()));
  }
  if (format[0] == 'v') {
    out.buffers.push_back(views);
    out.buffers.push_back(data);
    out.buffers.push_back(bytes_of(std::vector<int64_t>{static_cast<int64_t>(data.size())}));
  } else {
    const std::vector<int32_t> narrow(offsets.begin(), offsets.end());
    out.buffers.push_back(format == "u" || format == "z" ? bytes_of(narrow) : bytes_of(offsets));
    out.buffers.push_back(data);
  }
  return out;
}

inline ArrowData arrow_fixed_binary(std::string name, int64_t width, std::string bytes) {
  ArrowData out{std::move(name), "w:" + std::to_string(width),
                static_cast<int64_t>(bytes.size()) / width};
  out.buffers = {std::nullopt, std::move(bytes)};
  return out;
}

// Lists of `width` elements of the child; `valid` may be empty: no nulls.
inline ArrowData arrow_fixed_list(std::string name, int64_t width, ArrowData child,
                                  const std::vector<bool>& valid = {}) {
  ArrowData out{std::move(name), "+w:" + std::to_string(width), child.length / width};
  out.buffers.push_back(valid.empty() ? std::nullopt : std::optional<std::string>(bits_of(valid)));
  for (const bool v : valid) {
    out.null_count += v ? 0 : 1;
  }
  out.children.push_back(std::move(child));
  return out;
}

// format: +l or +L.
inline ArrowData arrow_list(std::string name, const std::vector<int64_t>& offsets, ArrowData child,
                            const std::vector<bool>& valid = {}, const std::string& format = "+l") {
  ArrowData out{std::move(name), format, static_cast<int64_t>(offsets.size()) - 1};
  out.buffers.push_back(valid.empty() ? std::nullopt : std::optional<std::string>(bits_of(valid)));
  for (const bool v : valid) {
    out.null_count += v ? 0 : 1;
  }
  const std::vector<int32_t> narrow(offsets.begin(), offsets.end());
  out.buffers.push_back(format == "+l" ? bytes_of(narrow) : bytes_of(offsets));
  out.children.push_back(std::move(child));
  return out;
}

inline ArrowData arrow_dictionary(std::string name,
                                  const std::vector<std::optional<int8_t>>& indices,
                                  ArrowData values) {
  ArrowData out = arrow_numbers<int8_t>(std::move(name), "c", indices);
  out.dictionary.push_back(std::move(values));
  return out;
}

inline ArrowData arrow_batch(std::vector<ArrowData> fields) {
  ArrowData out{"", "+s", fields.empty() ? 0 : fields[0].length};
  out.buffers.push_back(std::nullopt);
  out.children = std::move(fields);
  return out;
}

// The rows [begin, begin + count) of an array, on the same buffers.
inline ArrowData arrow_slice(ArrowData array, int64_t begin, int64_t count) {
  array.offset += begin;
  array.length = count;
  array.null_count = array.null_count == 0 ? 0 : -1;
  return array;
}

// ---- Arrow's structs ----

struct ArrowSchemaHeld {
  ArrowData data;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
  ArrowSchema dictionary{};
};

inline void export_schema(const ArrowData& data, ArrowSchema* out) {
  auto* const held = new ArrowSchemaHeld{data, {}, {}, {}};
  *out = {};
  out->format = held->data.format.c_str();
  out->name = held->data.name.c_str();
  out->flags = ARROW_FLAG_NULLABLE;
  held->children.resize(data.children.size());
  for (size_t i = 0; i < data.children.size(); ++i) {
    export_schema(data.children[i], &held->children[i]);
    held->pointers.push_back(&held->children[i]);
  }
  out->n_children = static_cast<int64_t>(held->pointers.size());
  out->children = held->pointers.data();
  if (!data.dictionary.empty()) {
    export_schema(data.dictionary[0], &held->dictionary);
    out->dictionary = &held->dictionary;
  }
  out->private_data = held;
  out->release = [](ArrowSchema* schema) {
    auto* const memory = static_cast<ArrowSchemaHeld*>(schema->private_data);
    for (ArrowSchema& child : memory->children) {
      child.release(&child);
    }
    if (memory->dictionary.release != nullptr) {
      memory->dictionary.release(&memory->dictionary);
    }
    delete memory;
    schema->release = nullptr;
  };
}

struct ArrowArrayHeld {
  std::vector<std::unique_ptr<char[]>> memory;
  std::vector<const void*> buffers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  ArrowArray dictionary{};
};

inline void export_array(const ArrowData& data, ArrowArray* out) {
  auto* const held = new ArrowArrayHeld;
  *out = {};
  out->length = data.length;
  out->offset = data.offset;
  out->null_count = data.null_count;
  for (const auto& buffer : data.buffers) {
    if (!buffer) {
      held->buffers.push_back(nullptr);
      continue;
    }
    // A block of its own, so that the address sanitizer sees a read past the end.
    held->memory.push_back(std::make_unique<char[]>(buffer->size()));
    std::memcpy(held->memory.back().get(), buffer->data(), buffer->size());
    held->buffers.push_back(held->memory.back().get());
  }
  out->n_buffers = static_cast<int64_t>(held->buffers.size());
  out->buffers = held->buffers.data();
  held->children.resize(data.children.size());
  for (size_t i = 0; i < data.children.size(); ++i) {
    export_array(data.children[i], &held->children[i]);
    held->pointers.push_back(&held->children[i]);
  }
  out->n_children = static_cast<int64_t>(held->pointers.size());
  out->children = held->pointers.data();
  if (!data.dictionary.empty()) {
    export_array(data.dictionary[0], &held->dictionary);
    out->dictionary = &held->dictionary;
  }
  out->private_data = held;
  out->release = [](ArrowArray* array) {
    auto* const memory = static_cast<ArrowArrayHeld*>(array->private_data);
    for (ArrowArray& child : memory->children) {
      child.release(&child);
    }
    if (memory->dictionary.release != nullptr) {
      memory->dictionary.release(&memory->dictionary);
    }
    delete memory;
    array->release = nullptr;
  };
}

// A stream of batches. It fails with `code` after them, unless that is zero; `alive` counts
// streams that were not released.
struct ArrowTestStream {
  std::vector<ArrowData> batches;
  int code = 0;
  int* alive = nullptr;
  size_t at = 0;
};

inline void export_stream(ArrowTestStream stream, ArrowArrayStream* out) {
  auto* const held = new ArrowTestStream(std::move(stream));
  if (held->alive != nullptr) {
    ++*held->alive;
  }
  *out = {};
  out->private_data = held;
  out->get_schema = [](ArrowArrayStream* self, ArrowSchema* schema) {
    export_schema(static_cast<ArrowTestStream*>(self->private_data)->batches.at(0), schema);
    return 0;
  };
  out->get_next = [](ArrowArrayStream* self, ArrowArray* array) {
    auto* const of = static_cast<ArrowTestStream*>(self->private_data);
    if (of->at < of->batches.size()) {
      export_array(of->batches[of->at++], array);
      return 0;
    }
    *array = {};
    return of->code;
  };
  out->get_last_error = [](ArrowArrayStream*) { return "the warehouse burnt down"; };
  out->release = [](ArrowArrayStream* self) {
    auto* const of = static_cast<ArrowTestStream*>(self->private_data);
    if (of->alive != nullptr) {
      --*of->alive;
    }
    delete of;
    self->release = nullptr;
  };
}

}  // namespace gls::test
