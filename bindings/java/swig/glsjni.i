/* The private Java package org.gls.low: the facade for Java. The package org.gls stands on top. */
%module glsjni

%{
#include "java_support.h"
%}

%include <stdint.i>

/* Java has no unsigned numbers: those of 64 bits keep their bits. */
%apply long long { uint64_t, unsigned long long };

%rename("%(lowercamelcase)s", %$isfunction) "";
%rename("%(lowercamelcase)s", %$isvariable) "";

/* org.gls deletes objects when their last use has ended. */
%typemap(javafinalize) SWIGTYPE ""

%pragma(java) jniclasscode=%{
  static {
    NativeLibrary.load();
  }
%}

%exception {
  try {
    $action
  } catch (...) {
    gls::java::throw_current(jenv);
    return $null;
  }
}

/* The interruption of the thread ends them. */
%define WAITS(function)
%exception gls::facade::function {
  try {
    const gls::java::InterruptScope interrupts(jenv);
    $action
  } catch (...) {
    gls::java::throw_current(jenv);
    return $null;
  }
}
%enddef
%include "gls_swig_waits.i"

/* Text is UTF-8, which JNI's own conversions are not; null is NULL. */
%typemap(in) const char* (gls::java::Text text) {
  if (!text.set(jenv, $input)) {
    return $null;
  }
  $1 = const_cast<char*>(text.get());
}
%typemap(freearg) const char* ""
%typemap(out) const char* {
  $result = gls::java::new_string(jenv, $1);
}
%typemap(jni) std::string "jstring"
%typemap(jtype) std::string "String"
%typemap(jstype) std::string "String"
%typemap(javaout) std::string {
    return $jnicall;
  }
%typemap(out) std::string {
  $result = gls::java::new_string(jenv, $1.c_str());
}

/* A Java object that is called on the thread that makes the call; null: none. */
%typemap(jni) gls::facade::Progress* "jobject"
%typemap(jtype) gls::facade::Progress* "org.gls.Progress"
%typemap(jstype) gls::facade::Progress* "org.gls.Progress"
%typemap(javain) gls::facade::Progress* "$javainput"
%typemap(in) gls::facade::Progress* (std::optional<gls::java::Progress> progress) {
  if ($input != nullptr) {
    progress.emplace(jenv, $input);
    $1 = &*progress;
  }
}
%typemap(freearg) gls::facade::Progress* ""

/* As above: given the bytes of this process, it returns those of all, one after another. */
%typemap(jni) gls::facade::Exchange* "jobject"
%typemap(jtype) gls::facade::Exchange* "java.util.function.UnaryOperator<byte[]>"
%typemap(jstype) gls::facade::Exchange* "java.util.function.UnaryOperator<byte[]>"
%typemap(javain) gls::facade::Exchange* "$javainput"
%typemap(in) gls::facade::Exchange* (std::optional<gls::java::Exchange> exchange) {
  if ($input != nullptr) {
    exchange.emplace(jenv, $input);
    $1 = &*exchange;
  }
}
%typemap(freearg) gls::facade::Exchange* ""

%typemap(in, numinputs=0) JNIEnv* {
  $1 = jenv;
}

%include "gls_swig.i"

%extend gls::facade::Tensor {
  /* address, dtype code, dtype bits, read-only, dimensions, device type, its number, shape..., strides in
     elements... */
  jlongArray describe(JNIEnv* env) const { return gls::java::describe(env, *$self); }
  /* Bytes of the memory, from the first element on; the tensor must outlive them. */
  jobject buffer(JNIEnv* env, int64_t offset, int64_t length) const {
    return gls::java::buffer(env, *$self, offset, length);
  }
  /* A DLManagedTensorVersioned, which is the caller's. */
  int64_t to_dlpack() const {
    return reinterpret_cast<int64_t>($self->lend($self->read_only()).release());
  }
}
%extend gls::facade::Future {
  /* A copy. */
  jbyteArray bytes(JNIEnv* env, uint32_t index) const {
    const std::unique_ptr<gls::facade::Tensor> item($self->item(index));
    return gls::java::byte_array(env, gls::facade::bytes_of(item.get()));
  }
}
%extend gls::facade::CallTask {
  /* A copy of what it was given. */
  jbyteArray bytes(JNIEnv* env) const { return gls::java::byte_array(env, $self->data()); }
}
%extend gls::facade::Loader {
  /* Takes so many batches and drops them, as a C program would; the number there were. */
  int64_t drain(int64_t count) {
    int64_t taken = 0;
    while (taken < count && $self->next(-1) == GLS_OK) {
      delete $self->take();
      ++taken;
    }
    return taken;
  }
}

%newobject tensor_from_buffer;
%newobject tensor_from_array;
%inline %{
gls::facade::Tensor* tensor_from_buffer(JNIEnv* env, jobject buffer, int64_t offset,
                                        int32_t dtype_code, int32_t dtype_bits, jlongArray shape,
                                        bool read_only) {
  return gls::java::tensor_from_buffer(env, buffer, offset, dtype_code, dtype_bits, shape,
                                       read_only);
}
gls::facade::Tensor* tensor_from_array(JNIEnv* env, jobject array, int32_t dtype_code,
                                       int32_t dtype_bits, jlongArray shape) {
  return gls::java::tensor_from_array(env, array, dtype_code, dtype_bits, shape);
}
/* As a consumer of DLPack that has no use for it any more. */
void release_dlpack(int64_t managed) {
  gls_tensor_release(reinterpret_cast<gls_tensor_t*>(managed));
}
/* Where a direct buffer begins. */
int64_t buffer_address(JNIEnv* env, jobject buffer) {
  return reinterpret_cast<int64_t>(env->GetDirectBufferAddress(buffer));
}
%}
