package org.gls.arrow;

import java.io.PrintWriter;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.arrow.c.ArrowArray;
import org.apache.arrow.c.ArrowSchema;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Schema;
import org.gls.internal.Thrown;

/**
 * A reader for the library: the library gets its errors as text, and closing it never fails.
 *
 * <p>Arrow's export of a stream (arrow-c-data 18.1.0) catches what a reader throws and copies the
 * printed text up to the first NUL. It adds no NUL itself, so it reads past the end of the text of
 * any other exception. This class therefore throws only {@link Text}, which prints a NUL.
 *
 * <p>Exporting a schema or a batch can fail too, for instance at the limit of the allocator. Arrow
 * throws such an error outside of the reader, and keeps the memory of what it had exported. This
 * class therefore exports each schema and batch once on trial, releases it, and throws the error
 * itself. An export copies no values. It uses the dictionaries that its trial looked up.
 *
 * <p>Limit: Arrow still reads past the end of its text if the trial succeeds and the export fails.
 * This needs another thread that takes the last memory of the allocator, or of the Java heap, in
 * between.
 */
final class ExportedReader extends ArrowReader {
  private final ArrowReader reader;
  private final Map<Long, Dictionary> lookedUp = new HashMap<>(); // by the last trial
  private boolean batchTried; // and not asked for since
  private boolean closed;

  ExportedReader(ArrowReader reader, BufferAllocator allocator) {
    super(allocator);
    this.reader = reader;
  }

  /** An error that prints its message and a NUL. Unchecked, as a lookup throws it too. */
  private static final class Text extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Text(Throwable error) {
      super(text(error), error);
    }

    private static String text(Throwable error) {
      try {
        return error.toString().replace('\0', ' ');
      } catch (Throwable unprintable) {
        return error.getClass().getName();
      }
    }

    @Override
    public void printStackTrace(PrintWriter out) {
      out.print(getMessage() + '\0');
    }
  }

  /** Catches everything: other languages than Java throw checked exceptions undeclared. */
  private static <R> R call(Callable<R> call) {
    try {
      return call.call();
    } catch (Text error) { // of a lookup on trial
      throw error;
    } catch (Throwable error) {
      Thrown.keep(error);
      throw new Text(error);
    }
  }

  @Override
  public VectorSchemaRoot getVectorSchemaRoot() {
    return call(
        () -> {
          VectorSchemaRoot root = reader.getVectorSchemaRoot();
          if (!batchTried) {
            trySchema(root);
          }
          batchTried = false;
          return root;
        });
  }

  @Override
  public boolean loadNextBatch() {
    return call(
        () -> {
          boolean more = reader.loadNextBatch();
          if (more) {
            tryBatch(reader.getVectorSchemaRoot());
          }
          batchTried = more;
          return more;
        });
  }

  private void trySchema(VectorSchemaRoot root) {
    lookedUp.clear();
    try (ArrowSchema schema = ArrowSchema.allocateNew(allocator)) {
      try {
        Data.exportSchema(allocator, root.getSchema(), this, schema);
      } finally {
        schema.release(); // also what a failed export leaves
      }
    }
  }

  private void tryBatch(VectorSchemaRoot root) {
    lookedUp.clear();
    try (ArrowArray batch = ArrowArray.allocateNew(allocator)) {
      // Of the struct of all columns. Arrow leaks the columns where this memory is missing.
      allocator.buffer(BitVectorHelper.getValidityBufferSize(root.getRowCount())).close();
      try {
        Data.exportVectorSchemaRoot(allocator, root, this, batch);
      } finally {
        batch.release();
      }
    }
  }

  @Override
  public Map<Long, Dictionary> getDictionaryVectors() {
    return call(reader::getDictionaryVectors);
  }

  @Override
  public Dictionary lookup(long id) {
    return call(() -> lookedUp.computeIfAbsent(id, reader::lookup));
  }

  @Override
  public Set<Long> getDictionaryIds() {
    return call(reader::getDictionaryIds);
  }

  @Override
  public long bytesRead() {
    return call(reader::bytesRead);
  }

  /** Native code calls it, on any thread, and could not throw. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      reader.close();
    } catch (Throwable error) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
    }
  }

  @Override
  public void close(boolean closeReadSource) {
    close();
  }

  @Override
  protected void closeReadSource() {
    close();
  }

  @Override
  protected Schema readSchema() {
    return getVectorSchemaRoot().getSchema();
  }
}
