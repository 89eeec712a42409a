package org.gls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;

/**
 * Splits; what is expected is what the reference gives, and what other languages are tested for.
 */
class SplitTest {
  private static Dataset ring() {
    try (DatasetBuilder builder = new DatasetBuilder(Context.getDefault())) {
      builder.addEdges(
          Graphs.EDGES,
          Tensor.of(LongStream.range(0, 30).map(e -> (e / 3 + 1 + e % 3) % 10).toArray()),
          Tensor.of(LongStream.range(0, 30).map(e -> e / 3).toArray()));
      return builder.build();
    }
  }

  @Test
  void linksExactly() {
    LinkSplit split = new LinkSplit().seed(5).valid(0.1).test(4).supervision(0.25);
    try (Dataset dataset = ring();
        LinkPart train = dataset.splitLinks(null, split, Split.TRAIN);
        LinkPart valid = dataset.splitLinks(Graphs.EDGES, split, Split.VALID);
        LinkPart test = dataset.splitLinks(null, split, Split.TEST)) {
      assertArrayEquals(new long[] {7, 20, 26, 28, 29}, train.links().toLongs());
      assertArrayEquals(
          new long[] {3, 7, 8, 11, 13, 14, 20, 23, 25, 26, 28, 29}, train.exclude().toLongs());
      assertArrayEquals(new long[] {11, 13, 14}, valid.links().toLongs());
      assertArrayEquals(new long[] {3, 8, 11, 13, 14, 23, 25}, valid.exclude().toLongs());
      assertArrayEquals(new long[] {3, 8, 23, 25}, test.links().toLongs());
      assertArrayEquals(new long[] {3, 8, 23, 25}, test.exclude().toLongs());
      GlsException error =
          assertThrows(
              GlsException.InvalidArgument.class,
              () -> dataset.splitLinks(null, split.valid(26), Split.TRAIN));
      assertTrue(error.getMessage().contains("leave none"), error::getMessage);
    }
  }

  @Test
  void oppositeEdgesStayTogether() {
    try (DatasetBuilder builder = new DatasetBuilder(Context.getDefault())) {
      builder.addEdges(
          Graphs.EDGES,
          Tensor.of(new long[] {0, 1, 2, 1, 0, 1, 3, 3, 0}),
          Tensor.of(new long[] {1, 0, 1, 2, 1, 0, 3, 2, 3}));
      LinkSplit split = new LinkSplit().seed(5).valid(1).test(0.4).undirected(true);
      try (Dataset dataset = builder.build();
          LinkPart test = dataset.splitLinks(null, split, Split.TEST)) {
        assertArrayEquals(new long[] {0, 4}, test.links().toLongs());
        assertArrayEquals(new long[] {0, 1, 4, 5}, test.exclude().toLongs());
      }
    }
  }

  @Test
  void aLoaderSeesWhatItMay() {
    try (Dataset dataset = Graphs.random();
        LinkPart train = dataset.splitLinks(null, new LinkSplit(), Split.TRAIN);
        NeighborLoader loader =
            NeighborLoader.builder(dataset)
                .fanouts(-1)
                .links(null)
                .seeds(train.links())
                .exclude(Graphs.EDGES, train.exclude())
                .edgeIds(true)
                .negatives(Negatives.binary())
                .build()) {
      Set<Long> hidden =
          Arrays.stream(train.exclude().toLongs()).boxed().collect(Collectors.toSet());
      assertEquals(600, hidden.size());
      Set<Long> met = new HashSet<>();
      for (Batch batch : loader) {
        try (batch) {
          Arrays.stream(batch.edge().toLongs()).forEach(met::add);
        }
      }
      assertFalse(met.isEmpty());
      met.retainAll(hidden);
      assertTrue(met.isEmpty());
    }
  }

  @Test
  void idsByHash() {
    long[] ids = {
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -1, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE
    };
    try (Tensor parts = Dataset.splitIds(Tensor.of(ids), 7, 8, 1, 1)) {
      assertEquals(DType.UINT8, parts.dtype());
      assertArrayEquals(
          new long[] {0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 0, 0, 0, 1, 0, 2}, parts.toLongs());
    }
    assertThrows(
        GlsException.InvalidArgument.class, () -> Dataset.splitIds(Tensor.of(ids), 7, 1, -1));
    assertThrows(GlsException.InvalidArgument.class, () -> Dataset.splitIds(Tensor.of(ids), 7));
  }
}
