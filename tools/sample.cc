// gls sample: prints or writes one batch.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <memory>

#include "arguments.h"
#include "batch_output.h"
#include "commands.h"
#include "interrupt.h"
#include "sampler_flags.h"
#include "tensor_io.h"
#include "text.h"

namespace gls::tool {
namespace {

struct SampleOptions {
  std::string folder;
  std::vector<std::string> seeds;  // "[TYPE:]1,2,3"
  std::vector<std::string> keys;   // "[TYPE:]a,b"
  std::string set;
  std::string type;
  SamplerFlags sampler;
  uint64_t epoch = 0;
  uint64_t batch = 0;
  int64_t batch_size = 1024;
  int64_t limit = 20;
  std::string output;
};

// Seeds by node type, in the order of the types' first occurrence.
class Seeds {
 public:
  std::vector<int64_t>& of(const std::string& type) {
    for (size_t i = 0; i < types_.size(); ++i) {
      if (types_[i] == type) {
        return ids_[i];
      }
    }
    types_.push_back(type);
    return ids_.emplace_back();
  }
  // Points into this object.
  std::vector<gls_seed_set_t> sets() {
    std::vector<gls_seed_set_t> out;
    for (size_t i = 0; i < types_.size(); ++i) {
      tensors_.push_back(Tensor::copy(ids_[i], kInt64));
      out.push_back({detail::or_null(types_[i]), &tensors_.back().view()});
    }
    return out;
  }

 private:
  std::deque<std::string> types_;
  std::deque<std::vector<int64_t>> ids_;
  std::deque<Tensor> tensors_;
};

void add_set(const SampleOptions& options, const Dataset& dataset, Seeds& seeds) {
  const Tensor ids = dataset.tensor(GLS_ARRAY_ID_SET, options.type, options.set);
  const int64_t count = ids.size(0);
  const auto batches = static_cast<uint64_t>((count + options.batch_size - 1) / options.batch_size);
  if (options.batch >= batches) {
    throw Failure(formatted("--batch {}: the set \"{}\" has {} batches of {} seeds", options.batch,
                            options.set, batches, options.batch_size));
  }
  const int64_t begin = static_cast<int64_t>(options.batch) * options.batch_size;
  for (int64_t i = begin; i < std::min(begin + options.batch_size, count); ++i) {
    seeds.of(options.type).push_back(integer_at(ids, i));
  }
}

Seeds find_seeds(const SampleOptions& options, const Dataset& dataset) {
  Seeds out;
  for (const std::string& text : options.seeds) {
    const Typed typed = split_typed(text);
    auto& ids = out.of(typed.type.empty() ? options.type : typed.type);
    const std::vector<int64_t> given = parse_integers("--seeds", typed.rest);
    ids.insert(ids.end(), given.begin(), given.end());
  }
  for (const std::string& text : options.keys) {
    const Typed typed = split_typed(text);
    const std::string type = typed.type.empty() ? options.type : typed.type;
    for (const std::string& key : split(typed.rest, ',')) {
      const int64_t id = dataset.find_node(type, key);
      out.of(type).push_back(id);
    }
  }
  if (!options.set.empty()) {
    add_set(options, dataset, out);
  }
  return out;
}

int sample(const Session& session, const SampleOptions& options) {
  if (options.seeds.empty() && options.keys.empty() && options.set.empty()) {
    throw UsageError("sample: give --seeds, --keys or --set");
  }
  const SamplerOptions sampler_options(options.sampler);
  const Context context = make_context(session);
  const Dataset dataset = open_dataset(context, options.folder);
  throw_if_interrupted();
  const Sampler sampler(dataset, sampler_options.get());
  Seeds seeds = find_seeds(options, dataset);
  const std::vector<gls_seed_set_t> sets = seeds.sets();
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = sets.data();
  request.num_seeds = sets.size();
  request.epoch = options.epoch;
  request.batch = options.batch;
  const Batch batch = sampler.sample(request);
  throw_if_interrupted();
  if (!options.output.empty()) {
    write_batch(batch, dataset, options.output);
    if (session.json) {
      print_json(batch_summary(batch, dataset));
    } else {
      print("{}", batch_summary_table(batch, dataset));
    }
    return kSuccess;
  }
  if (session.json) {
    const Json document = batch_json(batch, dataset);
    throw_if_interrupted();
    print_json(document, -1);
  } else {
    const std::string text = batch_tables(batch, dataset, options.limit);
    throw_if_interrupted();
    print("{}", text);
  }
  return kSuccess;
}

}  // namespace

void add_sample(CLI::App& app, Session& session) {
  CLI::App& command = add_command(app, "sample", "Sample one batch and print it");
  const auto options = std::make_shared<SampleOptions>();
  command.add_option("FOLDER", options->folder, "The dataset")->required();
  CLI::Option* const seeds =
      command
          .add_option("--seeds", options->seeds,
                      "[TYPE:]ID,ID,...: the seeds, by node id (may be repeated)")
          ->type_name("IDS")
          ->allow_extra_args(false);
  CLI::Option* const keys =
      command
          .add_option("--keys", options->keys,
                      "[TYPE:]KEY,KEY,...: seeds by what the imported data called them")
          ->type_name("KEYS")
          ->allow_extra_args(false);
  command
      .add_option("--set", options->set,
                  "Seeds are those of batch --batch of this id set, in its order")
      ->type_name("NAME")
      ->excludes(seeds)
      ->excludes(keys);
  command.add_option("--batch-size", options->batch_size, "Seeds per batch, for --set")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--type", options->type, "Node type of seeds that name none");
  add_sampler_flags(command, options->sampler);
  command.add_option("--epoch", options->epoch, "Epoch, part of the random key")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_option("--batch", options->batch, "Number of the batch, part of the random key")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_option("--limit", options->limit, "Rows shown per table; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_option("-o,--output", options->output,
                     "Write the arrays as .npy files to this new folder instead");
  add_context_options(command, session);
  add_report_options(command, session);
  command.footer("--json prints the whole arrays, named as in gls.h.");
  command.callback([options, &session] {
    session.command = [options, &session] { return sample(session, *options); };
  });
}

}  // namespace gls::tool
