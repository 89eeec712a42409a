// The tutorial in C++17: see ../README.md.
//
//   c++ -std=c++17 tutorial.cc $(pkg-config --cflags --libs gls) -o tutorial
//   ./tutorial ../ratings.csv FOLDER
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <gls.hpp>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace {

constexpr int64_t kNodes = 1000;
constexpr int64_t kDegree = 5;
constexpr DLDataType kInt64 = {kDLInt, 64, 1};
constexpr DLDataType kFloat32 = {kDLFloat, 32, 1};

void expect(bool holds, const char *what) {
  if (!holds) {
    std::fprintf(stderr, "wrong: %s\n", what);
    std::exit(1);
  }
}

// Every node has five in-neighbours; everything else follows from its number.
struct Arrays {
  std::vector<int64_t> source, target, y, train;
  std::vector<float> x;  // [kNodes, 2]
  Arrays() {
    for (int64_t e = 0; e < kNodes * kDegree; ++e) {
      target.push_back(e / kDegree);
      source.push_back((7 * (e / kDegree) + 31 * (e % kDegree) + 1) % kNodes);
    }
    for (int64_t v = 0; v < kNodes; ++v) {
      x.push_back(static_cast<float>(v));
      x.push_back(static_cast<float>(v % 10));
      y.push_back(v % 10);
      if (v % 2 == 0) {
        train.push_back(v);
      }
    }
  }
};

gls::Dataset build(const gls::Context &context, Arrays &arrays) {
  // [arrays]
  // Copied: vectors that may go. In place: memory that outlives the dataset.
  int64_t shape[] = {kNodes, 2};
  const DLTensor view = {arrays.x.data(), {kDLCPU, 0}, 2, kFloat32, shape, nullptr, 0};
  gls::Builder builder(context);
  builder.add_edges("node__to__node", gls::Tensor::copy(arrays.source, kInt64),
                    gls::Tensor::copy(arrays.target, kInt64));
  builder.add_node_column("node", "x", GLS_ROLE_FEATURE, gls::Tensor::wrap(view, true));
  builder.add_node_column("node", "y", GLS_ROLE_LABEL, gls::Tensor::copy(arrays.y, kInt64));
  builder.add_id_set("node", "train", gls::Tensor::copy(arrays.train, kInt64));
  gls::Dataset dataset = builder.build();
  // [arrays end]
  return dataset;
}

gls::Sampler make_sampler(const gls::Dataset &dataset, const std::vector<int64_t> &per_hop) {
  // [sampler]
  const gls_fanout_t fanout = {nullptr, per_hop.data(), per_hop.size()};
  gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT;
  options.fanouts = &fanout;
  options.num_fanouts = 1;
  options.seed = 42;
  return gls::Sampler(dataset, options);
  // [sampler end]
}

gls::Loader make_loader(const gls::Dataset &dataset, uint32_t workers = 0) {
  // [loader]
  // Three in-neighbours of a seed, two of each of those.
  const gls::Sampler sampler = make_sampler(dataset, {3, 2});
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.id_set = "train";
  options.batch_size = 64;
  options.flags = GLS_LOADER_SHUFFLE;
  options.num_workers = workers;
  return gls::Loader(sampler, gls::Tensor(), options);  // it keeps the sampler alive
  // [loader end]
}

struct Digest {
  uint64_t value = 0xcbf29ce484222325;
  uint64_t batches = 0;
  uint64_t edges = 0;

  void fold(int64_t number) { value = (value ^ static_cast<uint64_t>(number)) * 0x100000001b3; }

  // Stands for a step of training: looks at all a model would get, and checks it.
  void use(const gls::Batch &batch) {
    // [use]
    const gls::Tensor node = batch.tensor(GLS_BATCH_NODE);  // ids in the dataset; seeds come first
    const gls::Tensor row = batch.tensor(GLS_BATCH_ROW);    // edges, as positions in `node`
    const gls::Tensor col = batch.tensor(GLS_BATCH_COL);
    const gls::Tensor x = batch.tensor(GLS_BATCH_NODE_COLUMN, "", "x");  // of all nodes
    const gls::Tensor y = batch.tensor(GLS_BATCH_NODE_COLUMN, "", "y");  // of the seeds
    const auto *const id = node.data<int64_t>();
    // [use end]
    for (int64_t i = 0; i < node.size(0); ++i) {
      const float *const values = x.data<float>() + i * x.view().strides[0];
      expect(static_cast<int64_t>(values[0]) == id[i], "features");
      expect(static_cast<int64_t>(values[1]) == id[i] % 10, "features");
      fold(id[i]);
      fold(static_cast<int64_t>(values[0]));
    }
    for (int64_t i = 0; i < y.size(0); ++i) {
      expect(y.data<int64_t>()[i] == id[i] % 10, "labels");
      fold(y.data<int64_t>()[i]);
    }
    for (int64_t e = 0; e < row.size(0); ++e) {
      const int64_t from = id[row.data<int64_t>()[e]];
      const int64_t to = id[col.data<int64_t>()[e]];
      const int64_t step = ((from - 7 * to - 1) % kNodes + kNodes) % kNodes;
      expect(step % 31 == 0 && step / 31 < kDegree, "an edge that the graph has not");
      fold(from);
      fold(to);
    }
    batches += 1;
    edges += static_cast<uint64_t>(row.size(0));
  }

  // Takes at most `limit` batches of the epoch.
  void take(gls::Loader &loader, int limit = std::numeric_limits<int>::max()) {
    // [epoch]
    while (limit-- > 0) {
      const std::optional<gls::Batch> batch = loader.next();
      if (!batch) {
        break;  // the end of the epoch
      }
      use(*batch);
    }
    // [epoch end]
  }
};

Digest resumed(const gls::Dataset &dataset) {
  Digest digest;
  // [resume]
  std::string state;
  {
    gls::Loader first = make_loader(dataset);
    digest.take(first, 3);
    state = first.save();
  }
  gls::Loader second = make_loader(dataset, 1);  // elsewhere, with another number of threads
  second.restore(state);
  digest.take(second);
  // [resume end]
  return digest;
}

void fail(const gls::Dataset &dataset) {
  const gls::Sampler sampler = make_sampler(dataset, {3});
  // [errors]
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.id_set = "training";
  try {
    const gls::Loader loader(sampler, gls::Tensor(), options);
    expect(false, "an id set that is not there");
  } catch (const gls::Error &error) {
    expect(error.status() == GLS_ERR_NOT_FOUND, "the status");
    std::printf("%s: %s\n", gls_status_name(error.status()), error.what());
  }
  try {
    const std::vector<int64_t> beyond = {kNodes};  // there are nodes 0 .. 999
    const gls::Loader loader(sampler, gls::Tensor::copy(beyond, kInt64));
    expect(false, "a seed that is not there");
  } catch (const gls::Error &error) {
    expect(error.status() == GLS_ERR_INVALID_ARGUMENT, "the status");
    expect(error.detail("argument") == "seeds", "the detail");
    std::printf("%s: %s\n", gls_status_name(error.status()), error.what());
  }
  // [errors end]
}

// Imports the ratings; returns how many movies ada rated.
int64_t import(const gls::Context &context, const std::string &csv, const std::string &folder,
               Digest &digest) {
  // [csv]
  const gls_text_column_t stars = {"stars", nullptr, "float32", GLS_ROLE_WEIGHT, 0};
  gls_text_options_t text = GLS_TEXT_OPTIONS_INIT;
  text.source_field = "user";
  text.target_field = "movie";
  text.columns = &stars;
  text.num_columns = 1;
  text.flags = GLS_EDGES_ADD_REVERSE;  // movie__rev_rates__user: a way from a user to movies
  gls_write_options_t writing = GLS_WRITE_OPTIONS_INIT;
  writing.overwrite = 1;

  gls::Builder builder(context);
  builder.add_node_type("user", 0, GLS_IDS_STRING);
  builder.add_node_type("movie", 0, GLS_IDS_STRING);
  builder.add_edges_text("user__rates__movie", csv, text);
  builder.write(folder, writing);  // now the file is read
  // [csv end]

  // [open]
  const gls::Dataset ratings = gls::Dataset::open(context, folder);
  const gls::Tensor ada = gls::Tensor::copy<int64_t>({ratings.find_node("user", "ada")}, kInt64);
  const gls_seed_set_t seeds = {"user", &ada.view()};
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = &seeds;
  request.num_seeds = 1;
  const gls::Batch batch = make_sampler(ratings, {-1}).sample(request);
  const gls::Tensor movies = batch.tensor(GLS_BATCH_NODE, "movie");
  for (int64_t i = 0; i < movies.size(0); ++i) {
    const int64_t movie = movies.data<int64_t>()[i];
    std::printf("ada rated %s\n", ratings.node_key("movie", movie).c_str());
    digest.fold(movie);
  }
  // [open end]
  return movies.size(0);
}

void run(const std::string &csv, const std::string &folder) {
  Arrays arrays;
  const gls::Context context;
  const gls::Dataset dataset = build(context, arrays);
  Digest whole;
  gls::Loader loader = make_loader(dataset);
  whole.take(loader);
  Digest digest = resumed(dataset);
  expect(digest.value == whole.value, "a resumed epoch is not the whole one");
  expect(digest.batches == 8, "the number of batches");
  fail(dataset);
  const int64_t movies = import(context, csv, folder, digest);
  expect(movies == 3, "the number of movies");
  std::printf("digest %016" PRIx64 ", %" PRIu64 " batches, %" PRIu64 " edges, %" PRId64 " movies\n",
              digest.value, digest.batches, digest.edges, movies);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s ratings.csv FOLDER\n", argv[0]);
    return 2;
  }
  try {
    run(argv[1], argv[2]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
