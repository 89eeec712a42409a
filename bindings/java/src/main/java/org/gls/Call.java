package org.gls;

import java.util.OptionalInt;
import org.gls.internal.Handle;
import org.gls.internal.NativeMemory;
import org.gls.low.CallTask;

/** The arguments of a call of a function of this process. */
public final class Call {
  private final Handle<CallTask> handle;
  private final byte[] data;
  private final String function;
  private final String caller;
  private final long rank;
  private final long part;

  /** A call that is never answered ends with an error, as when a stage is never completed. */
  Call(CallTask task) {
    handle = new Handle<>("call", task, CallTask::delete);
    NativeMemory.CLEANER.register(this, handle::close);
    data = task.bytes();
    function = task.function();
    caller = task.caller();
    rank = task.rank();
    part = task.part();
  }

  /**
   * What the caller gave.
   *
   * @return the array itself
   */
  public byte[] data() {
    return data;
  }

  /**
   * The name that it was called by.
   *
   * @return of the function
   */
  public String function() {
    return function;
  }

  /**
   * The process that calls.
   *
   * @return its name and address
   */
  public String caller() {
    return caller;
  }

  /**
   * The rank of the caller in the group.
   *
   * @return empty: the caller is a client of a server
   */
  public OptionalInt rank() {
    return rank < 0 ? OptionalInt.empty() : OptionalInt.of((int) rank);
  }

  /**
   * The part of the graph that it was called for.
   *
   * @return empty: it was called as a process of a group
   */
  public OptionalInt part() {
    return part < 0 ? OptionalInt.empty() : OptionalInt.of((int) part);
  }

  /**
   * Whether the caller no longer waits for the answer.
   *
   * @return true also when it was answered
   */
  public boolean isCanceled() {
    try {
      return handle.call(CallTask::canceled);
    } catch (IllegalStateException answered) {
      return true;
    }
  }

  void reply(byte[] answer) {
    Futures.withBytes(
        answer,
        low -> {
          handle.run(task -> task.reply(low));
          return null;
        });
    handle.close();
  }

  void fail(Throwable error) {
    // As in a transform: an unknown error is a fault of the function.
    int status = error instanceof GlsException known ? known.status() : -1;
    String words = String.valueOf(error).replace('\0', ' ');
    try {
      handle.run(task -> task.fail(status, words));
    } catch (GlsException | IllegalStateException answered) {
      // or no memory is left: then the caller gets the error of an unanswered call
    }
    handle.close();
  }
}
