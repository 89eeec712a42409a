/* Compiled once for each header of the folder gls: it includes all that it needs. */
#include HEADER

extern const int gls_alone;
const int gls_alone = 1;
