"""Writes the golden files of TF-GNN in golden/tfgnn.

The schema is written by tensorflow-gnn's own messages (tensorflow_gnn.proto.graph_schema_pb2 of
tensorflow-gnn 1.0.3; the rest of it does not load with new versions of TensorFlow) in protobuf's
text format; the tables by TensorFlow 2.21.0 and by Python's csv.
"""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Any, Dict, List

import google.protobuf
import numpy as np
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.framework import types_pb2
from tensorflow_gnn.proto import graph_schema_pb2

import golden

OUT = golden.GOLDEN / "tfgnn"


def write_records(path: Path, rows: List[Dict[str, Any]], compression: str = "") -> None:
    """Rows of (values, "int", "float" or "byte") by the feature's name."""
    options = tf.io.TFRecordOptions(compression_type=compression)
    with tf.io.TFRecordWriter(str(path), options) as writer:
        for row in rows:
            example = tf.train.Example()
            for name, (values, kind) in row.items():
                feature = example.features.feature[name]
                lists = {
                    "int": feature.int64_list,
                    "float": feature.float_list,
                    "byte": feature.bytes_list,
                }
                lists[kind].value.extend(values if isinstance(values, list) else [values])
            writer.write(example.SerializeToString(deterministic=True))


def write_csv(path: Path, names: List[str], rows: List[List[Any]]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(rows)


def feature(features: Any, name: str, dtype: int, shape: List[int]) -> None:
    features[name].dtype = dtype
    for size in shape:
        features[name].shape.dim.add().size = size


def schema() -> Any:
    out = graph_schema_pb2.GraphSchema()
    paper = out.node_sets["paper"]
    paper.description = 'Papers: "quoted" # and é'
    feature(paper.features, "feat", types_pb2.DT_FLOAT, [4])
    feature(paper.features, "labels", types_pb2.DT_INT64, [1])
    feature(paper.features, "year", types_pb2.DT_INT32, [])
    feature(paper.features, "title", types_pb2.DT_STRING, [])
    feature(paper.features, "words", types_pb2.DT_INT64, [-1])
    paper.metadata.filename = "papers.tfrecords@2"
    paper.metadata.cardinality = 5
    author = out.node_sets["author"]
    feature(author.features, "age", types_pb2.DT_INT64, [])
    feature(author.features, "score", types_pb2.DT_FLOAT, [])
    author.metadata.filename = "authors.csv"
    out.node_sets["_readout"].SetInParent()
    for name, source, target, filename in (
        ("writes", "author", "paper", "writes.tfrecords.gz"),
        ("written", "paper", "author", "writes.tfrecords.gz"),
        ("_read", "paper", "_readout", "read.csv"),
        ("unread", "paper", "paper", ""),
    ):
        edges = out.edge_sets[name]
        edges.source, edges.target = source, target
        if filename:
            edges.metadata.filename = filename
    feature(out.edge_sets["writes"].features, "weight", types_pb2.DT_FLOAT, [])
    extra = out.edge_sets["written"].metadata.extra.add()
    extra.key, extra.value = "edge_type", "reversed"
    feature(out.context.features, "mood", types_pb2.DT_FLOAT, [])
    out.info.graph_type = graph_schema_pb2.GraphType.FULL
    return out


def main() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    random = np.random.default_rng(1)
    text = text_format.MessageToString(schema())
    (OUT / "graph_schema.pbtxt").write_text(text, encoding="utf-8")
    papers = [f"paper-{i}" for i in (3, 1, 4, 0, 2)]
    feat = random.standard_normal((5, 4)).astype(np.float32)
    labels = np.array([2, -1, 0, 1, 5_000_000_000])
    years = np.array([1999, 2001, -5, 0, 2026], np.int32)
    for shard, chosen in enumerate(([0, 1, 2], [3, 4])):
        rows = []
        for i in chosen:
            row = {
                "#id": (papers[i].encode(), "byte"),
                "feat": (feat[i].tolist(), "float"),
                "labels": (int(labels[i]), "int"),
                "year": (int(years[i]), "int"),
                "title": (f"title {i}".encode(), "byte"),
                "words": (list(range(i + 1)), "int"),
            }
            rows.append(row)
        write_records(OUT / f"papers.tfrecords-{shard:05d}-of-00002", rows, ["ZLIB", ""][shard])
    authors = ["007", "ann", "bob, jr.", "é"]
    ages, scores = np.array([30, 40, -1, 7]), np.array([0.5, 1.25, -2, 1e-3], np.float32)
    rows = [[authors[i], ages[i], repr(float(scores[i]))] for i in range(4)]
    write_csv(OUT / "authors.csv", ["#id", "age", "score"], rows)
    source, target = [0, 1, 1, 3, 2, 0], [4, 0, 0, 1, 3, 2]
    weights = random.random(6).astype(np.float32)
    records = [
        {
            "#source": (authors[source[i]].encode(), "byte"),
            "#target": (papers[target[i]].encode(), "byte"),
            "weight": (float(weights[i]), "float"),
        }
        for i in range(6)
    ]
    write_records(OUT / "writes.tfrecords.gz", records, "GZIP")
    write_csv(OUT / "read.csv", ["source", "target"], [[papers[i], "all"] for i in (0, 2)])
    sources, targets = [authors[i] for i in source], [papers[i] for i in target]
    golden.save(
        OUT / "expected.npz",
        {
            "paper": {
                "count": 5,
                "keys": papers,
                "columns": {"feat": feat, "labels": labels, "year": years},
            },
            "author": {"count": 4, "keys": authors, "columns": {"age": ages, "score": scores}},
            "readout": {"count": 1, "keys": ["all"]},
        },
        {
            "author__writes__paper": {
                "source": sources,
                "target": targets,
                "columns": {"weight": weights},
            },
            "paper__written__author": {"source": targets, "target": sources},
            "paper__read__readout": {"source": [papers[0], papers[2]], "target": ["all", "all"]},
        },
    )
    versions = "tensorflow-gnn 1.0.3 (messages)\n"
    versions += f"tensorflow {tf.__version__}\nprotobuf {google.protobuf.__version__}\n"
    (OUT / "VERSIONS").write_text(versions)


if __name__ == "__main__":
    main()
