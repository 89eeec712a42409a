// Processes of a machine whose devices divide the rows of columns: this program starts itself
// several times. On the emulated runtime each has a device of its own; where there are fewer GPUs
// than processes, these share them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>

#include "device/peer/peer_link.h"
#include "feature/device_columns.h"
#include "shop_graph.h"
#include "test_device.h"

namespace gls::test {
namespace {

using std::chrono::milliseconds;

// ---- one of the processes ----------------------------------------------------------------------

struct Peer {
  uint32_t rank = 0;
  uint32_t size = 0;
  std::string job;
  std::shared_ptr<const Sampler> sampler;
  LoaderOptions options;  // with the device

  explicit Peer(const char* room = "15000") {
    rank = static_cast<uint32_t>(std::atoi(std::getenv("GLS_TEST_PEER_RANK")));
    size = static_cast<uint32_t>(std::atoi(std::getenv("GLS_TEST_PEER_SIZE")));
    job = std::getenv("GLS_TEST_PEER_JOB");
    sampler = make_sampler(shop(context(room)), true);
    options = options_for(*sampler);
    options.place = {rank, size, job, ""};
    options.device = open_device(static_cast<int32_t>(rank) % std::max(Device::count(), 1));
  }
  static std::shared_ptr<Context> context(const char* room) {
    const auto out = make_context();
    EXPECT_TRUE(out->set("device.group", "local").ok());
    EXPECT_TRUE(out->set("device.column_memory", room).ok());
    EXPECT_TRUE(out->set("device.group_timeout_ms", std::getenv("GLS_TEST_PEER_TIMEOUT")).ok());
    return out;
  }
  Result<std::shared_ptr<Loader>> loader() const {
    return Loader::create(sampler, Tensor(), options);
  }
  LoaderOptions plain() const {  // of the host
    LoaderOptions out = options;
    out.device = nullptr;
    return out;
  }
  // An error of making a loader.
  void expect_error(gls_status_t code, const std::string& text) const {
    auto made = loader();
    ASSERT_FALSE(made.ok()) << "rank " << rank;
    EXPECT_EQ(made.status().code(), code) << made.status().message();
    EXPECT_NE(made.status().message().find(text), std::string::npos) << made.status().message();
    EXPECT_FALSE(loader().ok());  // again, at once
  }
};

void epochs() {
  for (const char* const room : {"15000", "3000", "4000000"}) {  // after each other, too
    Peer peer(room);
    LoaderStats stats;
    compare_epochs(peer.sampler, peer.plain(), peer.options.device, {}, &stats);
    if (std::string(room) == "4000000") {
      EXPECT_EQ(stats.tiers.device, all_rows(stats.tiers));
    } else {
      EXPECT_GT(stats.tiers.peers, 0u);
      EXPECT_GT(stats.tiers.device, 0u);
    }
    EXPECT_EQ(all_rows(stats.tiers), stats.gathered_rows);
  }
}

// Two datasets of the same kind, of which the second is opened while the first is there.
void two_datasets() {
  Peer first;
  Peer second;
  const auto one = first.loader().take();
  const auto other = second.loader().take();
  const auto a = copy_to_host(*one->sample(0, 1).take()).take();
  const auto b = copy_to_host(*other->sample(0, 1).take()).take();
  expect_same(*a, *b);
}

// Rank 1 lets go at once, and its memory stays while rank 0 reads it.
void one_leaves_early() {
  Peer peer;
  const auto here = Loader::create(peer.sampler, Tensor(), peer.plain()).take();
  const auto there = peer.loader().take();
  if (peer.rank == 1) {
    return;
  }
  std::this_thread::sleep_for(milliseconds(300));
  for (uint64_t number = 0; number < 4; ++number) {
    auto batch = there->sample(0, number);
    ASSERT_TRUE(batch.ok()) << batch.status().message();
    expect_same(*here->sample(0, number).take(), *copy_to_host(**batch).take());
  }
}

// Rank 1 waits no longer than it was told, and then ends.
void one_does_not_wait() {
  Peer peer;
  const auto there = peer.loader().take();
  if (peer.rank == 1) {
    return;
  }
  std::this_thread::sleep_for(milliseconds(2000));
  auto batch = there->sample(0, 0);
  ASSERT_FALSE(batch.ok());
  EXPECT_NE(batch.status().message().find("local rank 1"), std::string::npos);
}

void one_dies() {
  Peer peer;
  const auto there = peer.loader().take();
  if (peer.rank == 1) {
    EXPECT_TRUE(there->sample(0, 0).ok());
    kill(getpid(), SIGKILL);
  }
  Status status;
  for (int i = 0; i < 1000 && status.ok(); ++i) {
    auto batch = there->sample(0, 0);
    status = batch.ok() ? Status() : std::move(batch.status());
    std::this_thread::sleep_for(milliseconds(10));
  }
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), GLS_ERR_IO) << status.message();
  EXPECT_NE(status.message().find("local rank 1 (pid "), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("is gone"), std::string::npos) << status.message();
}

