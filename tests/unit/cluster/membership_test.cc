// Servers of a graph that is open, which come back at other addresses, and new ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "batch_servers.h"
#include "cluster/server/server_list.h"

namespace gls::test {
namespace {

using cluster::Kind;

// A context that keeps the warnings of rooms above the network.
class Heard {
 public:
  Heard() : context_(Context::create({2, GLS_LOG_WARN}, hear, this, nullptr).take()) {}
  const std::shared_ptr<Context>& context() const { return context_; }
  size_t count(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    return static_cast<size_t>(std::count_if(lines_.begin(), lines_.end(), [&](const auto& line) {
      return line.find(text) != std::string::npos;
    }));
  }
  bool comes(const std::string& text) const {
    return net::eventually([&] { return count(text) > 0; }, 20000);
  }

 private:
  static void hear(void* data, int32_t, const char* component, const char* text) {
    auto* const self = static_cast<Heard*>(data);
    const std::lock_guard lock(self->mutex_);
    if (std::string(component) == "cluster") {
      self->lines_.emplace_back(text);
    }
  }
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  const std::shared_ptr<Context> context_;
};

std::shared_ptr<const Dataset> open_at(const Heard& heard, const std::string& addresses,
                                       const std::string& way) {
  RemoteGraphOptions options;
  options.transport = net::options_for(way).transport;
  options.timeout_ms = 20000;
  options.part.timeout_ms = 20000;
  auto served = open_served(heard.context(), "gls://" + addresses, options);
  EXPECT_TRUE(served.ok()) << served.status().message();
  return served.take();
}

// Batches of a graph that is served, beside those of the whole.
struct Epoch {
  Epoch(const CutGraph& graph, const std::shared_ptr<const Dataset>& served,
        bool by_servers = false, uint64_t seed = 5)
      : load{[seed](SamplerOptions* options) { options->seed = seed; }},
        expected(make_loader(graph.whole, load, false)),
        loader(make_loader(served, load, by_servers)) {}
  void some(int batches = 2) const {
    for (int i = 0; i < batches; ++i) {
      ASSERT_NO_FATAL_FAILURE(expect_same_batch(*expected, *loader));
    }
  }
  // And all that are left.
  void rest() const {
    for (;;) {
      std::shared_ptr<Batch> one;
      std::shared_ptr<Batch> other;
      auto first = expected->next(30000, &one);
      auto second = loader->next(30000, &other);
      ASSERT_TRUE(first.ok() && second.ok()) << second.status().message();
      ASSERT_EQ(*first, *second);
      if (*first != BatchSource::Next::kBatch) {
        break;
      }
      expect_same(*one, *other);
    }
  }
  const Load load;
  const std::shared_ptr<Loader> expected;
  const std::shared_ptr<Loader> loader;
};

class ServedFollowed : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<GraphServer> serve(std::vector<uint32_t> parts,
                                     std::vector<std::string> servers = {}) const {
    return start(graph, server_options(GetParam(), std::move(parts), std::move(servers)));
  }
  const CutGraph& graph = CutGraph::of(2);
};

// Whichever of the two the client asks just now.
TEST_P(ServedFollowed, AReplicaIsFoundAtAnotherAddress) {
  Heard heard;
  auto one = serve({});
  auto two = serve({}, {one->address()});
  const auto served = open_at(heard, one->address() + "," + two->address(), GetParam());
  const Epoch epoch(graph, served);
  ASSERT_NO_FATAL_FAILURE(epoch.some());
  two.reset();
  const auto three = serve({}, {one->address()});
  EXPECT_TRUE(heard.comes(three->address() + " serves part 0, 1 now"));
  ASSERT_NO_FATAL_FAILURE(epoch.some());
  one.reset();
  ASSERT_NO_FATAL_FAILURE(epoch.some());
  const Epoch later(graph, served, false, 6);  // samplers that were opened at none of the others
  ASSERT_NO_FATAL_FAILURE(later.some());
  ASSERT_NO_FATAL_FAILURE(epoch.rest());
  EXPECT_EQ(epoch.expected->save(), epoch.loader->save());
  EXPECT_EQ(heard.count("may be asked"), 1U);
}

// While all is well it is said by the one that it knows.
TEST_P(ServedFollowed, AServerThatIsAddedIsFound) {
  Heard heard;
  auto one = serve({});
  const auto served = open_at(heard, one->address(), GetParam());
  const Epoch epoch(graph, served);
  ASSERT_NO_FATAL_FAILURE(epoch.some());
  const auto two = serve({0}, {one->address()});
  const auto three = serve({1}, {one->address()});
  EXPECT_TRUE(heard.comes(two->address() + " serves part 0 now"));
  EXPECT_TRUE(heard.comes(three->address() + " serves part 1 now"));
  one.reset();
  ASSERT_NO_FATAL_FAILURE(epoch.rest());
}

// Questions wait until it is there.
TEST_P(ServedFollowed, TheOnlyServerOfAPartIsFoundAtAnotherAddress) {
  Heard heard;
  const auto one = serve({0});
  auto two = serve({1}, {one->address()});
  const auto served = open_at(heard, one->address() + "," + two->address(), GetParam());
  const Epoch epoch(graph, served);
  ASSERT_NO_FATAL_FAILURE(epoch.some());
  for (int moved = 0; moved < 2; ++moved) {
    two.reset();
    std::thread late([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      two = serve({1}, {one->address()});
    });
    epoch.some(4);
    late.join();
    ASSERT_FALSE(HasFatalFailure());
  }
  const std::vector<int64_t> ids = {0, 5, 7};
  auto rows = served->source()->ask_rows({true, 0, 1, span_of(ids), kFloat32}, 3, {})();
  EXPECT_TRUE(rows.ok()) << rows.status().message();
}

// Whoever has the address now has other parts, or another graph.
TEST_P(ServedFollowed, WhoIsAtAnAddressIsLookedAtAgain) {
  Heard heard;
  auto one = serve({});
  auto two = serve({}, {one->address()});
  const auto served = open_at(heard, one->address() + "," + two->address(), GetParam());
  const Epoch epoch(graph, served);
  ASSERT_NO_FATAL_FAILURE(epoch.some());
  const std::string first = one->address();
  GraphServerOptions less = server_options(GetParam(), {0}, {one->address()});
  less.listen = two->address();
  two.reset();
  two = start(graph, less);
  ASSERT_NO_FATAL_FAILURE(epoch.some());
  one.reset();
  const auto three = serve({1}, {two->address()});
  ASSERT_NO_FATAL_FAILURE(epoch.some(4));
  EXPECT_TRUE(heard.comes(three->address() + " serves part 1 now"));

  GraphServerOptions other = server_options(GetParam());
  other.listen = first;
  const auto stranger = start(CutGraph::of(3), other);
  EXPECT_TRUE(heard.comes(first + " serves partition"));
  ASSERT_NO_FATAL_FAILURE(epoch.rest());
}

// A server that makes batches asks others, of which one moves.
TEST_P(ServedFollowed, ServersThatMakeBatchesFollowEachOther) {
  Heard heard;
  const auto one = serve({0});
  auto two = serve({1}, {one->address()});
  const auto served = open_at(heard, one->address() + "," + two->address(), GetParam());
  const Epoch epoch(graph, served, true);
  ASSERT_NO_FATAL_FAILURE(epoch.some());
  two.reset();
  two = serve({1}, {one->address()});
  ASSERT_NO_FATAL_FAILURE(epoch.rest());
  const Epoch later(graph, served, true, 6);
  ASSERT_NO_FATAL_FAILURE(later.rest());
}

// Each of those that a loader began with is gone in the end.
TEST_P(ServedFollowed, ServersThatMakeBatchesAreReplaced) {
  Heard heard;
  auto one = serve({});
  auto two = serve({}, {one->address()});
  const auto served = open_at(heard, one->address() + "," + two->address(), GetParam());
  const Epoch epoch(graph, served, true);
  ASSERT_NO_FATAL_FAILURE(epoch.some());
  two.reset();
  two = serve({}, {one->address()});
  EXPECT_TRUE(heard.comes(two->address() + " serves part 0, 1 now"));
  one.reset();
  ASSERT_NO_FATAL_FAILURE(epoch.some(1));
  one = serve({}, {two->address()});
  EXPECT_TRUE(heard.comes(one->address() + " serves part 0, 1 now"));
  two.reset();
  ASSERT_NO_FATAL_FAILURE(epoch.rest());
  const Epoch later(graph, served, true, 6);
  ASSERT_NO_FATAL_FAILURE(later.rest());
}

INSTANTIATE_TEST_SUITE_P(Ways, ServedFollowed, testing::Values("self", "key"),
                         [](const auto& way) { return way.param; });

// ---- what is asked ----

// Servers whose questions about others are counted.
struct Counted {
  explicit Counted(std::vector<size_t> parts)
      : server(
            CutGraph::of(2), std::move(parts), "self", "127.0.0.1:0",
            [this](net::Handlers* handlers) {
              (*handlers)[static_cast<uint16_t>(Kind::kServers)] =
                  [this](const net::Request& request) {
                    ++asked;
                    request.answer(cluster::encode_servers(context_of()->buffers(), answer_with()));
                  };
            }) {}
  std::vector<std::string> answer_with() {
    const std::lock_guard lock(mutex);
    return named;
  }
  void name(std::vector<std::string> addresses) {
    const std::lock_guard lock(mutex);
    named = std::move(addresses);
  }
  std::mutex mutex;
  std::vector<std::string> named;
  std::atomic<int> asked = 0;
  Server server;  // last: it uses the rest
};

TEST(ServedFollowedQuestions, AreAskedWhileSomebodyIsLost) {
  Heard heard;
  Counted one({0, 1});
  auto two = std::make_unique<Server>(CutGraph::of(2), std::vector<size_t>{0, 1}, "self");
  const std::string gone = two->address();
  const auto served = open_at(heard, one.server.address() + "," + gone, "self");
  const Epoch epoch(CutGraph::of(2), served);
  ASSERT_NO_FATAL_FAILURE(epoch.some(4));
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  EXPECT_EQ(one.asked, 0);

  // Names that lead nowhere, and one of itself.
  one.name({"127.0.0.1:1", "nowhere", one.server.address()});
  two.reset();
  ASSERT_TRUE(net::eventually([&] { return one.asked > 1; }));
  ASSERT_NO_FATAL_FAILURE(epoch.some());

  // It is back, and was asked, too; then nobody is.
  two = std::make_unique<Server>(CutGraph::of(2), std::vector<size_t>{0, 1}, "self", gone);
  const auto is_quiet = [&] {
    const int before = one.asked;
    std::this_thread::sleep_for(std::chrono::milliseconds(6000));  // longer than any pause
    return one.asked == before;
  };
  EXPECT_TRUE(net::eventually(is_quiet, 60000));
  ASSERT_NO_FATAL_FAILURE(epoch.rest());
}

// ---- lists of servers ----

struct Listed {
  std::shared_ptr<BufferPool> pool = context_of()->buffers();
  std::vector<std::string> last;
  std::shared_ptr<ServerList> list =
      std::make_shared<ServerList>(pool, 7, std::vector<std::string>{"a:1"},
                                   [this](const ServerList::Addresses& all) { last = all; });
  // Places in memory that stand for connections.
  std::vector<char> connections = std::vector<char>(ServerList::kMostThatSaySo + 1);

