package org.gls;

import java.util.concurrent.CompletionStage;

/** A function of this process that other processes call, and that may answer later. */
@FunctionalInterface
public interface CallFunctionLater {
  /**
   * Called by threads of this package, several at once. Until it answers, it occupies no thread.
   *
   * @param call what it is called with
   * @return what completes with the answer; null in it: no bytes
   * @throws Exception which the caller gets as an error with its words
   */
  CompletionStage<byte[]> apply(Call call) throws Exception;
}
