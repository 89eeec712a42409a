// What tests of the network share: endpoints over each transport, and a service to call.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "net/connection/endpoint.h"
#include "self_channel.h"
#include "self_transport.h"
#include "test_paths.h"

namespace gls::net {

inline constexpr uint16_t kEcho = 1;
inline constexpr uint16_t kFails = 2;
inline constexpr uint16_t kNever = 3;   // is kept, and not answered
inline constexpr uint16_t kSilent = 4;  // is dropped without an answer
inline constexpr uint16_t kLarge = 5;   // asks for so many bytes
inline constexpr uint16_t kSlow = 6;    // is answered after 20 ms, by another thread
inline constexpr uint16_t kGated = 7;   // is answered when its gate opens
inline constexpr uint16_t kUnknown = 99;

inline const char* const kTestKey =
    "7f3a9cd1e0b84527a6134f0d2e9b8c7566f1d0e2a3b4c5d6978812345678fedc";

// A folder of this test program, removed with it.
inline const std::string& test_folder() {
  struct Folder {
    std::string path = testing::TempDir() + "gls_net_" + std::to_string(getpid());
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
  };
  static const Folder folder;
  return folder.path;
}

inline std::string write_file(const std::string& name, const std::string& text) {
  const std::string path = test_folder() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  chmod(path.c_str(), 0600);
  return path;
}

inline std::shared_ptr<Context> make_context(uint32_t threads = 2) {
  ContextOptions options;
  options.num_threads = threads;
  options.log_level = GLS_LOG_ERROR;
  return Context::create(options, nullptr, nullptr, nullptr).take();
}

// A context that notes what its log says at WARN and above.
struct Warnings {
  std::mutex mutex;
  std::vector<std::string> texts;
  std::string all() {
    const std::lock_guard lock(mutex);
    std::string out;
    for (const std::string& text : texts) {
      out += text + "\n";
    }
    return out;
  }
  std::shared_ptr<Context> context(uint32_t threads = 2) {
    ContextOptions options;
    options.num_threads = threads;
    options.log_level = GLS_LOG_WARN;
    return Context::create(
               options,
               [](void* self_in, int32_t, const char*, const char* text) {
                 auto& self = *static_cast<Warnings*>(self_in);
                 const std::lock_guard lock(self.mutex);
                 self.texts.emplace_back(text);
               },
               this, nullptr)
        .take();
  }
};

// Requests that kNever keeps.
struct Kept {
  std::mutex mutex;
  std::vector<Request> requests;
  std::promise<void> gate;  // of kGated
  std::shared_future<void> opened = gate.get_future().share();
  size_t size() {
    const std::lock_guard lock(mutex);
    return requests.size();
  }
  void drop() {
    std::vector<Request> gone;
    const std::lock_guard lock(mutex);
    gone.swap(requests);
  }
};

inline Handlers make_handlers(const std::shared_ptr<Kept>& kept) {
  Handlers handlers;
  handlers[kEcho] = [](const Request& request) {
    Message reply = request.reply(request.bytes().size());
    if (!request.bytes().empty()) {
      std::memcpy(reply.data(), request.bytes().data(), reply.size());
    }
    request.answer(std::move(reply));
  };
  handlers[kFails] = [](const Request& request) {
    request.fail(
        invalid("ids: node {} is outside 0 .. 9", request.bytes().size()).with("argument", "ids"));
  };
  handlers[kNever] = [kept](const Request& request) {
    const std::lock_guard lock(kept->mutex);
    kept->requests.push_back(request);
  };
  handlers[kSilent] = [](const Request&) {};
  handlers[kLarge] = [](const Request& request) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, request.bytes().data(), sizeof bytes);
    Message reply = request.reply(bytes);
    std::memset(reply.data(), 7, reply.size());
    request.answer(std::move(reply));
  };
  handlers[kGated] = [kept](const Request& request) {
    kept->opened.wait();
    request.answer({});
  };
  handlers[kSlow] = [](const Request& request) {
    std::thread([request] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      request.answer(request.reply(3));
    }).detach();
  };
  return handlers;
}

inline Message bytes_of(Context& context, const std::string& text) {
  return Message::copied(context.buffers(), std::as_bytes(std::span(text)));
}

template <typename Done>
bool eventually(Done done, int64_t timeout_ms = 10000) {
  const uint64_t end = now_ns() + static_cast<uint64_t>(timeout_ms) * 1000000;
  while (!done()) {
    if (now_ns() > end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// What requests and replies go over, for this way.
inline DataOptions data_for(const std::string& way) {
  DataOptions out;
  if (way == "self_channel") {
    use_self(&out);
  } else if (way == "ucx_tcp" || way == "ucx_shm" || way == "ofi_tcp") {
    out.name = way.substr(0, 3);
    out.devices = "lo";
    // "net" is libfabric's name for tcp before its release 1.18.
    out.transports = way == "ucx_tcp" ? "tcp" : way == "ucx_shm" ? "shm,tcp" : "net,tcp";
  }
  return out;
}

inline EndpointOptions options_for(const std::string& way) {
  EndpointOptions options;
  options.transport.data = data_for(way);
  if (way == "self" || way == "self_channel") {
    use_self(&options.transport);
  } else if (way == "plain" || way == "ucx_shm") {
    options.transport.security.plain = true;
  } else {
    options.transport.security.psk_file = write_file("key", kTestKey);
  }
#ifdef __SANITIZE_THREAD__
  setenv("UCX_MEM_EVENTS", "n", 0);  // else every thread ends with a crash
#endif
#ifdef GLS_TEST_PLUGINS
  setenv("GLS_PLUGIN_PATH", test::kPluginFolder, 1);
#endif
  return options;
}

// Those with data channels of another library.
inline std::vector<std::string> channel_ways() {
  std::vector<std::string> ways;
#ifdef GLS_TEST_UCX
  ways.insert(ways.end(), {"ucx_tcp", "ucx_shm"});
#endif
#ifdef GLS_TEST_OFI
  ways.insert(ways.end(), {"ofi_tcp"});
#endif
  return ways;
}

// Those by which other processes can be reached.
inline std::vector<std::string> process_ways() {
  std::vector<std::string> ways;
#ifdef GLS_TEST_PLUGINS
  ways = channel_ways();
  ways.insert(ways.begin(), {"plain", "key"});
#endif
  return ways;
}

// What each way of connecting is called in the names of tests.
inline std::vector<std::string> all_ways() {
  std::vector<std::string> ways = process_ways();
  ways.insert(ways.begin(), {"self", "self_channel"});
  return ways;
}

// Endpoints over data channels of another library, which must run here if it was there to build
// with.
class NetData : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Endpoint> make(bool listens, uint32_t io_threads = 1) {
    EndpointOptions options = options_for(GetParam());
    options.transport.io_threads = io_threads;
    options.listen = listens ? "127.0.0.1:0" : "";
    options.handlers = make_handlers(kept_);
    auto made = Endpoint::create(context_, std::move(options));
    EXPECT_TRUE(made.ok()) << GetParam() << " does not run here: " << made.status().message();
    return made.take();
  }
  std::shared_ptr<Peer> meet(Endpoint& client, const Endpoint& server) {
    auto peer = client.connect(server.address(), 10000);
    EXPECT_TRUE(peer.ok()) << peer.status().message();
    return peer.take();
  }

  std::shared_ptr<Context> context_ = make_context();
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

}  // namespace gls::net
