#include "loader/replay/pass_sampler.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "loader/produce/host_producer.h"
#include "loader/replay/each_item.h"
#include "loader/replay/hop_record.h"
#include "loader/replay/recorded_graph.h"

namespace gls {
namespace {

// Questions about rows of one topology. A pass over its chunks answers them.
class Pass {
 public:
  Pass(ThreadPool& pool, const std::function<Status()>& tick, std::vector<HopRecord*> records)
      : pool_(pool),
        tick_(tick),
        records_(std::move(records)),
        chunks_(records_[0]->hops().chunks(records_[0]->edge_type())),
        rows_(chunks_.size()) {
    for (const HopRecord* const record : records_) {
      for (size_t chunk = 0; chunk < rows_.size(); ++chunk) {
        rows_[chunk] += record->nodes(chunk).size();
      }
    }
  }

  // While the questions of a chunk are answered, the next two chunks are read.
  Status run(SpillMemory& answers) {
    std::vector<size_t> wanted;
    for (size_t chunk = 0; chunk < rows_.size(); ++chunk) {
      if (rows_[chunk] > 0) {
        wanted.push_back(chunk);
      }
    }
    for (size_t i = 0; i < wanted.size() + 2; ++i) {
      if (i < wanted.size()) {
        GLS_TRY(read_places(wanted[i]));
      }
      if (i >= 1 && i - 1 < wanted.size()) {
        GLS_TRY(read_rows(wanted[i - 1]));
      }
      if (i >= 2) {
        GLS_TRY(for_each_item(
            pool_, records_.size(),
            [&](size_t record) { return records_[record]->answer(wanted[i - 2], answers); },
            tick_));
      }
    }
    return for_each_item(pool_, records_.size(), [&](size_t i) -> Status {
      records_[i]->finish(answers);
      return {};
    });
  }

 private:
  Status read_places(size_t chunk) {
    if (chunks_.reads_whole(chunk, rows_[chunk])) {
      chunks_.will_read_chunk(chunk);
      return {};
    }
    return visit_rows(chunk, [&](int64_t row) { chunks_.will_read_place(row); });
  }

  Status read_rows(size_t chunk) {
    return chunks_.reads_whole(chunk, rows_[chunk])
               ? Status()
               : visit_rows(chunk, [&](int64_t row) { chunks_.will_read_row(row); });
  }

  template <typename Visit>
  Status visit_rows(size_t chunk, const Visit& visit) {
    return for_each_item(pool_, records_.size(), [&](size_t i) -> Status {
      for (const int64_t row : records_[i]->nodes(chunk)) {
        visit(row);
      }
      return {};
    });
  }

  ThreadPool& pool_;
  const std::function<Status()>& tick_;
  const std::vector<HopRecord*> records_;
  const RowChunks& chunks_;
  std::vector<uint64_t> rows_;  // by chunk: rows that are asked for
};

Status answer_all(ThreadPool& pool, const std::function<Status()>& tick,
                  std::vector<Recording>& recordings, const std::vector<size_t>& waiting,
                  SpillMemory& answers) {
  std::map<std::pair<const LocalHops*, size_t>, std::vector<HopRecord*>> by_topology;
  for (const size_t i : waiting) {
    recordings[i].visit_waiting([&](HopRecord& record) {
      by_topology[{&record.hops(), record.edge_type()}].push_back(&record);
    });
  }
  for (auto& [topology, records] : by_topology) {
    GLS_TRY(Pass(pool, tick, std::move(records)).run(answers));
  }
  for (const size_t i : waiting) {
    recordings[i].set_answered();
  }
  return {};
}

}  // namespace

const char* PassSampler::why_not(const Sampler& sampler) {
  const SamplerOptions& options = sampler.options();
  const NegativeOptions& negatives = options.negatives;
  if (sampler.plan().method() != Method::kNeighbors || options.subgraph == Subgraph::kInduced) {
    return "its method reads whole rows of nodes";
  }
  if (sampler.names_excluded() || options.exclude_mode != ExcludeMode::kSelf) {
    return "it excludes edges that it names, or reverse edges";
  }
  if (!options.supervisions.empty()) {
    return "its seeds are anchors with labels";
  }
  if (negatives.degree_quarters > 0 || negatives.in_time || !negatives.source_weight.empty() ||
      !negatives.target_weight.empty()) {
    return "its negatives depend on degrees, weights or times of all nodes";
  }
  for (size_t t = 0; t < options.fanouts.size(); ++t) {
    const EdgeType& type = sampler.dataset()->edge_types()[t];
    const auto& rows =
        type.topology(options.direction == Direction::kIn ? Layout::kCsc : Layout::kCsr);
    const bool by_edge = type.find_column(options.weight) != nullptr ||
                         type.find_column(options.edge_time) != nullptr;
    if (by_edge && rows.has_value() && rows->edge_ids_tensor.defined()) {
      return "weights or times of edges are not in the order of the rows";
    }
  }
  return nullptr;
}

Result<std::shared_ptr<const PassSampler>> PassSampler::open(
    const std::shared_ptr<const Sampler>& sampler, std::shared_ptr<const BatchSeeds> seeds,
    uint64_t chunk_bytes) {
  GLS_ASSIGN(std::shared_ptr<const Dataset> graph, recorded_graph(sampler->dataset(), chunk_bytes));
  GLS_ASSIGN(std::shared_ptr<const Sampler> recorded,
             Sampler::create(std::move(graph), sampler->options()));
  return std::shared_ptr<const PassSampler>(new PassSampler(
      sampler->dataset(), std::make_unique<HostProducer>(std::move(recorded), std::move(seeds))));
}

Result<uint64_t> PassSampler::run(size_t batches, const std::string& folder, const Make& make,
                                  const std::function<Status()>& tick) const {
  ThreadPool& pool = dataset_->context()->pool();
  SpillMemory answers(folder);
  std::vector<Recording> recordings(batches);
  std::vector<size_t> waiting(batches);
  std::iota(waiting.begin(), waiting.end(), size_t{0});
  uint64_t most = 0;
  while (!waiting.empty()) {
    SpillMemory questions(folder);
    const HopRecord::Memory memory = {questions, answers};
    const auto again = [&](size_t at) -> Status {
      Recording& recording = recordings[waiting[at]];
      const Recording::Scope scope(recording, memory);
      bool sampled = false;
      const Sample sample = [&](const EpochPlan& plan,
                                uint64_t number) -> Result<std::shared_ptr<Batch>> {
        GLS_ASSIGN(std::shared_ptr<Batch> batch, recorded_->make_on_host(plan, number));
        GLS_TRY(dataset_->check_files());
        if (recording.waits()) {
          return error(GLS_ERR_INTERNAL, "a sampler went on without the answer about a hop");
        }
        sampled = true;
        batch->dataset = dataset_;
        return batch;
      };
      Status status = make(waiting[at], sample);
      if (!sampled && recording.waits() && is_no_answer(status)) {
        return {};
      }
      recording.finish();
      return status;
    };
    GLS_TRY(for_each_item(pool, waiting.size(), again, tick));
    std::erase_if(waiting, [&](size_t i) { return !recordings[i].waits(); });
    GLS_TRY(answer_all(pool, tick, recordings, waiting, answers));
    most = std::max(most, questions.bytes() + answers.bytes());
  }
  return most;
}

}  // namespace gls
