package org.gls.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.gls.DType;
import org.gls.Dataset;
import org.gls.GlsException;
import org.gls.Optimizer;
import org.gls.Server;
import org.gls.Table;
import org.gls.TableInfo;
import org.gls.TableOptions;
import org.gls.Tensor;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** Rows that training changes, and what is wrong with them. */
@Timeout(120)
class TableTest extends Tables {
  // ---- rows ------------------------------------------------------------------------------------

  @Test
  void beginsTheSameWhoeverHoldsIt() {
    try (Table near = here.table("node", "e", options().uniform(-0.5, 0.25).seed(7));
        Table there = far.table(null, "e", options().uniform(-0.5, 0.25).seed(7));
        Table again = far.table(null, "e");
        Table other = here.table(null, "e2", options().uniform(-0.5, 0.25).seed(7));
        Table even = far.table(null, "even", options().constant(1.5));
        Table edges = here.table(Graphs.EDGES, "e", new TableOptions(1))) {
      float[] drawn = all(near);
      assertEquals(Graphs.NODES * WIDTH, drawn.length);
      double sum = 0;
      for (float value : drawn) {
        assertTrue(value >= -0.5 && value < 0.25);
        sum += value;
      }
      // 600 numbers whose mean has a standard deviation of 0.0088.
      assertEquals(-0.125, sum / drawn.length, 0.045);
      assertArrayEquals(drawn, all(there));
      assertArrayEquals(drawn, all(again));
      assertFalse(Arrays.equals(drawn, all(other)));
      assertArrayEquals(new float[] {1.5f, 1.5f, 1.5f}, read(even, 3));
      assertEquals(Graphs.NUM_EDGES, edges.info().rows());
      assertArrayEquals(new float[1], read(edges, Graphs.NUM_EDGES - 1));
      assertEquals(
          new TableInfo(
              "e",
              "node",
              Graphs.NODES,
              WIDTH,
              DType.FLOAT32,
              false,
              false,
              Optimizer.NONE,
              0,
              1,
              0,
              4L * Graphs.NODES * WIDTH),
          there.info());
      assertEquals(near.info(), there.info());
    }
  }

  @Test
  void readsWhatWasWritten() {
    for (Dataset dataset : both()) {
      try (Table table = dataset.table(null, "written", options());
          Table reader = dataset.table(null, "written");
          Tensor ids = Tensor.of(new int[] {9, 4, 9});
          Tensor rows = rows(1, 2, 3, 4, 5, 6, 7, 8, 9);
          Tensor none = ids();
          Tensor nothing = Tensor.of(new float[0], 0, WIDTH)) {
        table.write(ids, rows); // of the same id, the last
        table.write(none, nothing);
        float[] expected = {7, 8, 9, 0, 0, 0, 4, 5, 6, 7, 8, 9};
        assertArrayEquals(expected, read(table, 9, 0, 4, 9));
        assertArrayEquals(expected, read(reader, 9, 0, 4, 9));
        assertEquals(0, read(table).length);
      }
    }
  }

  @Test
  void hasNumbersOfAnyType() {
    for (Dataset dataset : both()) {
      try (Table table = dataset.table(null, "counts", new TableOptions(2).dtype(DType.INT64));
          Tensor ids = ids(199, 0);
          Tensor rows = Tensor.of(new long[] {1L << 60, -2, 3, 4}, 2, 2)) {
        table.write(ids, rows);
        try (Tensor got = table.rows(ids)) {
          assertEquals(DType.INT64, got.dtype());
          assertFalse(got.isReadOnly());
          assertArrayEquals(rows.toLongs(), got.toLongs());
        }
      }
    }
  }

  // ---- steps -----------------------------------------------------------------------------------

  @Test
  void gradientsOfARowAreSummedOrTheirMeanTaken() {
    for (Dataset dataset : both()) {
      for (boolean mean : new boolean[] {false, true}) {
        try (Table table =
                dataset.table(
                    null, "sgd" + mean, options().constant(1).optimizer(Optimizer.SGD).mean(mean));
            Tensor ids = ids(5, 6, 5);
            Tensor gradients = rows(1, 2, 3, 4, 4, 4, 3, 2, -1)) {
          table.step(ids, gradients, RATE);
          float[] expected = mean ? new float[] {0.5f, 0.5f, 0.75f} : new float[] {0, 0, 0.5f};
          assertArrayEquals(expected, read(table, 5));
          assertArrayEquals(new float[] {0, 0, 0}, read(table, 6));
          assertArrayEquals(new float[] {1, 1, 1}, read(table, 7));
          assertEquals(1, table.info().step());
          assertEquals(mean, table.info().mean());
        }
      }
    }
  }

  /** How one number changes, as gls.h writes it. */
  private static final class Number {
    double w;
    double m;
    double v;
    int steps; // in which it was

    Number(double w) {
      this.w = w;
    }

    void adagrad(double g, double epsilon) {
      v += g * g;
      w -= RATE * g / (Math.sqrt(v) + epsilon);
    }

