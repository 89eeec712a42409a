// gls generate: a power-law graph with features, labels and a split, for trials and measurements.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "commands/commands.h"
#include "generate/chung_lu.h"
#include "generate/ordered_chunks.h"
#include "generate/synthetic.h"
#include "import/import.h"
#include "session/arguments.h"
#include "session/scratch_file.h"
#include "session/tensor_io.h"
#include "terminal/interrupt.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

constexpr DLDataType kInt32 = {kDLInt, 32, 1};
constexpr int64_t kNodesPerChunk = 8192;
constexpr const char* kNodeType = "node";

struct Shape {
  int64_t nodes = 0;
  double edges = 0;
  double alpha = 0.6;
  double max_degree = 0;
  int64_t features = 0;
  int64_t classes = 0;
  std::vector<int64_t> split;  // train, valid, test
};

struct Preset {
  const char* name;
  Shape shape;
};
// The first two have the sizes and splits of the Open Graph Benchmark graphs in their names.
const Preset kPresets[] = {
    {"products-like", {2449029, 61859140, 0.6, 17000, 100, 47, {196615, 39323, 2213091}}},
    {"arxiv-like", {169343, 1157799, 0.75, 9300, 128, 40, {90941, 29799, 48603}}},
    {"tiny", {1000, 5000, 0.6, 100, 16, 5, {200, 100, 700}}},
};

struct GenerateOptions {
  OutputOptions output;
  std::string preset;
  std::optional<int64_t> nodes;
  std::optional<double> edges;
  std::optional<double> alpha;
  std::optional<double> max_degree;
  std::optional<int64_t> features;
  std::optional<int64_t> classes;
  std::string split;
  std::string feature_dtype = "float32";
  uint64_t seed = 0;
};

Shape find_shape(const GenerateOptions& options) {
  Shape shape;
  for (const Preset& preset : kPresets) {
    if (options.preset == preset.name) {
      shape = preset.shape;
    }
  }
  if (options.preset.empty() && (!options.nodes || !options.edges)) {
    throw UsageError("generate: give --preset, or --nodes and --edges");
  }
  if (options.nodes) {
    shape.split.clear();  // a preset's split fits only its own number of nodes
  }
  shape.nodes = options.nodes.value_or(shape.nodes);
  shape.edges = options.edges.value_or(shape.edges);
  shape.alpha = options.alpha.value_or(shape.alpha);
  shape.max_degree = options.max_degree.value_or(shape.max_degree);
  shape.features = options.features.value_or(shape.features);
  shape.classes = options.classes.value_or(shape.classes);
  if (shape.max_degree == 0) {
    // Twenty times the mean, if there are enough nodes.
    shape.max_degree = std::min(40 * shape.edges / static_cast<double>(shape.nodes),
                                static_cast<double>(shape.nodes) / 2);
  }
  if (!options.split.empty()) {
    shape.split = parse_integers("--split", options.split);
  } else if (shape.split.empty()) {
    const int64_t train = shape.nodes / 10;
    shape.split = {train, train, shape.nodes - 2 * train};
  }
  int64_t left = shape.nodes;
  for (const int64_t size : shape.split) {
    left = size < 0 || size > left ? -1 : left - size;
  }
  if (shape.split.size() != 3 || left < 0) {
    throw UsageError(formatted(
        "--split: expected the sizes of train, valid and test, together at most {}", shape.nodes));
  }
  return shape;
}

struct EdgeChunk {
  std::vector<int32_t> source;
  std::vector<int32_t> target;
};

EdgeChunk make_edges(const ChungLu& graph, int64_t begin, int64_t end) {
  EdgeChunk out;
  for (int64_t node = begin; node < end; ++node) {
    graph.append_neighbors(node, out.target);
    out.source.resize(out.target.size(), static_cast<int32_t>(node));
  }
  return out;
}

