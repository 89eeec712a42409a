package org.gls;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** How {@link Dataset#partition} cuts a graph. The number of {@link #parts} must be set. */
public final class PartitionOptions {
  private PartitionMethod method;
  private int parts;
  private long seed;
  private List<String> balanceSets = List.of();
  private double imbalance;
  private boolean balanceEdges;
  private int haloHops;
  private long hotRows;
  private double hotFraction;
  private String hotIdSet;
  private int[] hotFanouts = {};
  private long hotMaxSeeds;
  private List<Tensor> owners;
  private Path ownersFile;
  private boolean overwrite;
  private boolean rowPadding = true;
  private Progress progress;

  /** Defaults. */
  public PartitionOptions() {}

  /**
   * How owners of nodes are chosen.
   *
   * @param method without this: GIVEN if owners are given, else STREAM
   * @return this
   */
  public PartitionOptions method(PartitionMethod method) {
    this.method = Objects.requireNonNull(method, "method");
    return this;
  }

  /**
   * Into how many parts.
   *
   * @param parts 1 to 65535
   * @return this
   */
  public PartitionOptions parts(int parts) {
    if (parts < 0) {
      throw GlsException.invalid("parts", parts + " is negative");
    }
    this.parts = parts;
    return this;
  }

  /**
   * Other seeds, other parts.
   *
   * @param seed unsigned; 0 by default
   * @return this
   */
  public PartitionOptions seed(long seed) {
    this.seed = seed;
    return this;
  }

  /**
   * Id sets that are shared out evenly, too.
   *
   * @param names none by default
   * @return this
   */
  public PartitionOptions balanceSets(String... names) {
    this.balanceSets = List.of(names);
    return this;
  }

  /**
   * A part may have so much more than the mean, of each thing that is balanced.
   *
   * @param imbalance above 0; 0.05 by default
   * @return this
   */
  public PartitionOptions imbalance(double imbalance) {
    if (imbalance == 0) { // which the library takes for its default
      throw GlsException.invalid("imbalance", "it is 0, expected a number above 0");
    }
    this.imbalance = imbalance;
    return this;
  }

  /**
   * Whether in-degrees are shared out evenly, too.
   *
   * @param balanceEdges false by default
   * @return this
   */
  public PartitionOptions balanceEdges(boolean balanceEdges) {
    this.balanceEdges = balanceEdges;
    return this;
  }

  /**
   * Rows of nodes so many hops from those that a part owns are complete in it, too: with hops - 1 a
   * part can sample for its own nodes alone.
   *
   * @param hops 0 by default
   * @return this
   */
  public PartitionOptions haloHops(int hops) {
    if (hops < 0) {
      throw GlsException.invalid("hops", hops + " is negative");
    }
    this.haloHops = hops;
    return this;
  }

  /**
   * How many nodes of each type that a part does not own have rows in its features and labels. They
   * are the nodes at the ends of the most of the part's edges.
   *
   * @param rows 0 by default
   * @return this
   */
  public PartitionOptions hotRows(long rows) {
    this.hotRows = rows;
    return this;
  }

  /**
   * As {@link #hotRows}, relative to the nodes that a part owns. One of the two is 0.
   *
   * @param fraction 0 by default
   * @return this
   */
  public PartitionOptions hotFraction(double fraction) {
    this.hotFraction = fraction;
    return this;
  }

  /**
   * Those are hot that batches of a part's own nodes in this id set ask for most, as is measured by
   * sampling some.
   *
   * @param name null, the default: of all its own nodes if there are {@link #hotFanouts}, else
   *     nothing is measured and ends of edges are counted
   * @return this
   */
  public PartitionOptions hotIdSet(String name) {
    this.hotIdSet = name;
    return this;
  }

  /**
   * Neighbours of each hop of the batches by which hot rows are measured, for all edge types.
   *
   * @param fanouts 1 or more, or -1 for all neighbours; 15 and 10 by default
   * @return this
   */
  public PartitionOptions hotFanouts(int... fanouts) {
    if (fanouts.length == 0) {
      throw GlsException.invalid("hotFanouts", "they are empty, expected one for each hop");
    }
    this.hotFanouts = fanouts.clone();
    return this;
  }

  /**
   * At most so many of a part's own nodes of each type are sampled from to measure hot rows, chosen
   * by {@link #seed}.
   *
   * @param seeds 0, the default: all those in {@link #hotIdSet}, or 1048576 of all
   * @return this
   */
  public PartitionOptions hotMaxSeeds(long seeds) {
    if (seeds < 1) {
      throw GlsException.invalid("hotMaxSeeds", seeds + " is not positive");
    }
    this.hotMaxSeeds = seeds;
    return this;
  }

  /**
   * The part that owns each node. They must stay open until the call.
   *
   * @param owners of each node type, in the dataset's order: integers [nodes] from 0 to parts - 1
   * @return this
   */
  public PartitionOptions owners(Tensor... owners) {
    this.owners = List.of(owners);
    return this;
  }

  /**
   * The part that owns each node, in a file: .npy with integers, or text with a number on each line
   * as METIS writes it, of all nodes of all types one after another.
   *
   * @param path instead of {@link #owners}
   * @return this
   */
  public PartitionOptions ownersFile(Path path) {
    this.ownersFile = Objects.requireNonNull(path, "path");
    return this;
  }

  /**
   * Whether an existing partition may be replaced.
   *
   * @param overwrite false by default
   * @return this
   */
  public PartitionOptions overwrite(boolean overwrite) {
    this.overwrite = overwrite;
    return this;
  }

  /**
   * Whether rows of columns are padded to cache lines.
   *
   * @param rowPadding true by default
   * @return this
   */
  public PartitionOptions rowPadding(boolean rowPadding) {
    this.rowPadding = rowPadding;
    return this;
  }

  /**
   * Where to report the progress.
   *
   * @param progress null, the default: it is not reported
   * @return this
   */
  public PartitionOptions progress(Progress progress) {
    this.progress = progress;
    return this;
  }

  Progress progress() {
    return Interruptible.of(progress);
  }

  private int methodNumber() {
    if (method != null) {
      return method.number;
    }
    return (owners != null || ownersFile != null ? PartitionMethod.GIVEN : PartitionMethod.STREAM)
        .number;
  }

  /** To be deleted by the caller. */
  org.gls.low.PartitionOptions low() {
    org.gls.low.PartitionOptions low = new org.gls.low.PartitionOptions();
    try {
      low.setMethod(methodNumber());
      low.setParts(parts);
      low.setSeed(seed);
      for (String name : balanceSets) {
        low.addBalanceSet(name);
      }
      low.setImbalance(imbalance);
      low.setBalanceEdges(balanceEdges);
      low.setHaloHops(haloHops);
      low.setHotRows(hotRows);
      low.setHotFraction(hotFraction);
      low.setHotIdSet(hotIdSet);
      for (int fanout : hotFanouts) {
        low.addHotFanout(fanout);
      }
      low.setHotMaxSeeds(hotMaxSeeds);
      if (owners != null) {
        for (Tensor tensor : owners) {
          tensor.handle().run(low::addOwners);
        }
      }
      low.setOwnersFile(ownersFile == null ? null : ownersFile.toString());
      low.setOverwrite(overwrite);
      low.setRowPadding(rowPadding);
      return low;
    } catch (RuntimeException | Error error) { // a tensor that is closed, text with NUL
      low.delete();
      throw error;
    }
  }
}
