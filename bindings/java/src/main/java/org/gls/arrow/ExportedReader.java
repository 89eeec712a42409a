package org.gls.arrow;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Schema;
import org.gls.internal.Thrown;

/** A reader for the library: the library gets its errors as text, and closing it never fails. */
final class ExportedReader extends ArrowReader {
  private final ArrowReader reader;
  private boolean closed;

  ExportedReader(ArrowReader reader, BufferAllocator allocator) {
    super(allocator);
    this.reader = reader;
  }

  /** Arrow hands the library what this prints, up to the first NUL, and adds no NUL itself. */
  private static final class Text extends IOException {
    private static final long serialVersionUID = 1L;

    Text(Throwable error) {
      super(String.valueOf(error).replace('\0', ' '), error);
    }

    @Override
    public void printStackTrace(PrintWriter out) {
      out.print(getMessage() + '\0');
    }
  }

  private static Text failed(Throwable error) {
    Thrown.keep(error);
    return new Text(error);
  }

  @Override
  public VectorSchemaRoot getVectorSchemaRoot() throws IOException {
    try {
      return reader.getVectorSchemaRoot();
    } catch (IOException | RuntimeException | Error error) {
      throw failed(error);
    }
  }

  @Override
  public boolean loadNextBatch() throws IOException {
    try {
      return reader.loadNextBatch();
    } catch (IOException | RuntimeException | Error error) {
      throw failed(error);
    }
  }

  @Override
  public Map<Long, Dictionary> getDictionaryVectors() throws IOException {
    return reader.getDictionaryVectors();
  }

  @Override
  public Dictionary lookup(long id) {
    return reader.lookup(id);
  }

  @Override
  public Set<Long> getDictionaryIds() {
    return reader.getDictionaryIds();
  }

  @Override
  public long bytesRead() {
    return reader.bytesRead();
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
  protected Schema readSchema() throws IOException {
    return getVectorSchemaRoot().getSchema();
  }
}
