"""Launches of examples/cluster, those that can run on one machine. Every one has a limit."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest
import yaml
from conftest import ROOT
from test_examples import accuracy

HERE = ROOT / "examples" / "cluster"
BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cluster") / "parts"
    launch([sys.executable, str(HERE / "prepare.py"), str(folder)])
    assert sorted(path.name for path in folder.glob("part-*")) == ["part-0", "part-1"]
    return folder


def launch(command: List[str], **variables: str) -> str:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GLS_", "SLURM_", "MASTER_")) and name not in ("RANK", "WORLD_SIZE")
    }
    environment["PATH"] = f"{BIN}:{environment['PATH']}"
    environment.update(variables)
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, text=True, timeout=240, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_torchrun(parts: Path) -> None:
    script = str(HERE / "torchrun.sh")
    assert accuracy(launch([script, str(parts), "2", "--epochs", "12"])) > 0.74


def test_without_a_launcher(parts: Path) -> None:
    """One process, and a folder in place of servers."""
    script = str(HERE / "train.py")
    assert accuracy(launch([sys.executable, script, str(parts), "--epochs", "12"])) > 0.74


SRUN = """#!/usr/bin/env bash
# A stand-in: every task on this machine. Nodes are addresses of it.
tasks=$((SLURM_JOB_NUM_NODES * 2)) each=2
while [[ "$1" == --* ]]; do
  [ "$1" != --job-name=servers ] || echo $$ >"${0%/*}/servers"
  [ "$1" != --ntasks-per-node=1 ] || { tasks=$SLURM_JOB_NUM_NODES each=1; }
  shift
done
trap 'kill $(jobs -p)' TERM
for ((task = 0; task < tasks; ++task)); do
  node=$((task / each))
  SLURM_PROCID=$task SLURM_NTASKS=$tasks SLURM_NODEID=$node SLURM_LOCALID=$((task % each)) \\
    FAKE_HOST=127.0.0.$((node + 2)) "$@" &
done
status=0
for job in $(jobs -p); do
  wait "$job" || status=$?
