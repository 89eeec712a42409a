/** @file gls_swig_ready.hpp
 *  Part of gls_swig.hpp: how threads of the library say that something is ready.
 */
#ifndef GLS_SWIG_READY_HPP
#define GLS_SWIG_READY_HPP

#include <cstdint>
#include <list>
#include <memory>
#include <utility>

#include "gls_swig_mailbox.hpp"

namespace gls::facade {

/** Numbers of ready loaders and answers, on their way to a thread of the target language. That
 * thread completes futures or wakes event loops. One queue serves any number of loaders and
 * answers. */
class ReadyQueue {
 public:
  ReadyQueue() : tickets_(std::make_shared<Mailbox<uint64_t>>(SIZE_MAX)) {}
  /** Waits for a number that a notify() was given; 0 when there is none in time, or when
   * there will be none any more.
   *  @param timeout_ms  -1: without limit */
  uint64_t next(int64_t timeout_ms) { return tickets_->next(timeout_ms).value_or(0); }
  bool closed() const { return tickets_->closed(); }
  void close() { tickets_->close(); }

#ifndef SWIG
  /** One number to be sent, made beforehand, so that sending cannot fail. */
  class Ticket {
   public:
    Ticket(const ReadyQueue& queue, uint64_t number) : tickets_(queue.tickets_), number_{number} {}
    static void send(void* self) {
      const std::unique_ptr<Ticket> ticket(static_cast<Ticket*>(self));
      ticket->tickets_->send(std::move(ticket->number_));
    }

   private:
    std::shared_ptr<Mailbox<uint64_t>> tickets_;
    std::list<uint64_t> number_;
  };
#endif

 private:
  std::shared_ptr<Mailbox<uint64_t>> tickets_;
};

}  // namespace gls::facade

#endif  // GLS_SWIG_READY_HPP
