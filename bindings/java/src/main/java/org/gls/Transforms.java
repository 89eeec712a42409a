package org.gls;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.gls.internal.NativeMemory;
import org.gls.low.TransformQueue;
import org.gls.low.TransformTask;

/**
 * Runs the transform of a loader. The library's threads put batches into a queue and wait. Java
 * threads take them out, so that no thread of the library ever runs Java code. These threads refer
 * to this object and not to the loader, whose end closes the queue.
 */
final class Transforms {
  private static final int INVALID_ARGUMENT = -1; // gls.h
  private static final int MOST_FAILURES = 1024;

  private record Number(String epoch, String batch) {}

  private final BatchTransform function;
  private final Function<org.gls.low.Batch, Batch> wrap;
  private final TransformQueue queue = new TransformQueue();
  // Exceptions, until the library reports them. Those of dropped batches are never requested.
  private final Map<Number, Throwable> failures = new ConcurrentHashMap<>();

  Transforms(BatchTransform function, Function<org.gls.low.Batch, Batch> wrap) {
    this.function = function;
    this.wrap = wrap;
    NativeMemory.CLEANER.register(this, queue::delete);
  }

  TransformQueue queue() {
    return queue;
  }

  /** When there is a loader, which ends what begins here. */
  void start() {
    if (!queue.wantsThread()) {
      return; // one for each batch in work, and one for the next batch
    }
    Thread thread = new Thread(this::serve, "gls-transform");
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (Throwable error) {
      queue.lostThread();
      throw error;
    }
  }

  private void serve() {
    for (; ; ) {
      TransformTask task = queue.next(-1);
      if (task == null) {
        return;
      }
      try {
        start();
      } catch (OutOfMemoryError error) {
        // The system has no more threads: the running ones take all batches.
      }
      try {
        run(task);
      } finally {
        task.delete();
      }
    }
  }

  private void run(TransformTask task) {
    Number number = null;
    try (Batch batch = wrap.apply(task.batch())) {
      number = number(batch.epoch(), batch.number());
      Map<String, Tensor> arrays = function.apply(batch);
      if (arrays != null) {
        arrays.forEach(
            (name, tensor) -> {
              tensor.handle().run(low -> task.attach(name, low));
              tensor.close();
            });
      }
      task.finish(0, null);
    } catch (Throwable error) { // whatever it is, it is for the caller of the loader
      if (number != null && failures.size() < MOST_FAILURES) {
        failures.put(number, error);
      }
      int status = error instanceof GlsException known ? known.status() : INVALID_ARGUMENT;
      task.finish(status, String.valueOf(error).replace('\0', ' '));
    }
  }

  private static Number number(long epoch, long batch) {
    return new Number(Long.toUnsignedString(epoch), Long.toUnsignedString(batch));
  }

  /** The same error, with what the transform threw as its cause, if that is why it is reported. */
  RuntimeException explain(RuntimeException error) {
    if (error instanceof GlsException known && known.details().containsKey("batch")) {
      Map<String, String> details = known.details();
      Throwable cause = failures.remove(new Number(details.get("epoch"), details.get("batch")));
      if (cause != null && cause != error && error.getCause() == null) {
        error.initCause(cause);
      }
    }
    return error;
  }
}
