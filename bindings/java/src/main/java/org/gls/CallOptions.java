package org.gls;

import java.time.Duration;

/** How a function of another process is called. */
public final class CallOptions {
  static final CallOptions DEFAULTS = new CallOptions();

  long timeoutMillis; // 0: as the setting says; -1: without limit
  boolean idempotent;

  /** Those that hold unless others are given. */
  public CallOptions() {}

  /**
   * How long until there is an answer; the setting "cluster.request_timeout_ms" unless it is said.
   *
   * @param timeout from sending on
   * @return this
   */
  public CallOptions timeout(Duration timeout) {
    timeoutMillis = Math.max(1, Answers.millis(timeout));
    return this;
  }

  /**
   * Waits for an answer however long it takes.
   *
   * @return this
   */
  public CallOptions withoutTimeout() {
    timeoutMillis = -1;
    return this;
  }

  /**
   * Whether to call the function twice is as good as once: when the process that was called is lost
   * before it answered, it is called again, there or at another server of the part.
   *
   * @param idempotent false unless it is said
   * @return this
   */
  public CallOptions idempotent(boolean idempotent) {
    this.idempotent = idempotent;
    return this;
  }
}
