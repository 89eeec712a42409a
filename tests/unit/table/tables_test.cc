// Tables of changing rows: who waits for whom, what is taken once, and what clients of a server may
// say.
#include <gtest/gtest.h>

#include <cfenv>
#include <cstring>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "cluster/discovery/graph_description.h"
#include "cluster/server/table_service.h"
#include "graph/partition/single_part.h"
#include "net_support.h"
#include "part_graph.h"
#include "table/shared_table.h"

namespace gls::table {
namespace {

constexpr int64_t kRows = 50;
constexpr int64_t kWidth = 3;

TableOptions options_of(Optimizer optimizer) {
  TableOptions out;
  out.width = kWidth;
  out.low = -1;
  out.high = 1;
  out.optimizer = optimizer;
  out.epsilon = 1e-8;
  out.beta1 = 0.9;
  out.beta2 = 0.999;
  return out;
}

std::unique_ptr<SharedTable> make_table(const TableOptions& options,
                                        const std::string& name = "x") {
  const auto context = net::make_context(2);
  auto rows = RowTable::create(
      name, options, kRows, [](int64_t row) { return row; }, context->pool());
  EXPECT_TRUE(rows.ok()) << rows.status().message();
  return std::make_unique<SharedTable>(rows.take(),
                                       std::shared_ptr<ThreadPool>(context, &context->pool()), 1);
}

std::string hash_of(const SharedTable& table, Array array = Array::kValues) {
  std::vector<int64_t> rows(kRows);
  for (int64_t row = 0; row < kRows; ++row) {
    rows[static_cast<size_t>(row)] = row;
  }
  std::vector<std::byte> bytes(kRows * kWidth * sizeof(float));
  EXPECT_TRUE(table.read(array, span_of(rows), bytes.data()).ok());
  return hex64(hash64(bytes));
}

// The same of each rank and step.
Gradients gradients(uint32_t rank, int64_t step) {
  Gradients out;
  for (int64_t row = (step + rank) % 3; row < kRows; row += 2 + rank) {
    out.rows.push_back(row);
    out.counts.push_back(static_cast<int32_t>(1 + row % 3));
    for (int64_t i = 0; i < kWidth; ++i) {
      out.sums.push_back(static_cast<float>((row * 7 + step * 3 + i + rank) % 11 - 5) / 8);
    }
  }
  return out;
}

Turn load_of(uint32_t rank, uint32_t world_size, int64_t step, uint64_t token) {
  Turn out;
  out.loads = true;
  out.rank = rank;
  out.world_size = world_size;
  out.step = step;
  out.token = token;
  return out;
}
Turn turn_of(uint32_t rank, uint32_t world_size, int64_t step, uint64_t token) {
  Turn out = load_of(rank, world_size, step, token);
  out.loads = false;
  out.learning_rate = 0.125;
  out.gradients = gradients(rank, step);
  return out;
}

// What came of a turn.
struct Outcome {
  int answers = 0;
  Status status;
};
std::shared_ptr<Outcome> wait(SharedTable& table, uint32_t rank, uint64_t token,
                              SharedTable::Gone gone = {}) {
  auto out = std::make_shared<Outcome>();
  table.wait(
      rank, token,
      [out](Status status) {
        ++out->answers;
        out->status = std::move(status);
      },
      std::move(gone));
  return out;
}
// Comes, and waits.
std::shared_ptr<Outcome> take(SharedTable& table, Turn turn, SharedTable::Gone gone = {}) {
  const uint32_t rank = turn.rank;
  const uint64_t token = turn.token;
  if (Status status = table.come(std::move(turn)); !status.ok()) {
    auto out = std::make_shared<Outcome>();
    ++out->answers;
    out->status = std::move(status);
    return out;
  }
  return wait(table, rank, token, std::move(gone));
}
void expect_taken(const std::shared_ptr<Outcome>& outcome) {
  EXPECT_EQ(outcome->answers, 1);
  EXPECT_TRUE(outcome->status.ok()) << outcome->status.message();
}
void expect_refused(const std::shared_ptr<Outcome>& outcome, const std::string& words,
                    gls_status_t code = GLS_ERR_INVALID_STATE) {
  EXPECT_EQ(outcome->answers, 1);
  EXPECT_EQ(outcome->status.code(), code) << outcome->status.message();
  EXPECT_NE(outcome->status.message().find(words), std::string::npos) << outcome->status.message();
}
void expect_waits(const std::shared_ptr<Outcome>& outcome) { EXPECT_EQ(outcome->answers, 0); }

// ---- the rows ----------------------------------------------------------------------------------

// The bytes of every machine and compiler.
TEST(Tables, HaveTheSameBytesEverywhere) {
  struct Case {
    Optimizer optimizer;
    bool mean;
    bool row_steps;
    const char* hash;
  };
  EXPECT_EQ(hash_of(*make_table(options_of(Optimizer::kNone))), "5304779fb1abd55f");
  for (const Case& one : {Case{Optimizer::kSgd, false, false, "f932de84bd6baf4c"},
                          Case{Optimizer::kAdagrad, true, false, "ded73f3dcf420d39"},
                          Case{Optimizer::kAdam, false, false, "5dd8906991d4c25e"},
                          Case{Optimizer::kAdam, true, true, "69682e93599ba6df"}}) {
    TableOptions options = options_of(one.optimizer);
    options.mean = one.mean;
    options.row_steps = one.row_steps;
    const auto table = make_table(options);
    for (int64_t step = 1; step <= 7; ++step) {
      const auto first = take(*table, turn_of(1, 2, step, 10));
      expect_waits(first);
      expect_taken(take(*table, turn_of(0, 2, step, 20)));
      expect_taken(first);
    }
    EXPECT_EQ(hash_of(*table), one.hash) << name_of(one.optimizer) << one.row_steps;
  }
}

// As torch.set_flush_denormal() and the like leave it.
TEST(Tables, DoNotDependOnTheModeOfTheProcessor) {
  const auto one = make_table(options_of(Optimizer::kAdam));
  const auto other = make_table(options_of(Optimizer::kAdam));
  for (int64_t step = 1; step <= 40; ++step) {
    take(*one, turn_of(0, 1, step, 1));
    std::fesetround(FE_UPWARD);
    take(*other, turn_of(0, 1, step, 1));
    std::fesetround(FE_TONEAREST);
  }
  EXPECT_EQ(hash_of(*one), hash_of(*other));
}

// Of no table that fits into memory.
TEST(Tables, HaveNoRoomForTooManyRows) {
  const auto context = net::make_context(1);
  TableOptions options = options_of(Optimizer::kAdam);
  options.width = kMostWidth;
  for (const int64_t rows : {int64_t{1} << 43, INT64_MAX}) {
    auto made = RowTable::create(
        "x", options, rows, [](int64_t row) { return row; }, context->pool());
    EXPECT_EQ(made.status().code(), GLS_ERR_OUT_OF_MEMORY);
  }
}

TEST(Tables, DoNotDependOnWhoComesFirst) {
  const auto one = make_table(options_of(Optimizer::kAdam));
  const auto other = make_table(options_of(Optimizer::kAdam));
  for (int64_t step = 1; step <= 4; ++step) {
    for (const uint32_t rank : {0, 1, 2}) {
      take(*one, turn_of(rank, 3, step, 1));
      take(*other, turn_of(2 - rank, 3, step, 1));
    }
  }
  EXPECT_EQ(one->state().step, 4);
  EXPECT_EQ(hash_of(*one), hash_of(*other));
}

// ---- turns -------------------------------------------------------------------------------------

TEST(Tables, AStepThatWasTakenIsAnsweredAndNotTakenTwice) {
  const auto table = make_table(options_of(Optimizer::kAdagrad));
  const auto lost = take(*table, turn_of(0, 2, 1, 5));
  const auto again = take(*table, turn_of(0, 2, 1, 5));  // its connection was lost
  expect_waits(lost);
  expect_waits(again);
  EXPECT_EQ(table->state().missing, std::vector<uint32_t>{1});
  expect_taken(take(*table, turn_of(1, 2, 1, 6)));
  expect_taken(lost);
  expect_taken(again);
  const std::string hash = hash_of(*table);
  expect_taken(take(*table, turn_of(1, 2, 1, 6)));
  EXPECT_EQ(hash_of(*table), hash);
  EXPECT_EQ(table->state().step, 1);
  // Another who takes the same step is behind.
  expect_refused(take(*table, turn_of(1, 2, 1, 7)),
                 "step 1 is to be taken, and the table has taken 1");
  expect_refused(take(*table, turn_of(0, 2, 3, 5)), "it is to be loaded");
  expect_waits(take(*table, turn_of(0, 2, 2, 8)));
}

TEST(Tables, TurnsThatDoNotAgreeAreRefused) {
  const auto table = make_table(options_of(Optimizer::kSgd));
  const auto first = take(*table, turn_of(0, 3, 1, 1));
  Turn rate = turn_of(1, 3, 1, 1);
  rate.learning_rate = 0.5;
  expect_refused(take(*table, std::move(rate)), "learning_rate is 0.5, and that of rank 0 is 0.125",
                 GLS_ERR_INVALID_ARGUMENT);
  expect_refused(take(*table, turn_of(1, 2, 1, 1)), "world_size is 2, and that of rank 0 is 3",
                 GLS_ERR_INVALID_ARGUMENT);
  expect_refused(take(*table, turn_of(3, 3, 1, 1)), "rank is 3 of 3", GLS_ERR_INVALID_ARGUMENT);
  Turn unordered = turn_of(1, 3, 1, 1);
  std::swap(unordered.gradients.rows[0], unordered.gradients.rows[1]);
  expect_refused(take(*table, std::move(unordered)), "out of order", GLS_ERR_INVALID_ARGUMENT);
  Turn beyond = turn_of(1, 3, 1, 1);
  beyond.gradients.rows.back() = kRows;
  expect_refused(take(*table, std::move(beyond)), "out of order or range",
                 GLS_ERR_INVALID_ARGUMENT);
  expect_waits(first);
  const auto none = make_table(options_of(Optimizer::kNone));
  expect_refused(take(*none, turn_of(0, 1, 1, 1)), "no optimizer");
}

// Who was given up by all gives way to other trainers.
TEST(Tables, WhatNobodyWaitsForGivesWay) {
  const auto table = make_table(options_of(Optimizer::kSgd));
  bool gone = false;
  const auto left = take(*table, turn_of(2, 3, 1, 1), [&gone] { return gone; });
  expect_refused(take(*table, turn_of(0, 1, 1, 2)), "world_size", GLS_ERR_INVALID_ARGUMENT);
  gone = true;
  expect_taken(take(*table, turn_of(0, 1, 1, 2)));
  expect_refused(left, "another trainer came in its place");
}

TEST(Tables, ARankIsOfOneTrainer) {
  const auto table = make_table(options_of(Optimizer::kSgd));
  bool gone = false;
  const auto first = take(*table, turn_of(0, 2, 1, 1), [&gone] { return gone; });
  expect_refused(take(*table, turn_of(0, 2, 1, 2)), "two trainers have it",
                 GLS_ERR_INVALID_ARGUMENT);
  expect_waits(first);
  gone = true;  // it ended, and was started again
  const auto again = take(*table, turn_of(0, 2, 1, 2));
  expect_waits(again);
  expect_refused(first, "in its place");
  expect_taken(take(*table, turn_of(1, 2, 1, 3)));
  expect_taken(again);
}

TEST(Tables, WhatWasWithdrawnIsNotTaken) {
  const auto table = make_table(options_of(Optimizer::kSgd));
  const std::string hash = hash_of(*table);
  const auto left = take(*table, turn_of(0, 2, 1, 1));
  EXPECT_TRUE(table->withdraw(0, 1));
  expect_refused(left, "rank 0 gave it up");
  const auto other = take(*table, turn_of(1, 2, 1, 1));
  expect_waits(other);
  EXPECT_EQ(hash_of(*table), hash);
  expect_taken(take(*table, turn_of(0, 2, 1, 5)));
  expect_taken(other);
  EXPECT_FALSE(table->withdraw(0, 5));  // it was taken
  EXPECT_TRUE(table->withdraw(0, 1));
  expect_refused(wait(*table, 0, 1), "rank 0 is not here any more");
}

// Of a trainer that asks again and again, what it asked before is not kept.
TEST(Tables, WaitersThatAreGoneAreLetGo) {
  const auto table = make_table(options_of(Optimizer::kSgd));
  const auto kept = std::make_shared<int>(0);
  EXPECT_TRUE(table->come(turn_of(0, 2, 1, 1)).ok());
  for (int i = 0; i < 10; ++i) {
    table->wait(
        0, 1, [kept](const Status&) {}, [] { return true; });
  }
  EXPECT_LE(kept.use_count(), 2);
}

TEST(Tables, LoadsAreOverWhenAllHaveLoaded) {
  const auto table = make_table(options_of(Optimizer::kSgd));
  expect_refused(take(*table, load_of(1, 2, 40, 2)), "no load was begun");
  const auto step = take(*table, turn_of(0, 2, 1, 1));
  EXPECT_TRUE(table->begin_load(1).ok());
  expect_refused(step, "it is loaded by rank 1");  // steps give way to loads
  expect_refused(take(*table, turn_of(0, 2, 1, 1)), "was not loaded to the end");
  const auto load = take(*table, load_of(1, 2, 40, 2));
  EXPECT_TRUE(table->begin_load(0).ok());
  expect_waits(load);
  EXPECT_TRUE(table->state().loading);
  expect_refused(take(*table, load_of(0, 2, 30, 2)), "loads step 40");
  expect_refused(take(*table, load_of(0, 2, kMostSteps, 2)), "step is", GLS_ERR_INVALID_ARGUMENT);
  expect_taken(take(*table, load_of(0, 2, 40, 3)));
  expect_taken(load);
  EXPECT_EQ(table->state().step, 40);
  EXPECT_FALSE(table->state().loading);
  expect_taken(take(*table, load_of(1, 2, 40, 2)));  // asked again
  EXPECT_TRUE(table->state().missing.empty());
  expect_waits(take(*table, turn_of(0, 2, 41, 4)));
}

TEST(Tables, WhoWaitsIsToldOfTheEnd) {
  const auto table = make_table(options_of(Optimizer::kSgd));
  const auto waits = take(*table, turn_of(0, 2, 1, 1));
  table->close("it was dropped");
  expect_refused(waits, "it was dropped");
  expect_refused(take(*table, turn_of(1, 2, 1, 1)), "it was dropped");
  const std::vector<int64_t> rows = {0};
  float row[kWidth] = {};
  auto* const bytes = reinterpret_cast<std::byte*>(row);
  EXPECT_EQ(table->read(Array::kValues, span_of(rows), bytes).code(), GLS_ERR_INVALID_STATE);
  EXPECT_EQ(table->write(Array::kValues, span_of(rows), bytes).code(), GLS_ERR_INVALID_STATE);
  EXPECT_EQ(table->begin_load(0).code(), GLS_ERR_INVALID_STATE);
}

}  // namespace
}  // namespace gls::table