    void adam(double g, int t, double epsilon, double beta1, double beta2) {
      gather(g, beta1, beta2);
      double scale = Math.sqrt(1 - Math.pow(beta2, t)) / (1 - Math.pow(beta1, t));
      w -= RATE * scale * m / (Math.sqrt(v) + epsilon);
    }

    void adamOfItsOwnSteps(double g, double epsilon, double beta1, double beta2) {
      gather(g, beta1, beta2);
      double first = m / (1 - Math.pow(beta1, steps));
      double second = v / (1 - Math.pow(beta2, steps));
      w -= RATE * first / (Math.sqrt(second) + epsilon);
    }

    private void gather(double g, double beta1, double beta2) {
      ++steps;
      m += (1 - beta1) * (g - m);
      v += (1 - beta2) * (g * g - v);
    }
  }

  private interface Law {
    void change(Number number, double g, int t);
  }

  /** Five steps, each of some of two rows, are those of the formula. */
  private void follows(String name, TableOptions options, Law law) {
    for (Dataset dataset : both()) {
      try (Table table = dataset.table(null, name, options)) {
        long[] rows = {8, 3};
        Number[] expected = new Number[rows.length * WIDTH];
        float[] begin = read(table, rows);
        for (int i = 0; i < expected.length; ++i) {
          expected[i] = new Number(begin[i]);
        }
        long[][] steps = {{8, 3}, {8}, {}, {3}, {3, 8, 3}};
        for (int t = 1; t <= steps.length; ++t) {
          float[] gradients = new float[steps[t - 1].length * WIDTH];
          double[] sums = new double[expected.length];
          for (int i = 0; i < gradients.length; ++i) {
            gradients[i] = (i % 2 == 0 ? 1 : -0.5f) * (i + 1) / t;
            sums[(steps[t - 1][i / WIDTH] == 8 ? 0 : WIDTH) + i % WIDTH] += gradients[i];
          }
          for (int i = 0; i < sums.length; ++i) {
            if (sums[i] != 0) {
              law.change(expected[i], sums[i], t);
            }
          }
          try (Tensor ids = ids(steps[t - 1]);
              Tensor given = Tensor.of(gradients, steps[t - 1].length, WIDTH)) {
            table.step(ids, given, RATE, SOON);
          }
        }
        assertEquals(steps.length, table.info().step());
        float[] got = read(table, rows);
        for (int i = 0; i < got.length; ++i) {
          assertEquals(expected[i].w, got[i], 1e-5, name + " at " + i);
        }
      }
    }
  }

  @Test
  void stepsAreThoseOfTheFormulas() {
    follows("adagrad", by(Optimizer.ADAGRAD), (number, g, t) -> number.adagrad(g, 1e-10));
    follows(
        "adagrad of another epsilon",
        by(Optimizer.ADAGRAD).epsilon(0.5),
        (number, g, t) -> number.adagrad(g, 0.5));
    follows("adam", by(Optimizer.ADAM), (number, g, t) -> number.adam(g, t, 1e-8, 0.9, 0.999));
    follows(
        "adam of other numbers",
        by(Optimizer.ADAM).epsilon(0.25).betas(0, 0.5),
        (number, g, t) -> number.adam(g, t, 0.25, 0, 0.5));
    follows(
        "adam that counts steps of rows",
        by(Optimizer.ADAM).rowSteps(true).epsilon(0),
        (number, g, t) -> number.adamOfItsOwnSteps(g, 0, 0.9, 0.999));
  }

  // ---- what is wrong ---------------------------------------------------------------------------

  @Test
  void saysWhatIsWrongWithArguments() {
    for (Dataset dataset : both()) {
      try (Table table = dataset.table(null, "e", by(Optimizer.SGD));
          Table reader = dataset.table(null, "e");
          Table plain = dataset.table(null, "plain", options());
          Tensor two = ids(3, 4);
          Tensor outside = ids(0, Graphs.NODES);
          Tensor rows = rows(1, 2, 3, 4, 5, 6);
          Tensor few = rows(1, 2, 3);
          Tensor doubles = Tensor.of(new double[2 * WIDTH], 2, WIDTH)) {
        for (Executable call :
            List.<Executable>of(
                () -> table.rows(outside),
                () -> table.write(outside, rows),
                () -> table.step(outside, rows, RATE))) {
          GlsException error = refused(GlsException.InvalidArgument.class, "200", call);
          assertEquals("ids", error.details().get("argument"));
        }
        for (Tensor bad : List.of(few, doubles)) {
          GlsException error =
              refused(GlsException.InvalidArgument.class, "rows", () -> table.write(two, bad));
          assertEquals("rows", error.details().get("argument"));
          error =
              refused(
                  GlsException.InvalidArgument.class,
                  "gradients",
                  () -> table.step(two, bad, RATE));
          assertEquals("gradients", error.details().get("argument"));
        }
        refused(
            GlsException.InvalidArgument.class,
            "learningRate",
            () -> table.step(two, rows, Double.NaN));
        refused(GlsException.InvalidState.class, "", () -> plain.step(two, rows, RATE));
        refused(GlsException.InvalidState.class, "", () -> reader.step(two, rows, RATE));
        assertThrows(NullPointerException.class, () -> table.rows(null));
        assertThrows(NullPointerException.class, () -> table.write(two, null));
        assertThrows(NullPointerException.class, () -> table.step(null, rows, RATE));
        assertThrows(NullPointerException.class, () -> table.save(null));
        assertThrows(NullPointerException.class, () -> table.load(null));
        assertThrows(
            GlsException.InvalidArgument.class,
            () -> table.step(two, rows, RATE, Duration.ofMillis(-1)));
        assertEquals(0, table.info().step());
      }
    }
  }

