"""Writes the golden files of N-Triples in golden/ntriples by rdflib 7.6.0."""

from __future__ import annotations

import shutil
from typing import Dict, List, Tuple

import numpy as np
import rdflib

import golden

OUT = golden.GOLDEN / "ntriples"
A, B = rdflib.Namespace("http://example.org/a/"), rdflib.Namespace("http://example.org/b#")


def triples() -> List[Tuple[rdflib.term.Node, ...]]:
    blank = rdflib.BNode("b1")
    literal = rdflib.Literal
    return [
        (A.ann, A.knows, A["b\u00f6b"]),
        (A["b\u00f6b"], A.knows, blank),
        (blank, B.knows, A.ann),
        (A.ann, A.age, literal(30)),
        (A.ann, A.name, literal('say "hi"\n\tto \\ all \U0001f600', lang="en-GB")),
        (A.ann, A.knows, A["x\U0001f600y"]),
        (A.ann, rdflib.RDF.type, B.Person),
    ]


def write(name: str, format: str) -> List[Tuple[str, str, str]]:
    """Writes the file; its edges in the order of its lines."""
    dataset = rdflib.Dataset()
    graph = rdflib.Graph() if format == "nt" else dataset.graph(A.graph)
    for triple in triples():
        graph.add(triple)
    data = (graph if format == "nt" else dataset).serialize(format=format, encoding="utf-8")
    lines = sorted(line for line in data.decode().splitlines() if line)
    (OUT / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    out = []
    for line in lines:
        read = rdflib.ConjunctiveGraph() if format == "nquads" else rdflib.Graph()
        read.parse(data=line, format=format)
        for subject, predicate, object in read.triples((None, None, None)):
            if not isinstance(object, rdflib.Literal):
                # rdflib renames blank nodes; there is one.
                ends = [
                    "_:b1" if isinstance(term, rdflib.BNode) else str(term)
                    for term in (subject, object)
                ]
                out.append((ends[0], str(predicate), ends[1]))
    return out


def expect(name: str, edges: List[Tuple[str, str, str]], single: bool) -> None:
    keys: List[str] = []
    names: Dict[str, str] = {}
    for source, predicate, target in edges:
        if predicate not in names:
            local = predicate.replace("#", "/").rsplit("/", 1)[1]
            names[predicate] = local + ("-2" if local in names.values() else "")
    of_types: Dict[str, List[Tuple[str, str, str]]] = {}
    for edge in edges:
        type = "entity__to__entity" if single else f"entity__{names[edge[1]]}__entity"
        of_types.setdefault(type, []).append(edge)
    for rows in of_types.values():
        for source, _, target in rows:
            keys.extend(key for key in (source, target) if key not in keys)
    found = {}
    for type, rows in of_types.items():
        columns = {}
        if single:
            columns["relation"] = np.array([list(names).index(row[1]) for row in rows], np.int32)
        found[type] = {
            "source": [row[0] for row in rows],
            "target": [row[2] for row in rows],
            "columns": columns,
        }
    # Keys of a type without a list of its nodes are sorted.
    keys.sort(key=lambda key: key.encode())
    golden.save(OUT / name, {"entity": {"count": len(keys), "keys": keys}}, found)


def main() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    expect("each.npz", write("graph.nt", "nt"), single=False)
    expect("single.npz", write("graph.nq", "nquads"), single=True)
    (OUT / "VERSIONS").write_text(f"rdflib {rdflib.__version__}\n")


if __name__ == "__main__":
    main()
