package org.gls;

import java.lang.ref.Cleaner;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.gls.internal.Handle;
import org.gls.internal.NativeMemory;
import org.gls.low.Choices;

/**
 * Which files make a dataset: a text in YAML, or the dataset of another system. Needs the plugin
 * libgls_formats.so. Any number of threads may use one.
 */
public final class Recipe implements AutoCloseable {
  private final Handle<org.gls.low.Recipe> handle;
  private final Cleaner.Cleanable cleanable;

  private Recipe(org.gls.low.Recipe low) {
    handle = new Handle<>("recipe", low, org.gls.low.Recipe::delete);
    cleanable = NativeMemory.CLEANER.register(this, handle::close);
  }

  /**
   * Reads a recipe. No data file is opened.
   *
   * @param context also of the dataset
   * @param text YAML or JSON; the page "Datasets of other systems" has the keys
   * @param folder names of files are relative to it
   * @return the recipe
   * @throws GlsException.InvalidArgument for an unknown key or a wrong value
   * @throws GlsException.Unsupported if the plugin is missing
   */
  public static Recipe read(Context context, String text, Path folder) {
    Objects.requireNonNull(text, "text");
    Objects.requireNonNull(folder, "folder");
    return new Recipe(
        context.handle.call(low -> org.gls.low.Recipe.read(low, text, folder.toString())));
  }

  /**
   * Makes the recipe for a dataset that another system wrote. Neither code nor pickled objects in
   * its files are run.
   *
   * @param context also of the dataset
   * @param format "dgl", "graphbolt", ...: the page "Datasets of other systems" lists them
   * @param path a file or folder, as the format documents
   * @param choices which of several, as the format documents; may be empty
   * @return the recipe
   * @throws GlsException.NotFound if a file is missing
   * @throws GlsException.CorruptData if a file is damaged
   */
  public static Recipe ofFormat(
      Context context, String format, Path path, Map<String, String> choices) {
    Objects.requireNonNull(format, "format");
    Objects.requireNonNull(path, "path");
    Choices given = new Choices();
    try {
      choices.forEach((name, value) -> given.add(name + "=" + value));
      return new Recipe(
          context.handle.call(
              low -> org.gls.low.Recipe.ofFormat(low, format, path.toString(), given)));
    } finally {
      given.delete();
    }
  }

  /**
   * The recipe in YAML. What the files have and the dataset will not have stands in comments.
   *
   * @return the text
   */
  public String text() {
    return handle.call(org.gls.low.Recipe::text);
  }

  /**
   * A builder that has everything the recipe names. Arrays are mapped; text and tables are read
   * when the dataset is built or written.
   *
   * @return the builder, which the caller closes
   */
  public DatasetBuilder builder() {
    return new DatasetBuilder(handle.call(org.gls.low.Recipe::builder));
  }

  @Override
  public void close() {
    cleanable.clean();
  }
}
