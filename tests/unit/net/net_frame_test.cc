// How messages lie in a stream, and what is said in them.
#include <gtest/gtest.h>

#include <random>

#include "net/connection/control.h"
#include "net/connection/data_channel.h"
#include "net/core/frame.h"

namespace gls::net {
namespace {

struct Collected : FrameSink {
  Result<std::span<std::byte>> begin(const FrameHeader& header) override {
    headers.push_back(header);
    payloads.emplace_back(header.length);
    if (header.type == FrameType::kReply) {
      return std::span<std::byte>();  // is dropped
    }
    return std::span(payloads.back());
  }
  Status end() override {
    ++ended;
    return {};
  }
  std::vector<FrameHeader> headers;
  std::vector<Bytes> payloads;
  size_t ended = 0;
};

Bytes stream_of(const std::vector<std::pair<FrameHeader, Bytes>>& frames) {
  Bytes out;
  for (const unsigned char c : kPreamble) {
    out.push_back(std::byte{c});
  }
  for (auto [header, payload] : frames) {
    header.length = static_cast<uint32_t>(payload.size());
    const auto head = encode(header);
    out.insert(out.end(), head.begin(), head.end());
    out.insert(out.end(), payload.begin(), payload.end());
  }
  return out;
}

Status feed(FrameReader& reader, std::span<const std::byte> bytes, size_t step) {
  while (!bytes.empty()) {
    const auto room = reader.room();
    EXPECT_FALSE(room.empty());
    const size_t count = std::min({room.size(), step, bytes.size()});
    std::memcpy(room.data(), bytes.data(), count);
    GLS_TRY(reader.received(count));
    bytes = bytes.subspan(count);
  }
  return {};
}

Bytes pattern(size_t size) {
  Bytes out(size);
  for (size_t i = 0; i < size; ++i) {
    out[i] = static_cast<std::byte>(i * 2654435761U >> 11);
  }
  return out;
}

TEST(NetFrame, ComesOutAsItWentInHoweverItIsCut) {
  const std::vector<std::pair<FrameHeader, Bytes>> frames = {
      {{0, FrameType::kHello, 0, 0, 0}, pattern(100)},
      {{0, FrameType::kRequest, 0, 7, 1}, {}},
      {{0, FrameType::kReply, 0, 7, 2}, pattern(50000)},
      {{0, FrameType::kRequest, 0, 65535, UINT64_MAX}, pattern(70000)},
      {{0, FrameType::kHeartbeat, 0, 0, 0}, {}},
      {{0, FrameType::kRequest, 0, 1, 3}, pattern(16384)}};
  const Bytes stream = stream_of(frames);
  for (const size_t step : {size_t{1}, size_t{7}, size_t{24}, size_t{1000}, size_t{1} << 20}) {
    Collected sink;
    FrameReader reader(sink);
    ASSERT_TRUE(feed(reader, stream, step).ok());
    ASSERT_EQ(sink.ended, frames.size());
    for (size_t i = 0; i < frames.size(); ++i) {
      EXPECT_EQ(sink.headers[i].type, frames[i].first.type);
      EXPECT_EQ(sink.headers[i].kind, frames[i].first.kind);
      EXPECT_EQ(sink.headers[i].id, frames[i].first.id);
      if (frames[i].first.type != FrameType::kReply) {
        EXPECT_EQ(sink.payloads[i], frames[i].second) << step << ", frame " << i;
      }
    }
  }
}

TEST(NetFrame, EveryChangedBitOfAHeaderIsNoticed) {
  const auto good = encode({100, FrameType::kRequest, 0, 5, 77});
  ASSERT_TRUE(decode_header(good).ok());
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    auto bad = good;
    bad[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    EXPECT_FALSE(decode_header(bad).ok()) << bit;
  }
}

TEST(NetFrame, UnknownTypesAndFlagsAreRefused) {
  EXPECT_FALSE(decode_header(encode({0, static_cast<FrameType>(0), 0, 0, 0})).ok());
  EXPECT_FALSE(decode_header(encode({0, static_cast<FrameType>(13), 0, 0, 0})).ok());
  EXPECT_FALSE(decode_header(encode({0, FrameType::kRequest, 1, 0, 0})).ok());
}

TEST(NetFrame, OtherProtocolsAreNamed) {
  const auto answer = [](const std::string& text) {
    Collected sink;
    FrameReader reader(sink);
    return feed(reader, std::as_bytes(std::span(text)), 1000);
  };
  EXPECT_EQ(answer(std::string("\x16\x03\x01\x02\x00\x01\x00\x01", 8)).message(),
            "it speaks TLS, and this side was told to be plain (net.plain)");
  EXPECT_EQ(answer(std::string("\x15\x03\x03\x00\x02\x02\x46", 7)).message(),
            "it speaks TLS, and this side was told to be plain (net.plain)");
  EXPECT_EQ(answer("GET / HTTP/1.1\r\n").message(), "it does not speak the protocol of GLS");
  EXPECT_EQ(answer(std::string("GLSN\x02\x00\r\n", 8)).message(),
            "its stream has version 2, expected 1");
}

Hello some_hello() {
  Hello hello;
  hello.id[3] = 9;
  hello.library_version = "0.1.0";
  hello.role = "server";
  hello.name = "one";
  hello.max_message_bytes = 1 << 20;
  hello.max_calls = 10;
  hello.max_call_bytes = 1 << 24;
  hello.heartbeat_ms = 1000;
  return hello;
}

TEST(NetControl, GreetingsComeOutAsTheyWentIn) {
  const Hello hello = some_hello();
  Result<Hello> read = decode_hello(encode_hello(hello));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->id, hello.id);
  EXPECT_EQ(read->name, "one");
  EXPECT_EQ(read->role, "server");
  EXPECT_EQ(read->max_call_bytes, hello.max_call_bytes);
  EXPECT_EQ(read->heartbeat_ms, 1000U);
}

TEST(NetControl, ChannelsAreNamedAndReached) {
  Hello hello = some_hello();
  EXPECT_EQ(decode_hello(encode_hello(hello))->channel, "");
  hello.channel = "ucx/1";
  EXPECT_EQ(decode_hello(encode_hello(hello))->channel, "ucx/1");
  const Bytes address = pattern(1000);
  Result<Bytes> read = decode_channel(encode_channel(address));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, address);
  EXPECT_FALSE(decode_channel(encode_channel({})).ok());
  EXPECT_FALSE(decode_channel(encode_channel(pattern(kMostChannelAddress + 1))).ok());
  EXPECT_FALSE(decode_channel(encode_hello(hello)).ok());
  Result<Goodbye> goodbye = decode_goodbye(encode_goodbye({"enough", 77}));
  ASSERT_TRUE(goodbye.ok());
  EXPECT_EQ(goodbye->reason, "enough");
  EXPECT_EQ(goodbye->channel_requests, 77U);
}

