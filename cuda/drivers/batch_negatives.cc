// Draws negatives of links: into the seeds of a batch, if their number is known, or alone.
#include "cuda/drivers/batch_negatives.h"

#include <algorithm>

#include "cuda/methods/negatives.h"

namespace gls::cuda {
namespace {

// The request, without addresses.
NegativesStep step_of(const device::NegativesWork& work) {
  NegativesStep step = {};
  step.draws = work.draws;
  step.count = work.count;
  step.strict = work.edges != nullptr;
  if (step.strict) {
    step.rows = stored_rows(*work.edges);
    step.rows_of_targets = work.rows_of_targets;
    step.ascending = work.ascending;
  }
  return step;
}

// Memory on the device and on the host for negatives that are drawn alone.
struct Parts {
  static constexpr size_t kFault = 0;
  static constexpr size_t kMissing = 1;
  static constexpr size_t kValues = 2;  // [3]
  static constexpr size_t kLinks = 5;
  size_t sources;
  size_t targets;
  size_t end;

  Parts(const device::NegativesWork& work, int64_t num_links)
      : sources(kLinks + static_cast<size_t>(num_links)),
        targets(sources + (work.draws.each == 0 ? static_cast<size_t>(work.count) : 0)),
        end(targets + static_cast<size_t>(work.count)) {}
  uint64_t bytes() const { return end * sizeof(int64_t); }
};

}  // namespace

NegativesStep BatchRun::negatives_step() const {
  NegativesStep step = step_of(*work_.drawn.negatives);
  int64_t* const seeds = counter(places_.seeds);
  step.link_sources = seeds;
  step.sources = seeds + work_.drawn.first_source;
  step.targets = seeds + work_.drawn.first_target;
  step.fault = reinterpret_cast<unsigned long long*>(counter(places_.negative_fault));
  step.missing = reinterpret_cast<unsigned long long*>(counter(places_.no_negative));
  return step;
}

bool BatchRun::draw_seeds() {
  return work_.drawn.negatives == nullptr ||
         good(draw_negatives(negatives_step(), cuda_stream_), "drawing negatives");
}

bool BatchRun::check_negative_fault() {
  const auto fault = static_cast<unsigned long long>(read(places_.negative_fault));
  if (fault == PickFaults::kNoFault) {
    return true;
  }
  if (!good(read_negative_fault(negatives_step(), fault, counter(places_.values), cuda_stream_),
            "reading what is at fault") ||
      !read_counters()) {
    return false;
  }
  const int64_t values[] = {read(places_.values), read(places_.values + 1),
                            read(places_.values + 2)};
  const device::EdgePlan& edges = *work_.drawn.negatives->edges;
  return say_bad_row(edges.name, edges.num_edges, values, error_);
}

// Called when a batch failed whose seeds may contain negatives that were not found. A CPU would
// have failed at those first.
bool BatchRun::tell_negatives_first(device::SampleAnswer* answer) {
  if (work_.drawn.negatives == nullptr) {
    return false;
  }
  const device::GpuError failure = *error_;
  if (!read_counters()) {
    *error_ = failure;
    return false;
  }
  answer->block = nullptr;
  answer->no_negative = read(places_.no_negative);
  finished_ = true;
  return check_negative_fault() && answer->no_negative >= 0;
}

bool draw_by_themselves(KeptMemory* kept, const device::NegativesWork& work,
                        const int64_t* link_sources, int64_t num_links, device::Stream stream,
                        int64_t* sources, int64_t* targets, device::GpuError* error) {
  const Parts parts(work, num_links);
  DeviceBlock block(kept->gpu, stream);
  if (!kept->in.reserve(parts.bytes(), error) || !kept->out.reserve(parts.bytes(), error) ||
      !block.reserve(parts.bytes(), 0, error)) {
    return false;
  }
  auto* const in = reinterpret_cast<int64_t*>(kept->in.data());
  const auto* const out = reinterpret_cast<const int64_t*>(kept->out.data());
  static_assert(static_cast<int64_t>(PickFaults::kNoFault) == -1);
  std::fill_n(in, parts.end, -1);
  std::copy_n(link_sources, num_links, in + Parts::kLinks);
  auto* const on_device = reinterpret_cast<int64_t*>(block.data());
  NegativesStep step = step_of(work);
  step.link_sources = on_device + Parts::kLinks;
  step.sources = on_device + parts.sources;
  step.targets = on_device + parts.targets;
  step.fault = reinterpret_cast<unsigned long long*>(on_device + Parts::kFault);
  step.missing = reinterpret_cast<unsigned long long*>(on_device + Parts::kMissing);
  auto* const cuda_stream = static_cast<cudaStream_t>(stream);
  const auto read_all = [&](bool queued) {
    queued =
        queued && kept->gpu.copy_out(kept->out.data(), block.data(), parts.bytes(), stream, error);
    // Queued work may still read the host's memory after a failure.
    device::GpuError ignored;
    return kept->gpu.finish(stream, queued ? error : &ignored) && queued;
  };
  if (!read_all(kept->gpu.copy_in(block.data(), in, parts.bytes(), stream, error) &&
                good(draw_negatives(step, cuda_stream), "drawing negatives", error))) {
    return false;
  }
  const auto fault = static_cast<unsigned long long>(out[Parts::kFault]);
  if (fault != PickFaults::kNoFault) {
    return read_all(good(read_negative_fault(step, fault, on_device + Parts::kValues, cuda_stream),
                         "reading what is at fault", error)) &&
           say_bad_row(work.edges->name, work.edges->num_edges, out + Parts::kValues, error);
  }
  std::copy_n(out + parts.targets, work.count, targets);
  if (work.draws.each == 0) {
    std::copy_n(out + parts.sources, work.count, sources);
  }
  return true;
}

}  // namespace gls::cuda
