// What the low-level Java module adds to the facade: text, arrays in and out of Java, callbacks
// into it, and errors as exceptions. Where a function fails, a Java exception is set.
#pragma once

#include <jni.h>

#include <cstdint>
#include <optional>
#include <string>

#include "gls_swig.hpp"

namespace gls::java {

// ---- text ----

// A Java string as UTF-8.
class Text {
 public:
  // False: an exception is set, as the text has a NUL inside or memory does not suffice.
  bool set(JNIEnv* env, jstring string);
  // nullptr for null.
  const char* get() const { return text_.has_value() ? text_->c_str() : nullptr; }

 private:
  std::optional<std::string> text_;
};

// null for nullptr.
jstring new_string(JNIEnv* env, const char* text);

// ---- errors ----

// Turns the C++ exception that is being handled into a Java exception, unless one is set.
void throw_current(JNIEnv* env);

// ---- arrays in ----

// A tensor on the memory of a direct buffer, which is kept alive as long as that is in use.
// `offset` in bytes.
facade::Tensor* tensor_from_buffer(JNIEnv* env, jobject buffer, int64_t offset, int32_t dtype_code,
                                   int32_t dtype_bits, jlongArray shape, bool read_only);
// A copy of a primitive array whose elements are as wide as the dtype.
facade::Tensor* tensor_from_array(JNIEnv* env, jobject array, int32_t dtype_code,
                                  int32_t dtype_bits, jlongArray shape);

// ---- arrays out ----

jlongArray describe(JNIEnv* env, const facade::Tensor& tensor);
// A direct ByteBuffer. A Java object that keeps it must also keep the tensor.
jobject buffer(JNIEnv* env, const facade::Tensor& tensor, int64_t offset, int64_t length);

// A copy.
jbyteArray byte_array(JNIEnv* env, facade::Bytes bytes);

// ---- waiting ----

// While one exists, calls of this thread that block end when it is interrupted; then a
// GlsException.Interrupted is set.
//
// What Java code throws in the middle of such a call ends the call, and is set at the end of the
// scope. Until then it is kept: the library may call other Java code, such as that of an Arrow
// stream, which JNI forbids while an exception is set. Scopes of a thread nest.
class InterruptScope {
 public:
  explicit InterruptScope(JNIEnv* env);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  // Whether Java code threw in this scope; keeps what is set now.
  static bool has_thrown(JNIEnv* env);

 private:
  static int32_t look(void* env);
  JNIEnv* env_;
  InterruptScope* outer_;
  jthrowable thrown_ = nullptr;  // a global reference
  gls::InterruptScope scope_;
};

// ---- callbacks ----

// Calls an org.gls.Progress. What that throws ends the library's call.
class Progress final : public facade::Progress {
 public:
  Progress(JNIEnv* env, jobject target) : env_(env), target_(target) {}  // borrowed
  bool report(const char* stage, uint64_t done, uint64_t total, const char* unit) override;

 private:
  JNIEnv* env_;
  jobject target_;
};

// Calls a java.util.function.UnaryOperator of byte[]. What that throws ends joining.
class Exchange final : public facade::Exchange {
 public:
  Exchange(JNIEnv* env, jobject target) : env_(env), target_(target) {}  // borrowed
  bool exchange(const void* mine, size_t size, uint32_t world_size, void* all) override;

 private:
  JNIEnv* env_;
  jobject target_;
};

}  // namespace gls::java
