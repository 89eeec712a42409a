// Arrow streams: a schema, then batches whose lengths, offsets, buffers and values are the input's.
// A buffer has the bytes that Arrow's own rules give it, as the interface does not tell its size.
#include <cstring>
#include <list>
#include <optional>

#include "build.h"
#include "input.h"
#include "tensor/arrow_type.h"

namespace {

using gls::fuzz::Input;

constexpr const char* kFormats[] = {"l",    "i",   "C",    "f",  "g",     "e",    "b",  "u",
                                    "U",    "vu",  "w:3",  "z",  "n",     "+w:2", "+l", "+L",
                                    "tsu:", "tdD", "+w:0", "+s", "d:9,2", "x",    "",   "+w:99999"};
constexpr size_t kLists = 13;  // the first format with a child

// All memory of one stream; a list, as addresses must stay.
struct Memory {
  std::list<std::vector<char>> buffers;
  std::list<ArrowSchema> schemas;
  std::list<ArrowArray> arrays;
  std::list<std::vector<ArrowSchema*>> schema_children;
  std::list<std::vector<ArrowArray*>> array_children;
  std::list<std::vector<const void*>> pointers;
  std::list<std::string> names;
};

struct Field {
  const char* format;
  std::vector<Field> children;
  std::vector<Field> dictionary;
};

Field read_field(Input& input, int level) {
  const size_t choice = input.below(std::size(kFormats));
  Field field{kFormats[choice], {}, {}};
  if (choice >= kLists && level < 3) {
    for (uint32_t left = input.below(8) == 7 ? input.below(3) : 1; left > 0; --left) {
      field.children.push_back(read_field(input, level + 1));
    }
  }
  if (input.below(8) == 7 && level < 3) {
    field.dictionary.push_back(read_field(input, level + 1));
  }
  return field;
}

void release_schema(ArrowSchema* schema) { schema->release = nullptr; }
void release_array(ArrowArray* array) { array->release = nullptr; }

ArrowSchema make_schema(const Field& field, Memory* memory) {
  ArrowSchema out{};
  memory->names.push_back(std::string(1, static_cast<char>('a' + memory->names.size() % 26)));
  out.format = field.format;
  out.name = memory->names.back().c_str();
  out.release = release_schema;
  std::vector<ArrowSchema*> children;
  for (const Field& child : field.children) {
    memory->schemas.push_back(make_schema(child, memory));
    children.push_back(&memory->schemas.back());
  }
  memory->schema_children.push_back(std::move(children));
  out.children = memory->schema_children.back().data();
  out.n_children = static_cast<int64_t>(memory->schema_children.back().size());
  if (!field.dictionary.empty()) {
    memory->schemas.push_back(make_schema(field.dictionary[0], memory));
    out.dictionary = &memory->schemas.back();
  }
  return out;
}

const void* buffer_of(Input& input, size_t size, Memory* memory) {
  const std::string_view given = input.bytes(std::min<size_t>(size, 24));
  std::vector<char> bytes(size);
  for (size_t i = 0; i < size && !given.empty(); ++i) {
    bytes[i] = given[i % given.size()];
  }
  memory->buffers.push_back(std::move(bytes));
  return memory->buffers.back().data();
}

// Offsets as Arrow requires them for text, whose bytes have no other bound.
const void* ascending(Input& input, size_t count, size_t width, int64_t* last, Memory* memory) {
  std::vector<char> bytes(count * width);
  *last = 0;
  for (size_t i = 0; i < count; ++i) {
    *last += input.below(5);
    std::memcpy(bytes.data() + i * width, last, width);
  }
  memory->buffers.push_back(std::move(bytes));
  return memory->buffers.back().data();
}

size_t element_bits(const std::string& format) {
  const gls::Result<gls::ArrowType> type = gls::parse_arrow_format(format);
  return !type.ok()                                   ? 64
         : type->kind == gls::ArrowKind::kBits        ? 1
         : type->kind == gls::ArrowKind::kFixedBinary ? static_cast<size_t>(type->width) * 8
         : type->kind == gls::ArrowKind::kNumber      ? type->dtype.bits
                                                      : 64;
}

ArrowArray make_array(const Field& field, Input& input, int64_t wanted, Memory* memory) {
  ArrowArray out{};
  out.offset = input.below(8) == 7 ? input.below(4) : 0;
  out.length = input.below(16) == 15 ? static_cast<int64_t>(input.byte()) - 8 : wanted;
  out.null_count = input.below(4) == 3 ? static_cast<int64_t>(input.byte()) - 1 : 0;
  out.release = release_array;
  const auto rows = static_cast<size_t>(std::max<int64_t>(0, out.length + out.offset));
  const std::string format = field.format;
  std::vector<const void*> buffers;
  buffers.push_back(input.chance() ? buffer_of(input, (rows + 7) / 8, memory) : nullptr);
  const bool large = format == "U" || format == "+L";
  if (format == "n") {
    buffers.clear();
  } else if (format == "u" || format == "U" || format == "z") {
    int64_t last = 0;
    buffers.push_back(ascending(input, rows + 1, large ? 8 : 4, &last, memory));
    buffers.push_back(buffer_of(input, static_cast<size_t>(last), memory));
  } else if (format == "vu") {
    buffers.push_back(buffer_of(input, rows * 16, memory));
    const size_t size = input.byte();
    buffers.push_back(buffer_of(input, size, memory));
    memory->buffers.emplace_back(8);
    std::memcpy(memory->buffers.back().data(), &size, 8);
    buffers.push_back(memory->buffers.back().data());
  } else if (format == "+l" || format == "+L") {
    int64_t last = 0;
    buffers.push_back(input.chance() ? ascending(input, rows + 1, large ? 8 : 4, &last, memory)
                                     : buffer_of(input, (rows + 1) * (large ? 8 : 4), memory));
  } else if (format[0] != '+') {
    buffers.push_back(buffer_of(input, (rows * element_bits(format) + 7) / 8, memory));
  }
  if (input.below(32) == 31 && !buffers.empty()) {
    buffers.back() = nullptr;
  }
  if (input.below(32) == 31 && !buffers.empty()) {
    buffers.pop_back();
  }
  memory->pointers.push_back(std::move(buffers));
  out.buffers = memory->pointers.back().data();
  out.n_buffers = static_cast<int64_t>(memory->pointers.back().size());
  std::vector<ArrowArray*> children;
  const int64_t inner = format == "+w:2" ? 2 * static_cast<int64_t>(rows)
                                         : static_cast<int64_t>(rows) + input.below(4);
  for (const Field& child : field.children) {
    memory->arrays.push_back(make_array(child, input, inner, memory));
    children.push_back(&memory->arrays.back());
  }
  if (input.below(64) == 63 && !children.empty()) {
    children.pop_back();
  }
  memory->array_children.push_back(std::move(children));
  out.children = memory->array_children.back().data();
  out.n_children = static_cast<int64_t>(memory->array_children.back().size());
  if (!field.dictionary.empty() && input.below(32) != 31) {
    memory->arrays.push_back(make_array(field.dictionary[0], input, input.below(8), memory));
    out.dictionary = &memory->arrays.back();
  }
  return out;
}

struct Stream {
  Memory memory;
  Field root;
  Input* input;
  uint32_t left;
};

ArrowArrayStream stream_of(Stream* of) {
  ArrowArrayStream out{};
  out.private_data = of;
  out.get_schema = [](ArrowArrayStream* self, ArrowSchema* schema) {
    auto* const stream = static_cast<Stream*>(self->private_data);
    *schema = make_schema(stream->root, &stream->memory);
    return 0;
  };
  out.get_next = [](ArrowArrayStream* self, ArrowArray* array) {
    auto* const stream = static_cast<Stream*>(self->private_data);
    *array = {};
    if (stream->left > 0) {
      --stream->left;
      *array = make_array(stream->root, *stream->input, stream->input->below(12), &stream->memory);
      return 0;
    }
    return stream->input->below(8) == 7 ? 5 : 0;
  };
  out.get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  out.release = [](ArrowArrayStream* self) { self->release = nullptr; };
  return out;
}

gls::ArrowOptions read_options(Input& input) {
  constexpr const char* kNames[] = {"#0", "#1", "#2", "b", "c", "", "#", "#9"};
  constexpr const char* kTypes[] = {"int64", "float32", "bool", "uint8", "float16", "int8"};
  constexpr const char* kFills[] = {"0", "1", "-1", "nan", "x"};
  gls::ArrowOptions options;
  if (input.chance()) {
    options.source_field = kNames[input.below(8)];
  }
  if (input.chance()) {
    options.target_field = kNames[input.below(8)];
  }
  options.all_fields = input.chance();
  for (uint32_t left = input.below(4); left > 0; --left) {
    gls::ArrowColumnOptions& column = options.columns.emplace_back();
    column.field = kNames[input.below(8)];
    column.name = input.chance() ? "x" + std::to_string(input.below(2)) : "";
    if (input.chance()) {
      column.dtype = *gls::parse_dtype(kTypes[input.below(6)]);
    }
    if (input.chance()) {
      column.fill = kFills[input.below(5)];
    }
    column.mask = input.below(4) == 3 ? "mask" : "";
    column.use = static_cast<gls::ArrowUse>(input.below(4) == 3 ? input.below(3) : 0);
  }
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gls;
  Input input(data, size);
  const bool edges = input.chance();
  const ArrowOptions options = read_options(input);
  Stream stream{{}, {"+s", {}, {}}, &input, input.below(4)};
  for (uint32_t left = 1 + input.below(4); left > 0; --left) {
    stream.root.children.push_back(read_field(input, 0));
  }
  ArrowArrayStream arrow = stream_of(&stream);
  Builder builder(fuzz::shared_context());
  if (const uint32_t ids = input.below(4); ids < 3) {
    NodeTypeOptions type;
    type.ids = static_cast<NodeIds>(ids);
    CLAIM(builder.add_node_type("n", type).ok());
  }
  const Status added = edges ? builder.add_edges_arrow("n__e__n", &arrow, options)
                             : builder.add_nodes_arrow("n", &arrow, options);
  CLAIM(added.ok() == (arrow.release == nullptr));
  if (!added.ok()) {
    fuzz::claim_error(added);
    return 0;
  }
  fuzz::build_verified(builder);
  return 0;
}
