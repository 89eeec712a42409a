// The services that a dataset's source offers besides its arrays, such as making batches on
// servers. Higher rooms define the interfaces: docs/decisions/0095-batch-producers.md.
#pragma once

#include <map>
#include <typeindex>

namespace gls {

// Finds a service by the type of its interface, so that no lower room names that type.
class SourceServices {
 public:
  // `service` must live as long as this object.
  template <typename Service>
  void add(const Service& service) {
    services_[typeid(Service)] = &service;
  }
  // NULL: the source does not offer this service.
  template <typename Service>
  const Service* find() const {
    const auto found = services_.find(typeid(Service));
    return found == services_.end() ? nullptr : static_cast<const Service*>(found->second);
  }

 private:
  std::map<std::type_index, const void*> services_;
};

}  // namespace gls
