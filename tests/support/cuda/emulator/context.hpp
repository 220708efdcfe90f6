// Stacks, and switching between them, with the sanitizers told about it.
#pragma once

#include <cstddef>

namespace regatta::emulator {

/// Whether ThreadSanitizer watches. Then each CUDA thread of a launch has a stack of its own: one that is used again
/// shows order between its users where there is none.
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

/// While it lives, what the host does with memory is nothing to ThreadSanitizer. To be told about it threads would have
/// to acquire from a host that knows ever more of those before them.
struct UnwatchedHost {
  UnwatchedHost();
  ~UnwatchedHost();
  UnwatchedHost(const UnwatchedHost&) = delete;
  UnwatchedHost& operator=(const UnwatchedHost&) = delete;
};

}  // namespace regatta::emulator