void one_does_not_come() {
  if (std::string(std::getenv("GLS_TEST_PEER_RANK")) != "1") {
    Peer().expect_error(GLS_ERR_TIMED_OUT, "those of local rank 1 did not come");
  }
}

void one_makes_no_loader_of_that() {
  Peer peer;
  peer.options.columns.resize(1);
  auto first = peer.loader();
  ASSERT_TRUE(first.ok()) << first.status().message();
  if (peer.rank == 0) {
    peer.options.columns = {options_for(*peer.sampler).columns[1]};
    auto second = peer.loader();
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.status().code(), GLS_ERR_TIMED_OUT) << second.status().message();
    EXPECT_NE(second.status().message().find("local rank 1 (pid "), std::string::npos)
        << second.status().message();
    EXPECT_TRUE((*first)->sample(0, 0).ok());  // goes on
  } else {
    std::this_thread::sleep_for(milliseconds(1500));
  }
}

void other_order() {
  Peer peer;
  if (peer.rank == 1) {
    std::reverse(peer.options.columns.begin(), peer.options.columns.end());
  }
  peer.expect_error(GLS_ERR_INVALID_STATE, "made in the same order");
}

// Rank 1 takes longer than the others wait, and says that it is at work; then it says nothing.
void one_is_slow() {
  PeerLink::Options options;
  options.name = std::string("slow ") + std::getenv("GLS_TEST_PEER_JOB");
  options.rank = static_cast<uint32_t>(std::atoi(std::getenv("GLS_TEST_PEER_RANK")));
  options.size = static_cast<uint32_t>(std::atoi(std::getenv("GLS_TEST_PEER_SIZE")));
  options.timeout_ms = std::atoi(std::getenv("GLS_TEST_PEER_TIMEOUT"));
  options.context = make_context();
  const uint32_t rank = options.rank;
  const milliseconds longer(2 * options.timeout_ms);
  const auto link = PeerLink::join(std::move(options)).take();
  for (const bool says : {true, false}) {
    if (rank == 1) {
      const PeerLink::AtWork at_work(says ? link.get() : nullptr);
      std::this_thread::sleep_for(longer);
    }
    auto all = link->exchange(std::to_string(rank));
    if (says) {
      ASSERT_TRUE(all.ok()) << all.status().message();
      EXPECT_EQ(*all, (std::vector<std::string>{"0", "1", "2"}));
    } else if (rank != 1) {
      EXPECT_EQ(all.status().code(), GLS_ERR_TIMED_OUT);
    }
  }
}

// It cannot read memory of rank 0; both say so.
void one_reaches_nobody() {
  if (std::string(std::getenv("GLS_TEST_PEER_RANK")) == "1") {
    setenv("CUDA_ON_HOST_NO_PEERS", "1", 1);
    Peer().expect_error(GLS_ERR_UNSUPPORTED, "memory of the GPU of the process of local rank 0");
  } else {
    Peer().expect_error(GLS_ERR_UNSUPPORTED, "the process of local rank 1");
  }
}

void same_rank() {
  setenv("GLS_TEST_PEER_RANK", "0", 1);
  Peer peer;
  auto made = peer.loader();
  ASSERT_FALSE(made.ok());
  EXPECT_TRUE(made.status().code() == GLS_ERR_IO || made.status().code() == GLS_ERR_TIMED_OUT);
}

void other_size() {
  if (std::string(std::getenv("GLS_TEST_PEER_RANK")) == "1") {
    setenv("GLS_TEST_PEER_SIZE", "3", 1);
  }
  Peer().expect_error(GLS_ERR_INVALID_STATE, "of local rank");
}

const std::map<std::string, void (*)()>& roles() {
  static const std::map<std::string, void (*)()> all = {
      {"epochs", epochs},
      {"two_datasets", two_datasets},
      {"one_leaves_early", one_leaves_early},
      {"one_does_not_wait", one_does_not_wait},
      {"one_is_slow", one_is_slow},
      {"one_dies", one_dies},
      {"one_does_not_come", one_does_not_come},
      {"one_makes_no_loader_of_that", one_makes_no_loader_of_that},
      {"other_order", other_order},
      {"one_reaches_nobody", one_reaches_nobody},
      {"same_rank", same_rank},
      {"other_size", other_size},
  };
  return all;
}

