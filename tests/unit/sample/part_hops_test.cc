// Folders of parts, asked hop by hop, against the whole that they were cut from.
#include "sample/part_hops.h"

#include <gtest/gtest.h>

#include <tuple>

#include "hop_client.h"
#include "part_graph.h"

namespace gls::test {
namespace {

class PartHops : public testing::TestWithParam<std::tuple<HopCase, size_t>> {};

TEST_P(PartHops, AreThoseOfTheWhole) {
  const auto& [given, num_parts] = GetParam();
  SamplerOptions options;
  options.seed = 5;
  options.num_hops = 3;
  options.fanouts = {{9, 4, 3}, {5, 0, 2}, {7, 3, 3}};
  options.edge_ids = true;
  given.set(&options);
  const std::shared_ptr<Context> context = make_context();
  const auto dataset = whole_graph(context);
  auto whole = Sampler::create(dataset, options);
  ASSERT_TRUE(whole.ok()) << whole.status().message();

  const TempFolder folder;
  const std::string path = folder.file("parts");
  ASSERT_NO_FATAL_FAILURE(cut_graph(*dataset, num_parts, path));
  std::vector<std::shared_ptr<const Sampler>> samplers;
  for (size_t p = 0; p < num_parts; ++p) {
    auto part = open_dataset(context, part_path(path, p), {});
    ASSERT_TRUE(part.ok()) << part.status().message();
    auto sampler = Sampler::create(*part, options);
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    samplers.push_back(sampler.take());
  }

  const std::vector<int64_t> seeds = {11, 5, 1999, 0, 5, 700, 701, 702, 1400, 1222};
  const std::vector<int64_t> times = {300, 360, 420, 480, 540, 600, 660, 720, 780, 840};
  SampleRequest request;
  request.epoch = 2;
  request.batch = 6;
  request.seeds = {{0, span_of(seeds), options.temporal() ? span_of(times) : IdSpan()}};
  auto batch = (*whole)->sample(request);
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  HopClient client = {
      *dataset, (*whole)->options(), num_parts,
      [&parts = num_parts](size_t type, int64_t node) { return owner_of(type, node, parts); },
      [&](size_t p, const HopQuestion& question) {
        return answer_hop_of_part(*samplers[p], question);
      }};
  ASSERT_NO_FATAL_FAILURE(client.sample(0, seeds, times, request.epoch, request.batch));
  client.expect_same(**batch);

  // What is asked of the wrong part is an error.
  if (num_parts > 1) {
    HopQuestion question;
    const std::vector<int64_t> one = {7};
    const std::vector<int64_t> zero = {0};
    question.nodes = span_of(one);
    question.trees = (*whole)->options().disjoint ? span_of(zero) : IdSpan();
    question.times = options.temporal() ? span_of(zero) : IdSpan();
    const size_t other = (owner_of(0, 7, num_parts) + 1) % num_parts;
    auto picks = answer_hop_of_part(*samplers[other], question);
    ASSERT_FALSE(picks.ok());
    EXPECT_EQ(
        picks.status().message(),
        formatted("hop: node 7 of type \"user\" is not owned by part {} of {}", other, num_parts));
  }
}

INSTANTIATE_TEST_SUITE_P(Options, PartHops,
                         testing::Combine(testing::ValuesIn(hop_cases()),
                                          testing::Values(size_t{1}, size_t{2}, size_t{8})),
                         [](const auto& given) {
                           return std::get<0>(given.param).name + "_" +
                                  std::to_string(std::get<1>(given.param));
                         });

}  // namespace
}  // namespace gls::test
