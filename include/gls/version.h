#ifndef GLS_VERSION_H
#define GLS_VERSION_H

/** Version of this header; gls_version() returns that of the loaded library. */
#define GLS_VERSION_MAJOR 0
#define GLS_VERSION_MINOR 1
#define GLS_VERSION_PATCH 0
#define GLS_VERSION (GLS_VERSION_MAJOR * 1000000 + GLS_VERSION_MINOR * 1000 + GLS_VERSION_PATCH)

#endif /* GLS_VERSION_H */
