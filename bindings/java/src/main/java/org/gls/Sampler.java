package org.gls;

import java.lang.ref.Cleaner;
import org.gls.internal.Handle;
import org.gls.internal.NativeMemory;

/**
 * Samples neighbourhoods, one batch a call, on the calling thread.
 *
 * <p>A batch is a function of the dataset, the options and the request alone.
 */
public final class Sampler implements AutoCloseable {
  private final Handle<org.gls.low.Sampler> handle;
  private final Cleaner.Cleanable cleanable;
  private final Structure structure;

  private Sampler(org.gls.low.Sampler low, Structure structure) {
    this.structure = structure;
    handle = new Handle<>("sampler", low, org.gls.low.Sampler::delete);
    cleanable = NativeMemory.CLEANER.register(this, handle::close);
  }

  /**
   * Options of a sampler.
   *
   * @param dataset the graph
   * @return for {@link Builder#build}
   */
  public static Builder builder(Dataset dataset) {
    return new Builder(dataset);
  }

  /**
   * Where its batches lie.
   *
   * @return the device of its options, or of its dataset
   */
  public Device device() {
    return handle.call(low -> new Device(low.deviceType(), low.deviceId()));
  }

  /**
   * Samples one batch; no columns are gathered.
   *
   * @param request seeds or links, and random key
   * @return a new batch
   * @throws GlsException.InvalidArgument for a seed or link out of range
   * @throws GlsException.NotFound if a strict negative was not found, or the column of weights for
   *     one
   * @throws GlsException.CorruptData if damaged data was met in the dataset
   */
  public Batch sample(SampleRequest request) {
    org.gls.low.SampleRequest lowRequest = request.low();
    try {
      return new Batch(
          handle.call(low -> low.sample(lowRequest)), structure, request.seedType(structure));
    } finally {
      lowRequest.delete();
    }
  }

  /**
   * Samples one batch of epoch 0 and number 0.
   *
   * @param seeds nodes of the only type
   * @return a new batch
   */
  public Batch sample(long... seeds) {
    try (Tensor ids = Tensor.of(seeds, new long[0])) {
      return sample(new SampleRequest().seeds(ids));
    }
  }

  /** Lets go of the sampler. Batches made by it stay usable. */
  @Override
  public void close() {
    cleanable.clean();
  }

  /** Options of a sampler. */
  public static final class Builder extends SamplingBuilder<Builder> {
    private Builder(Dataset dataset) {
      super(dataset);
    }

    @Override
    Builder self() {
      return this;
    }

    /**
     * Checks the options against the dataset; samples nothing yet.
     *
     * @return a new sampler
     * @throws GlsException.InvalidArgument for options that make no sense
     * @throws GlsException.NotFound for an edge type or column that does not exist
     * @throws GlsException.Unsupported if the layout that the direction needs is not stored, or for
     *     a device that cannot be used
     */
    public Sampler build() {
      Structure structure = dataset.structure();
      return new Sampler(makeSampler(), structure);
    }
  }
}
