package org.gls;

import java.time.Duration;

/** How a function of another process is called. */
public final class CallOptions {
  static final CallOptions DEFAULTS = new CallOptions();

  long timeoutMillis = Futures.TIMEOUT_DEFAULT; // the setting; -1: without limit
  boolean idempotent;

  /** The default options. */
  public CallOptions() {}

  /**
   * How long to wait for the answer. By default the setting "cluster.request_timeout_ms".
   *
   * @param timeout from the time of sending
   * @return this
   */
  public CallOptions timeout(Duration timeout) {
    timeoutMillis = Futures.millis(timeout);
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
   * Whether calling the function twice does no more than calling it once. If so, and the called
   * process is lost before it answers, the function is called again, there or at another server of
   * the part.
   *
   * @param idempotent false by default
   * @return this
   */
  public CallOptions idempotent(boolean idempotent) {
    this.idempotent = idempotent;
    return this;
  }
}
