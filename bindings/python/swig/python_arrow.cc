#include <cstdint>
#include <memory>

#include "python_support.h"

namespace gls::python {
namespace {

// Releases a struct that no consumer moved out of its capsule.
template <typename Struct>
struct ArrowDelete {
  void operator()(Struct* made) const {
    if (made->release != nullptr) {
      made->release(made);
    }
    delete made;
  }
};
template <typename Struct>
using ArrowPointer = std::unique_ptr<Struct, ArrowDelete<Struct>>;

template <typename Struct>
ArrowPointer<Struct> empty() {
  return ArrowPointer<Struct>(new Struct{});
}

template <typename Struct>
int64_t address_of(const ArrowPointer<Struct>& made) {
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(made.get()));
}

template <typename Struct>
const char* capsule_name();
template <>
const char* capsule_name<ArrowSchema>() {
  return "arrow_schema";
}
template <>
const char* capsule_name<ArrowArray>() {
  return "arrow_array";
}
template <>
const char* capsule_name<ArrowArrayStream>() {
  return "arrow_array_stream";
}

template <typename Struct>
PyObject* capsule_of(ArrowPointer<Struct> made) {
  PyObject* const capsule = PyCapsule_New(made.get(), capsule_name<Struct>(), [](PyObject* self) {
    ArrowDelete<Struct>()(static_cast<Struct*>(PyCapsule_GetPointer(self, capsule_name<Struct>())));
  });
  if (capsule != nullptr) {
    static_cast<void>(made.release());
  }
  return capsule;
}

}  // namespace

int64_t arrow_stream_address(PyObject* capsule) {
  return static_cast<int64_t>(
      reinterpret_cast<intptr_t>(PyCapsule_GetPointer(capsule, capsule_name<ArrowArrayStream>())));
}

PyObject* arrow_stream_capsule(const std::function<void(int64_t)>& make) {
  ArrowPointer<ArrowArrayStream> stream = empty<ArrowArrayStream>();
  make(address_of(stream));
  return capsule_of(std::move(stream));
}

PyObject* arrow_array_capsules(const facade::Tensor& tensor) {
  ArrowPointer<ArrowSchema> schema = empty<ArrowSchema>();
  ArrowPointer<ArrowArray> array = empty<ArrowArray>();
  tensor.to_arrow(address_of(schema), address_of(array));
  const Reference first(capsule_of(std::move(schema)));
  const Reference second(first ? capsule_of(std::move(array)) : nullptr);
  return second ? PyTuple_Pack(2, first.get(), second.get()) : nullptr;
}

}  // namespace gls::python