// ---- what clients say --------------------------------------------------------------------------

namespace gls {
namespace {

using cluster::TableRequest;
using cluster::TableWhat;

class TableServer : public testing::Test {
 protected:
  TableServer() {
    const std::string path = folder_.file("parts");
    test::cut_graph(*whole_, 2, path);
    auto partition = open_partition(path);
    EXPECT_TRUE(partition.ok());
    graph_ = cluster::graph_number((*partition)->file());
    auto dataset = open_dataset(context_, (*partition)->part_path(1), {});
    EXPECT_TRUE(dataset.ok());
    part_ = *LocalPart::create(dataset.take());
    service_ = std::make_shared<TableService>(context_, graph_, TableService::Parts{{1, part_}},
                                              uint64_t{1} << 20);
    EXPECT_TRUE(service_->add_to(functions_.get()).ok());
    const GlobalIds& ids = *part_->dataset().node_types()[0].whole;
    owned_ = {ids.whole_of(0), ids.whole_of(1), ids.whole_of(2)};
    while (ids.local_of_owned(foreign_) >= 0) {
      ++foreign_;
    }
  }
  ~TableServer() override {
    service_->close();
    functions_->close();
  }

  TableRequest request(TableWhat what) const {
    TableRequest out;
    out.graph = graph_;
    out.part = 1;
    out.what = what;
    out.name = "x";
    out.number = number_;
    out.world_size = 1;
    out.step = 1;
    return out;
  }
  TableRequest open_request() const {
    TableRequest out = request(TableWhat::kOpen);
    out.form = table::TableOptions();
    out.form->width = 2;
    out.form->optimizer = table::Optimizer::kSgd;
    return out;
  }

