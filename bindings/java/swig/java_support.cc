#include "java_support.h"

#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

namespace gls::java {
namespace {

using facade::Tensor;

constexpr jint kJniVersion = JNI_VERSION_10;

JavaVM* machine = nullptr;
jclass exception_class = nullptr;        // org.gls.GlsException
jmethodID exception_make = nullptr;      // its static of(status, message, details)
jclass string_class = nullptr;           // java.lang.String
jmethodID progress_report = nullptr;     // of org.gls.Progress
jmethodID operator_apply = nullptr;      // of java.util.function.Function
jclass interruptible_class = nullptr;    // org.gls.Interruptible
jmethodID interruptible_look = nullptr;  // its static look()

thread_local InterruptScope* innermost_scope = nullptr;

// Thrown where a Java exception is set already.
struct Pending {};

template <typename T>
T not_null(T object) {
  if (object == nullptr) {
    throw Pending();
  }
  return object;
}

// ---- text ----

constexpr char16_t kHighSurrogate = 0xD800;
constexpr char16_t kLowSurrogate = 0xDC00;
constexpr char16_t kSurrogatesEnd = 0xE000;
constexpr uint32_t kReplacement = 0xFFFD;

void append_utf8(std::string* out, uint32_t code) {
  const auto byte = [out](uint32_t value) { out->push_back(static_cast<char>(value)); };
  if (code < 0x80) {
    byte(code);
    return;
  }
  if (code < 0x800) {
    byte(0xC0 | (code >> 6));
  } else {
    if (code < 0x10000) {
      byte(0xE0 | (code >> 12));
    } else {
      byte(0xF0 | (code >> 18));
      byte(0x80 | ((code >> 12) & 0x3F));
    }
    byte(0x80 | ((code >> 6) & 0x3F));
  }
  byte(0x80 | (code & 0x3F));
}

std::string to_utf8(const std::vector<jchar>& units) {
  std::string out;
  out.reserve(units.size());
  for (size_t i = 0; i < units.size(); ++i) {
    uint32_t code = units[i];
    if (code >= kHighSurrogate && code < kSurrogatesEnd) {
      const bool pair = code < kLowSurrogate && i + 1 < units.size() &&
                        units[i + 1] >= kLowSurrogate && units[i + 1] < kSurrogatesEnd;
      code = pair ? 0x10000 + ((code - kHighSurrogate) << 10) + (units[++i] - kLowSurrogate)
                  : kReplacement;
    }
    append_utf8(&out, code);
  }
  return out;
}

// The code point at *at, which moves past it; damaged bytes become the replacement character.
uint32_t next_code(const unsigned char** at) {
  const uint32_t first = *(*at)++;
  if (first < 0x80) {
    return first;
  }
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  if (first < 0xC2 || first > 0xF4) {
    return kReplacement;
  }
  uint32_t code = first & (0x3Fu >> more);
  for (int i = 0; i < more; ++i) {
    if ((**at & 0xC0) != 0x80) {
      return kReplacement;
    }
    code = (code << 6) | (*(*at)++ & 0x3Fu);
  }
  const uint32_t least = more == 3 ? 0x10000 : more == 2 ? 0x800 : 0x80;
  const bool surrogate = code >= kHighSurrogate && code < kSurrogatesEnd;
  return code < least || surrogate || code > 0x10FFFF ? kReplacement : code;
}

std::vector<jchar> to_utf16(const char* text) {
  std::vector<jchar> out;
  for (const auto* at = reinterpret_cast<const unsigned char*>(text); *at != 0;) {
    const uint32_t code = next_code(&at);
    if (code < 0x10000) {
      out.push_back(static_cast<jchar>(code));
    } else {
      out.push_back(static_cast<jchar>(kHighSurrogate + ((code - 0x10000) >> 10)));
      out.push_back(static_cast<jchar>(kLowSurrogate + ((code - 0x10000) & 0x3FF)));
    }
  }
  return out;
}

// ---- errors ----

void throw_no_memory(JNIEnv* env) {
  const jclass error = env->FindClass("java/lang/OutOfMemoryError");
  if (error != nullptr) {
    env->ThrowNew(error, "native memory");
  }
}

void throw_exception(JNIEnv* env, gls_status_t status, const char* message,
                     const std::vector<std::string>& details) {
  const jstring text = new_string(env, message);
  if (text == nullptr) {
    return;
  }
  const jobjectArray array =
      env->NewObjectArray(static_cast<jsize>(details.size()), string_class, nullptr);
  for (size_t i = 0; array != nullptr && i < details.size(); ++i) {
    const jstring item = new_string(env, details[i].c_str());
    if (item == nullptr) {
      return;
    }
    env->SetObjectArrayElement(array, static_cast<jsize>(i), item);
    env->DeleteLocalRef(item);
  }
  if (array == nullptr) {
    return;
  }
  auto* const made = static_cast<jthrowable>(env->CallStaticObjectMethod(
      exception_class, exception_make, static_cast<jint>(status), text, array));
  if (env->ExceptionCheck() == JNI_FALSE && made != nullptr) {
    env->Throw(made);
  }
}

std::vector<std::string> details_of(const gls::Error& error) {
  std::vector<std::string> out;
  for (auto& [key, value] : error.details()) {
    out.push_back(std::move(key));
    out.push_back(std::move(value));
  }
  return out;
}

// ---- arrays ----

std::vector<int64_t> read_shape(JNIEnv* env, jlongArray shape) {
  std::vector<jlong> extents(static_cast<size_t>(env->GetArrayLength(shape)));
  env->GetLongArrayRegion(shape, 0, static_cast<jsize>(extents.size()), extents.data());
  return {extents.begin(), extents.end()};
}

DLDataType dtype_of(int32_t code, int32_t bits) {
  return {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1};
}

// The library lets go of memory on any thread.
void release_reference(void* user_data) {
  auto* const reference = static_cast<jobject>(user_data);
  void* env = nullptr;
  if (machine->GetEnv(&env, kJniVersion) == JNI_OK) {
    static_cast<JNIEnv*>(env)->DeleteGlobalRef(reference);
    return;
  }
  char name[] = "gls-release";
  JavaVMAttachArgs arguments = {kJniVersion, name, nullptr};
  if (machine->AttachCurrentThreadAsDaemon(&env, &arguments) == JNI_OK) {
    static_cast<JNIEnv*>(env)->DeleteGlobalRef(reference);
    machine->DetachCurrentThread();
  }
}

void copy_elements(JNIEnv* env, jobject array, DLDataType dtype, char* out) {
  const jsize length = env->GetArrayLength(static_cast<jarray>(array));
  if (dtype.code == kDLBool) {
    env->GetBooleanArrayRegion(static_cast<jbooleanArray>(array), 0, length,
                               reinterpret_cast<jboolean*>(out));
  } else if (dtype.code == kDLFloat && dtype.bits == 32) {
    env->GetFloatArrayRegion(static_cast<jfloatArray>(array), 0, length,
                             reinterpret_cast<jfloat*>(out));
  } else if (dtype.code == kDLFloat && dtype.bits == 64) {
    env->GetDoubleArrayRegion(static_cast<jdoubleArray>(array), 0, length,
                              reinterpret_cast<jdouble*>(out));
  } else if (dtype.bits == 8) {
    env->GetByteArrayRegion(static_cast<jbyteArray>(array), 0, length,
                            reinterpret_cast<jbyte*>(out));
  } else if (dtype.bits == 16) {
    env->GetShortArrayRegion(static_cast<jshortArray>(array), 0, length,
                             reinterpret_cast<jshort*>(out));
  } else if (dtype.bits == 32) {
    env->GetIntArrayRegion(static_cast<jintArray>(array), 0, length, reinterpret_cast<jint*>(out));
  } else {
    env->GetLongArrayRegion(static_cast<jlongArray>(array), 0, length,
                            reinterpret_cast<jlong*>(out));
  }
}

bool initialise(JNIEnv* env) {
  const auto global = [env](const char* name) -> jclass {
    const jclass local = env->FindClass(name);
    return local == nullptr ? nullptr : static_cast<jclass>(env->NewGlobalRef(local));
  };
  string_class = global("java/lang/String");
  exception_class = global("org/gls/GlsException");
  const jclass progress = global("org/gls/Progress");  // never let go, which keeps the method valid
  const jclass function = global("java/util/function/Function");
  interruptible_class = global("org/gls/Interruptible");
  if (string_class == nullptr || exception_class == nullptr || progress == nullptr ||
      function == nullptr || interruptible_class == nullptr) {
    return false;
  }
  exception_make = env->GetStaticMethodID(
      exception_class, "of", "(ILjava/lang/String;[Ljava/lang/String;)Lorg/gls/GlsException;");
  progress_report =
      env->GetMethodID(progress, "report", "(Ljava/lang/String;JJLjava/lang/String;)V");
  operator_apply = env->GetMethodID(function, "apply", "(Ljava/lang/Object;)Ljava/lang/Object;");
  interruptible_look = env->GetStaticMethodID(interruptible_class, "look", "()V");
  return exception_make != nullptr && progress_report != nullptr && operator_apply != nullptr &&
         interruptible_look != nullptr;
}

}  // namespace

bool Text::set(JNIEnv* env, jstring string) {
  if (string == nullptr) {
    text_.reset();
    return true;
  }
  try {
    std::vector<jchar> units(static_cast<size_t>(env->GetStringLength(string)));
    env->GetStringRegion(string, 0, static_cast<jsize>(units.size()), units.data());
    text_ = to_utf8(units);
    if (text_->find('\0') != std::string::npos) {
      throw std::invalid_argument("the text has a NUL character inside");
    }
    return true;
  } catch (...) {
    throw_current(env);
    return false;
  }
}

jstring new_string(JNIEnv* env, const char* text) {
  if (text == nullptr) {
    return nullptr;
  }
  try {
    const std::vector<jchar> units = to_utf16(text);
    return env->NewString(units.data(), static_cast<jsize>(units.size()));
  } catch (const std::bad_alloc&) {
    throw_no_memory(env);
    return nullptr;
  }
}

void throw_current(JNIEnv* env) {
  if (env->ExceptionCheck() != JNI_FALSE) {
    return;  // a callback threw, which is why the call was cancelled
  }
  try {
    try {
      throw;
    } catch (const gls::Error& error) {
      throw_exception(env, error.status(), error.what(), details_of(error));
    } catch (const std::bad_alloc&) {
      throw_exception(env, GLS_ERR_OUT_OF_MEMORY, "memory does not suffice", {});
    } catch (const std::logic_error& error) {
      throw_exception(env, GLS_ERR_INVALID_ARGUMENT, error.what(), {});
    } catch (const std::exception& error) {
      throw_exception(env, GLS_ERR_INTERNAL, error.what(), {});
    } catch (...) {
      throw_exception(env, GLS_ERR_INTERNAL, "unknown C++ exception", {});
    }
  } catch (...) {
    throw_no_memory(env);
  }
}

Tensor* tensor_from_buffer(JNIEnv* env, jobject buffer, int64_t offset, int32_t dtype_code,
                           int32_t dtype_bits, jlongArray shape, bool read_only) {
  void* const memory = env->GetDirectBufferAddress(buffer);
  std::vector<int64_t> extents = read_shape(env, shape);
  // What has no elements may have no memory either.
  auto* const data = memory == nullptr ? nullptr : static_cast<char*>(memory) + offset;
  const DLTensor view = {data,
                         {kDLCPU, 0},
                         static_cast<int32_t>(extents.size()),
                         dtype_of(dtype_code, dtype_bits),
                         extents.data(),
                         nullptr,
                         0};
  const jobject reference = not_null(env->NewGlobalRef(buffer));
  gls::Tensor wrapped = gls::Tensor::wrap(view, read_only, reference, release_reference);
  return new Tensor(std::move(wrapped));  // `new` may fail, and then the reference has an owner
}

Tensor* tensor_from_array(JNIEnv* env, jobject array, int32_t dtype_code, int32_t dtype_bits,
                          jlongArray shape) {
  const DLDataType dtype = dtype_of(dtype_code, dtype_bits);
  std::unique_ptr<Tensor> out(Tensor::allocate(dtype, read_shape(env, shape)));
  copy_elements(env, array, dtype, out->data());
  if (env->ExceptionCheck() != JNI_FALSE) {
    throw Pending();
  }
  return out.release();
}

jlongArray describe(JNIEnv* env, const Tensor& tensor) {
  const DLTensor& view = tensor.view();
  constexpr int32_t kFixed = 7;
  constexpr int32_t kUsual = kFixed + 2 * 4;
  jlong few[kUsual];
  std::vector<jlong> many;
  const int32_t count = kFixed + 2 * view.ndim;
  jlong* out = few;
  if (count > kUsual) {
    many.resize(static_cast<size_t>(count));
    out = many.data();
  }
  out[0] = static_cast<jlong>(tensor.address());
  out[1] = view.dtype.code;
  out[2] = view.dtype.bits;
  out[3] = tensor.read_only() ? 1 : 0;
  out[4] = view.ndim;
  out[5] = tensor.device_type();
  out[6] = tensor.device_id();
  for (int32_t d = 0; d < view.ndim; ++d) {
    out[kFixed + d] = view.shape[d];
    out[kFixed + view.ndim + d] = view.strides[d];
  }
  const jlongArray array = not_null(env->NewLongArray(count));
  env->SetLongArrayRegion(array, 0, count, out);
  return array;
}

jbyteArray byte_array(JNIEnv* env, facade::Bytes bytes) {
  const auto size = static_cast<jsize>(bytes.size);  // the library has at most 2^30
  const jbyteArray array = not_null(env->NewByteArray(size));
  env->SetByteArrayRegion(array, 0, size, static_cast<const jbyte*>(bytes.data));
  return array;
}

jobject buffer(JNIEnv* env, const Tensor& tensor, int64_t offset, int64_t length) {
  tensor.check_on_host();
  return not_null(env->NewDirectByteBuffer(tensor.data() + offset, length));
}

InterruptScope::InterruptScope(JNIEnv* env)
    : env_(env), outer_(innermost_scope), scope_(look, env) {
  innermost_scope = this;
}

InterruptScope::~InterruptScope() {
  innermost_scope = outer_;
  if (thrown_ != nullptr) {
    env_->Throw(thrown_);
    env_->DeleteGlobalRef(thrown_);
  }
}

bool InterruptScope::has_thrown(JNIEnv* env) {
  InterruptScope* const scope = innermost_scope;
  const jthrowable thrown = env->ExceptionOccurred();
  if (scope == nullptr || thrown == nullptr) {
    return thrown != nullptr || (scope != nullptr && scope->thrown_ != nullptr);
  }
  env->ExceptionClear();
  if (scope->thrown_ == nullptr) {
    scope->thrown_ = static_cast<jthrowable>(env->NewGlobalRef(thrown));
    if (scope->thrown_ == nullptr) {
      env->Throw(thrown);  // there is no memory to keep it
    }
  }
  env->DeleteLocalRef(thrown);
  return true;
}

int32_t InterruptScope::look(void* env) {
  auto* const here = static_cast<JNIEnv*>(env);
  if (!has_thrown(here)) {
    here->CallStaticVoidMethod(interruptible_class, interruptible_look);
  }
  return has_thrown(here) ? 1 : 0;
}

bool Progress::report(const char* stage, uint64_t done, uint64_t total, const char* unit) {
  constexpr jint kLocals = 4;
  if (InterruptScope::has_thrown(env_) || env_->PushLocalFrame(kLocals) != 0) {
    return false;
  }
  try {
    const jstring stage_text = not_null(new_string(env_, stage));
    const jstring unit_text = new_string(env_, unit);
    env_->CallVoidMethod(target_, progress_report, stage_text, static_cast<jlong>(done),
                         static_cast<jlong>(total), unit_text);
  } catch (...) {  // an exception is set, or there is no memory for the text
  }
  const bool thrown = InterruptScope::has_thrown(env_);
  env_->PopLocalFrame(nullptr);
  return !thrown;
}

bool Exchange::exchange(const void* mine, size_t size, uint32_t world_size, void* all) {
  constexpr jint kLocals = 4;
  if (InterruptScope::has_thrown(env_) || env_->PushLocalFrame(kLocals) != 0) {
    return false;
  }
  bool good = false;
  try {
    const jbyteArray given = byte_array(env_, {mine, size});
    const jobject result = not_null(env_->CallObjectMethod(target_, operator_apply, given));
    const auto bytes = static_cast<jbyteArray>(result);
    const auto expected = static_cast<jsize>(size * world_size);
    good = env_->ExceptionCheck() == JNI_FALSE && env_->GetArrayLength(bytes) == expected;
    if (good) {
      env_->GetByteArrayRegion(bytes, 0, expected, static_cast<jbyte*>(all));
    }
  } catch (...) {  // an exception is set, or there is no memory for the array
  }
  const bool thrown = InterruptScope::has_thrown(env_);
  env_->PopLocalFrame(nullptr);
  return good && !thrown;
}

}  // namespace gls::java

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void* /*reserved*/) {
  void* env = nullptr;
  if (vm->GetEnv(&env, gls::java::kJniVersion) != JNI_OK) {
    return JNI_ERR;
  }
  gls::java::machine = vm;
  return gls::java::initialise(static_cast<JNIEnv*>(env)) ? gls::java::kJniVersion : JNI_ERR;
}
