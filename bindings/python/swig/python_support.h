// What the low-level Python module adds to the facade: arrays in and out of Python, callbacks into
// it, and errors as exceptions. Every function needs the GIL unless it says otherwise; where one
// fails, a Python exception is set.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "gls_swig.hpp"

namespace gls::python {

// The UTF-8 text of a str; nullptr with an exception for other objects and embedded NULs.
const char* as_text(PyObject* object);

// Owns one reference.
class Reference {
 public:
  explicit Reference(PyObject* object) : object_(object) {}
  ~Reference() { Py_XDECREF(object_); }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_;
};

// Takes the GIL by calling `take`. When the interpreter is ending, Python before 3.14 then ends the
// thread by unwinding its stack, through C++ code that need not bear it: the thread sleeps instead
// until the process is gone, as it does in later versions.
template <typename Function>
auto take_gil(Function&& take) -> decltype(take()) {
  try {
    return take();
  } catch (const abi::__forced_unwind&) {
    for (;;) {
      pause();
    }
  }
}

// ---- errors ----

// `factory(status, message, details)` makes the exception of a failed call.
void set_error_factory(PyObject* factory);
// Turns the C++ exception that is being handled into a Python exception, unless one is set.
void raise_current();

// ---- arrays in ----

// A tensor on the memory of an object with the buffer protocol, or of a DLPack capsule, which is
// used up. The producer is kept alive as long as the memory is in use. nullptr without an exception
// when the layout asks for a copy first: rows must be contiguous, and with `vector` the whole.
facade::Tensor* tensor_from_buffer(PyObject* object, bool vector);
facade::Tensor* tensor_from_capsule(PyObject* capsule, bool vector);

// ---- arrays out ----

// (address, dtype code, dtype bits, shape, strides in elements, read-only, (device type, its id))
PyObject* describe(const facade::Tensor& tensor);
// NumPy's __array_struct__; the array that takes it must keep the tensor alive.
PyObject* array_struct(const facade::Tensor& tensor);
// A DLPack capsule. The kind before 1.0 cannot say that memory is read-only; `forget_read_only`
// leaves that to the caller.
PyObject* dlpack_capsule(const facade::Tensor& tensor, bool versioned, bool forget_read_only);
// ---- Arrow's PyCapsule interface ----

// The address of the stream in a capsule, which keeps it; 0 with an exception for other objects.
int64_t arrow_stream_address(PyObject* capsule);
// A capsule with the stream that `make` writes at an address.
PyObject* arrow_stream_capsule(const std::function<void(int64_t)>& make);
// The capsules of the schema and the array of a tensor.
PyObject* arrow_array_capsules(const facade::Tensor& tensor);

// A vector of int64 as a list of int.
PyObject* int_list(const facade::Tensor& tensor);
// A copy, as bytes.
PyObject* bytes_object(facade::Bytes bytes);
// [(array, type, name or None, rows), ...]
PyObject* list_arrays(const facade::Batch& batch);

// ---- waiting ----

// The thread that runs handlers of signals, as threading.get_ident() numbers it.
void set_main_thread(unsigned long identity);

// What a blocked call asks: runs the handlers of signals, with the GIL. What one raises stays set
// and ends the call. `state` is of the thread, which is the main one.
int32_t run_signal_handlers(void* state);
// Whether this thread is the main one. Others run no handlers, and must not take the GIL while the
// interpreter ends.
bool on_main_thread();

// Whether a call may be ended by a signal. Nothing could be raised where an object is deleted.
enum class Signals { kLook, kIgnore };

// Calls `function` without the GIL. False: it threw, or a handler of a signal did, and a Python
// exception is set.
template <typename Function>
bool call_without_gil(Signals signals, Function&& function) {
  const bool look = signals == Signals::kLook && on_main_thread();
  PyThreadState* const state = PyEval_SaveThread();
  std::optional<gls::InterruptScope> interrupts;
  if (look) {
    interrupts.emplace(run_signal_handlers, state);
  }
  std::exception_ptr failure;
  try {
    std::forward<Function>(function)();
  } catch (...) {
    failure = std::current_exception();
  }
  interrupts.reset();
  take_gil([state] { PyEval_RestoreThread(state); });
  if (failure != nullptr) {
    try {
      std::rethrow_exception(failure);
    } catch (...) {
      raise_current();
    }
  }
  return PyErr_Occurred() == nullptr;
}

// ---- callbacks ----

// Calls a Python callable, or None, with (stage, done, total, unit), and looks for signals. What it
// raises stays set and ends the library's call.
class Progress final : public facade::Progress {
 public:
  explicit Progress(PyObject* callable) : callable_(callable) {}  // borrowed
  // Takes the GIL.
  bool report(const char* stage, uint64_t done, uint64_t total, const char* unit) override;

 private:
  PyObject* callable_;
  std::chrono::steady_clock::time_point looked_{};
};

// Calls a Python callable with the bytes of this process, which returns those of all. What it
// raises stays set and ends joining.
class Exchange final : public facade::Exchange {
 public:
  explicit Exchange(PyObject* callable) : callable_(callable) {}  // borrowed
  // Takes the GIL.
  bool exchange(const void* mine, size_t size, uint32_t world_size, void* all) override;

 private:
  PyObject* callable_;
};

}  // namespace gls::python
