package org.gls;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.gls.low.HgtOptions;
import org.gls.low.ImportanceOptions;
import org.gls.low.NegativeOptions;
import org.gls.low.PprOptions;
import org.gls.low.SamplerOptions;
import org.gls.low.WalkOptions;

/**
 * The options of sampling, which samplers and loaders share.
 *
 * @param <B> the builder itself
 */
public abstract class SamplingBuilder<B extends SamplingBuilder<B>> {
  private static final int EDGE_IDS = 1;
  private static final int DISJOINT = 2;
  private static final int TOWARD_SEEDS = 4;
  private static final int INT32 = 8;
  private static final int TIME_STRICT = 16;
  private static final int EXCLUDE_LINKS = 32;
  private static final int LAYER_DEPENDENT = 64;

  private record Fanouts(String edgeType, long[] perHop) {}

  private record Pair(String edgeType, String reverseType) {}

  record EdgeSet(String edgeType, Tensor edges) {}

  final Dataset dataset;
  private final List<Fanouts> fanouts = new ArrayList<>();
  private final List<EdgeSet> exclude = new ArrayList<>();
  private final List<Pair> reverseTypes = new ArrayList<>();
  private int flags;
  private long seed;
  private Direction direction = Direction.IN;
  private Replace replace = Replace.NEVER;
  private String weight;
  private ExcludeMode excludeMode = ExcludeMode.SELF;
  private String reverseColumn;
  private String nodeTime;
  private String edgeTime;
  private TimeStrategy timeStrategy = TimeStrategy.UNIFORM;
  private long timeWindow;
  private Subgraph subgraph = Subgraph.SAMPLED;
  private Pick pick = Pick.INDEPENDENT;
  private long batchDependency;
  private Negatives negatives;
  private Walks walks;
  private final List<Supervision> supervisions = new ArrayList<>();
  private Importance importance;
  private Ppr ppr;
  private Hgt hgt;
  private Device device; // null: that of the dataset
  private int contract;

  SamplingBuilder(Dataset dataset) {
    this.dataset = Objects.requireNonNull(dataset, "dataset");
  }

  abstract B self();

  /**
   * Neighbours to take per hop, for all edge types without fanouts of their own. With {@link
   * Subgraph#INDUCED} there may be no fanouts at all: the nodes are then the seeds.
   *
   * @param perHop for example 15, 10; -1 takes all
   * @return this
   */
  public B fanouts(int... perHop) {
    return addFanouts(null, perHop);
  }

  /**
   * Neighbours to take per hop through one edge type.
   *
   * @param edgeType "source__relation__target"
   * @param perHop as many hops as for the other types; -1 takes all, 0 none
   * @return this
   */
  public B fanouts(String edgeType, int... perHop) {
    return addFanouts(Objects.requireNonNull(edgeType, "edgeType"), perHop);
  }

  private B addFanouts(String edgeType, int[] perHop) {
    long[] copy = new long[perHop.length];
    for (int i = 0; i < copy.length; ++i) {
      copy[i] = perHop[i];
    }
    fanouts.add(new Fanouts(edgeType, copy));
    return self();
  }

  /**
   * The same seed gives the same batches.
   *
   * @param seed any number; 0 by default
   * @return this
   */
  public B seed(long seed) {
    this.seed = seed;
    return self();
  }

  /**
   * Which way edges are followed.
   *
   * @param direction IN by default
   * @return this
   */
  public B direction(Direction direction) {
    this.direction = Objects.requireNonNull(direction, "direction");
    return self();
  }

  /**
   * Whether an edge may be drawn several times.
   *
   * @param replace NEVER by default
   * @return this
   */
  public B replace(Replace replace) {
    this.replace = Objects.requireNonNull(replace, "replace");
    return self();
  }

  /**
   * Samples in proportion to an edge column of non-negative numbers. Edge types without it are
   * sampled uniformly.
   *
   * @param column null, the default: all uniformly
   * @return this
   */
  public B weight(String column) {
    this.weight = column;
    return self();
  }

  /**
   * Whether batches have the dataset id of every edge.
   *
   * @param edgeIds false by default
   * @return this
   */
  public B edgeIds(boolean edgeIds) {
    return flag(EDGE_IDS, edgeIds);
  }

  /**
   * Whether each seed grows a tree of its own.
   *
   * @param disjoint false by default
   * @return this
   */
  public B disjoint(boolean disjoint) {
    return flag(DISJOINT, disjoint);
  }

  /**
   * Whether {@code col} is always the end nearer to the seed, also when the direction is OUT.
   *
   * @param towardSeeds false by default
   * @return this
   */
  public B towardSeeds(boolean towardSeeds) {
    return flag(TOWARD_SEEDS, towardSeeds);
  }

  /**
   * Whether ids are INT32; every count must fit.
   *
   * @param int32 false by default
   * @return this
   */
  public B int32(boolean int32) {
    return flag(INT32, int32);
  }

