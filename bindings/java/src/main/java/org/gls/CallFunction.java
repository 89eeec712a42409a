package org.gls;

/** A function of this process that other processes call. */
@FunctionalInterface
public interface CallFunction {
  /**
   * Called by threads of this package, several at once.
   *
   * @param call what it is called with
   * @return the answer; null: no bytes
   * @throws Exception which the caller gets as an error with its words
   */
  byte[] apply(Call call) throws Exception;
}