  Result<std::vector<std::string>> say(size_t from, const std::string& address,
                                       const std::string& seen = "10.0.0.9:5555",
                                       uint64_t graph = 7) {
    const auto request = cluster::encode(pool, cluster::ServersRequest{graph, address});
    GLS_ASSIGN(const net::Message reply, list->answer(request.bytes(), connection(from), seen));
    return cluster::decode_servers(reply.bytes());
  }
  const net::Connection* connection(size_t number) const {
    return reinterpret_cast<const net::Connection*>(&connections[number]);
  }
};

using Addresses = std::vector<std::string>;

TEST(ServerList, NamesThoseWhoAreConnected) {
  Listed listed;
  EXPECT_EQ(listed.last, Addresses({"a:1"}));
  EXPECT_EQ(*listed.say(0, ""), Addresses({"a:1"}));
  EXPECT_EQ(*listed.say(0, "b:2"), Addresses({"a:1", "b:2"}));
  EXPECT_EQ(*listed.say(1, "0.0.0.0:3"), Addresses({"a:1", "b:2", "10.0.0.9:3"}));
  EXPECT_EQ(*listed.say(2, "[::]:4", "[fd00::1]:5"),
            Addresses({"a:1", "b:2", "10.0.0.9:3", "[fd00::1]:4"}));
  EXPECT_EQ(*listed.say(0, "c:2"), Addresses({"a:1", "c:2", "10.0.0.9:3", "[fd00::1]:4"}));
  EXPECT_EQ(*listed.say(3, "a:1"), *listed.say(4, ""));
  EXPECT_EQ(listed.say(3, "c:2")->size(), 4U);
  listed.list->forget(listed.connection(1));
  listed.list->forget(listed.connection(2));
  listed.list->forget(listed.connection(0));  // another one said the same
  EXPECT_EQ(listed.last, Addresses({"a:1", "c:2"}));
  listed.list->forget(listed.connection(3));
  EXPECT_EQ(listed.list->all(), Addresses({"a:1"}));
}

TEST(ServerList, RefusesWhatIsWrong) {
  Listed listed;
  EXPECT_TRUE(cluster::is_not_served(listed.say(0, "b:2", "x:1", 8).status()));
  EXPECT_EQ(listed.say(0, "nowhere").status().code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(listed.say(0, std::string(600, 'a') + ":1").status().code(), GLS_ERR_CORRUPT_DATA);
  const std::vector<std::byte> nothing(16);
  EXPECT_FALSE(listed.list->answer(nothing, nullptr, "").ok());
  for (size_t i = 0; i < ServerList::kMostThatSaySo; ++i) {
    ASSERT_TRUE(listed.say(i, formatted("b:{}", i + 1)).ok());
  }
  auto more = listed.say(ServerList::kMostThatSaySo, "b:1");
  EXPECT_EQ(more.status().code(), GLS_ERR_INVALID_STATE);
  EXPECT_TRUE(listed.say(0, "c:1").ok());
  EXPECT_EQ(listed.list->all().size(), ServerList::kMostThatSaySo + 1);
}

}  // namespace
}  // namespace gls::test
