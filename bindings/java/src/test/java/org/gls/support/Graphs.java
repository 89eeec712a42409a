package org.gls.support;

import java.nio.file.Path;
import java.util.Random;
import org.gls.Context;
import org.gls.Dataset;
import org.gls.DatasetBuilder;
import org.gls.Layout;
import org.gls.Role;
import org.gls.Tensor;
import org.gls.WriteOptions;

/** Graphs that tests share. */
public final class Graphs {
  public static final Path ROOT =
      Path.of(System.getProperty("gls.root")).toAbsolutePath().normalize();
  public static final String EDGES = "node__to__node";
  public static final int NODES = 200;
  public static final int NUM_EDGES = 2000;
  public static final int FEATURES = 12;

  private Graphs() {}

  /** A random graph with one type of each: columns x, y, edge_attr, w; id set train. */
  public static DatasetBuilder builder(Context context) {
    Random random = new Random(7);
    long[] source = random.longs(NUM_EDGES, 0, NODES).toArray();
    long[] target = random.longs(NUM_EDGES, 0, NODES).toArray();
    DatasetBuilder builder = new DatasetBuilder(context);
    builder.addNodeType("node", NODES);
    builder.addEdges(EDGES, Tensor.of(source), Tensor.of(target));
    builder.addNodeColumn("node", "x", Tensor.of(x(), NODES, FEATURES), Role.FEATURE);
    builder.addNodeColumn("node", "y", Tensor.of(y()), Role.LABEL);
    builder.addEdgeColumn(
        EDGES, "edge_attr", Tensor.of(floats(random, NUM_EDGES * 3), NUM_EDGES, 3), Role.FEATURE);
    builder.addEdgeColumn(EDGES, "w", Tensor.of(floats(random, NUM_EDGES)), Role.WEIGHT);
    builder.addIdSet("node", "train", Tensor.of(train()));
    return builder;
  }

  public static Dataset random() {
    return random(Context.getDefault());
  }

  public static Dataset random(Context context) {
    try (DatasetBuilder builder = builder(context)) {
      return builder.build(new WriteOptions().layouts(Layout.CSC, Layout.CSR));
    }
  }

  public static float[] x() {
    return floats(new Random(1), NODES * FEATURES);
  }

  public static long[] y() {
    return new Random(2).longs(NODES, 0, 5).toArray();
  }

  public static long[] train() {
    long[] out = new long[NODES / 2];
    for (int i = 0; i < out.length; ++i) {
      out[i] = 2L * i;
    }
    return out;
  }

  private static float[] floats(Random random, int count) {
    float[] out = new float[count];
    for (int i = 0; i < count; ++i) {
      out[i] = random.nextFloat();
    }
    return out;
  }

  /** Three node types and four edge types. */
  public static Dataset shop() {
    return shop(Context.getDefault());
  }

  public static Dataset shop(Context context) {
    Random random = new Random(3);
    try (DatasetBuilder builder = new DatasetBuilder(context)) {
      builder.addNodeType("user", 60).addNodeType("item", 90).addNodeType("shop", 7);
      edges(builder, "user__buys__item", random, 60, 90, 400);
      edges(builder, "item__bought_by__user", random, 90, 60, 400);
      edges(builder, "user__knows__user", random, 60, 60, 150);
      edges(builder, "item__sold_in__shop", random, 90, 7, 90);
      builder.addNodeColumn("user", "x", Tensor.of(floats(random, 240), 60, 4), Role.FEATURE);
      builder.addNodeColumn("item", "x", Tensor.of(floats(random, 540), 90, 6), Role.FEATURE);
      builder.addNodeColumn("item", "price", Tensor.of(floats(random, 90)), Role.OTHER);
      builder.addNodeColumn("user", "y", Tensor.of(random.longs(60, 0, 3).toArray()), Role.LABEL);
      builder.addEdgeColumn(
          "user__buys__item", "stars", Tensor.of(random.ints(400, 1, 6).toArray()), Role.FEATURE);
      builder.addIdSet("user", "train", Tensor.of(new long[] {0, 2, 4, 6, 8, 10}));
      return builder.build(new WriteOptions().layouts(Layout.CSC, Layout.CSR));
    }
  }

  private static void edges(
      DatasetBuilder builder, String type, Random random, int sources, int targets, int count) {
    builder.addEdges(
        type,
        Tensor.of(random.longs(count, 0, sources).toArray()),
        Tensor.of(random.longs(count, 0, targets).toArray()));
  }

  /** A graph in which only the seeds matter. */
  public static Dataset seeds(long nodes) {
    try (DatasetBuilder builder = new DatasetBuilder()) {
      builder.addNodeType("node", nodes);
      builder.addEdges(EDGES, Tensor.of(new long[1]), Tensor.of(new long[1]));
      return builder.build();
    }
  }
}
