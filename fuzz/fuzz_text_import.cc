// Delimited text: a few bytes of options, then a file of edges, then perhaps a file of nodes.
#include "build.h"
#include "ingest/text/decompressor.h"
#include "input.h"

namespace {

using gls::fuzz::Input;

gls::TextOptions read_options(Input& input) {
  constexpr char kDelimiters[] = {0, '\t', ',', ';', '|', ' ', '"', 'x'};
  constexpr char kComments[] = {0, '#', '%', '/'};
  constexpr const char* kFields[] = {"#0", "#1", "#2", "a", "b", "", "#", "#99999999999999999999"};
  constexpr const char* kTypes[] = {"int64",   "float32",  "bool", "uint8",
                                    "float16", "bfloat16", "int8", "float64"};
  gls::TextOptions options;
  options.delimiter = kDelimiters[input.below(8)];
  options.comment = kComments[input.below(4)];
  const uint32_t choices = input.byte();
  options.header = static_cast<gls::Header>(choices % 3);
  options.encoding = static_cast<gls::Encoding>(choices / 3 % 4);
  options.ragged = choices / 12 % 2 == 1;
  if (input.chance()) {
    options.source_field = kFields[input.below(8)];
    options.target_field = kFields[input.below(8)];
  }
  for (uint32_t left = input.below(4); left > 0; --left) {
    gls::TextColumn column;
    column.field = kFields[input.below(8)];
    column.name = input.chance() ? "column" + std::to_string(left) : "";
    column.dtype = *gls::parse_dtype(kTypes[input.below(8)]);
    options.columns.push_back(column);
  }
  options.add_reverse = input.chance();
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gls;
  Input input(data, size);
  Builder builder(fuzz::shared_context());
  NodeTypeOptions type;
  type.ids = static_cast<NodeIds>(input.below(3));
  type.num_nodes = input.byte();
  CLAIM(builder.add_node_type("n", type).ok());
  const bool same_type = input.chance();
  const bool list_nodes = input.chance();
  const TextOptions edges = read_options(input);
  const TextOptions nodes = read_options(input);
  const std::string_view listed = list_nodes ? input.piece() : std::string_view();
  const fuzz::MemoryFile node_file(listed);
  const std::string_view text = input.rest();
  for (const std::string_view file : {listed, text}) {
    if (find_compression(file) > Compression::kGzip) {
      return 0;  // a few bytes may become gigabytes; fuzz_decompressor reads such data
    }
  }
  const fuzz::MemoryFile edge_file(text);
  Status status =
      builder.add_edges_text(same_type ? "n__e__n" : "n__e__m", edge_file.path(), edges);
  if (status.ok() && list_nodes) {
    status = builder.add_nodes_text("n", node_file.path(), nodes);
  }
  if (!status.ok()) {
    fuzz::claim_error(status);
    return 0;
  }
  if (const auto dataset = fuzz::build_verified(builder)) {
    CLAIM(dataset->edge_types().size() == (edges.add_reverse && !same_type ? 2u : 1u));
  }
  return 0;
}
