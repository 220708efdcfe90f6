// The sanitizers that watch. The emulator itself is compiled without ThreadSanitizer; CMake tells it that kernels are
// not.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define REGATTA_EMULATOR_FOR_ASAN
#endif
#if defined(__SANITIZE_THREAD__)
#define REGATTA_WATCHED_BY_TSAN
#endif
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define REGATTA_EMULATOR_FOR_ASAN
#endif
#if __has_feature(thread_sanitizer)
#define REGATTA_WATCHED_BY_TSAN
#endif
#endif

#ifdef REGATTA_EMULATOR_FOR_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef REGATTA_EMULATOR_FOR_TSAN
#include <sanitizer/tsan_interface.h>
#endif
