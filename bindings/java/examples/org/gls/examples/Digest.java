package org.gls.examples;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.gls.Batch;
import org.gls.BatchArray;
import org.gls.DType;
import org.gls.Dataset;
import org.gls.Direction;
import org.gls.Even;
import org.gls.MadeBy;
import org.gls.NeighborLoader;
import org.gls.Replace;
import org.gls.Rows;
import org.gls.Tensor;

/**
 * Prints a digest of what a loader delivers, to be compared with that of other languages: FNV-1a of
 * 64 bits over the bytes of all arrays of every batch, in the order in which the batch lists them.
 *
 * <pre>
 * Digest DATASET [OPTIONS]    a folder, or gls://HOST:PORT
 *   --fanouts 10,10         neighbours per hop
 *   --node-type T           type of the seeds
 *   --id-set NAME           seeds; all nodes by default
 *   --batch-size N          1024
 *   --seed S                0
 *   --shuffle  --drop-last  --edge-ids  --disjoint  --toward-seeds  --int32  --no-columns
 *   --direction in|out      --replace never|above|always      --weight COLUMN
 *   --columns a,b           instead of the default ones; "a:float32" widens
 *   --rank R --world W --even none|drop|repeat
 *   --workers N --prefetch N
 *   --made-by here|servers  where the batches of a served graph are made
 *   --pace-ms N             rests after each batch, and prints how many there were
 *   --epoch E               first epoch, 0
 *   --epochs N              1
 *   --stop-after N          after so many batches, print the loader's state on a line of its own
 *   --resume STATE          go on where a state was saved; "@FILE" reads it from a file
 *   --digest-from HEX       go on with this digest
 * </pre>
 *
 * The first line, without a pace, is a JSON object: {"batches": N, "bytes": N, "digest": "16
 * hexadecimal digits"}.
 */
public final class Digest {
  private static final long START = 0xcbf29ce484222325L;
  private static final long PRIME = 0x100000001b3L;

  private long digest = START;
  private long batches;
  private long bytes;

  private Digest() {}

  private void add(Batch batch) {
    for (BatchArray array : batch.arrays()) {
      Tensor tensor = batch.tensor(array.kind(), array.type(), array.name());
      if (tensor.isContiguous()) {
        add(tensor.bytes());
      } else {
        try (Tensor packed = tensor.copy()) {
          add(packed.bytes());
        }
      }
    }
    ++batches;
  }

  private void add(ByteBuffer buffer) {
    long h = digest;
    for (int i = 0; i < buffer.limit(); ++i) {
      h = (h ^ (buffer.get(i) & 0xff)) * PRIME;
    }
    digest = h;
    bytes += buffer.limit();
  }

  private static int[] numbers(String list) {
    return Arrays.stream(list.split(",")).mapToInt(Integer::parseInt).toArray();
  }

  private static String upper(String text) {
    return text.toUpperCase(Locale.ROOT);
  }

  private static String state(String argument) throws IOException {
    return argument.startsWith("@")
        ? Files.readString(Path.of(argument.substring(1))).strip()
        : argument;
  }

  private static void column(NeighborLoader.Builder builder, String spec) {
    int colon = spec.indexOf(':');
    if (colon < 0) {
      builder.column(spec);
    } else {
      DType dtype = DType.valueOf(upper(spec.substring(colon + 1)));
      builder.column(null, spec.substring(0, colon), Rows.AUTO, dtype);
    }
  }

  /**
   * Runs it.
   *
   * @param arguments see the description of the class
   * @throws IOException if the file with the state cannot be read
   * @throws InterruptedException if the thread is interrupted while it rests
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    if (arguments.length == 0) {
      System.err.println("usage: Digest DATASET [OPTIONS], see the source");
      System.exit(2);
    }
    Digest digest = new Digest();
    try (Dataset dataset = Dataset.open(arguments[0])) {
      NeighborLoader.Builder builder = NeighborLoader.builder(dataset);
      int[] fanouts = {10, 10};
      int rank = 0;
      int world = 1;
      long epoch = 0;
      long epochs = 1;
      long stopAfter = Long.MAX_VALUE;
      String resume = null;
      long pace = 0;
      for (int i = 1; i < arguments.length; ++i) {
        switch (arguments[i]) {
          case "--fanouts" -> fanouts = numbers(arguments[++i]);
          case "--node-type" -> builder.nodeType(arguments[++i]);
          case "--id-set" -> builder.seeds(arguments[++i]);
          case "--batch-size" -> builder.batchSize(Integer.parseInt(arguments[++i]));
          case "--seed" -> builder.seed(Long.parseUnsignedLong(arguments[++i]));
          case "--shuffle" -> builder.shuffle(true);
          case "--drop-last" -> builder.dropLast(true);
          case "--edge-ids" -> builder.edgeIds(true);
          case "--disjoint" -> builder.disjoint(true);
          case "--toward-seeds" -> builder.towardSeeds(true);
          case "--int32" -> builder.int32(true);
          case "--no-columns" -> builder.noColumns();
          case "--direction" -> builder.direction(Direction.valueOf(upper(arguments[++i])));
          case "--replace" -> builder.replace(Replace.valueOf(upper(arguments[++i])));
          case "--weight" -> builder.weight(arguments[++i]);
          case "--columns" -> {
            for (String spec : arguments[++i].split(",")) {
              column(builder, spec);
            }
          }
          case "--rank" -> rank = Integer.parseInt(arguments[++i]);
          case "--world" -> world = Integer.parseInt(arguments[++i]);
          case "--even" -> builder.even(Even.valueOf(upper(arguments[++i])));
          case "--made-by" -> builder.madeBy(MadeBy.valueOf(upper(arguments[++i])));
          case "--pace-ms" -> pace = Long.parseLong(arguments[++i]);
          case "--workers" -> builder.numWorkers(Integer.parseInt(arguments[++i]));
          case "--prefetch" -> builder.prefetch(Integer.parseInt(arguments[++i]));
          case "--epoch" -> epoch = Long.parseUnsignedLong(arguments[++i]);
          case "--epochs" -> epochs = Long.parseLong(arguments[++i]);
          case "--stop-after" -> stopAfter = Long.parseLong(arguments[++i]);
          case "--resume" -> resume = state(arguments[++i]);
          case "--digest-from" -> digest.digest = Long.parseUnsignedLong(arguments[++i], 16);
          default -> throw new IllegalArgumentException("unknown option " + arguments[i]);
        }
      }
      String saved = null;
      builder.fanouts(fanouts).trainer(rank, world);
      try (NeighborLoader loader = builder.build()) {
        if (resume != null) {
          loader.restore(resume);
        } else {
          loader.setEpoch(epoch);
        }
        for (long done = 0; done < epochs && saved == null; ) {
          if (digest.batches >= stopAfter) {
            saved = loader.save();
            break;
          }
          Optional<Batch> next = loader.next();
          if (next.isPresent()) {
            try (Batch batch = next.get()) {
              digest.add(batch);
            }
            if (pace > 0) {
              System.out.printf("{\"batches\": %d}%n", digest.batches);
              Thread.sleep(pace);
            }
          } else {
            ++done;
            if (done < epochs) {
              loader.setEpoch(loader.epoch() + 1);
            }
          }
        }
      }
      System.out.printf(
          "{\"batches\": %d, \"bytes\": %d, \"digest\": \"%016x\"}%n",
          digest.batches, digest.bytes, digest.digest);
      if (saved != null) {
        System.out.println(saved);
      }
    }
  }
}