// ---- all of them -------------------------------------------------------------------------------

pid_t start_peer(const char* role, uint32_t rank, uint32_t size, int timeout_ms) {
  const pid_t pid = fork();
  if (pid == 0) {
    setenv("GLS_TEST_PEER", role, 1);
    setenv("GLS_TEST_PEER_RANK", std::to_string(rank).c_str(), 1);
    setenv("GLS_TEST_PEER_SIZE", std::to_string(size).c_str(), 1);
    setenv("GLS_TEST_PEER_JOB", std::to_string(getppid()).c_str(), 1);
    setenv("GLS_TEST_PEER_TIMEOUT", std::to_string(timeout_ms).c_str(), 1);
    setenv("CUDA_ON_HOST_PROTECT", "1", 1);
    setenv("CUDA_ON_HOST_DEVICES", std::to_string(size).c_str(), 1);
    setenv("CUDA_ON_HOST_MEMORY", "67108864", 1);
    char name[] = "device_peers_test";
    char* const arguments[] = {name, nullptr};
    execv("/proc/self/exe", arguments);
    _exit(127);
  }
  return pid;
}

// How each ended: its exit status, or minus the signal.
std::vector<int> run_peers(const char* role, uint32_t size, int timeout_ms = 60000) {
  std::vector<pid_t> all;
  for (uint32_t rank = 0; rank < size; ++rank) {
    all.push_back(start_peer(role, rank, size, timeout_ms));
  }
  std::vector<int> out;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(200);
  for (const pid_t pid : all) {
    int status = 0;
    while (waitpid(pid, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) {
        kill(pid, SIGKILL);
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
    out.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
  }
  return out;
}

class DevicePeers : public testing::Test {
 protected:
  static void SetUpTestSuite() { choose_device_plugin(); }
  void SetUp() override { GLS_NEEDS_DEVICE(); }
};

TEST_F(DevicePeers, GiveTheSameBatches) {
  EXPECT_EQ(run_peers("epochs", 2), (std::vector<int>{0, 0}));
  EXPECT_EQ(run_peers("epochs", 3), (std::vector<int>{0, 0, 0}));
}

TEST_F(DevicePeers, OfTwoDatasetsDoNotMeet) {
  EXPECT_EQ(run_peers("two_datasets", 2), (std::vector<int>{0, 0}));
}

// The emulated runtime ends a process that gives back what another has opened.
TEST_F(DevicePeers, KeepWhatOthersRead) {
  EXPECT_EQ(run_peers("one_leaves_early", 3), (std::vector<int>{0, 0, 0}));
}

TEST_F(DevicePeers, WaitOnlySoLong) {
  EXPECT_EQ(run_peers("one_does_not_wait", 2, 500), (std::vector<int>{0, 0}));
}

TEST_F(DevicePeers, WaitForWhoIsAtWork) {
  EXPECT_EQ(run_peers("one_is_slow", 3, 2000), (std::vector<int>{0, 0, 0}));
}

TEST_F(DevicePeers, SayWhoIsLost) {
  EXPECT_EQ(run_peers("one_dies", 3), (std::vector<int>{0, -SIGKILL, 0}));
}

TEST_F(DevicePeers, SayWhoDidNotCome) {
  EXPECT_EQ(run_peers("one_does_not_come", 3, 1000), (std::vector<int>{0, 0, 0}));
}

TEST_F(DevicePeers, SayWhoDoesNotAnswer) {
  EXPECT_EQ(run_peers("one_makes_no_loader_of_that", 2, 700), (std::vector<int>{0, 0}));
}

TEST_F(DevicePeers, SayThatTheyDoNotDoTheSame) {
  EXPECT_EQ(run_peers("other_order", 2), (std::vector<int>{0, 0}));
  EXPECT_EQ(run_peers("other_size", 2), (std::vector<int>{0, 0}));
  EXPECT_EQ(run_peers("same_rank", 2, 1000), (std::vector<int>{0, 0}));
}

TEST_F(DevicePeers, SayThatOneReachesNobody) {
  if (on_gpu()) {
    GTEST_SKIP() << "GPUs that do not reach each other are for the emulated runtime alone";
  }
  EXPECT_EQ(run_peers("one_reaches_nobody", 2), (std::vector<int>{0, 0}));
}

}  // namespace
}  // namespace gls::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* const role = std::getenv("GLS_TEST_PEER");
  if (role == nullptr) {
    return RUN_ALL_TESTS();
  }
  gls::test::choose_device_plugin();
  const auto found = gls::test::roles().find(role);
  if (found == gls::test::roles().end()) {
    return 126;
  }
  found->second();
  return testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed() ? 1 : 0;
}
