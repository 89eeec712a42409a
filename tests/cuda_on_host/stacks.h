// Goes on on another stack. By contexts, as on processors that nobody tests on every day, that
// takes a system call each time, and the address sanitizer forgets what it knows of the whole
// stack.
#pragma once

#include <cstddef>
#include <cstdint>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace gls::cuda_on_host {

#if defined(__x86_64__)

// Where one goes on: what a called function must keep is on its stack, but for how floating-point
// numbers are rounded, which no kernel changes.
struct Stopped {
  void* top = nullptr;
};

extern "C" void gls_cuda_on_host_change(Stopped* from, Stopped* to);
asm(R"(
  .pushsection .text
  .p2align 4
  .type gls_cuda_on_host_change, @function
gls_cuda_on_host_change:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq (%rsi), %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size gls_cuda_on_host_change, . - gls_cuda_on_host_change
  .popsection
)");

// `enter` begins on the stack when one changes there for the first time; it does not return.
inline void prepare(Stopped* begin, void* stack, size_t bytes, void (*enter)()) {
  constexpr int kKept = 6;
  auto* const end = reinterpret_cast<uint64_t*>(static_cast<char*>(stack) + bytes / 16 * 16);
  end[-1] = 0;  // where `enter` would return to
  end[-2] = reinterpret_cast<uint64_t>(enter);
  for (int i = 0; i < kKept; ++i) {
    end[-3 - i] = 0;
  }
  begin->top = end - 2 - kKept;
}
inline void change(Stopped* from, Stopped* to) { gls_cuda_on_host_change(from, to); }

#else

struct Stopped {
  ucontext_t context{};
};
inline void prepare(Stopped* begin, void* stack, size_t bytes, void (*enter)()) {
  getcontext(&begin->context);
  begin->context.uc_stack.ss_sp = stack;
  begin->context.uc_stack.ss_size = bytes;
  begin->context.uc_link = nullptr;
  makecontext(&begin->context, enter, 0);
}
inline void change(Stopped* from, Stopped* to) { swapcontext(&from->context, &to->context); }

#endif

}  // namespace gls::cuda_on_host
