package org.gls;

import java.util.Map;

/**
 * Changes batches before a loader hands them out.
 *
 * <p>It is called on threads of its own, ahead of the caller and for several batches at once, also
 * for batches that are then dropped. Batches are handed out in their order all the same. What it
 * throws fails its batch alone: the call for that batch throws a {@link GlsException} with it as
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
