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

  Status run(SpillMemory& answers) {
    GLS_TRY(begin_reading(0));
    for (size_t chunk = 0; chunk < rows_.size(); ++chunk) {
      if (chunk + 1 < rows_.size()) {
        GLS_TRY(begin_reading(chunk + 1));
      }
      if (rows_[chunk] == 0) {
        continue;
      }
      if (!chunks_.reads_whole(chunk, rows_[chunk])) {
        GLS_TRY(visit_rows(chunk, [&](int64_t row) { chunks_.will_read_row(row); }));
      }
      GLS_TRY(for_each_item(
          pool_, records_.size(), [&](size_t i) { return records_[i]->answer(chunk, answers); },
          tick_));
    }
    return {};
  }

 private:
  template <typename Visit>
  Status visit_rows(size_t chunk, const Visit& visit) {
    return for_each_item(pool_, records_.size(), [&](size_t i) -> Status {
      for (const int64_t row : records_[i]->nodes(chunk)) {
        visit(row);
      }
      return {};
    });
  }

  Status begin_reading(size_t chunk) {
    if (rows_[chunk] == 0) {
      return {};
    }
    if (chunks_.reads_whole(chunk, rows_[chunk])) {
      chunks_.will_read_chunk(chunk);
      return {};
    }
    return visit_rows(chunk, [&](int64_t row) { chunks_.will_read_place(row); });
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

Result<std::shared_ptr<const PassSampler>> PassSampler::open(
    const std::shared_ptr<const Sampler>& sampler, std::shared_ptr<const BatchSeeds> seeds,
    uint64_t chunk_bytes) {
  GLS_ASSIGN(std::shared_ptr<const Dataset> graph, recorded_graph(sampler->dataset(), chunk_bytes));
  GLS_ASSIGN(std::shared_ptr<const Sampler> recorded,
             Sampler::create(std::move(graph), sampler->options()));
  return std::shared_ptr<const PassSampler>(new PassSampler(
      sampler->dataset(), std::make_unique<HostProducer>(std::move(recorded), std::move(seeds))));
}

Status PassSampler::run(size_t batches, const std::string& folder, const Make& make,
                        const std::function<Status()>& tick) const {
  const Sample sample = [this](const EpochPlan& plan,
                               uint64_t number) -> Result<std::shared_ptr<Batch>> {
    GLS_ASSIGN(std::shared_ptr<Batch> batch, recorded_->make_on_host(plan, number));
    batch->dataset = dataset_;
    return batch;
  };
  ThreadPool& pool = dataset_->context()->pool();
  SpillMemory answers(folder);
  std::vector<Recording> recordings(batches);
  std::vector<size_t> waiting(batches);
  std::iota(waiting.begin(), waiting.end(), size_t{0});
  while (!waiting.empty()) {
    SpillMemory questions(folder);
    const HopRecord::Memory memory = {questions, answers};
    const auto again = [&](size_t at) -> Status {
      Recording& recording = recordings[waiting[at]];
      const Recording::Scope scope(recording, memory);
      Status status = make(waiting[at], sample);
      if (status.ok()) {
        recording.finish();
      }
      return recording.waits() ? Status() : std::move(status);
    };
    GLS_TRY(for_each_item(pool, waiting.size(), again, tick));
    std::erase_if(waiting, [&](size_t i) { return !recordings[i].waits(); });
    GLS_TRY(answer_all(pool, tick, recordings, waiting, answers));
  }
  return {};
}

}  // namespace gls
