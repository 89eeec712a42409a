package org.gls.examples;

import java.util.Random;

/**
 * GraphSAGE with the "gcn" aggregator, two layers, in plain Java: forward, backward and Adam.
 *
 * <p>A node's new row is the average over its sampled neighbours and itself, times a matrix, plus a
 * bias. ReLU stands between the layers and dropout before each of them.
 *
 * <p>A batch numbers its nodes in the order in which they were sampled, and lists its edges hop by
 * hop. So each layer reads a prefix. The last layer computes the seeds from the edges of the first
 * hop. The layer before it computes the nodes within one hop from all edges.
 */
final class GraphSage {
  /**
   * A mini-batch. Edge i leads from row[i] to col[i]; features are kept as their non-zero entries.
   */
  record Input(
      int nodes,
      int[] start,
      int[] feature,
      float[] value,
      int[] row,
      int[] col,
      int[] served,
      int[] edges,
      int[] label) {}

  private static final int LAYERS = 2;

  /** One matrix with its bias, and what Adam keeps of them. */
  private static final class Layer {
    final int in;
    final int out;
    float[] weight;
    float[] bias;
    final float[] weightGrad;
    final float[] biasGrad;
    final float[][] moments;

    Layer(int in, int out, Random random) {
      this.in = in;
      this.out = out;
      weight = new float[in * out];
      bias = new float[out];
      weightGrad = new float[in * out];
      biasGrad = new float[out];
      moments =
          new float[][] {new float[in * out], new float[in * out], new float[out], new float[out]};
      float limit = (float) Math.sqrt(6.0 / (in + out)); // Glorot and Bengio, 2010
      for (int i = 0; i < weight.length; ++i) {
        weight[i] = (2 * random.nextFloat() - 1) * limit;
      }
    }
  }

  private final Layer[] layers;
  private final float dropout;
  private int steps;

  GraphSage(int features, int hidden, int classes, float dropout, Random random) {
    this.dropout = dropout;
    layers = new Layer[] {new Layer(features, hidden, random), new Layer(hidden, classes, random)};
  }

  // ---- averaging ----

  /** 1 / (sampled neighbours + 1) of each node that a layer serves. */
  private static float[] shares(Input batch, int layer) {
    float[] share = new float[batch.served()[layer]];
    java.util.Arrays.fill(share, 1);
    for (int e = 0; e < batch.edges()[layer]; ++e) {
      share[batch.col()[e]] += 1;
    }
    for (int v = 0; v < share.length; ++v) {
      share[v] = 1 / share[v];
    }
    return share;
  }

  private static void addRow(
      float[] to, int toRow, float[] from, int fromRow, int width, float by) {
    int t = toRow * width;
    int f = fromRow * width;
    for (int j = 0; j < width; ++j) {
      to[t + j] += by * from[f + j];
    }
  }

  /** Rows of the served nodes: bias + the average over themselves and their neighbours. */
  private static float[] average(Input batch, int layer, float[] projected, float[] bias) {
    int width = bias.length;
    float[] share = shares(batch, layer);
    float[] out = new float[share.length * width];
    for (int v = 0; v < share.length; ++v) {
      System.arraycopy(bias, 0, out, v * width, width);
      addRow(out, v, projected, v, width, share[v]);
    }
    for (int e = 0; e < batch.edges()[layer]; ++e) {
      int to = batch.col()[e];
      addRow(out, to, projected, batch.row()[e], width, share[to]);
    }
    return out;
  }

  /** The transpose: carries a gradient from the served nodes back to {@code sources} nodes. */
  private static float[] spread(Input batch, int layer, float[] grad, int width, int sources) {
    float[] share = shares(batch, layer);
    float[] out = new float[sources * width];
    for (int v = 0; v < share.length; ++v) {
      addRow(out, v, grad, v, width, share[v]);
    }
    for (int e = 0; e < batch.edges()[layer]; ++e) {
      int to = batch.col()[e];
      addRow(out, batch.row()[e], grad, to, width, share[to]);
    }
    return out;
  }

  // ---- forward and backward ----

  /** What backward() needs. */
  private static final class Tape {
    float[] value; // features after dropout
    float[] hidden; // after ReLU and dropout
    float[] gate; // what ReLU and dropout multiplied by
  }

  private float kept(Random random) {
    if (random == null) {
      return 1;
    }
    return random.nextFloat() >= dropout ? 1 / (1 - dropout) : 0;
  }

  /** Scores [seeds, classes]. Dropout is on when {@code random} is given. */
  private float[] forward(Input batch, Random random, Tape tape) {
    Layer first = layers[0];
    Layer second = layers[1];
    float[] value = batch.value().clone();
    if (random != null) {
      for (int i = 0; i < value.length; ++i) { // of entries that are zero, none is looked at
        value[i] *= kept(random);
      }
    }
    // average(x) w equals average(x w), which moves rows of the smaller width.
    float[] projected = new float[batch.nodes() * first.out];
    for (int v = 0; v < batch.nodes(); ++v) {
      for (int i = batch.start()[v]; i < batch.start()[v + 1]; ++i) {
        if (value[i] != 0) {
          addRow(projected, v, first.weight, batch.feature()[i], first.out, value[i]);
        }
      }
    }
    float[] hidden = average(batch, 0, projected, first.bias);
    float[] gate = new float[hidden.length];
    for (int i = 0; i < hidden.length; ++i) {
      gate[i] = hidden[i] > 0 ? kept(random) : 0;
      hidden[i] *= gate[i];
    }
    int inner = batch.served()[0];
    float[] scores = new float[inner * second.out];
    for (int v = 0; v < inner; ++v) {
      for (int k = 0; k < second.in; ++k) {
        float h = hidden[v * second.in + k];
        if (h != 0) {
          addRow(scores, v, second.weight, k, second.out, h);
        }
      }
    }
    if (tape != null) {
      tape.value = value;
      tape.hidden = hidden;
      tape.gate = gate;
    }
    return average(batch, 1, scores, second.bias);
  }

