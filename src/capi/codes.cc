#include <algorithm>
#include <utility>
#include <vector>

#include "capi/support/support.h"
#include "tensor/codebook.h"

namespace gls {
namespace {

Status read_quantization(const gls_quantization_options_t* in, gls_quantization_options_t* out) {
  GLS_TRY(capi::read_options(in, "quantization", out));
  GLS_TRY(capi::check_reserved(out->reserved));
  if (out->codebook == nullptr && out->num_codebook != 0) {
    return capi::null_argument("codebook");
  }
  if (out->codebook != nullptr && (out->low != 0 || out->high != 0)) {
    return invalid("low is {} and high {}, but there is a codebook", out->low, out->high)
        .with("argument", "codebook");
  }
  return {};
}

Result<std::shared_ptr<const Codebook>> read_codebook(
    const gls_quantization_options_t* quantization) {
  gls_quantization_options_t given;
  GLS_TRY(read_quantization(quantization, &given));
  std::vector<float> values;
  if (given.codebook != nullptr) {
    // Reads at most as many values as the largest codebook has, and one more.
    constexpr size_t kTooMany = 257;
    values.assign(given.codebook, given.codebook + std::min(given.num_codebook, kTooMany));
  } else {
    GLS_ASSIGN(values, Codebook::even_values(given.bits, given.low, given.high));
  }
  return Codebook::create(given.bits, given.width, std::move(values));
}

// Adds codes to nodes or to edges.
using Add = Status (Builder::*)(const std::string&, const std::string&, int32_t, Tensor,
                                std::shared_ptr<const Codebook>);
Status add_codes(gls_builder_t* builder, Add add, const char* type, const char* name, int32_t role,
                 gls_tensor_t* codes, const gls_quantization_options_t* quantization) {
  GLS_USE(builder);
  GLS_REQUIRE(name);
  GLS_REQUIRE(quantization);
  GLS_TRY(capi::check_enum(role, GLS_ROLE_OTHER, "role"));
  GLS_ASSIGN(auto codebook, read_codebook(quantization));
  Tensor data;
  capi::Taken taken;
  GLS_TRY(taken.add(codes, "codes", &data));
  GLS_TRY(codebook->check_codes(data));
  return taken.keep_if(
      (builder->impl.*add)(type != nullptr ? type : "", name, role, data, std::move(codebook)));
}

}  // namespace
}  // namespace gls

using gls::Status;
using gls::capi::guard;

extern "C" {

gls_status_t gls_builder_add_node_codes(gls_builder_t* builder, const char* type, const char* name,
                                        gls_role_t role, gls_tensor_t* codes,
                                        const gls_quantization_options_t* quantization,
                                        gls_error_t** err) {
  return guard(err, [&]() -> Status {
    return gls::add_codes(builder, &gls::Builder::add_node_column, type, name, role, codes,
                          quantization);
  });
}

gls_status_t gls_builder_add_edge_codes(gls_builder_t* builder, const char* edge_type,
                                        const char* name, gls_role_t role, gls_tensor_t* codes,
                                        const gls_quantization_options_t* quantization,
                                        gls_error_t** err) {
  return guard(err, [&]() -> Status {
    return gls::add_codes(builder, &gls::Builder::add_edge_column, edge_type, name, role, codes,
                          quantization);
  });
}

gls_status_t gls_quantize(const DLTensor* numbers, const gls_quantization_options_t* quantization,
                          gls_tensor_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_REQUIRE(numbers);
    GLS_REQUIRE(quantization);
    GLS_REQUIRE(out);
    gls_quantization_options_t given;
    GLS_TRY(gls::read_quantization(quantization, &given));
    if (given.codebook != nullptr || given.width != 0) {
      return gls::invalid("numbers are quantised evenly from low to high, without a {}",
                          given.width != 0 ? "width" : "codebook")
          .with("argument", given.width != 0 ? "width" : "codebook");
    }
    GLS_ASSIGN(const gls::Tensor tensor, gls::Tensor::borrow(*numbers, "numbers"));
    GLS_ASSIGN(const gls::Tensor codes, gls::quantize(tensor, given.bits, given.low, given.high));
    *out = codes.export_dlpack();
    return {};
  });
}

}  // extern "C"
