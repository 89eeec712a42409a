/* Temporary folders and the files of saved datasets. */
#ifndef GLS_TESTS_CAPI_FILES_H
#define GLS_TESTS_CAPI_FILES_H

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers.h"

#define PATH_SIZE 512

static inline void make_folder(char *path) {
  const char *const parent = getenv("TMPDIR");
  snprintf(path, PATH_SIZE, "%s/gls-capi-XXXXXX", parent != NULL ? parent : "/tmp");
  assert_non_null(mkdtemp(path));
}
static inline int remove_entry(const char *path, const struct stat *st, int type,
                               struct FTW *walk) {
  (void)st;
  (void)type;
  (void)walk;
  return remove(path);
}
static inline void remove_folder(const char *path) {
  assert_int_equal(nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
}
static inline void join_path(char *out, const char *folder, const char *name) {
  const int length = snprintf(out, PATH_SIZE, "%s/%s", folder, name);
  assert_in_range(length, 1, PATH_SIZE - 1);
}
static inline bool file_exists(const char *path) {
  struct stat st;
  return stat(path, &st) == 0;
}
static inline void write_file(const char *path, const void *bytes, size_t size) {
  FILE *const file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}
static inline void write_text(const char *path, const char *text) {
  write_file(path, text, strlen(text));
}

/* A version 1 header of an .npy file, 128 bytes in all. `descr` as NumPy writes it: "<f4". */
static inline void write_npy(const char *path, const char *descr, const char *shape,
                             const void *data, size_t size) {
  char header[128];
  memset(header, ' ', sizeof header);
  memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
  char dict[110];
  const int length = snprintf(
      dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape);
  assert_in_range(length, 1, sizeof dict - 1);
  memcpy(header + 10, dict, (size_t)length);
  header[127] = '\n';
  FILE *const file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(header, 1, sizeof header, file), sizeof header);
  assert_int_equal(fwrite(data, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

/* Overwrites element `index` (of `width` bytes) of an array file. */
static inline void poke_npy(const char *folder, const char *name, size_t width, size_t index,
                            int64_t value) {
  char path[PATH_SIZE];
  join_path(path, folder, name);
  FILE *const file = fopen(path, "r+b");
  assert_non_null(file);
  unsigned char start[10];
  assert_int_equal(fread(start, 1, sizeof start, file), sizeof start);
  const long data = 10 + start[8] + 256L * start[9];
  assert_int_equal(fseek(file, data + (long)(width * index), SEEK_SET), 0);
  const int32_t narrow = (int32_t)value;
  assert_int_equal(
      fwrite(width == 4 ? (const void *)&narrow : (const void *)&value, 1, width, file), width);
  assert_int_equal(fclose(file), 0);
}

#endif /* GLS_TESTS_CAPI_FILES_H */
