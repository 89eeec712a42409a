package org.gls;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What {@link Sampler#sample(SampleRequest)} samples. Its tensors must be open when that is called.
 */
public final class SampleRequest {
  private record SeedSet(String nodeType, Tensor ids, Tensor times) {
    void addTo(org.gls.low.SampleRequest low) {
      ids.handle()
          .run(
              lowIds -> {
                if (times == null) {
                  low.addSeeds(nodeType, lowIds, null);
                } else {
                  times.handle().run(lowTimes -> low.addSeeds(nodeType, lowIds, lowTimes));
                }
              });
    }
  }

  private final List<SeedSet> seeds = new ArrayList<>();
  private final List<SamplingBuilder.EdgeSet> exclude = new ArrayList<>();
  private long epoch;
  private long batch;

  /** No seeds, epoch 0, batch 0. */
  public SampleRequest() {}

  /**
   * Seeds of the only node type.
   *
   * @param ids INT32 or INT64 [seeds]
   * @return this
   */
  public SampleRequest seeds(Tensor ids) {
    return seeds(null, ids);
  }

  /**
   * Seeds of a node type; each type at most once.
   *
   * @param nodeType null: the only one
   * @param ids INT32 or INT64 [seeds]
   * @return this
   */
  public SampleRequest seeds(String nodeType, Tensor ids) {
    return seeds(nodeType, ids, null);
  }

  /**
   * Seeds of a node type with their times, for a sampler that goes by times; each type at most
   * once.
   *
   * @param nodeType null: the only one
   * @param ids INT32 or INT64 [seeds]
   * @param times of each seed, INT32 or INT64 [seeds]; null: they have none
   * @return this
   */
  public SampleRequest seeds(String nodeType, Tensor ids, Tensor times) {
    seeds.add(new SeedSet(nodeType, Objects.requireNonNull(ids, "ids"), times));
    return this;
  }

  /**
   * Part of the random key.
   *
   * @param epoch any number; 0 by default
   * @return this
   */
  public SampleRequest epoch(long epoch) {
    this.epoch = epoch;
    return this;
  }

  /**
   * Part of the random key.
   *
   * @param batch any number; 0 by default
   * @return this
   */
  public SampleRequest batch(long batch) {
    this.batch = batch;
    return this;
  }

  /**
   * Edges not to be used for this batch.
   *
   * @param edgeType null: the only one
   * @param edges ids [n], or sources and targets [2, n], see {@link Tensor#pairs}
   * @return this
   */
  public SampleRequest exclude(String edgeType, Tensor edges) {
    exclude.add(new SamplingBuilder.EdgeSet(edgeType, Objects.requireNonNull(edges, "edges")));
    return this;
  }

  /**
   * Type of the seeds as given, when they are of one type; {@code only} where null stands for it.
   */
  String inputType(String only) {
    if (seeds.size() != 1) {
      return null;
    }
    String given = seeds.get(0).nodeType();
    return given != null ? given : only;
  }

  /** To be deleted by the caller. */
  org.gls.low.SampleRequest low() {
    org.gls.low.SampleRequest low = new org.gls.low.SampleRequest();
    try {
      for (SeedSet set : seeds) {
        set.addTo(low);
      }
      low.setEpoch(epoch);
      low.setBatch(batch);
      for (SamplingBuilder.EdgeSet set : exclude) {
        set.edges().handle().run(edges -> low.addExclude(set.edgeType(), edges));
      }
      return low;
    } catch (RuntimeException | Error error) {
      low.delete();
      throw error;
    }
  }
}
