// Rows of servers that land in memory which others write: in place as far as a channel writes
// there, else copied.
#include <gtest/gtest.h>

#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

#include "batch_equal.h"
#include "cluster/client/replicated_part.h"
#include "cluster/part/local_part.h"
#include "cluster/part/row_fetch.h"
#include "one_sided_servers.h"

namespace gls::test {
namespace {

using net::DeviceMemory;

// Memory as of a GPU, which the processor would not write: what it copies there is counted.
struct Ground {
  explicit Ground(size_t bytes, int64_t row, bool gpu)
      : memory(std::make_shared<std::vector<std::byte>>(bytes, std::byte{0x5a})),
        row_bytes(row),
        on_gpu(gpu) {}
  RowLanding landing() {
    return {memory->data(), row_bytes, on_gpu, memory,
            [this](std::byte* to, std::span<const std::byte> rows) {
              ++copies;
              std::memcpy(to, rows.data(), rows.size());
              return Status();
            }};
  }
  bool has(const Tensor& rows) const {
    return std::memcmp(memory->data(), rows.data(), rows.span_bytes()) == 0;
  }

  std::shared_ptr<std::vector<std::byte>> memory;
  int64_t row_bytes;
  bool on_gpu;
  int copies = 0;
};

std::vector<std::string> landing_ways() {
  std::vector<std::string> ways = read_ways();
#ifdef GLS_TEST_PLUGINS
  ways.insert(ways.begin(), {"plain", "key"});
#endif
  return ways;
}

class ServedLandings : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Ways, ServedLandings, testing::ValuesIn(landing_ways()),
                         [](const auto& of) { return of.param; });

// In one answer and in many, short ones and long ones.
TEST_P(ServedLandings, AreTheRowsOfTheWhole) {
  ReadParts served(GetParam(), OneSided::kOff, OneSided::kOff, 2, DeviceMemory::kOn);
  SomeRows rows(served.graph, 1);
  const auto bytes = static_cast<size_t>(rows.expected.span_bytes());
  for (const uint64_t answer : {uint64_t{1} << 20, uint64_t{8192}, uint64_t{1000}, uint64_t{1}}) {
    const auto part = served.part(1, false, answer);
    for (const bool on_gpu : {true, false}) {
      SCOPED_TRACE(answer);
      SCOPED_TRACE(on_gpu);
      Ground ground(bytes + 64, rows.row_bytes, on_gpu);
      auto landed = part->land_rows(rows.question, ground.landing())();
      ASSERT_TRUE(landed.ok()) << landed.status().message();
      EXPECT_TRUE(*landed);
      EXPECT_TRUE(ground.has(rows.expected));
      EXPECT_EQ((*ground.memory)[bytes], std::byte{0x5a});
      const uint64_t most = std::min<uint64_t>(answer, bytes);
      if (!on_gpu) {
        EXPECT_EQ(ground.copies, 0);
      } else if (GetParam() == "self_channel" && most >= 2 * net::kLeastToGpus) {
        EXPECT_LE(ground.copies, 1);  // the rest of them
      } else {
        EXPECT_GE(ground.copies, 1);
      }
    }
  }
  Ground none(64, rows.row_bytes, true);
  RowQuestion nobody = rows.question;
  nobody.ids = IdSpan();
  auto landed = served.part(1)->land_rows(nobody, none.landing())();
  ASSERT_TRUE(landed.ok()) << landed.status().message();
  EXPECT_TRUE(*landed);
}

TEST_P(ServedLandings, SayWhatIsWrong) {
  ReadParts served(GetParam(), OneSided::kOff, OneSided::kOff, 2, DeviceMemory::kOn);
  SomeRows rows(served.graph, 1);
  Ground ground(rows.expected.span_bytes(), rows.row_bytes + 1, false);
  auto other_size = served.part(1)->land_rows(rows.question, ground.landing())();
  EXPECT_EQ(other_size.status().code(), GLS_ERR_INTERNAL);
  ground.row_bytes = rows.row_bytes;
  auto of_others = served.part(0)->land_rows(rows.question, ground.landing())();
  EXPECT_EQ(of_others.status().code(), GLS_ERR_INVALID_ARGUMENT) << of_others.status().message();
  EXPECT_TRUE(contains(of_others.status().message(), "is not owned by part 0"));
}

// Each row is read to where it lands.
class ServedLandingsRead : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Ways, ServedLandingsRead, testing::ValuesIn(read_ways()),
                         [](const auto& of) { return of.param; });

TEST_P(ServedLandingsRead, AreTheRowsOfTheWhole) {
  ReadParts served(GetParam(), OneSided::kOn, OneSided::kOn, 2, DeviceMemory::kOn);
  SomeRows rows(served.graph, 1);
  const auto part = served.opened(1);
  for (const bool on_gpu : {false, true}) {
    if (on_gpu && GetParam() != "self_channel") {
      continue;  // memory of the host is none that UCX takes for a GPU's
    }
    Ground ground(rows.expected.span_bytes(), rows.row_bytes, on_gpu);
    auto landed = part->land_rows(rows.question, ground.landing())();
    ASSERT_TRUE(landed.ok()) << landed.status().message();
    EXPECT_TRUE(*landed);
    EXPECT_TRUE(ground.has(rows.expected));
    EXPECT_EQ(ground.copies, 0);
    EXPECT_EQ(served.asked, 0);
  }
}

// ---- of all parts ----

