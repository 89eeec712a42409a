package org.gls.loading;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.gls.Batch;
import org.gls.Context;
import org.gls.DType;
import org.gls.Dataset;
import org.gls.DatasetBuilder;
import org.gls.EdgeArrays;
import org.gls.GlsException;
import org.gls.Layout;
import org.gls.Negatives;
import org.gls.NeighborLoader;
import org.gls.NodeArrays;
import org.gls.Pad;
import org.gls.Padding;
import org.gls.Ppr;
import org.gls.Supervision;
import org.gls.Tensor;
import org.gls.Walks;
import org.gls.WriteOptions;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;

/** Batches of one shape. */
class PadTest {
  private static final int NODES = 50;

  private static Dataset ring() {
    try (DatasetBuilder builder = new DatasetBuilder(Context.getDefault())) {
      builder.addEdges(
          Graphs.EDGES,
          Tensor.of(LongStream.range(0, 3 * NODES).map(e -> (e / 3 + 1 + e % 3) % NODES).toArray()),
          Tensor.of(LongStream.range(0, 3 * NODES).map(e -> e / 3).toArray()));
      return builder.build(new WriteOptions().layouts(Layout.CSC, Layout.CSR));
    }
  }

  private static NeighborLoader.Builder loader(Dataset dataset) {
    return NeighborLoader.builder(dataset).fanouts(2, 2).batchSize(8).shuffle(true);
  }

  private static void assertMask(Tensor mask, int real) {
    assertEquals(DType.BOOL, mask.dtype());
    byte[] bytes = new byte[mask.bytes().remaining()];
    mask.bytes().get(bytes);
    for (int i = 0; i < bytes.length; ++i) {
      assertEquals(i < real ? 1 : 0, bytes[i]);
    }
  }

  @Test
  void batchesHaveOneShape() {
    Pad pad = Pad.estimated().batches(5).multiple(16).sigma(6).size("node", 100);
    try (Dataset dataset = ring();
        NeighborLoader padded = loader(dataset).pad(pad).build();
        NeighborLoader plain = loader(dataset).build()) {
      long edges = padded.padSize(dataset.edgeTypes().get(0).name());
      assertEquals(100, padded.padSize("node"));
      assertEquals(0, edges % 16);
      for (Batch real : plain) {
        try (real;
            Batch batch = padded.next().orElseThrow()) {
          assertEquals(Padding.FITS, batch.padding());
          assertEquals(Padding.NONE, real.padding());
          int nodes = (int) real.node().size();
          assertEquals(100, batch.node().size());
          assertEquals(edges, batch.row().size());
          assertEquals(8, batch.seed().size());
          long[] ids = batch.node().toLongs();
          assertArrayEquals(real.node().toLongs(), Arrays.copyOf(ids, nodes));
          assertEquals(-1, ids[nodes]);
          assertMask(batch.nodes().get("node").mask(), nodes);
          assertMask(batch.nodes().get("node").seedMask(), (int) real.seed().size());
          assertMask(batch.edges().values().iterator().next().mask(), (int) real.row().size());
        }
      }
    }
  }

  @Test
  void walksNeighboursAndAnchors() {
    Pad pad = Pad.estimated().sigma(8);
    Supervision labels = Supervision.of(Graphs.EDGES).maxLabels(2);
    try (Dataset dataset = ring();
        NeighborLoader walks =
            NeighborLoader.builder(dataset)
                .walks(Walks.ofLength(3).perSeed(2))
                .batchSize(12)
                .pad(pad)
                .build();
        NeighborLoader near =
            NeighborLoader.builder(dataset).ppr(Ppr.of(3)).batchSize(12).pad(pad).build();
        NeighborLoader plain =
            NeighborLoader.builder(dataset).ppr(Ppr.of(3)).batchSize(12).build();
        NeighborLoader anchors =
            NeighborLoader.builder(dataset)
                .fanouts(2)
                .supervision(labels)
                .batchSize(12)
                .pad(pad)
                .build()) {
      for (int left = NODES; left > 0; left -= 12) {
        int seeds = Math.min(12, left);
        try (Batch walk = walks.next().orElseThrow();
            Batch found = near.next().orElseThrow();
            Batch real = plain.next().orElseThrow();
            Batch anchor = anchors.next().orElseThrow()) {
          NodeArrays walked = walk.nodes().get("node");
          assertEquals(24, walk.walk().size(0));
          assertEquals(24, walked.walkMask().size());
          assertMask(walked.walkMask(), 2 * seeds);
          NodeArrays neighbors = found.nodes().get("node");
          assertEquals(neighbors.nearNode().size(), neighbors.nearMask().size());
          assertMask(neighbors.nearMask(), (int) real.nodes().get("node").nearNode().size());
          NodeArrays labelled = anchor.nodes().get("node");
          assertEquals(12, labelled.anchorMask().size());
          assertMask(labelled.anchorMask(), seeds);
        }
      }
    }
  }

  @Test
  void linksToo() {
    Pad pad = Pad.estimated().sigma(8);
    try (Dataset dataset = ring();
        NeighborLoader pairs =
            loader(dataset)
                .links(Graphs.EDGES)
                .batchSize(32)
                .negatives(Negatives.binary())
                .pad(pad)
                .build();
        NeighborLoader triplets =
            loader(dataset)
                .links(Graphs.EDGES)
                .batchSize(32)
                .negatives(Negatives.triplet().amount(2))
                .pad(pad)
                .build()) {
      int[] real = {32, 32, 32, 32, 22};
      for (int count : real) {
        try (Batch batch = pairs.next().orElseThrow();
            Batch triplet = triplets.next().orElseThrow()) {
          EdgeArrays edges = batch.edges().values().iterator().next();
          assertEquals(64, edges.linkSource().size());
          assertEquals(32, edges.input().size());
          byte[] mask = new byte[64];
          edges.linkMask().bytes().get(mask);
          for (int i = 0; i < 64; ++i) {
            assertEquals(i % 32 < count ? 1 : 0, mask[i]);
          }
          EdgeArrays drawn = triplet.edges().values().iterator().next();
          assertMask(drawn.linkMask(), count);
          assertMask(drawn.linkNegativeMask(), 2 * count);
        }
      }
    }
  }

  @Test
  void whatDoesNotFitIsWhole() {
    try (Dataset dataset = ring();
        NeighborLoader padded = loader(dataset).pad(Pad.estimated().size("node", 9)).build();
        Batch batch = padded.next().orElseThrow();
        NeighborLoader plain = loader(dataset).build()) {
      assertEquals(Padding.OVERFLOW, batch.padding());
      assertThrows(GlsException.NotFound.class, () -> plain.padSize("node"));
      assertThrows(GlsException.NotFound.class, () -> padded.padSize("nobody"));
      assertThrows(
          GlsException.NotFound.class,
          () -> loader(dataset).pad(Pad.estimated().size("nobody", 9)).build());
      assertThrows(
          GlsException.InvalidArgument.class,
          () -> loader(dataset).pad(Pad.estimated().size("node", 0)).build());
      assertThrows(GlsException.InvalidArgument.class, () -> Pad.estimated().sigma(0));
      assertThrows(GlsException.InvalidArgument.class, () -> Pad.estimated().batches(0));
      assertThrows(GlsException.InvalidArgument.class, () -> Pad.estimated().multiple(0));
    }
  }
}