TEST(NetControl, GreetingsWithoutSenseAreRefused) {
  const auto refused = [](auto change) {
    Hello hello = some_hello();
    change(hello);
    return !decode_hello(encode_hello(hello)).ok();
  };
  EXPECT_TRUE(refused([](Hello& h) { h.protocol_min = 0; }));
  EXPECT_TRUE(refused([](Hello& h) { h.protocol_max = 0; }));
  EXPECT_TRUE(refused([](Hello& h) { h.max_calls = 0; }));
  EXPECT_TRUE(refused([](Hello& h) { h.max_message_bytes = 0; }));
  EXPECT_TRUE(refused([](Hello& h) { h.heartbeat_ms = 0; }));
  EXPECT_TRUE(refused([](Hello& h) { h.heartbeat_ms = UINT32_MAX; }));
  EXPECT_TRUE(refused([](Hello& h) { h.name = std::string(300, 'n'); }));
  EXPECT_FALSE(decode_hello(encode_goodbye({"x", 0})).ok());
  EXPECT_FALSE(decode_hello({}).ok());
}

TEST(NetControl, AnyChangedByteIsReadOrRefused) {
  const Bytes good = encode_hello(some_hello());
  std::mt19937 random(5);
  for (int i = 0; i < 20000; ++i) {
    Bytes bad = good;
    for (int k = 0; k < 3; ++k) {
      bad[random() % bad.size()] = static_cast<std::byte>(random());
    }
    bad.resize(random() % 4 == 0 ? random() % bad.size() : bad.size());
    Result<Hello> read = decode_hello(bad);
    if (read.ok()) {
      EXPECT_LE(read->name.size(), kMostNameBytes);
    }
  }
}

TEST(NetControl, ErrorsKeepCodeWordsAndDetails) {
  const Status status = invalid("seeds: node 12\nis outside").with("argument", "seeds");
  Status read;
  ASSERT_TRUE(decode_failure(encode_failure(status), &read).ok());
  EXPECT_EQ(read.code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(read.message(), "seeds: node 12 is outside");  // one line
  EXPECT_EQ(*read.detail("argument"), "seeds");
  ASSERT_TRUE(decode_failure(encode_failure(Status(5000, std::string(9999, 'x'))), &read).ok());
  EXPECT_EQ(read.code(), GLS_ERR_INTERNAL);
  EXPECT_EQ(read.message().size(), 4096U);
}

TEST(NetControl, TheHighestCommonProtocolIsChosen) {
  Hello ours = some_hello();
  Hello theirs = some_hello();
  ours.protocol_min = 2;
  ours.protocol_max = 4;
  theirs.protocol_max = 3;
  EXPECT_EQ(*choose_protocol(ours, theirs), 3U);
  theirs.protocol_min = 1;
  theirs.protocol_max = 1;
  Result<uint32_t> none = choose_protocol(ours, theirs);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().message(),
            "versions 1 to 1 of the protocol (GLS 0.1.0) meet 2 to 4 (GLS 0.1.0)");
}

}  // namespace
}  // namespace gls::net