  private B flag(int bit, boolean set) {
    flags = set ? flags | bit : flags & ~bit;
    return self();
  }

  /**
   * Edges that are never used. Call it once for each edge type.
   *
   * @param edgeType null: the only one
   * @param edges ids [n], or sources and targets [2, n], see {@link Tensor#pairs}; must stay open
   *     until the sampler or loader is built
   * @return this
   */
  public B exclude(String edgeType, Tensor edges) {
    exclude.add(new EdgeSet(edgeType, Objects.requireNonNull(edges, "edges")));
    return self();
  }

  /**
   * Which edges an excluded edge takes with it; also for those excluded per call. Loaders, and
   * requests for links, refuse all modes but SELF where no edges are excluded.
   *
   * @param mode SELF by default
   * @return this
   */
  public B excludeMode(ExcludeMode mode) {
    this.excludeMode = Objects.requireNonNull(mode, "mode");
    return self();
  }

  /**
   * For {@link ExcludeMode#REVERSE_ID}: the edge column with the id of each edge's reverse.
   *
   * @param column of INT64
   * @return this
   */
  public B reverseColumn(String column) {
    this.reverseColumn = column;
    return self();
  }

  /**
   * For {@link ExcludeMode#REVERSE_TYPES}: two edge types that are each other's reverse. May be
   * called several times.
   *
   * @param edgeType one
   * @param reverseType the other
   * @return this
   */
  public B reverseTypes(String edgeType, String reverseType) {
    reverseTypes.add(
        new Pair(
            Objects.requireNonNull(edgeType, "edgeType"),
            Objects.requireNonNull(reverseType, "reverseType")));
    return self();
  }

  /**
   * Goes by times of nodes: a neighbour is used for a seed of time t only if its own time is at
   * most t. Each seed then needs a time and grows a tree of its own, as when disjoint. Node types
   * without the column are always early enough.
   *
   * @param column of integers, one per node; null, the default: none
   * @return this
   */
  public B nodeTime(String column) {
    this.nodeTime = column;
    return self();
  }

  /**
   * Goes by times of edges, as {@link #nodeTime} by those of nodes. With both, both must be early
   * enough.
   *
   * @param column of integers, one per edge; null, the default: none
   * @return this
   */
  public B edgeTime(String column) {
    this.edgeTime = column;
    return self();
  }

  /**
   * Which of the neighbours that are early enough to take. LAST goes by the times of edges if there
   * are any, else by those of nodes, and takes neither weights nor replacement.
   *
   * @param strategy UNIFORM by default
   * @return this
   */
  public B timeStrategy(TimeStrategy strategy) {
    this.timeStrategy = Objects.requireNonNull(strategy, "strategy");
    return self();
  }

  /**
   * Whether times must be below that of the seed, not equal to it.
   *
   * @param timeStrict false by default
   * @return this
   */
  public B timeStrict(boolean timeStrict) {
    return flag(TIME_STRICT, timeStrict);
  }

  /**
   * Excludes times that are too early: below that of the seed minus this window.
   *
   * @param window 0, the default: nothing is too early
   * @return this
   */
  public B timeWindow(long window) {
    if (window < 0) {
      throw GlsException.invalid("timeWindow", window + " is negative");
    }
    this.timeWindow = window;
    return self();
  }

  /**
   * Which edges between the sampled nodes batches have.
   *
   * @param subgraph SAMPLED by default
   * @return this
   */
  public B subgraph(Subgraph subgraph) {
    this.subgraph = Objects.requireNonNull(subgraph, "subgraph");
    return self();
  }

  /**
   * How a row's picks go together with those of other rows.
   *
   * @param pick INDEPENDENT by default; LAYER takes neither replacement nor {@link
   *     TimeStrategy#LAST}
   * @return this
   */
  public B pick(Pick pick) {
    this.pick = Objects.requireNonNull(pick, "pick");
    return self();
  }

  /**
   * With {@link Pick#LAYER}, for how many batches in a row a node keeps its random number. With
   * each batch, one node in so many gets a new number.
   *
   * @param batches below 2^32; 0, the default, or 1: all are new in each batch
   * @return this
   */
  public B batchDependency(long batches) {
    if (batches < 0 || batches > 0xffffffffL) {
      throw GlsException.invalid("batchDependency", batches + " is not 0 to 4294967295");
    }
    this.batchDependency = batches;
    return self();
  }

  /**
   * With {@link Pick#LAYER}, whether a node has the same random number in all hops.
   *
   * @param layerDependent false by default
   * @return this
   */
  public B layerDependent(boolean layerDependent) {
    return flag(LAYER_DEPENDENT, layerDependent);
  }

  /**
   * The negatives to draw for links that are seeds.
   *
   * @param negatives null, the default: nothing
   * @return this
   */
  public B negatives(Negatives negatives) {
    this.negatives = negatives;
    return self();
  }

