// A server in a process of its own, for tests that kill or stop it: net_server WAY ADDRESS.
// Prints its address, and goes on until its standard input ends.
#include <cstdio>

#include "net_support.h"

int main(int argc, char** argv) {
  using namespace gls::net;
  if (argc != 4) {
    return 2;
  }
  const auto kept = std::make_shared<Kept>();
  EndpointOptions options;
  options.transport.data = data_for(argv[1]);
  options.transport.security.plain =
      std::string(argv[1]) == "plain" || std::string(argv[1]) == "ucx_shm";
  if (!options.transport.security.plain) {
    options.transport.security.psk_file = argv[3];
  }
  options.role = "server";
  options.name = "that may die";
  options.listen = argv[2];
  options.handlers = make_handlers(kept);
  gls::Result<std::unique_ptr<Endpoint>> endpoint =
      Endpoint::create(make_context(), std::move(options));
  if (!endpoint.ok()) {
    std::fprintf(stderr, "%s\n", endpoint.status().message().c_str());
    return 1;
  }
  std::printf("%s\n", (*endpoint)->address().c_str());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  kept->drop();
  return 0;
}
