"""Writes the golden files of GiGL in golden/gigl.

GiGL is in no package registry, so its configuration and metadata are written by its own messages
(snapchat/research/gbml/*_pb2.py of github.com/Snapchat/GiGL at fee4ba50), as its ProtoUtils writes
them: MessageToDict, then yaml.dump. The tables are written by TensorFlow 2.21.0.
"""

from __future__ import annotations

import shutil
from typing import Any, Dict, List

import google.protobuf
import numpy as np
import tensorflow as tf
import yaml
from google.protobuf.json_format import MessageToDict
from snapchat.research.gbml import gbml_config_pb2, preprocessed_metadata_pb2

import golden
from make_tfgnn import write_records

OUT = golden.GOLDEN / "gigl"
# The folder of the bucket that the files were copied from.
ROOT = "gs://bucket/job"


def write_yaml(name: str, message: Any) -> None:
    text = yaml.dump(MessageToDict(message=message), default_flow_style=False)
    (OUT / name).write_text(text, encoding="utf-8")


def shards(folder: str, rows: List[Dict[str, Any]], count: int) -> str:
    (OUT / folder).mkdir(parents=True)
    for i in range(count):
        part = rows[i * len(rows) // count : (i + 1) * len(rows) // count]
        write_records(OUT / folder / f"data-{i:05d}-of-{count:05d}.tfrecord", part)
    return f"{ROOT}/{folder}/"


def floats(names: List[str], row: Any) -> Dict[str, Any]:
    return {name: (float(value), "float") for name, value in zip(names, row)}


def main() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    random = np.random.default_rng(2)
    metadata = preprocessed_metadata_pb2.PreprocessedMetadata()
    ids = {"user": np.array([2, 0, 3, 1]), "story": np.array([1, 0, 2])}
    x = {
        "user": random.standard_normal((4, 3)).astype(np.float32),
        "story": np.array([[1, 0.5, 7, 8], [2, 1.5, 9, 10], [3, -2, 11, 12]], np.float32),
    }
    label = np.array([1, 0, -1, 1])
    rows = [
        {
            "user_id": (int(ids["user"][i]), "int"),
            "y": (int(label[i]), "int"),
            **floats(["f0", "f1", "f2"], x["user"][i]),
        }
        for i in range(4)
    ]
    user = metadata.condensed_node_type_to_preprocessed_metadata[0]
    user.node_id_key, user.feature_dim = "user_id", 3
    user.feature_keys.extend(["f0", "f1", "f2"])
    user.label_keys.append("y")
    user.tfrecord_uri_prefix = shards("node/user", rows, 2)
    user.schema_uri = f"{ROOT}/node/user_schema.pbtxt"
    # An int, a float and a vector become one matrix of float32.
    rows = [
        {
            "story_id": (int(ids["story"][i]), "int"),
            "kind": (int(x["story"][i, 0]), "int"),
            "share": (float(x["story"][i, 1]), "float"),
            "embedding": (x["story"][i, 2:].tolist(), "float"),
        }
        for i in range(3)
    ]
    story = metadata.condensed_node_type_to_preprocessed_metadata[1]
    story.node_id_key, story.feature_dim = "story_id", 4
    story.feature_keys.extend(["kind", "share", "embedding"])
    story.tfrecord_uri_prefix = shards("node/story", rows, 1)
    ends = {
        "main": ([0, 1, 2, 3, 0], [2, 1, 0, 2, 0]),
        "positive": ([3, 1], [1, 2]),
    }
    edge_attr = random.standard_normal((5, 2)).astype(np.float32)
    likes = metadata.condensed_edge_type_to_preprocessed_metadata[0]
    likes.src_node_id_key, likes.dst_node_id_key = "src", "dst"
    for name, info in (("main", likes.main_edge_info), ("positive", likes.positive_edge_info)):
        rows = []
        for i, (source, target) in enumerate(zip(*ends[name])):
            row = {"src": (source, "int"), "dst": (target, "int")}
            rows.append({**row, **(floats(["w0", "w1"], edge_attr[i]) if name == "main" else {})})
        info.tfrecord_uri_prefix = shards(f"edge/likes/{name}", rows, 1)
    likes.main_edge_info.feature_keys.extend(["w0", "w1"])
    likes.main_edge_info.feature_dim = 2
    write_yaml("preprocessed_metadata.yaml", metadata)

    config = gbml_config_pb2.GbmlConfig()
    config.shared_config.preprocessed_metadata_uri = f"{ROOT}/preprocessed_metadata.yaml"
    graph = config.graph_metadata
    graph.node_types.extend(["user", "story"])
    graph.condensed_node_type_map[0], graph.condensed_node_type_map[1] = "user", "story"
    for triple in (graph.edge_types.add(), graph.condensed_edge_type_map[0]):
        triple.src_node_type, triple.relation, triple.dst_node_type = "user", "likes", "story"
    write_yaml("frozen_gbml_config.yaml", config)
    golden.save(
        OUT / "expected.npz",
        {
            "user": {"count": 4, "keys": ids["user"], "columns": {"x": x["user"], "label": label}},
            "story": {"count": 3, "keys": ids["story"], "columns": {"x": x["story"]}},
        },
        {
            "user__likes__story": {
                "source": ends["main"][0],
                "target": ends["main"][1],
                "columns": {"edge_attr": edge_attr},
            },
            "user__likes_gigl_positive__story": {
                "source": ends["positive"][0],
                "target": ends["positive"][1],
            },
        },
    )
    versions = f"GiGL fee4ba50 (messages)\ntensorflow {tf.__version__}\n"
    (OUT / "VERSIONS").write_text(versions + f"protobuf {google.protobuf.__version__}\n")


if __name__ == "__main__":
    main()
