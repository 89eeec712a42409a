#include <gls.hpp>
#include <iostream>

int main() {
  try {
    const gls::Context context(1);
    std::cout << "gls " << gls_version_string() << ", threads: " << context.get("threads") << "\n";
    return 0;
  } catch (const gls::Error &error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