void add_edges(const Shape& shape, uint64_t seed, size_t threads, const std::string& folder,
               Progress& progress, Builder& builder) {
  const ChungLu graph({shape.nodes, shape.edges, shape.alpha, shape.max_degree, seed});
  ScratchFile source(folder);
  ScratchFile target(folder);
  const int64_t chunks = (shape.nodes + kNodesPerChunk - 1) / kNodesPerChunk;
  for_each_chunk(
      static_cast<size_t>(chunks), threads,
      [&](size_t i) {
        const int64_t begin = static_cast<int64_t>(i) * kNodesPerChunk;
        return make_edges(graph, begin, std::min(begin + kNodesPerChunk, shape.nodes));
      },
      [&](const EdgeChunk& chunk) {
        source.append(chunk.source.data(), 4 * chunk.source.size());
        target.append(chunk.target.data(), 4 * chunk.target.size());
        progress.update("generating edges", source.size() / 4,
                        std::max(static_cast<uint64_t>(shape.edges), source.size() / 4), "edges");
      });
  const auto count = static_cast<int64_t>(source.size() / 4);
  builder.add_edges(kDefaultEdgeType, source.map(kInt32, {count}), target.map(kInt32, {count}),
                    GLS_EDGES_ADD_REVERSE);
}

int generate(const Session& session, const GenerateOptions& options) {
  const Shape shape = find_shape(options);
  std::string folder = std::filesystem::path(options.output.folder).parent_path().string();
  if (folder.empty()) {
    folder = ".";
  }
  return write_dataset(
      session, options.output, "generate", [&](const Context& context, Progress& progress) {
        Builder builder(context);
        std::error_code ec;
        if (!options.output.overwrite && std::filesystem::exists(options.output.folder, ec)) {
          throw system_failure("cannot create", options.output.folder, EEXIST);
        }
        std::filesystem::create_directories(folder, ec);
        if (ec) {
          throw system_failure("cannot create folder", folder, ec.value());
        }
        SyntheticColumns columns;
        columns.nodes = shape.nodes;
        columns.features = shape.features;
        columns.half = options.feature_dtype == "float16";
        columns.classes = shape.classes;
        columns.seed = options.seed;
        columns.threads = context_threads(session, context);
        columns.scratch_folder = folder;
        builder.add_node_type(kNodeType, shape.nodes);
        add_edges(shape, options.seed, columns.threads, folder, progress, builder);
        if (shape.features > 0) {
          builder.add_node_column(kNodeType, "x", GLS_ROLE_FEATURE,
                                  make_features(columns, progress));
        }
        if (shape.classes > 0) {
          builder.add_node_column(kNodeType, "y", GLS_ROLE_LABEL, make_labels(columns));
        }
        const auto sets = make_split(shape.nodes, shape.split, options.seed);
        const char* const names[] = {"train", "valid", "test"};
        for (size_t i = 0; i < sets.size(); ++i) {
          builder.add_id_set(kNodeType, names[i], Tensor::copy(sets[i], kInt64));
        }
        return builder;
      });
}

}  // namespace

void add_generate(CLI::App& app, Session& session) {
  CLI::App& command =
      add_command(app, "generate",
                  "Make a random power-law graph (Chung-Lu) with features, labels and a split");
  const auto options = std::make_shared<GenerateOptions>();
  command
      .add_option("--preset", options->preset,
                  "products-like, arxiv-like or tiny; the options below change parts of it")
      ->check(CLI::IsMember({"products-like", "arxiv-like", "tiny"}));
  command.add_option("--nodes", options->nodes, "Number of nodes");
  command.add_option("--edges", options->edges,
                     "Number of undirected edges to expect; each is stored in both directions");
  command.add_option("--alpha", options->alpha,
                     "How degrees fall: that of rank r is ~ (r + r0)^-alpha; default 0.6");
  command.add_option("--max-degree", options->max_degree,
                     "Largest degree to expect; default 20 times the mean");
  command.add_option("--features", options->features, "Width of the column x; 0: none")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 20));
  command.add_option("--feature-dtype", options->feature_dtype, "float32 or float16")
      ->check(CLI::IsMember({"float32", "float16"}))
      ->capture_default_str();
  command.add_option("--classes", options->classes, "Classes of the column y; 0: none")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 30));
  command
      .add_option("--split", options->split,
                  "Sizes of the id sets train, valid and test; default 10 %, 10 %, the rest")
      ->type_name("N,N,N");
  command.add_option("--seed", options->seed, "The same seed makes the same dataset")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_output_options(command, options->output);
  add_context_options(command, session);
  add_report_options(command, session);
  command.callback([options, &session] {
    session.command = [options, &session] { return generate(session, *options); };
  });
}

}  // namespace gls::tool
