// The functions of UCX, loaded at first use. The environment variables that UCX reads must be set
// before. Otherwise it installs signal handlers and writes to standard output.
#pragma once

#include <ucp/api/ucp.h>

#include <string>

namespace gls::net {

#define GLS_UCP_FUNCTIONS(X)        \
  X(ucp_am_recv_data_nbx)           \
  X(ucp_am_send_nbx)                \
  X(ucp_cleanup)                    \
  X(ucp_config_modify)              \
  X(ucp_config_read)                \
  X(ucp_config_release)             \
  X(ucp_context_query)              \
  X(ucp_ep_close_nbx)               \
  X(ucp_ep_create)                  \
  X(ucp_ep_flush_nbx)               \
  X(ucp_ep_print_info)              \
  X(ucp_ep_rkey_unpack)             \
  X(ucp_get_nbx)                    \
  X(ucp_init_version)               \
  X(ucp_mem_map)                    \
  X(ucp_mem_unmap)                  \
  X(ucp_request_check_status)       \
  X(ucp_request_free)               \
  X(ucp_rkey_buffer_release)        \
  X(ucp_rkey_destroy)               \
  X(ucp_rkey_pack)                  \
  X(ucp_worker_arm)                 \
  X(ucp_worker_create)              \
  X(ucp_worker_destroy)             \
  X(ucp_worker_get_address)         \
  X(ucp_worker_get_efd)             \
  X(ucp_worker_progress)            \
  X(ucp_worker_release_address)     \
  X(ucp_worker_set_am_recv_handler) \
  X(ucs_status_string)

struct Ucp {
#define GLS_DECLARE(name) decltype(&::name) name = nullptr;
  GLS_UCP_FUNCTIONS(GLS_DECLARE)
#undef GLS_DECLARE
};

// Loaded once, and never unloaded. Null: `why` states what is missing.
const Ucp* load_ucp(std::string* why);

}  // namespace gls::net