  /** Writes the gradients of all parameters, given that of the scores. */
  private void backward(Input batch, float[] grad, Tape tape) {
    Layer first = layers[0];
    Layer second = layers[1];
    int inner = batch.served()[0];
    sumRows(grad, second.biasGrad);
    float[] spread = spread(batch, 1, grad, second.out, inner);
    java.util.Arrays.fill(second.weightGrad, 0);
    float[] below = new float[inner * second.in];
    for (int v = 0; v < inner; ++v) {
      for (int k = 0; k < second.in; ++k) {
        int at = v * second.in + k;
        if (tape.gate[at] == 0) {
          continue;
        }
        addRow(second.weightGrad, k, spread, v, second.out, tape.hidden[at]);
        float sum = 0;
        for (int j = 0; j < second.out; ++j) {
          sum += spread[v * second.out + j] * second.weight[k * second.out + j];
        }
        below[at] = sum * tape.gate[at];
      }
    }
    sumRows(below, first.biasGrad);
    float[] toNodes = spread(batch, 0, below, first.out, batch.nodes());
    java.util.Arrays.fill(first.weightGrad, 0);
    for (int v = 0; v < batch.nodes(); ++v) {
      for (int i = batch.start()[v]; i < batch.start()[v + 1]; ++i) {
        if (tape.value[i] != 0) {
          addRow(first.weightGrad, batch.feature()[i], toNodes, v, first.out, tape.value[i]);
        }
      }
    }
  }

  private static void sumRows(float[] rows, float[] out) {
    java.util.Arrays.fill(out, 0);
    for (int i = 0; i < rows.length; ++i) {
      out[i % out.length] += rows[i];
    }
  }

  /** Turns scores into log-probabilities, in place. */
  private static void logSoftmax(float[] scores, int classes) {
    for (int at = 0; at < scores.length; at += classes) {
      float most = Float.NEGATIVE_INFINITY;
      for (int j = 0; j < classes; ++j) {
        most = Math.max(most, scores[at + j]);
      }
      double sum = 0;
      for (int j = 0; j < classes; ++j) {
        sum += Math.exp(scores[at + j] - most);
      }
      float shift = most + (float) Math.log(sum);
      for (int j = 0; j < classes; ++j) {
        scores[at + j] -= shift;
      }
    }
  }

  /** One step of training on the mean cross-entropy over the seeds. */
  void train(Input batch, Random random, float rate, float decay) {
    int classes = layers[LAYERS - 1].out;
    Tape tape = new Tape();
    float[] grad = forward(batch, random, tape);
    logSoftmax(grad, classes);
    int seeds = grad.length / classes;
    for (int i = 0; i < grad.length; ++i) {
      grad[i] = (float) Math.exp(grad[i]);
    }
    for (int s = 0; s < seeds; ++s) {
      grad[s * classes + batch.label()[s]] -= 1;
    }
    for (int i = 0; i < grad.length; ++i) {
      grad[i] /= seeds;
    }
    backward(batch, grad, tape);
    ++steps;
    for (Layer layer : layers) {
      adam(layer.weight, layer.weightGrad, layer.moments[0], layer.moments[1], rate, decay);
      adam(layer.bias, layer.biasGrad, layer.moments[2], layer.moments[3], rate, 0);
    }
  }

  /** Adam (Kingma and Ba, 2015); weight decay is an L2 penalty in the loss. */
  private void adam(
      float[] param, float[] grad, float[] mean, float[] square, float rate, float decay) {
    float meanScale = (float) (1 / (1 - Math.pow(0.9, steps)));
    float squareScale = (float) (1 / (1 - Math.pow(0.999, steps)));
    for (int i = 0; i < param.length; ++i) {
      float g = grad[i] + decay * param[i];
      mean[i] += 0.1f * (g - mean[i]);
      square[i] += 0.001f * (g * g - square[i]);
      param[i] -=
          rate * (mean[i] * meanScale) / ((float) Math.sqrt(square[i] * squareScale) + 1e-8f);
    }
  }

  /** Number of seeds whose label was found, and the sum of their losses. */
  double[] evaluate(Input batch) {
    int classes = layers[LAYERS - 1].out;
    float[] scores = forward(batch, null, null);
    logSoftmax(scores, classes);
    double right = 0;
    double loss = 0;
    for (int s = 0; s < scores.length / classes; ++s) {
      int best = 0;
      for (int j = 1; j < classes; ++j) {
        if (scores[s * classes + j] > scores[s * classes + best]) {
          best = j;
        }
      }
      right += best == batch.label()[s] ? 1 : 0;
      loss -= scores[s * classes + batch.label()[s]];
    }
    return new double[] {right, loss};
  }

  /** A copy of the parameters. */
  float[][] parameters() {
    return new float[][] {
      layers[0].weight.clone(), layers[0].bias.clone(),
      layers[1].weight.clone(), layers[1].bias.clone()
    };
  }

  /** Goes back to a copy. */
  void setParameters(float[][] kept) {
    layers[0].weight = kept[0];
    layers[0].bias = kept[1];
    layers[1].weight = kept[2];
    layers[1].bias = kept[3];
  }
}
