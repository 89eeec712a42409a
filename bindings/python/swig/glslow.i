/* The private module gls._low.glslow: the facade for Python. The package gls stands on top of it. */
%module(package="gls._low") glslow

%{
#include "python_support.h"
%}

%include <stdint.i>
%include <std_string.i>

%exception {
  try {
    $action
  } catch (...) {
    gls::python::raise_current();
    SWIG_fail;
  }
  if (PyErr_Occurred()) {
    SWIG_fail;
  }
}

/* Only calls that may wait let other threads run; for all others, taking the lock again would cost
   more than the call. Signals end them. */
%define WAITS(function)
%exception gls::facade::function {
  if (!gls::python::call_without_gil(gls::python::Signals::kLook, [&] { $action })) {
    SWIG_fail;
  }
}
%enddef
%include "gls_swig_waits.i"
%define ENDS(function)
%exception gls::facade::function {
  if (!gls::python::call_without_gil(gls::python::Signals::kIgnore, [&] { $action })) {
    SWIG_fail;
  }
}
%enddef
ENDS(Context::~Context);
ENDS(Dataset::~Dataset);
ENDS(Table::~Table);
ENDS(Partition::~Partition);
ENDS(Loader::~Loader);
ENDS(Feed::~Feed);
ENDS(Group::~Group);
ENDS(Future::~Future);
ENDS(CallTask::~CallTask);
ENDS(Server::~Server);

/* Text is UTF-8 and None is NULL; what is called `path` may be any path. */
%typemap(in) const char* {
  $1 = nullptr;
  if ($input != Py_None) {
    $1 = const_cast<char*>(gls::python::as_text($input));
    if ($1 == nullptr) {
      SWIG_fail;
    }
  }
}
%typemap(freearg) const char* ""
%typemap(in) const char* path (PyObject* encoded = nullptr) {
  if (!PyUnicode_FSConverter($input, &encoded)) {
    SWIG_fail;
  }
  $1 = PyBytes_AS_STRING(encoded);
}
%typemap(freearg) const char* path {
  Py_XDECREF(encoded$argnum);
}

/* A callable or None. */
%typemap(in) gls::facade::Progress* (std::optional<gls::python::Progress> progress) {
  progress.emplace($input);
  $1 = &*progress;
}
%typemap(freearg) gls::facade::Progress* ""
%typemap(in) gls::facade::Exchange* (std::optional<gls::python::Exchange> exchange) {
  if ($input != Py_None) {
    exchange.emplace($input);
    $1 = &*exchange;
  }
}
%typemap(freearg) gls::facade::Exchange* ""

%include "gls_swig.i"

/* As gls.h numbers them. */
%constant int OPTIMIZER_NONE = GLS_OPTIMIZER_NONE;
%constant int OPTIMIZER_SGD = GLS_OPTIMIZER_SGD;
%constant int OPTIMIZER_ADAGRAD = GLS_OPTIMIZER_ADAGRAD;
%constant int OPTIMIZER_ADAM = GLS_OPTIMIZER_ADAM;
%constant int TABLE_MEAN = GLS_TABLE_MEAN;
%constant int TABLE_ROW_STEPS = GLS_TABLE_ROW_STEPS;

%extend gls::facade::Tensor {
  PyObject* describe() const { return gls::python::describe(*$self); }
  PyObject* array_struct() const { return gls::python::array_struct(*$self); }
  PyObject* dlpack(bool versioned, bool forget_read_only) const {
    return gls::python::dlpack_capsule(*$self, versioned, forget_read_only);
  }
  PyObject* int_list() const { return gls::python::int_list(*$self); }
  PyObject* to_bytes() const { return gls::python::bytes_object(gls::facade::bytes_of($self)); }
  PyObject* arrow_array() const { return gls::python::arrow_array_capsules(*$self); }
}
%extend gls::facade::Dataset {
  PyObject* nodes_arrow(const char* type) const {
    return gls::python::arrow_stream_capsule(
        [&](int64_t stream) { $self->nodes_to_arrow(type, stream); });
  }
  PyObject* edges_arrow(const char* edge_type) const {
    return gls::python::arrow_stream_capsule(
        [&](int64_t stream) { $self->edges_to_arrow(edge_type, stream); });
  }
}
%extend gls::facade::CallTask {
  PyObject* to_bytes() const { return gls::python::bytes_object($self->data()); }
}
%extend gls::facade::Batch {
  PyObject* arrays() const { return gls::python::list_arrays(*$self); }
}

%newobject tensor_from_buffer;
%newobject tensor_from_capsule;
%inline %{
gls::facade::Tensor* tensor_from_buffer(PyObject* object, bool vector) {
  return gls::python::tensor_from_buffer(object, vector);
}
gls::facade::Tensor* tensor_from_capsule(PyObject* capsule, bool vector) {
  return gls::python::tensor_from_capsule(capsule, vector);
}
int64_t arrow_stream(PyObject* capsule) { return gls::python::arrow_stream_address(capsule); }
bool has_buffer(PyObject* object) { return PyObject_CheckBuffer(object) != 0; }
void set_error_factory(PyObject* factory) { gls::python::set_error_factory(factory); }
void set_main_thread(unsigned long identity) { gls::python::set_main_thread(identity); }
%}