  struct Reply {
    Status failure;
    net::Message message;
  };
  Reply ask_bytes(const net::Message& message) {
    auto answered = std::make_shared<std::promise<net::Message>>();
    auto future = answered->get_future();
    group::FunctionCall::Origin origin;
    origin.caller = "test";
    origin.answer = [answered](net::Message reply) { answered->set_value(std::move(reply)); };
    origin.refuse = [](const Status& why) { FAIL() << why.message(); };
    functions_->call({cluster::kTableFunction, -1, 1, message.bytes()}, std::move(origin));
    Reply out;
    if (future.wait_for(std::chrono::seconds(20)) != std::future_status::ready) {
      ADD_FAILURE() << "there is no answer";
      return out;
    }
    out.message = future.get();
    EXPECT_TRUE(group::decode_reply(out.message.bytes(), &out.failure).ok());
    return out;
  }
  Reply ask(const TableRequest& request) {
    return ask_bytes(cluster::encode(context_->buffers(), request));
  }
  static uint64_t number_of(const Reply& opened) {
    Status failure;
    const auto bytes = group::decode_reply(opened.message.bytes(), &failure);
    const auto answer = cluster::decode_table_answer(*bytes);
    EXPECT_TRUE(answer.ok());
    return answer->number;
  }
  void open() {
    const Reply reply = ask(open_request());
    ASSERT_TRUE(reply.failure.ok()) << reply.failure.message();
    number_ = number_of(reply);
  }
  void expect_refused(const TableRequest& request, const std::string& words) {
    const Reply reply = ask(request);
    EXPECT_NE(reply.failure.message().find(words), std::string::npos)
        << "\"" << reply.failure.message() << "\", expected \"" << words << "\"";
  }

