package org.gls.sampling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.gls.Batch;
import org.gls.Context;
import org.gls.Dataset;
import org.gls.DatasetBuilder;
import org.gls.GlsException;
import org.gls.NeighborLoader;
import org.gls.Pick;
import org.gls.Replace;
import org.gls.SampleRequest;
import org.gls.Sampler;
import org.gls.Tensor;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Neighbours picked by layer. */
class LaborTest {
  private static final int NODES = 200;
  private static final int DEGREE = 30;

  /** Node v has edges from v + 1, v + 2, ... */
  private static Dataset ring() {
    long edges = (long) NODES * DEGREE;
    try (DatasetBuilder builder = new DatasetBuilder(Context.getDefault())) {
      builder.addEdges(
          Graphs.EDGES,
          Tensor.of(
              LongStream.range(0, edges).map(e -> (e / DEGREE + 1 + e % DEGREE) % NODES).toArray()),
          Tensor.of(LongStream.range(0, edges).map(e -> e / DEGREE).toArray()));
      return builder.build();
    }
  }

  private static long nodes(Dataset dataset, UnaryOperator<Sampler.Builder> more) {
    long total = 0;
    Sampler.Builder builder = Sampler.builder(dataset).fanouts(3, 3).seed(5);
    try (Sampler sampler = more.apply(builder).build()) {
      for (long number = 0; number < 20; ++number) {
        long[] seeds = LongStream.range(10, 20).toArray();
        SampleRequest request = new SampleRequest().seeds(Tensor.of(seeds)).batch(number);
        try (Batch batch = sampler.sample(request)) {
          total += batch.node().size();
        }
      }
    }
    return total;
  }

  @Test
  void batchesHaveFewerNodes() {
    try (Dataset dataset = ring()) {
      long apart = nodes(dataset, builder -> builder);
      long layer = nodes(dataset, builder -> builder.pick(Pick.LAYER));
      long layers = nodes(dataset, builder -> builder.pick(Pick.LAYER).layerDependent(true));
      long dependent = nodes(dataset, builder -> builder.pick(Pick.LAYER).batchDependency(8));
      assertTrue(layer < apart * 2 / 3, layer + " and " + apart);
      assertTrue(layers < layer, layers + " and " + layer);
      assertTrue(dependent < apart * 2 / 3, dependent + " and " + apart);
    }
  }

  @Test
  void aDependencyOfOneIsNone() {
    try (Dataset dataset = ring();
        NeighborLoader none =
            NeighborLoader.builder(dataset).fanouts(4).pick(Pick.LAYER).batchSize(50).build();
        NeighborLoader one =
            NeighborLoader.builder(dataset)
                .fanouts(4)
                .pick(Pick.LAYER)
                .batchDependency(1)
                .batchSize(50)
                .build()) {
      try (Batch a = none.next().orElseThrow();
          Batch b = one.next().orElseThrow()) {
        assertArrayEquals(a.node().toLongs(), b.node().toLongs());
      }
    }
  }

  private static void assertInvalid(String argument, Executable call) {
    GlsException error = assertThrows(GlsException.InvalidArgument.class, call);
    assertEquals(argument, error.details().get("argument"), error::getMessage);
  }

  @Test
  void whatDoesNotFitIsRefused() {
    try (Dataset dataset = ring()) {
      Sampler.Builder layer = Sampler.builder(dataset).fanouts(2).pick(Pick.LAYER);
      assertInvalid("pick", () -> layer.replace(Replace.ALWAYS).build());
      assertInvalid("batchDependency", () -> layer.batchDependency(-1));
      assertInvalid("batchDependency", () -> layer.batchDependency(1L << 32));
      assertThrows(NullPointerException.class, () -> layer.pick(null));
      Sampler.Builder plain = Sampler.builder(dataset).fanouts(2);
      assertInvalid("batchDependency", () -> plain.batchDependency(2).build());
      Sampler.Builder other = Sampler.builder(dataset).fanouts(2);
      assertInvalid("layerDependent", () -> other.layerDependent(true).build());
    }
  }
}
