import java.nio.file.Path;
import org.gls.Batch;
import org.gls.DType;
import org.gls.Dataset;
import org.gls.DatasetBuilder;
import org.gls.GlsException;
import org.gls.Ids;
import org.gls.NeighborLoader;
import org.gls.Role;
import org.gls.SampleRequest;
import org.gls.Sampler;
import org.gls.Tensor;
import org.gls.TextOptions;
import org.gls.WriteOptions;

/**
 * The tutorial in Java: see ../README.md.
 *
 * <pre>java --module-path gls.jar --add-modules org.gls Tutorial.java ../ratings.csv FOLDER</pre>
 */
public final class Tutorial {
  private static final int NODES = 1000;
  private static final int DEGREE = 5;

  /** What the program has seen, to be compared with the other languages. */
  private long digest = 0xcbf29ce484222325L;

  private long batches;
  private long edges;

  private Tutorial() {}

  private static void expect(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  private static Dataset build() {
    // Every node has five in-neighbours; everything else follows from its number.
    long[] source = new long[NODES * DEGREE];
    long[] target = new long[NODES * DEGREE];
    for (int e = 0; e < source.length; ++e) {
      target[e] = e / DEGREE;
      source[e] = (7 * target[e] + 31 * (e % DEGREE) + 1) % NODES;
    }
    float[] x = new float[NODES * 2];
    long[] y = new long[NODES];
    long[] train = new long[NODES / 2];
    for (int v = 0; v < NODES; ++v) {
      x[2 * v] = v;
      x[2 * v + 1] = v % 10;
      y[v] = v % 10;
      train[v / 2] = v / 2 * 2;
    }
    // [arrays]
    try (DatasetBuilder builder = new DatasetBuilder()) {
      return builder
          .addEdges("node__to__node", Tensor.of(source), Tensor.of(target))
          .addNodeColumn("node", "x", Tensor.of(x, NODES, 2), Role.FEATURE)
          .addNodeColumn("node", "y", Tensor.of(y), Role.LABEL)
          .addIdSet("node", "train", Tensor.of(train))
          .build();
    }
    // [arrays end]
  }

  private static NeighborLoader.Builder loader(Dataset dataset) {
    // [loader]
    return NeighborLoader.builder(dataset)
        .fanouts(3, 2) // three in-neighbours of a seed, two of each of those
        .seeds("train")
        .batchSize(64)
        .shuffle(true)
        .seed(42);
    // [loader end]
  }

  private void fold(long number) {
    digest = (digest ^ number) * 0x100000001b3L;
  }

  /** Stands for a step of training: looks at all a model would get, and checks it. */
  private void use(Batch batch) {
    // [use]
    long[] node = batch.node().toLongs(); // ids in the dataset; the seeds come first
    long[] row = batch.row().toLongs(); // edges, as positions in `node`
    long[] col = batch.col().toLongs();
    float[] x = batch.column("x").toFloats(); // of all nodes, row by row
    long[] y = batch.column("y").toLongs(); // of the seeds
    // [use end]
    for (int i = 0; i < node.length; ++i) {
      expect(x[2 * i] == node[i] && x[2 * i + 1] == node[i] % 10, "features");
      fold(node[i]);
      fold((long) x[2 * i]);
    }
    for (int i = 0; i < y.length; ++i) {
      expect(y[i] == node[i] % 10, "labels");
      fold(y[i]);
    }
    for (int e = 0; e < row.length; ++e) {
      long from = node[(int) row[e]];
      long to = node[(int) col[e]];
      long step = Math.floorMod(from - 7 * to - 1, (long) NODES);
      expect(step % 31 == 0 && step / 31 < DEGREE, "an edge that the graph has not");
      fold(from);
      fold(to);
    }
    batches += 1;
    edges += row.length;
  }

  private void whole(Dataset dataset) {
    // [epoch]
    try (NeighborLoader loader = loader(dataset).build()) {
      for (Batch batch : loader) { // each iterator is the next epoch
        try (batch) {
          use(batch);
        }
      }
    }
    // [epoch end]
  }

  private void resumed(Dataset dataset) {
    // [resume]
    String state;
    try (NeighborLoader first = loader(dataset).build()) {
      for (int i = 0; i < 3; ++i) {
        try (Batch batch = first.next().orElseThrow()) {
          use(batch);
        }
      }
      state = first.save();
    }
    // Elsewhere, with another number of threads.
    try (NeighborLoader second = loader(dataset).numWorkers(1).build()) {
      second.restore(state);
      for (Batch batch : second) {
        try (batch) {
          use(batch);
        }
      }
    }
    // [resume end]
  }

  private static void fail(Dataset dataset) {
    // [errors]
    try (NeighborLoader loader = loader(dataset).seeds("training").build()) {
      throw new AssertionError("an id set that is not there: " + loader);
    } catch (GlsException.NotFound error) {
      System.out.println(error.statusName() + ": " + error.getMessage());
    }
    // There are nodes 0 .. 999.
    try (NeighborLoader loader = loader(dataset).seeds(new long[] {NODES}).build()) {
      throw new AssertionError("a seed that is not there: " + loader);
    } catch (GlsException.InvalidArgument error) {
      expect(error.details().get("argument").equals("seeds"), "the detail");
      System.out.println(error.statusName() + ": " + error.getMessage());
    }
    // [errors end]
  }

  /** Imports the ratings; returns how many movies ada rated. */
  private int ratings(Path csv, Path folder) {
    // [csv]
    TextOptions text =
        new TextOptions()
            .source("user")
            .target("movie")
            .column("stars", null, DType.FLOAT32, Role.WEIGHT)
            .addReverse(true); // movie__rev_rates__user: a way from a user to movies
    try (DatasetBuilder builder = new DatasetBuilder()) {
      builder
          .addNodeType("user", 0, Ids.STRING)
          .addNodeType("movie", 0, Ids.STRING)
          .addEdgesText("user__rates__movie", csv, text)
          .write(folder, new WriteOptions().overwrite(true)); // now the file is read
    }
    // [csv end]
    // [open]
    try (Dataset ratings = Dataset.open(folder);
        Sampler sampler = Sampler.builder(ratings).fanouts(-1).build();
        Tensor ada = Tensor.of(new long[] {ratings.findNode("user", "ada")});
        Batch batch = sampler.sample(new SampleRequest().seeds("user", ada))) {
      long[] movies = batch.nodes("movie").node().toLongs();
      for (long movie : movies) {
        System.out.println("ada rated " + ratings.nodeKey("movie", movie));
        fold(movie);
      }
      return movies.length;
    }
    // [open end]
  }

  /**
   * Runs it.
   *
   * @param arguments the ratings, and the folder to write
   */
  public static void main(String[] arguments) {
    if (arguments.length != 2) {
      System.err.println("usage: Tutorial ratings.csv FOLDER");
      System.exit(2);
    }
    Tutorial once = new Tutorial();
    Tutorial twice = new Tutorial();
    try (Dataset dataset = build()) {
      once.whole(dataset);
      twice.resumed(dataset);
      fail(dataset);
    }
    expect(once.digest == twice.digest, "a resumed epoch is not the whole one");
    expect(once.batches == 8, "the number of batches");
    int movies = once.ratings(Path.of(arguments[0]), Path.of(arguments[1]));
    expect(movies == 3, "the number of movies");
    System.out.printf(
        "digest %016x, %d batches, %d edges, %d movies%n",
        once.digest, once.batches, once.edges, movies);
  }
}
