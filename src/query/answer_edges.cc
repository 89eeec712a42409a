#include "query/answer_edges.h"

#include <utility>
#include <vector>

#include "graph/dataset/topology_query.h"
#include "tensor/vector_tensor.h"

namespace gls {

Result<Tensor> answer_edges(const Dataset& local, const EdgeQuestion& question) {
  std::vector<int64_t> found;
  switch (question.what) {
    case EdgeQuestion::What::kDegrees: {
      GLS_ASSIGN(found, degrees(local, question.edge_type, question.layout, question.ids));
      break;
    }
    case EdgeQuestion::What::kEnds: {
      std::vector<int64_t> targets;
      GLS_TRY(edge_ends(local, question.edge_type, question.ids, "ids", &found, &targets));
      found.insert(found.end(), targets.begin(), targets.end());
      break;
    }
    case EdgeQuestion::What::kPairs: {
      GLS_ASSIGN(const std::vector<uint8_t> pairs,
                 has_edges(local, question.edge_type, question.ids, question.others));
      found.assign(pairs.begin(), pairs.end());
      break;
    }
  }
  return vector_tensor(std::move(found), kInt64);
}

}  // namespace gls
