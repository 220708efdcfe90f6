#include "support/cuda/emulator/context.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <new>

#ifndef __x86_64__
#include <ucontext.h>
#endif

#include "support/cuda/emulator/sanitizers.hpp"

#ifdef REGATTA_EMULATOR_FOR_TSAN
extern "C" void AnnotateIgnoreWritesBegin(const char* file, int line);
extern "C" void AnnotateIgnoreWritesEnd(const char* file, int line);
#endif

namespace regatta::emulator {

namespace {

constexpr std::size_t kStackBytes = std::size_t{256} << 10;
constexpr std::size_t kGuardBytes = 4096;

}  // namespace

#ifdef __x86_64__

// Keeps what a function must preserve on the stack that is left, takes it from the one that is entered.
extern "C" void regatta_switch_stack(void** from, void* to);
asm(R"(
.text
.type regatta_switch_stack, @function
regatta_switch_stack:
  endbr64
  push %rbx
  push %rbp
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbp
  pop %rbx
  ret
.size regatta_switch_stack, . - regatta_switch_stack
)");

namespace {

void set_entry(Context& context, void (*entry)()) {
  // Stacks lie one behind another: were they entered at the same offset, their first lines would share a cache set.
  const std::size_t colour = reinterpret_cast<std::uintptr_t>(context.stack) / kStackBytes % 64 * 192;
  auto** top = reinterpret_cast<void**>(context.stack + kStackBytes - colour);
  *--top = nullptr;  // an entry finds the stack as a call leaves it: 8 below a multiple of 16
  *--top = reinterpret_cast<void*>(entry);
  for (int preserved = 0; preserved < 6; ++preserved) *--top = nullptr;
  context.stopped_at = top;
}

void switch_stack(Context& from, Context& to) { regatta_switch_stack(&from.stopped_at, to.stopped_at); }

}  // namespace

#else  // with a system call for each switch

namespace {

ucontext_t& place(Context& context) {
  if (context.stopped_at == nullptr) context.stopped_at = new ucontext_t{};
  return *static_cast<ucontext_t*>(context.stopped_at);
}

void set_entry(Context& context, void (*entry)()) {
  ucontext_t& here = place(context);
  getcontext(&here);
  here.uc_stack.ss_sp = context.stack;
  here.uc_stack.ss_size = kStackBytes;
  here.uc_link = nullptr;
  makecontext(&here, entry, 0);
}

void switch_stack(Context& from, Context& to) { swapcontext(&place(from), &place(to)); }

}  // namespace

#endif

void make_ready(Context& context, void (*entry)()) {
  if (context.stack == nullptr) {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    mprotect(memory, kGuardBytes, PROT_NONE);
    context.stack = static_cast<char*>(memory);
    context.bottom = memory;
    context.bytes = kStackBytes;
#ifdef REGATTA_EMULATOR_FOR_TSAN
    context.tsan_fiber = __tsan_create_fiber(0);
#endif
  }
#ifdef REGATTA_EMULATOR_FOR_ASAN
  __asan_unpoison_memory_region(context.stack + kGuardBytes, kStackBytes - kGuardBytes);
#endif
  set_entry(context, entry);
}

void switch_context(Context& from, Context& to) {
#ifdef REGATTA_EMULATOR_FOR_ASAN
  __sanitizer_start_switch_fiber(&from.asan_fake_stack, to.bottom, to.bytes);
#endif
#ifdef REGATTA_EMULATOR_FOR_TSAN
  if (from.tsan_fiber == nullptr) from.tsan_fiber = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to.tsan_fiber, __tsan_switch_to_fiber_no_sync);
#endif
  switch_stack(from, to);
#ifdef REGATTA_EMULATOR_FOR_ASAN
  // Each goes back to whom it was entered from; a host may be another thread than the one before.
  __sanitizer_finish_switch_fiber(from.asan_fake_stack, &to.bottom, &to.bytes);
#endif
}

void arrive([[maybe_unused]] Context& from) {
#ifdef REGATTA_EMULATOR_FOR_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &from.bottom, &from.bytes);
#endif
}

void release(Context& context) {
  if (context.stack == nullptr) return;
#ifdef REGATTA_EMULATOR_FOR_TSAN
  __tsan_destroy_fiber(context.tsan_fiber);
#endif
#ifndef __x86_64__
  delete static_cast<ucontext_t*>(context.stopped_at);
#endif
  munmap(context.stack, kStackBytes);
  context = {};
}

void order_release([[maybe_unused]] void* tag) {
#ifdef REGATTA_EMULATOR_FOR_TSAN
  __tsan_release(tag);
#endif
}

void order_acquire([[maybe_unused]] void* tag) {
#ifdef REGATTA_EMULATOR_FOR_TSAN
  __tsan_acquire(tag);
#endif
}

UnwatchedHost::UnwatchedHost() {
#ifdef REGATTA_EMULATOR_FOR_TSAN
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
#endif
}

UnwatchedHost::~UnwatchedHost() {
#ifdef REGATTA_EMULATOR_FOR_TSAN
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
#endif
}

}  // namespace regatta::emulator
