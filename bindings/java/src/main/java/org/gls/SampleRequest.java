package org.gls;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * What {@link Sampler#sample(SampleRequest)} samples. Its tensors must be open when that is called.
 */
public final class SampleRequest {
  private record SeedSet(String nodeType, Tensor ids, Tensor times) {
    void addTo(org.gls.low.SampleRequest low) {
      with(ids, lowIds -> with(times, lowTimes -> low.addSeeds(nodeType, lowIds, lowTimes)));
    }
  }

  private record LinkSet(String edgeType, Tensor links, Tensor times, Tensor labels) {
    void addTo(org.gls.low.SampleRequest low) {
      with(
          links,
          lowLinks ->
              with(
                  times,
                  lowTimes ->
                      with(
                          labels,
                          lowLabels -> low.setLinks(edgeType, lowLinks, lowTimes, lowLabels))));
    }
  }

  /** null stays null. */
  private static void with(Tensor tensor, Consumer<org.gls.low.Tensor> call) {
    if (tensor == null) {
      call.accept(null);
    } else {
      tensor.handle().run(call);
    }
  }

  private final List<SeedSet> seeds = new ArrayList<>();
  private final List<SamplingBuilder.EdgeSet> exclude = new ArrayList<>();
  private LinkSet links;
  private Tensor[] anchorLabels = {};
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
   * Links instead of seeds: each end of a link is a seed of its node type.
   *
   * @param edgeType null: the only one
   * @param links ids [links], or sources and targets [2, links], which need not be edges, see
   *     {@link Tensor#pairs}
   * @return this
   */
  public SampleRequest links(String edgeType, Tensor links) {
    return links(edgeType, links, null, null);
  }

  /**
   * Links instead of seeds, with their times and labels. Later links replace earlier ones.
   *
   * @param edgeType null: the only one
   * @param links ids [links], or sources and targets [2, links], which need not be edges, see
   *     {@link Tensor#pairs}
   * @param times of each link, INT32 or INT64 [links], for a sampler that goes by times; null: they
   *     have none
   * @param labels of each link, any numbers [links]; null: they have none, and {@link
   *     Negatives#binary} makes them 1 and 0
   * @return this
   */
  public SampleRequest links(String edgeType, Tensor links, Tensor times, Tensor labels) {
    this.links = new LinkSet(edgeType, Objects.requireNonNull(links, "links"), times, labels);
    return this;
  }

  /**
   * Given labels of anchors.
   *
   * @param labels one for each supervision of the sampler. Without an edge type: INT32 or INT64
   *     [seeds, m], -1 where there is no label. Else null
   * @return this
   */
  public SampleRequest anchorLabels(Tensor... labels) {
    this.anchorLabels = labels.clone();
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

  /** What the seeds are; for a request that was served. */
  SeedType seedType(Structure structure) {
    if (links != null) {
      return SeedType.links(structure.edgeType(links.edgeType()));
    }
    if (seeds.size() != 1) {
      return SeedType.nodes(null);
    }
    String given = seeds.get(0).nodeType();
    return SeedType.nodes(given != null ? given : structure.onlyNodeType());
  }

  /** To be deleted by the caller. */
  org.gls.low.SampleRequest low() {
    org.gls.low.SampleRequest low = new org.gls.low.SampleRequest();
    try {
      for (SeedSet set : seeds) {
        set.addTo(low);
      }
      if (links != null) {
        links.addTo(low);
      }
      for (Tensor rows : anchorLabels) {
        with(rows, low::addLabels);
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