  @Test
  void saysWhatIsWrongWithOptions() {
    for (Dataset dataset : both()) {
      try (Table table = dataset.table(null, "e", by(Optimizer.ADAM))) {
        refused(
            GlsException.AlreadyExists.class,
            "width",
            () ->
                dataset.table(
                    null,
                    "e",
                    new TableOptions(4).uniform(-0.5, 0.5).seed(7).optimizer(Optimizer.ADAM)));
        refused(GlsException.AlreadyExists.class, "", () -> dataset.table(null, "e", options()));
      }
      refused(GlsException.NotFound.class, "none", () -> dataset.table(null, "none"));
      refused(GlsException.NotFound.class, "none", () -> dataset.table("none", "e", options()));
      assertThrows(NullPointerException.class, () -> dataset.table(null, null, options()));
      assertThrows(NullPointerException.class, () -> dataset.table(null, "e", null));
      for (String name : List.of("", "e".repeat(256))) {
        refused(
            GlsException.InvalidArgument.class, "name", () -> dataset.table(null, name, options()));
      }
      refused(
          GlsException.InvalidArgument.class,
          "width",
          () -> dataset.table(null, "a", new TableOptions(0)));
      refused(
          GlsException.InvalidArgument.class,
          "beta1",
          () -> dataset.table(null, "a", by(Optimizer.ADAM).betas(1, 0.5)));
      refused(
          GlsException.Unsupported.class,
          "float64",
          () -> dataset.table(null, "a", by(Optimizer.SGD).uniform(0, 0).dtype(DType.FLOAT64)));
      refused(
          GlsException.InvalidArgument.class,
          "rank",
          () -> dataset.table(null, "a", options().trainer(2, 2)));
    }
    refused(
        GlsException.InvalidArgument.class,
        "worldSize",
        () -> here.table(null, "a", options().trainer(0, 2)));
    assertThrows(GlsException.InvalidArgument.class, () -> options().trainer(-1, 2));
    assertThrows(GlsException.InvalidArgument.class, () -> options().trainer(0, 0));
    assertThrows(GlsException.InvalidArgument.class, () -> options().epsilon(-1));
    assertThrows(GlsException.InvalidArgument.class, () -> options().betas(0.5, -1));
    assertThrows(GlsException.InvalidArgument.class, () -> server(0).tableBytes(-1));
  }

  @Test
  void serversHoldNoMoreThanTheyMay() {
    refused(
        GlsException.OutOfMemory.class, "", () -> far.table(null, "large", new TableOptions(4000)));
    try (Server none = server(1).server(first.address()).start()) {
      second.stop(Duration.ZERO);
      try (Dataset dataset = open(none)) {
        refused(GlsException.Unsupported.class, "", () -> dataset.table(null, "e", options()));
      }
    }
  }

  @Test
  void whatIsDroppedIsGoneForAll() {
    for (Dataset dataset : both()) {
      try (Table table = dataset.table(null, "e", options());
          Table reader = dataset.table(null, "e");
          Tensor one = ids(1)) {
        reader.drop();
        table.drop();
        refused(GlsException.InvalidState.class, "", () -> table.rows(one));
        refused(GlsException.InvalidState.class, "", () -> reader.rows(one));
        refused(GlsException.NotFound.class, "e", () -> dataset.table(null, "e"));
        try (Table another = dataset.table(null, "e", new TableOptions(1).constant(2))) {
          assertArrayEquals(new float[] {2}, read(another, 1));
          refused(GlsException.InvalidState.class, "", () -> table.rows(one));
        }
      }
    }
  }

  @Test
  void closing() {
    Table table;
    try (Dataset dataset = open(first)) {
      table = dataset.table(null, "e", options());
    }
    assertEquals(WIDTH, read(table, 1).length); // it needs no dataset
    Tensor one = ids(1);
    Tensor rows = rows(1, 2, 3);
    table.write(one, rows);
    table.close();
    table.close();
    for (Executable call :
        List.<Executable>of(
            table::info,
            table::drop,
            () -> table.rows(one),
            () -> table.write(one, rows),
            () -> table.step(one, rows, RATE),
            () -> table.save(folder.resolve("x")),
            () -> table.load(folder.resolve("x")))) {
      assertEquals(
          "the table is closed", assertThrows(IllegalStateException.class, call).getMessage());
    }
    try (Table again = far.table(null, "e")) {
      assertArrayEquals(new float[] {1, 2, 3}, read(again, 1)); // which was only let go of
      one.close();
      assertThrows(IllegalStateException.class, () -> again.rows(one));
    }
  }
}
