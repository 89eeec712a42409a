/** @file gls_swig.hpp
 *  What SWIG reads to make the low-level modules of the bindings: the library as a dozen classes
 * that every target language can express. There are no overloads, no default arguments and no
 * templates. Arguments are scalars, `const char*`, tensors and pointers to these classes. A NULL
 * string or pointer means what NULL means in gls.h. Options are objects with one setter per option,
 * because a wrapped struct would leak the strings set into it. A returned pointer is a new object
 * of the caller. Every failure throws gls::Error. Hand-written packages stand on top, and only
 * those are public.
 */
#ifndef GLS_SWIG_HPP
#define GLS_SWIG_HPP

#include "gls_swig_calls.hpp"
#include "gls_swig_context.hpp"
#include "gls_swig_dataset.hpp"
#include "gls_swig_feed.hpp"
#include "gls_swig_group.hpp"
#include "gls_swig_loader.hpp"
#include "gls_swig_partition.hpp"
#include "gls_swig_ready.hpp"
#include "gls_swig_recipe.hpp"
#include "gls_swig_sample.hpp"
#include "gls_swig_server.hpp"
#include "gls_swig_store.hpp"
#include "gls_swig_table.hpp"
#include "gls_swig_tensor.hpp"

#endif  // GLS_SWIG_HPP