TEST(ServedLandingsOfParts, SayWhereTheRowOfEachIdIs) {
  const CutGraph& graph = CutGraph::of(3);
  ServedParts served(3, "self_channel");
  const auto context = context_of();
  auto here = LocalPart::create(open_dataset(context, part_path(graph.path, 1), {}).take());
  ASSERT_TRUE(here.ok()) << here.status().message();
  served.parts[1] = here.take();
  const auto& type = graph.whole->node_types()[0];
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 700; ++i) {
    ids.push_back(i * 7919 % 300);
  }
  RowQuestion question{true, 0, 0, span_of(ids), kFloat32, true};
  question.column = static_cast<size_t>(type.find_column("x") - type.columns.data());
  const Tensor expected = rows_of_whole(graph, question);
  const auto row = static_cast<int64_t>(expected.span_bytes() / ids.size());
  Ground ground(expected.span_bytes(), row, true);
  DeviceRowFetch asked(served.parts);
  const Status status = asked.ask(graph.partition->node_book(0), question, ground.landing());
  ASSERT_TRUE(status.ok()) << status.message();
  auto landed = asked.take();
  ASSERT_TRUE(landed.ok()) << landed.status().message();
  ASSERT_TRUE(landed->there);
  ASSERT_EQ(landed->places.size(), ids.size());
  std::vector<int64_t> first(300, -1);
  for (size_t i = 0; i < ids.size(); ++i) {
    const int64_t place = landed->places[i];
    ASSERT_GE(place, 0);
    ASSERT_LT(place, 300);  // each comes once
    ASSERT_EQ(
        std::memcmp(ground.memory->data() + place * row,
                    expected.data() + static_cast<int64_t>(i) * row, static_cast<size_t>(row)),
        0);
    int64_t& known = first[static_cast<size_t>(ids[i])];
    ASSERT_TRUE(known < 0 || known == place);
    known = place;
  }
  EXPECT_GE(ground.copies, 3);
}

// ---- when connections are lost -----------------------------------------------------------------

// What is there by half is not there, and its memory stays until nobody writes to it.
TEST(ServedLandingsLost, AreNotThere) {
  for (const bool halfway : {true, false}) {
    SCOPED_TRACE(halfway);
    ReadParts served("self_channel", OneSided::kOff, OneSided::kOff, 2, DeviceMemory::kOn);
    SomeRows rows(served.graph, 1);
    const auto part = served.part(1, true, uint64_t{1} << 20);
    std::optional<Ground> ground(std::in_place, rows.expected.span_bytes(), rows.row_bytes, true);
    const std::weak_ptr<std::vector<std::byte>> memory = ground->memory;
    (halfway ? served.at_client->halfway : served.at_client->lose) = true;
    auto later = part->land_rows(rows.question, ground->landing());
    ASSERT_TRUE(net::eventually([&] { return served.asked == 1; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // it is halfway by then
    served.peer->connection()->fail(error(GLS_ERR_IO, "somebody cut it"));
    auto landed = later();
    ASSERT_TRUE(landed.ok()) << landed.status().message();
    EXPECT_FALSE(*landed);
    EXPECT_EQ(ground->copies, 0);
    later = nullptr;
    ground.reset();
    served.at_client->halfway = false;
    served.at_client->lose = false;
    EXPECT_TRUE(net::eventually([&] { return memory.expired(); }));
    EXPECT_EQ(served.asked, 1);  // nobody was asked again
  }
}

// A server that is gone is not there, also where another one is.
TEST(ServedLandingsLost, AreThoseOfNoReplica) {
  ReadParts first("self_channel", OneSided::kOff, OneSided::kOff, 2, DeviceMemory::kOn);
  ReadParts second("self_channel", OneSided::kOff, OneSided::kOff, 2, DeviceMemory::kOn);
  SomeRows rows(first.graph, 1);
  const auto part = std::make_shared<ReplicatedPart>(
      first.context,
      std::make_shared<Replicas>(Replicas::All{first.part(1, false), second.part(1, false)}, 0),
      10000);
  Ground ground(rows.expected.span_bytes(), rows.row_bytes, true);
  auto landed = part->land_rows(rows.question, ground.landing())();
  ASSERT_TRUE(landed.ok()) << landed.status().message();
  EXPECT_TRUE(*landed);
  EXPECT_TRUE(ground.has(rows.expected));
  first.server.reset();
  landed = part->land_rows(rows.question, ground.landing())();
  ASSERT_TRUE(landed.ok()) << landed.status().message();
  EXPECT_FALSE(*landed);
  ASSERT_TRUE(part->ask_rows(rows.question)().ok());  // the other one is asked from now on
  landed = part->land_rows(rows.question, ground.landing())();
  ASSERT_TRUE(landed.ok()) << landed.status().message();
  EXPECT_TRUE(*landed);
}

// Answers that go straight into one array: what the first server wrote halfway, and may write
// still, is not what the second one answers.
TEST(ServedLandingsLost, LeaveAnswersToOthersAlone) {
  for (const bool halfway : {true, false}) {
    SCOPED_TRACE(halfway);
    ReadParts served("self_channel", OneSided::kOff, OneSided::kOff);
    SomeRows rows(served.graph, 1);
    const auto part = served.part(1, true, 4096);
    std::atomic<int>& asked = served.asked;
    (halfway ? served.at_client->halfway : served.at_client->lose) = true;
    auto later = part->ask_rows(rows.question);
    ASSERT_TRUE(net::eventually([&] { return asked > 2; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    served.peer->connection()->fail(error(GLS_ERR_IO, "somebody cut it"));
    served.at_client->halfway = false;
    served.at_client->lose = false;
    auto tensor = later();
    ASSERT_TRUE(tensor.ok()) << tensor.status().message();
    expect_same(*tensor, rows.expected, "rows");
  }
}

}  // namespace
}  // namespace gls::test
