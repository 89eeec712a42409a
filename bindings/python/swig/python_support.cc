#include "python_support.h"

#include <cstring>
#include <string_view>

namespace gls::python {
namespace {

PyObject* error_factory = nullptr;

}  // namespace

const char* as_text(PyObject* object) {
  Py_ssize_t length = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(object, &length);
  if (text != nullptr && std::strlen(text) != static_cast<size_t>(length)) {
    PyErr_SetString(PyExc_ValueError, "embedded null character");
    return nullptr;
  }
  return text;
}

// ---- errors ------------------------------------------------------------------------------------

void set_error_factory(PyObject* factory) {
  Py_INCREF(factory);
  Py_XSETREF(error_factory, factory);
}

namespace {

void raise_error(const gls::Error& error) {
  const std::string_view text = error.what();
  const Reference message(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
  const Reference details(PyDict_New());
  if (!message || !details) {
    return;
  }
  for (const auto& [key, value] : error.details()) {
    const Reference item(PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()),
                                              "surrogateescape"));
    if (!item || PyDict_SetItemString(details.get(), key.c_str(), item.get()) != 0) {
      return;
    }
  }
  if (error_factory == nullptr) {
    PyErr_SetObject(PyExc_RuntimeError, message.get());
    return;
  }
  const Reference exception(PyObject_CallFunction(error_factory, "iOO", int{error.status()},
                                                  message.get(), details.get()));
  if (exception) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.get())), exception.get());
  }
}

}  // namespace

void raise_current() {
  if (PyErr_Occurred() != nullptr) {
    return;  // a callback raised, which is why the call was cancelled
  }
  try {
    throw;
  } catch (const gls::Error& error) {
    raise_error(error);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::invalid_argument& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "unknown C++ exception");
  }
}

// ---- waiting -----------------------------------------------------------------------------------

namespace {

unsigned long main_thread = 0;

}  // namespace

void set_main_thread(unsigned long identity) { main_thread = identity; }

bool on_main_thread() { return PyThread_get_thread_ident() == main_thread; }

int32_t run_signal_handlers(void* state) {
  auto* const thread = static_cast<PyThreadState*>(state);
  take_gil([thread] { PyEval_RestoreThread(thread); });
  // A callback of the call may have raised.
  const bool raised = PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0;
  static_cast<void>(PyEval_SaveThread());
  return raised ? 1 : 0;
}

// ---- callbacks ---------------------------------------------------------------------------------

bool Progress::report(const char* stage, uint64_t done, uint64_t total, const char* unit) {
  constexpr auto kInterval = std::chrono::milliseconds(20);
  const auto now = std::chrono::steady_clock::now();
  if (callable_ == Py_None && now - looked_ < kInterval) {
    return true;
  }
  looked_ = now;
  const PyGILState_STATE state = take_gil([] { return PyGILState_Ensure(); });
  bool go_on = PyErr_CheckSignals() == 0;
  if (go_on && callable_ != Py_None) {
    const Reference result(PyObject_CallFunction(callable_, "sKKs", stage,
                                                 static_cast<unsigned long long>(done),
                                                 static_cast<unsigned long long>(total), unit));
    go_on = static_cast<bool>(result);
  }
  PyGILState_Release(state);
  return go_on;
}

namespace {

// Copies a sequence of so many bytes-like objects of one size, one after another.
bool copy_all(PyObject* given, size_t size, uint32_t count, char* out) {
  const Reference items(PySequence_Fast(given, "exchange must return the bytes of all processes"));
  if (!items) {
    return false;
  }
  if (PySequence_Fast_GET_SIZE(items.get()) != static_cast<Py_ssize_t>(count)) {
    PyErr_Format(PyExc_ValueError, "exchange returned %zd items, expected those of %u processes",
                 PySequence_Fast_GET_SIZE(items.get()), count);
    return false;
  }
  for (uint32_t i = 0; i < count; ++i) {
    Py_buffer item;
    if (PyObject_GetBuffer(PySequence_Fast_GET_ITEM(items.get(), static_cast<Py_ssize_t>(i)), &item,
                           PyBUF_SIMPLE) != 0) {
      return false;
    }
    const bool fits = item.len == static_cast<Py_ssize_t>(size);
    if (fits) {
      std::memcpy(out + i * size, item.buf, size);
    } else {
      PyErr_Format(PyExc_ValueError, "exchange returned %zd bytes of process %u, expected %zu",
                   item.len, i, size);
    }
    PyBuffer_Release(&item);
    if (!fits) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool Exchange::exchange(const void* mine, size_t size, uint32_t world_size, void* all) {
  const PyGILState_STATE state = take_gil([] { return PyGILState_Ensure(); });
  bool good = false;
  {
    const Reference given(PyObject_CallFunction(callable_, "y#", static_cast<const char*>(mine),
                                                static_cast<Py_ssize_t>(size)));
    good = given && copy_all(given.get(), size, world_size, static_cast<char*>(all));
  }
  PyGILState_Release(state);
  return good;
}

}  // namespace gls::python
