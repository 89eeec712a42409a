// A connection alone, with a host and a stream that do as the test says.
#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "net/connection/connection.h"
#include "net_support.h"

namespace gls::net {
namespace {

class SilentStream final : public Stream {
 public:
  void start() noexcept override {}
  void wake() noexcept override {}
  void write() noexcept override {}
  void close() noexcept override {}
  void release() noexcept override {}
};

// Notes what it is told, and waits where the test says so.
class SlowHost final : public ConnectionHost {
 public:
  const Limits& limits() const override { return limits_; }
  const Hello& hello() const override { return hello_; }
  const Handlers& handlers() const override { return handlers_; }
  const std::shared_ptr<BufferPool>& buffers() const override { return context_->buffers(); }
  const std::shared_ptr<AllQueues>& queues() const override { return queues_; }
  Result<Bytes> share(const std::shared_ptr<const void>& /*owner*/,
                      std::span<const std::byte> /*memory*/) override {
    return invalid("nothing is shared here");
  }
  Status admit(Connection& /*connection*/, const Hello& /*theirs*/) override { return {}; }
  void is_up(Connection& /*connection*/) override {}
  void is_lost(Connection& /*connection*/, const Status& /*why*/) override {
    losing_.set_value();
    go_on_.get_future().wait();
    note("lost");
  }
  void gone(Connection& /*connection*/) override { note("gone"); }
  void run(std::shared_ptr<Connection> /*connection*/, std::function<void()> task) override {
    task();
  }
  void look_at(uint64_t /*time_ns*/) override {}

  void note(const std::string& what) {
    const std::lock_guard lock(mutex_);
    told_.push_back(what);
  }
  std::vector<std::string> told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }

  std::promise<void> losing_;
  std::promise<void> go_on_;

 private:
  const std::shared_ptr<Context> context_ = make_context(1);
  const std::shared_ptr<AllQueues> queues_ = std::make_shared<AllQueues>();
  Limits limits_;
  Hello hello_;
  Handlers handlers_;
  std::mutex mutex_;
  std::vector<std::string> told_;
};

// A host that has forgotten the connection could tell nobody that it is lost.
TEST(NetConnection, IsLostBeforeItIsGone) {
  SlowHost host;
  SilentStream stream;
  const auto connection = std::make_shared<Connection>(host, false, "somewhere");
  connection->attach(&stream);
  std::thread fails([&] { connection->fail(error(GLS_ERR_IO, "the test says so")); });
  host.losing_.get_future().wait();
  std::thread ends([&] { connection->closed(GLS_ERR_IO, "it ended"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // most likely it waits now
  EXPECT_TRUE(host.told().empty());
  host.go_on_.set_value();
  fails.join();
  ends.join();
  EXPECT_EQ(host.told(), (std::vector<std::string>{"lost", "gone"}));
}

TEST(QueuedBytes, ShareWhatAllMayHave) {
  Limits limits;
  limits.max_queued_bytes = 50;
  limits.max_all_queued_bytes = 90;
  limits.max_running = 8;
  const auto all = std::make_shared<AllQueues>();
  {
    QueuedBytes one(all);
    QueuedBytes other(all);
    QueuedBytes idle(all);
    one.add(50);
    EXPECT_EQ(one.most_running(limits), 8U);
    one.add(1);
    EXPECT_EQ(one.most_running(limits), 0U);  // alone
    other.add(39);
    EXPECT_EQ(other.most_running(limits), 8U);  // all have 90
    other.add(1);
    one.remove(5);
    idle.add(5);
    EXPECT_EQ(all->bytes, 91U);
    EXPECT_EQ(all->queues, 3U);
    EXPECT_EQ(one.most_running(limits), 0U);  // 46 of a share of 30
    EXPECT_EQ(other.most_running(limits), 0U);
    EXPECT_EQ(idle.most_running(limits), 1U);
    idle.remove(5);
    EXPECT_EQ(all->queues, 2U);
    EXPECT_EQ(one.most_running(limits), 8U);  // all have 86
    one.remove(46);
    one.add(0);
    EXPECT_EQ(all->queues, 1U);
  }
  EXPECT_EQ(all->bytes, 0U);
  EXPECT_EQ(all->queues, 0U);
}

}  // namespace
}  // namespace gls::net