  std::shared_ptr<Context> context_ = net::make_context(2);
  test::TempFolder folder_;
  std::shared_ptr<const Dataset> whole_ = test::whole_graph(context_);
  std::shared_ptr<const LocalPart> part_;
  std::shared_ptr<TableService> service_;
  std::shared_ptr<group::FunctionTable> functions_ =
      std::make_shared<group::FunctionTable>(context_, 1, std::vector<uint32_t>{1});
  uint64_t graph_ = 0;
  uint64_t number_ = 0;
  std::vector<int64_t> owned_;
  int64_t foreign_ = 0;
};

TEST_F(TableServer, AnswersWhatIsRight) {
  open();
  std::vector<float> rows = {1, 2, 3, 4, 5, 6};
  TableRequest write = request(TableWhat::kWrite);
  write.ids = span_of(owned_);
  write.rows = std::as_bytes(std::span(rows));
  EXPECT_TRUE(ask(write).failure.ok());
  TableRequest step = write;
  step.what = TableWhat::kStep;
  step.learning_rate = 0.5;
  step.token = 9;
  EXPECT_TRUE(ask(step).failure.ok());
  EXPECT_TRUE(ask(step).failure.ok());  // asked again
  TableRequest read = request(TableWhat::kRead);
  read.ids = span_of(owned_);
  const Reply reply = ask(read);
  ASSERT_TRUE(reply.failure.ok()) << reply.failure.message();
  Status failure;
  const auto answer =
      cluster::decode_table_answer(*group::decode_reply(reply.message.bytes(), &failure));
  ASSERT_TRUE(answer.ok());
  ASSERT_EQ(answer->rows.size(), rows.size() * sizeof(float));
  std::vector<float> got(rows.size());
  std::memcpy(got.data(), answer->rows.data(), answer->rows.size());
  EXPECT_EQ(got, (std::vector<float>{0.5, 1, 1.5, 2, 2.5, 3}));
}

TEST_F(TableServer, RefusesWhatIsWrong) {
  expect_refused(request(TableWhat::kOpen), "there is none of this name");
  TableRequest bad = open_request();
  bad.graph ^= 1;
  expect_refused(bad, "another graph");
  bad = open_request();
  bad.part = 0;
  expect_refused(bad, "part 0 is not served here");
  bad = open_request();
  bad.type = 2;
  expect_refused(bad, "type number 2");
  bad = open_request();
  bad.name = "";
  expect_refused(bad, "name \"\" is empty");
  bad = open_request();
  bad.name = "a\nb";
  expect_refused(bad, "contains a control character");
  bad = open_request();
  bad.form->width = int64_t{1} << 19;
  expect_refused(bad, "are left for tables");
  bad.form->width = int64_t{1} << 40;
  expect_refused(bad, "width is");
  bad.form->width = -1;
  expect_refused(bad, "width is -1");
  open();
  TableRequest read = request(TableWhat::kRead);
  read.ids = span_of(owned_);
  bad = read;
  bad.number ^= 1;
  expect_refused(bad, "it is not there any more");
  bad = read;
  bad.array = table::Array::kSecond;
  expect_refused(bad, "it has no array 2");
  const std::vector<int64_t> foreign = {foreign_};
  bad = read;
  bad.ids = span_of(foreign);
  expect_refused(bad, "is not of this part");
  for (const int64_t id : {int64_t{-1}, test::kUsers, INT64_MAX, INT64_MIN}) {
    const std::vector<int64_t> outside = {id};
    bad.ids = span_of(outside);
    expect_refused(bad, "expected 0 to");
  }
  const std::vector<float> short_rows(5);
  bad = read;
  bad.what = TableWhat::kWrite;
  bad.rows = std::as_bytes(std::span(short_rows));
  expect_refused(bad, "3 rows of 8 bytes are 20 bytes");
  bad.what = TableWhat::kStep;
  expect_refused(bad, "3 rows of 8 bytes are 20 bytes");
  const std::vector<float> rows(6);
  const std::vector<int32_t> counts = {1, 0, 1};
  bad.rows = std::as_bytes(std::span(rows));
  bad.counts = counts.data();
  expect_refused(bad, "counts are of means");
  TableRequest means = open_request();
  means.name = "means";
  means.form->mean = true;
  TableRequest of_means = bad;
  of_means.name = "means";
  of_means.number = number_of(ask(means));
  expect_refused(of_means, "0 gradients are summed");
  bad.counts = nullptr;
  const std::vector<int64_t> twice = {owned_[0], owned_[0], owned_[1]};
  bad.ids = span_of(twice);
  expect_refused(bad, "out of order");
  bad.ids = span_of(owned_);
  bad.world_size = 0;
  expect_refused(bad, "rank is 0 of 0");
  bad.world_size = UINT32_MAX;
  expect_refused(bad, "expected fewer than");
  bad = read;
  bad.what = TableWhat::kWait;
  expect_refused(bad, "rank 0 is not here any more");
  // A few ids of long rows are a long answer.
  TableRequest wide = open_request();
  wide.name = "wide";
  wide.form->width = 100;
  const Reply opened = ask(wide);
  ASSERT_TRUE(opened.failure.ok()) << opened.failure.message();
  bad.number = number_of(opened);
  bad.what = TableWhat::kRead;
  bad.name = "wide";
  const std::vector<int64_t> many(1 << 20, owned_[0]);
  bad.ids = span_of(many);
  expect_refused(bad, "more than one answer has");
}

// What waits is counted, too, for as long as it waits.
TEST_F(TableServer, HasRoomForSoManyGradients) {
  const GlobalIds& ids = *part_->dataset().node_types()[0].whole;
  std::vector<int64_t> all;
  for (int64_t row = 0; row < ids.owned(); ++row) {
    all.push_back(ids.whole_of(row));
  }
  // The table has 0.4 of 1 MiB, and so have the gradients of a trainer.
  TableRequest made = open_request();
  made.form->width = 400 * 1024 / 4 / ids.owned();
  const Reply opened = ask(made);
  ASSERT_TRUE(opened.failure.ok()) << opened.failure.message();
  number_ = number_of(opened);
  const std::vector<float> rows(all.size() * static_cast<size_t>(made.form->width));
  TableRequest step = request(TableWhat::kStep);
  step.world_size = 3;
  step.ids = span_of(all);
  step.rows = std::as_bytes(std::span(rows));
  ASSERT_TRUE(ask(step).failure.ok());
  step.rank = 1;
  EXPECT_EQ(ask(step).failure.code(), GLS_ERR_OUT_OF_MEMORY);
  TableRequest withdraw = step;
  withdraw.what = TableWhat::kWithdraw;
  withdraw.rank = 0;
  withdraw.ids = {};
  withdraw.rows = {};
  ASSERT_TRUE(ask(withdraw).failure.ok());
  EXPECT_TRUE(ask(step).failure.ok());
}

// No bytes make it anything but answer; those of a request with some of them changed come far.
TEST_F(TableServer, AnswersAnyBytes) {
  open();
  std::vector<float> rows = {1, 2, 3, 4, 5, 6};
  TableRequest write = request(TableWhat::kWrite);
  write.ids = span_of(owned_);
  write.rows = std::as_bytes(std::span(rows));
  for (const TableRequest& asked : {open_request(), write}) {
    const net::Message right = cluster::encode(context_->buffers(), asked);
    for (size_t at = 0; at < right.bytes().size(); ++at) {
      for (const unsigned change : {0x01U, 0x80U, 0xffU}) {
        net::Message changed = net::Message::copied(context_->buffers(), right.bytes());
        changed.data()[at] ^= std::byte{static_cast<uint8_t>(change)};
        ask_bytes(changed);
      }
    }
    for (size_t size = 0; size < right.bytes().size(); size += 3) {
      ask_bytes(net::Message::copied(context_->buffers(), right.bytes().subspan(0, size)));
    }
  }
}

// Names of the library's own are nobody else's.
TEST(TableFunction, IsNotAFunctionOfUsers) {
  const auto functions =
      std::make_shared<group::FunctionTable>(net::make_context(1), 1, std::vector<uint32_t>());
  const auto nothing = [](gls_call_t*, void*) {};
  const Status status = functions->add("gls.mine", nothing, nullptr, nullptr);
  EXPECT_EQ(status.code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_TRUE(status.has("argument", "name"));
  functions->close();
}

}  // namespace
}  // namespace gls
