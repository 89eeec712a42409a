package org.gls.sampling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.gls.Batch;
import org.gls.Dataset;
import org.gls.DatasetBuilder;
import org.gls.GlsException;
import org.gls.Layout;
import org.gls.NeighborLoader;
import org.gls.SampleRequest;
import org.gls.Sampler;
import org.gls.Supervision;
import org.gls.Tensor;
import org.gls.WriteOptions;
import org.junit.jupiter.api.Test;

/** Anchors through samplers and loaders. */
class AnchorTest {
  private static final String LABEL = "node__label__node";

  /** Labels of nodes 9 to 12, and a ring of 16. */
  private static Dataset splitter() {
    try (DatasetBuilder builder = new DatasetBuilder()) {
      builder.addNodeType("node", 16);
      builder.addEdges(
          LABEL,
          Tensor.of(new long[] {9, 10, 10, 10, 10, 11, 11, 12, 12}),
          Tensor.of(new long[] {8, 7, 10, 11, 15, 12, 13, 10, 11}));
      long[] from = new long[16];
      long[] to = new long[16];
      for (int v = 0; v < 16; ++v) {
        from[v] = v;
        to[v] = (v + 1) % 16;
      }
      builder.addEdges("node__to__node", Tensor.of(from), Tensor.of(to));
      return builder.build(new WriteOptions().layouts(Layout.CSC, Layout.CSR));
    }
  }

  @Test
  void labelsArePaddedRows() {
    try (Dataset dataset = splitter();
        Sampler sampler =
            Sampler.builder(dataset).fanouts(2).supervision(Supervision.of(LABEL)).build();
        Tensor seeds = Tensor.of(new long[] {9, 10, 11, 12});
        Batch batch = sampler.sample(new SampleRequest().seeds(seeds))) {
      Tensor labels = batch.positives(LABEL);
      assertEquals(4, labels.size(0));
      assertEquals(4, labels.size(1));
      long[] node = batch.node().toLongs();
      long[][] want = {{8, -1, -1, -1}, {7, 10, 11, 15}, {12, 13, -1, -1}, {10, 11, -1, -1}};
      for (int i = 0; i < 4; ++i) {
        try (Tensor row = labels.row(i)) {
          long[] ids = row.toLongs();
          for (int j = 0; j < 4; ++j) {
            ids[j] = ids[j] < 0 ? -1 : node[(int) ids[j]];
          }
          assertArrayEquals(want[i], ids);
        }
      }
      assertEquals(0, batch.edges(LABEL).numEdges());
      assertThrows(GlsException.NotFound.class, () -> batch.negatives(LABEL));
      assertTrue(batch.columns().isEmpty());
    }
  }

  @Test
  void loadersHaveAnchors() {
    long[] rows = new long[32];
    for (int v = 0; v < 16; ++v) {
      rows[2 * v] = v;
      rows[2 * v + 1] = -1;
    }
    List<Long> seen = new ArrayList<>();
    try (Dataset dataset = splitter();
        Tensor own = Tensor.of(rows, 16, 2);
        NeighborLoader loader =
            NeighborLoader.builder(dataset)
                .fanouts(2)
                .supervision(Supervision.given("own").negative(true))
                .supervision(Supervision.of(LABEL).maxLabels(2))
                .anchorLabels(own, null)
                .batchSize(5)
                .shuffle(true)
                .build()) {
      for (Batch batch : loader) {
        long[] input = batch.input().toLongs();
        long[] node = batch.node().toLongs();
        assertEquals(2, batch.positives(LABEL).size(1));
        for (int i = 0; i < input.length; ++i) {
          try (Tensor row = batch.negatives("own").row(i)) {
            assertEquals(input[i], node[(int) row.toLongs()[0]]);
            assertEquals(-1, row.toLongs()[1]);
          }
          seen.add(input[i]);
        }
        batch.close();
      }
    }
    assertEquals(16, seen.stream().distinct().count());
  }

  @Test
  void whatMakesNoLabelsIsRefused() {
    try (Dataset dataset = splitter()) {
      assertThrows(
          GlsException.NotFound.class,
          () -> Sampler.builder(dataset).fanouts(2).supervision(Supervision.of("a__b__c")).build());
      assertThrows(
          GlsException.InvalidArgument.class,
          () ->
              Sampler.builder(dataset)
                  .fanouts(2)
                  .fanouts(LABEL, 1)
                  .supervision(Supervision.of(LABEL))
                  .build());
      assertThrows(GlsException.InvalidArgument.class, () -> Supervision.of(LABEL).maxLabels(-1));
      assertThrows(
          GlsException.InvalidArgument.class,
          () ->
              NeighborLoader.builder(dataset)
                  .fanouts(2)
                  .supervision(Supervision.given("own"))
                  .build());
    }
  }
}
