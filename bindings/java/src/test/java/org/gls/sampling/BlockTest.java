package org.gls.sampling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.gls.Batch;
import org.gls.Block;
import org.gls.Dataset;
import org.gls.EdgeArrays;
import org.gls.GlsException;
import org.gls.NodeArrays;
import org.gls.SampleRequest;
import org.gls.Sampler;
import org.gls.Subgraph;
import org.gls.Tensor;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;

/** Blocks against the whole batch. */
class BlockTest {
  private static int first(long[] counts, int count) {
    return (int) Arrays.stream(counts).limit(count).sum();
  }

  @Test
  void layersAreBeginnings() {
    try (Dataset dataset = Graphs.shop();
        Sampler sampler = Sampler.builder(dataset).fanouts(4, 3, 2).edgeIds(true).build();
        Batch batch =
            sampler.sample(new SampleRequest().seeds("item", Tensor.of(new long[] {3, 50, 7})))) {
      List<Block> blocks = batch.blocks();
      assertEquals(3, blocks.size());
      for (Block block : blocks) {
        int hops = 3 - block.layer();
        for (NodeArrays nodes : batch.nodes().values()) {
          long[] ids = nodes.node().toLongs();
          int inputs = first(nodes.numSampledNodes(), hops + 1);
          int outputs = first(nodes.numSampledNodes(), hops);
          String type = nodes.type();
          assertArrayEquals(Arrays.copyOf(ids, inputs), block.inputNodes(type).toLongs());
          assertArrayEquals(Arrays.copyOf(ids, outputs), block.outputNodes(type).toLongs());
        }
        for (EdgeArrays edges : batch.edges().values()) {
          int count = first(edges.numSampledEdges(), hops);
          String type = edges.type();
          long[] dst = Arrays.copyOf(edges.col().toLongs(), count);
          assertArrayEquals(Arrays.copyOf(edges.row().toLongs(), count), block.src(type).toLongs());
          assertArrayEquals(dst, block.dst(type).toLongs());
          assertArrayEquals(
              Arrays.copyOf(edges.edge().toLongs(), count), block.edge(type).toLongs());
          long[] indptr = block.indptr(type).toLongs();
          for (int v = 0; v < indptr.length; ++v) {
            final int node = v;
            assertEquals(Arrays.stream(dst).filter(d -> d < node).count(), indptr[v]);
          }
          assertSame(block.indptr(type), block.indptr(type));
        }
      }
    }
  }

  @Test
  void oneType() {
    try (Dataset dataset = Graphs.random();
        Sampler sampler = Sampler.builder(dataset).fanouts(4, 3).build();
        Batch batch = sampler.sample(new SampleRequest().seeds(Tensor.of(new long[] {3, 7})))) {
      Block last = batch.blocks().get(1);
      assertArrayEquals(new long[] {3, 7}, last.outputNodes(null).toLongs());
      assertEquals(3, last.indptr(null).size());
      assertTrue(last.src(null).size() <= 8);
      assertThrows(GlsException.NotFound.class, () -> last.edge(null));
      assertThrows(GlsException.NotFound.class, () -> last.src("nobody"));
    }
  }

  @Test
  void someBatchesHaveNone() {
    try (Dataset dataset = Graphs.random();
        Sampler sampler =
            Sampler.builder(dataset).fanouts(4, 3).subgraph(Subgraph.INDUCED).build();
        Batch batch = sampler.sample(new SampleRequest().seeds(Tensor.of(new long[] {3, 7})))) {
      assertThrows(GlsException.Unsupported.class, batch::blocks);
    }
  }
}
