// A request, as the handler of its kind receives it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>

#include "net/core/message.h"

namespace gls::net {

class Connection;

// Copies refer to the same request. Any thread answers it once, now or later. If the last copy is
// destroyed without an answer, the caller receives an error that says so.
class Request {
 public:
  uint16_t kind() const { return state_->kind; }
  std::span<const std::byte> bytes() const { return state_->payload.bytes(); }
  // The connection of the caller.
  const std::shared_ptr<Connection>& connection() const { return state_->connection; }
  // The caller cancelled the request, or was lost. It then needs no answer.
  bool canceled() const { return state_->canceled.load(std::memory_order_relaxed); }

  // Memory for a reply. Throws std::bad_alloc.
  Message reply(size_t bytes) const;
  void answer(Message reply) const;
  void fail(const Status& status) const;

 private:
  friend class Connection;
  struct State {
    State(std::shared_ptr<Connection> of, uint16_t kind_in, uint64_t id_in, Message payload_in)
        : connection(std::move(of)), kind(kind_in), id(id_in), payload(std::move(payload_in)) {}
    ~State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    const std::shared_ptr<Connection> connection;
    const uint16_t kind;
    const uint64_t id;
    const Message payload;
    std::atomic<bool> answered = false;
    std::atomic<bool> canceled = false;
  };
  explicit Request(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

// Runs on the context's threads. It must not wait for anything remote, and must not throw anything
// but std::bad_alloc.
using Handler = std::function<void(const Request&)>;
using Handlers = std::unordered_map<uint16_t, Handler>;

}  // namespace gls::net
