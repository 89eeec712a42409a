// Answers questions about single edges and nodes from a dataset whose topologies are here.
#pragma once

#include "query/graph_source.h"

namespace gls {

// As GraphSource::ask_edges().
Result<Tensor> answer_edges(const Dataset& local, const EdgeQuestion& question);

}  // namespace gls