  /**
   * Random walks instead of neighbourhoods; they have no fanouts. Batches then have {@link
   * NodeArrays#walk} and {@link NodeArrays#walkEdge}, and no other edges.
   *
   * @param walks null, the default: neighbourhoods
   * @return this
   */
  public B walks(Walks walks) {
    this.walks = walks;
    return self();
  }

  /**
   * Makes every seed an anchor with labels; may be called several times.
   *
   * @param supervision where labels come from
   * @return this
   */
  public B supervision(Supervision supervision) {
    supervisions.add(Objects.requireNonNull(supervision, "supervision"));
    return self();
  }

  /**
   * The nodes that random walks visit most, instead of neighbourhoods; they have no fanouts.
   * Batches then have {@link NodeArrays#nearSeed}, {@link NodeArrays#nearNode} and {@link
   * NodeArrays#nearScore}, and no other edges.
   *
   * @param importance null, the default: neighbourhoods
   * @return this
   */
  public B importance(Importance importance) {
    this.importance = importance;
    return self();
  }

  /**
   * The nodes of highest personalised PageRank, instead of neighbourhoods; as {@link #importance}.
   *
   * @param ppr null, the default: neighbourhoods
   * @return this
   */
  public B ppr(Ppr ppr) {
    this.ppr = ppr;
    return self();
  }

  /**
   * Nodes of each type drawn from budgets, instead of neighbourhoods; they have no fanouts. Batches
   * have one number of edges of each type, as edges have no hops.
   *
   * @param hgt null, the default: neighbourhoods
   * @return this
   */
  public B hgt(Hgt hgt) {
    this.hgt = hgt;
    return self();
  }

  /**
   * Whether links that are seeds are not used for their batch, nor the edges that {@link
   * #excludeMode} adds to them. Loaders of nodes refuse it.
   *
   * @param excludeLinks false by default
   * @return this
   */
  public B excludeLinks(boolean excludeLinks) {
    return flag(EXCLUDE_LINKS, excludeLinks);
  }

  /**
   * Where batches are sampled and where their arrays are. If a GPU cannot sample a batch, the CPU
   * samples it and the batch is moved, unless the setting "device.sampling" forbids it. The batches
   * are equal.
   *
   * @param device by default the device of the dataset
   * @return this
   */
  public B device(Device device) {
    this.device = Objects.requireNonNull(device, "device");
    return self();
  }

  /**
   * As {@link #device(Device)}, by name.
   *
   * @param device see {@link Device#of}
   * @return this
   */
  public B device(String device) {
    return device(Device.of(device));
  }

  /**
   * Version of the sampling contract.
   *
   * @param contract 0, the default: the newest
   * @return this
   */
  public B contract(int contract) {
    if (contract < 0) {
      throw GlsException.invalid("contract", contract + " is negative");
    }
    this.contract = contract;
    return self();
  }

  org.gls.low.Sampler makeSampler() {
    SamplerOptions options = new SamplerOptions();
    try {
      for (Fanouts one : fanouts) {
        options.addFanouts(one.edgeType());
        for (long fanout : one.perHop()) {
          options.addHop(fanout);
        }
      }
      options.setFlags(flags);
      options.setSeed(seed);
      options.setDirection(direction.number);
      options.setReplace(replace.number);
      options.setWeight(weight);
      options.setContract(contract);
      if (device != null) {
        options.setDevice(device.type(), device.index());
      }
      for (EdgeSet set : exclude) {
        set.edges().handle().run(edges -> options.addExclude(set.edgeType(), edges));
      }
      options.setExcludeMode(excludeMode.number);
      options.setReverseColumn(reverseColumn);
      for (Pair pair : reverseTypes) {
        options.addReverseTypes(pair.edgeType(), pair.reverseType());
      }
      options.setTimes(nodeTime, edgeTime);
      options.setTimeStrategy(timeStrategy.number);
      options.setTimeWindow(timeWindow);
      options.setSubgraph(subgraph.number);
      options.setPick(pick.number);
      options.setBatchDependency(batchDependency);
      if (negatives != null) {
        NegativeOptions low = negatives.low();
        try {
          options.setNegatives(low);
        } finally {
          low.delete();
        }
      }
      for (Supervision one : supervisions) {
        one.addTo(options);
      }
      if (walks != null) {
        WalkOptions low = walks.low();
        try {
          options.setWalk(low);
        } finally {
          low.delete();
        }
      }
      if (importance != null) {
        ImportanceOptions low = importance.low();
        try {
          options.setImportance(low);
        } finally {
          low.delete();
        }
      }
      if (ppr != null) {
        PprOptions low = ppr.low();
        try {
          options.setPpr(low);
        } finally {
          low.delete();
        }
      }
      if (hgt != null) {
        HgtOptions low = hgt.low();
        try {
          options.setHgt(low);
        } finally {
          low.delete();
        }
      }
      return dataset.handle.call(low -> new org.gls.low.Sampler(low, options));
    } finally {
      options.delete();
    }
  }
}
