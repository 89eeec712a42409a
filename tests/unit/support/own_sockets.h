// The sockets of this process, as the system lists them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace gls::net {

// Of IPv4.
struct Socket {
  int fd = -1;
  uint32_t host = 0;
  uint16_t port = 0;
  uint16_t peer_port = 0;
};

inline std::vector<Socket> sockets(unsigned state) {
  std::map<std::string, int> inodes;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    inodes[std::filesystem::read_symlink(entry.path(), gone).string()] =
        std::stoi(entry.path().filename());
  }
  std::vector<Socket> out;
  std::ifstream table("/proc/self/net/tcp");
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) {
    Socket one;
    unsigned is = 0;
    unsigned port = 0;
    unsigned peer_port = 0;
    unsigned long inode = 0;
    if (std::sscanf(line.c_str(), " %*d: %8X:%4X %*X:%4X %2X %*X:%*X %*X:%*X %*X %*u %*d %lu",
                    &one.host, &port, &peer_port, &is, &inode) != 5 ||
        is != state) {
      continue;
    }
    const auto found = inodes.find("socket:[" + std::to_string(inode) + "]");
    if (found != inodes.end()) {
      one.fd = found->second;
      one.port = static_cast<uint16_t>(port);
      one.peer_port = static_cast<uint16_t>(peer_port);
      out.push_back(one);
    }
  }
  return out;
}
inline std::vector<Socket> listening() { return sockets(10); }
inline std::vector<Socket> connected() { return sockets(1); }

}  // namespace gls::net
