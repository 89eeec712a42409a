package org.gls;

import java.util.Map;

/**
 * Changes batches before a loader hands them out.
 *
 * <p>Threads of this package call it ahead of the caller, for several batches at once, also for
 * batches that are then dropped. The loader still delivers batches in their order. An exception
 * from it fails its batch alone: the call for that batch throws a {@link GlsException} with it as
 * the cause, and the next call gives the next batch. It must not ask its own loader for batches.
 */
@FunctionalInterface
public interface BatchTransform {
  /**
   * Changes one batch: its arrays may be written.
   *
   * @param batch closed when this returns, with its tensors; buffers of them stay valid
   * @return arrays to attach, by name, which are then closed: see {@link Batch#attached}. null:
   *     none
   * @throws Exception whatever is wrong with the batch
   */
  Map<String, Tensor> apply(Batch batch) throws Exception;
}
