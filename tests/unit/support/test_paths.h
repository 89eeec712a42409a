// Where tests find files. One source says it, so that all others are the same in whatever folder
// they are compiled, and compiled once.
#pragma once

namespace gls::test {

extern const char* const kSourceFolder;  // of the repository
extern const char* const kPluginFolder;
extern const char* const kLibrary;     // libgls.so
extern const char* const kCudaOnHost;  // folder of the plugin for GPUs that needs none
extern const char* const kNetServer;   // the program of net_server_main.cc

}  // namespace gls::test