done
exit $status
"""


def test_slurm(parts: Path, tmp_path: Path) -> None:
    """With stand-ins for the commands of Slurm, for two nodes of two tasks."""
    commands = {
        "srun": SRUN,
        "scontrol": "#!/bin/sh\nprintf '127.0.0.2\\n127.0.0.3\\n'\n",
        "squeue": "#!/bin/sh\necho '1.0 servers'\necho '1.1 bash'\n",
        "scancel": '#!/bin/sh\nexec kill -TERM "$(cat "${0%/*}/servers")"\n',
        "hostname": '#!/bin/sh\necho "$FAKE_HOST"\n',
    }
    for name, text in commands.items():
        path = tmp_path / name
        path.write_text(text)
        path.chmod(0o755)
    output = launch(
        ["bash", str(HERE / "slurm.sbatch"), str(parts)],
        PATH=f"{tmp_path}:{BIN}:{os.environ['PATH']}",
        HOME=str(tmp_path),
        SLURM_SUBMIT_DIR=str(ROOT),
        SLURM_JOB_ID="1",
        SLURM_JOB_NODELIST="n[0-1]",
        SLURM_JOB_NUM_NODES="2",
        SLURM_CPUS_PER_TASK="1",
        GLS_PORT="47311",
        MASTER_PORT="47312",
    )
    assert accuracy(output) > 0.74
    assert (tmp_path / ".gls.key").stat().st_mode & 0o777 == 0o600


def test_ray(parts: Path) -> None:
    """On a cluster of its own, which Ray starts."""
    command = [sys.executable, str(HERE / "ray_cluster.py"), str(parts), "--epochs", "12"]
    output = launch(command, RAY_USAGE_STATS_ENABLED="0", RAY_DEDUP_LOGS="0")
    assert accuracy(output) > 0.74


# ---- manifests ---------------------------------------------------------------------------------


def documents(name: str) -> Iterator[Dict[str, Any]]:
    yield from yaml.safe_load_all((HERE / "kubernetes" / name).read_text())


def container(document: Dict[str, Any]) -> Dict[str, Any]:
    (only,) = document["spec"]["template"]["spec"]["containers"]
    assert isinstance(only, dict)
    return only


def pod_address(number: int) -> str:
    kinds = {document["kind"]: document for document in documents("servers.yaml")}
    servers, service = kinds["StatefulSet"]["metadata"], kinds["Service"]["metadata"]
    return f"{servers['name']}-{number}.{service['name']}:4711"


@pytest.mark.parametrize("name", ["servers.yaml", "train.yaml"])
def test_manifests_are_of_the_schema(name: str) -> None:
    """That of Kubernetes itself, without a field that it does not know."""
    import kubernetes_validate

    for document in documents(name):
        kubernetes_validate.validate(document, "1.31", strict=True)


def test_manifests_name_each_other() -> None:
    kinds = {document["kind"]: document for document in documents("servers.yaml")}
    assert set(kinds) == {"Service", "StatefulSet", "NetworkPolicy"}
    servers, service = kinds["StatefulSet"], kinds["Service"]
    assert servers["spec"]["serviceName"] == service["metadata"]["name"]
    assert servers["spec"]["template"]["metadata"]["labels"] == service["spec"]["selector"]
    (command,) = container(servers)["args"]
    words = command.split()
    named = [words[i + 1] for i, word in enumerate(words) if word == "--server"]
    assert named == [pod_address(number) for number in range(servers["spec"]["replicas"])]
    service, job = documents("train.yaml")
    (command,) = container(job)["args"]
    assert f"gls://{named[0]} " in command
    pod = job["spec"]["template"]
    assert pod["metadata"]["labels"] == {"gls": "client"}
    assert pod["spec"]["subdomain"] == service["metadata"]["name"]
    variables = {entry["name"]: entry.get("value") for entry in container(job)["env"]}
    assert variables["WORLD_SIZE"] == str(job["spec"]["completions"])
    assert variables["MASTER_ADDR"] == f"{job['metadata']['name']}-0.{pod['spec']['subdomain']}"


MADE_BY_SERVERS = """
import sys, gls
dataset = gls.Dataset.open(sys.argv[1])
loader = gls.NeighborLoader(dataset, [5, 5], "train", batch_size=70, made_by="servers")
print(len(list(loader)), "batches")
"""


def test_commands_of_manifests_run(parts: Path, tmp_path: Path) -> None:
    """What the pods of the servers run, their probes, and the place that trainers open."""
    key = tmp_path / "key"
    key.write_text("5" * 64)
    key.chmod(0o400)
    servers = next(d for d in documents("servers.yaml") if d["kind"] == "StatefulSet")
    pod = container(servers)
    pods = range(servers["spec"]["replicas"])
    ports = [47313 + number for number in pods]

    def here(text: str) -> str:
        """Names of pods, which are addresses of this machine."""
        for number, port in zip(pods, ports):
            text = text.replace(pod_address(number), f"127.0.0.1:{port}")
        return text

    (command,) = pod["args"]
    assert command.count("/graph ") == 1 and command.count('"$POD_IP:4711"') == 1
    command = here(command.replace("/graph ", shlex.quote(str(parts)) + " "))
    (probe,) = pod["readinessProbe"]["exec"]["command"][2:]
    shell = pod["command"]
    settings = {"GLS_NET_KEY_FILE": str(key), "PATH": f"{BIN}:{os.environ['PATH']}"}
    settings["GLS_CLUSTER_OPEN_TIMEOUT_MS"] = "20000"
    environment = {**os.environ, **settings, "POD_IP": "127.0.0.1"}
    (train,) = container(list(documents("train.yaml"))[1])["args"]
    (place,) = [here(word) for word in train.split() if word.startswith("gls://")]
    running: List["subprocess.Popen[bytes]"] = []
    try:
        for number, port in zip(pods, ports):
            own = command.replace('"$POD_IP:4711"', f'"$POD_IP:{port}"')
            variables = {**environment, "HOSTNAME": f"gls-server-{number}"}
            arguments = [*shell, own]
            running.append(subprocess.Popen(arguments, env=variables, stdout=subprocess.DEVNULL))
        until = time.monotonic() + 60
        for port in ports:
            ask = [*shell, probe.replace("4711", str(port))]
            # As the kubelet does: a probe that fails is repeated.
            while subprocess.run(ask, env=environment, timeout=60).returncode != 0:
                assert time.monotonic() < until
                time.sleep(0.2)
        # Whichever a client knows, it finds the others.
        for known in [place, *(f"gls://127.0.0.1:{port}" for port in ports)]:
            output = launch(["gls", "inspect", known], **settings)
            assert "2,708" in output or "2708" in output, output
        # As does every server, which makes batches of what the others have.
        for port in ports:
            output = launch(
                [sys.executable, "-c", MADE_BY_SERVERS, f"gls://127.0.0.1:{port}"], **settings
            )
            assert output.splitlines() == ["2 batches"], output
        assert [child.poll() for child in running] == [None] * len(running)
    finally:
        for child in running:
            child.terminate()
        assert [child.wait(30) for child in running] == [0] * len(running)
