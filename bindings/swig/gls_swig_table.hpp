/** @file gls_swig_table.hpp
 *  Part of gls_swig.hpp: tables, whose rows training changes.
 */
#ifndef GLS_SWIG_TABLE_HPP
#define GLS_SWIG_TABLE_HPP

#include <cstdint>
#include <string>

#include "gls_swig_dataset.hpp"

namespace gls::facade {

/** Properties of a table, and the trainers that take its steps. */
class TableOptions {
 public:
  explicit TableOptions(int64_t width) { options_.width = width; }
  /** As in DLPack: 2, 32 is float32. */
  void set_dtype(int32_t code, int32_t bits) {
    options_.dtype = {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1};
  }
  void set_flags(uint32_t flags) { options_.flags = flags; }
  /** What numbers begin with. */
  void set_range(double low, double high) {
    options_.low = low;
    options_.high = high;
  }
  void set_seed(uint64_t seed) { options_.seed = seed; }
  void set_optimizer(int32_t optimizer) { options_.optimizer = optimizer; }
  /** Of these three, 0 is the default and a negative number is none. */
  void set_epsilon(double epsilon) { options_.epsilon = epsilon; }
  void set_beta1(double beta) { options_.beta1 = beta; }
  void set_beta2(double beta) { options_.beta2 = beta; }
  void set_trainer(uint32_t rank, uint32_t world_size) {
    options_.rank = rank;
    options_.world_size = world_size;
  }

#ifndef SWIG
  const gls_table_options_t& view() const { return options_; }
#endif

 private:
  gls_table_options_t options_ = GLS_TABLE_OPTIONS_INIT;
};

class TableInfo {
 public:
  const char* name() const { return name_.c_str(); }
  /** A node or edge type. */
  const char* type() const { return type_.c_str(); }
  int64_t rows() const { return info_.rows; }
  int64_t width() const { return info_.width; }
  int32_t dtype_code() const { return info_.dtype.code; }
  int32_t dtype_bits() const { return info_.dtype.bits; }
  uint32_t flags() const { return info_.flags; }
  int32_t optimizer() const { return info_.optimizer; }
  uint32_t rank() const { return info_.rank; }
  uint32_t world_size() const { return info_.world_size; }
  int64_t step() const { return info_.step; }
  uint64_t bytes() const { return info_.bytes; }

#ifndef SWIG
  explicit TableInfo(const gls_table_info_t& info)
      : info_(info), name_(info.name), type_(info.type) {}
#endif

 private:
  gls_table_info_t info_;
  std::string name_;
  std::string type_;
};

class Table {
 public:
  /** @param type     NULL: the only node type
   *  @param options  NULL: the table is there, and no steps are taken */
  static Table* open(const Dataset* dataset, const char* type, const char* name,
                     const TableOptions* options) {
    return new Table(gls::detail::make<gls_table_t>([&](auto out, auto err) {
      return gls_table_open(dataset->impl().get(), type, name,
                            options != nullptr ? &options->view() : nullptr, out, err);
    }));
  }
  TableInfo* info() const {
    gls_table_info_t info{};
    info.struct_size = sizeof info;
    gls::detail::call([&](auto err) { return gls_table_get_info(get(), &info, err); });
    return new TableInfo(info);
  }
  /** [ids, width] */
  Tensor* rows(const Tensor* ids) const {
    return new Tensor(own_tensor(
        [&](auto out, auto err) { return gls_table_rows(get(), &ids->view(), out, err); }));
  }
  void write(const Tensor* ids, const Tensor* rows) const {
    gls::detail::call(
        [&](auto err) { return gls_table_write(get(), &ids->view(), &rows->view(), err); });
  }
  /** @param timeout_ms  as in gls.h */
  void step(const Tensor* ids, const Tensor* gradients, double learning_rate, int64_t timeout_ms) {
    gls::detail::call([&](auto err) {
      return gls_table_step(get(), &ids->view(), &gradients->view(), learning_rate, timeout_ms,
                            err);
    });
  }
  void save(const char* path) const {
    gls::detail::call([&](auto err) { return gls_table_save(get(), path, err); });
  }
  /** @param timeout_ms  as of step() */
  void load(const char* path, int64_t timeout_ms) {
    gls::detail::call([&](auto err) { return gls_table_load(get(), path, timeout_ms, err); });
  }
  /** For all. */
  void drop() const {
    gls::detail::call([&](auto err) { return gls_table_drop(get(), err); });
  }

#ifndef SWIG
  explicit Table(gls_table_t* taken) : table_(taken) {}
#endif

 private:
  gls_table_t* get() const { return table_.get(); }
  gls::detail::Handle<gls_table_t, gls_table_release> table_;
};

}  // namespace gls::facade

#endif  // GLS_SWIG_TABLE_HPP
