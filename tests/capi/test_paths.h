/* Where to listen. */
#ifndef GLS_TESTS_CAPI_PLACES_H
#define GLS_TESTS_CAPI_PLACES_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "files.h"

/* A port of loopback where no program listens. It is below the ports that Linux gives to
 * connections (from 32768 up), so that no connection of the tests takes it. */
static inline void free_place(char *out) {
  for (;;) {
    uint16_t random = 0;
    assert_int_equal(getrandom(&random, sizeof random, 0), sizeof random);
    const int port = 10000 + random % (32768 - 10000);
    struct sockaddr_in place;
    memset(&place, 0, sizeof place);
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    place.sin_port = htons((uint16_t)port);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    const bool taken = bind(fd, (struct sockaddr *)&place, sizeof place) != 0;
    assert_true(!taken || errno == EADDRINUSE);
    close(fd);
    if (!taken) {
      snprintf(out, PATH_SIZE, "127.0.0.1:%d", port);
      return;
    }
  }
}

/* A port where the system accepts connections, and no program answers. */
static inline int silent_place(char *out) {
  free_place(out);
  struct sockaddr_in place;
  memset(&place, 0, sizeof place);
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  place.sin_port = htons((uint16_t)atoi(strchr(out, ':') + 1));
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  assert_int_equal(bind(fd, (struct sockaddr *)&place, sizeof place), 0);
  assert_int_equal(listen(fd, 8), 0);
  return fd;
}

#endif
