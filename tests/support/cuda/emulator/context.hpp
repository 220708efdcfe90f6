// Stacks, and switching between them, with the sanitizers told about it.
#pragma once

#include <cstddef>

namespace regatta::emulator {

/// Whether ThreadSanitizer watches. Then each CUDA thread has a stack of its own that nobody had before, as a stack
/// that is used again would show races between its users, and order between them where there is none.
#ifdef REGATTA_EMULATOR_FOR_TSAN
inline constexpr bool kForTsan = true;
#else
inline constexpr bool kForTsan = false;
#endif

/// A place where a computation stopped. Without a stack of its own: the host's.
struct Context {
  void* stopped_at = nullptr;
  char* stack = nullptr;
  void* tsan_fiber = nullptr;
  void* asan_fake_stack = nullptr;
  const void* bottom = nullptr;  ///< where the stack ends; the host's, too
  std::size_t bytes = 0;
};

/// Gives the context a stack, or clears the one it has, so that the first switch to it enters `entry`, which must not
/// return. Throws std::bad_alloc.
void make_ready(Context& context, void (*entry)());

/// Goes on at `to`; returns when somebody switches back to `from`.
void switch_context(Context& from, Context& to);

/// To be called first by an entry, with the context that it was entered from.
void arrive(Context& from);

/// Gives the stack back.
void release(Context& context);

/// Edges that ThreadSanitizer shall know: what came before a release happens before what follows an acquire.
void order_release(void* tag);
void order_acquire(void* tag);

}  // namespace regatta::emulator
