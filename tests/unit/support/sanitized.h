// Whether a sanitizer looks at every access, which takes its time and its memory.
#pragma once

namespace gls::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

// Of the random cases that take the longest, every so many: a check of each access makes them
// thirty times as slow on the emulated runtime, and all of them run without one.
inline constexpr int kEvery = kSanitized ? 5 : 1;

}  // namespace gls::test
