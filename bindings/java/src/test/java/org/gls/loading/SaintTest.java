package org.gls.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.stream.LongStream;
import org.gls.Batch;
import org.gls.Context;
import org.gls.Dataset;
import org.gls.DatasetBuilder;
import org.gls.GlsException;
import org.gls.NeighborLoader;
import org.gls.NormOptions;
import org.gls.SaintNorms;
import org.gls.SeedLaw;
import org.gls.Subgraph;
import org.gls.Tensor;
import org.gls.Walks;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;

/** GraphSAINT's norms. */
class SaintTest {
  private static final int NODES = 40;

  /** Edge e goes from node e / 3 + 1 + e % 3 to node e / 3. */
  private static Dataset ring() {
    try (DatasetBuilder builder = new DatasetBuilder(Context.getDefault())) {
      builder.addEdges(
          Graphs.EDGES,
          Tensor.of(LongStream.range(0, 3 * NODES).map(e -> (e / 3 + 1 + e % 3) % NODES).toArray()),
          Tensor.of(LongStream.range(0, 3 * NODES).map(e -> e / 3).toArray()));
      return builder.build();
    }
  }

  @Test
  void normsAreWhatWasCounted() {
    try (Dataset dataset = ring();
        NeighborLoader loader =
            NeighborLoader.builder(dataset)
                .walks(Walks.ofLength(2))
                .subgraph(Subgraph.INDUCED)
                .edgeIds(true)
                .drawSeeds(SeedLaw.UNIFORM, 4)
                .batchSize(6)
                .build()) {
      int[] nodes = new int[NODES];
      int[] edges = new int[3 * NODES];
      for (int k = 0; k < 10; ++k) {
        try (Batch batch = loader.sample(Long.MIN_VALUE + k / 4, k % 4)) {
          LongStream.of(batch.node().toLongs()).forEach(v -> ++nodes[(int) v]);
          LongStream.of(batch.edge().toLongs()).forEach(e -> ++edges[(int) e]);
        }
      }
      try (SaintNorms norms = loader.saintNorms(new NormOptions().batches(10))) {
        float[] node = norms.node().toFloats();
        for (int v = 0; v < NODES; ++v) {
          double met = nodes[v] == 0 ? 0.1 : nodes[v];
          assertEquals((float) (10 / met / NODES), node[v]);
        }
        float[] edge = norms.edge().toFloats();
        for (int e = 0; e < 3 * NODES; ++e) {
          if (edges[e] > 0) {
            assertEquals((float) ((double) nodes[e / 3] / edges[e]), edge[e]);
          }
        }
      }
      try (SaintNorms norms = loader.saintNorms(new NormOptions().coverage(1.5).edges(false))) {
        assertNull(norms.edge());
        assertEquals(NODES, norms.node().size());
      }
      assertThrows(
          GlsException.NotFound.class,
          () -> loader.saintNorms(new NormOptions().nodeType("cheese")));
      RuntimeException own = new RuntimeException("enough");
      assertEquals(
          own,
          assertThrows(
              RuntimeException.class,
              () ->
                  loader.saintNorms(
                      new NormOptions()
                          .progress(
                              (stage, done, total, unit) -> {
                                throw own;
                              }))));
    }
  }
}
