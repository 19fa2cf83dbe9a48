"""RLlib's script on a cluster of two nodes, which are processes of this machine. It is not about what it learns.

Each node has one core, and each process that plays asks for one: two of them need both nodes.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.integration

ray = pytest.importorskip("ray")
pytest.importorskip("ray.rllib.algorithms.ppo")

SCRIPT = Path(__file__).parent.parent.parent / "examples" / "rllib_ppo.py"


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        nodes.add_node(num_cpus=1)
        yield nodes
    finally:
        ray.shutdown()
        nodes.shutdown()


def test_two_processes_play_on_two_nodes(cluster: Any, tmp_path: Path) -> None:
    flags = ["--smoke", "--workers", "2", "--address", cluster.address, "--folder", str(tmp_path / "run")]
    command = [sys.executable, str(SCRIPT), *flags]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-5000:]
    assert re.search(r"^[\d,]+ environment steps in [\d.]+ s: [\d,]+ steps/s$", done.stdout, re.MULTILINE)

    ray.init(address=cluster.address, logging_level="error")
    nodes = {node["NodeID"] for node in ray.nodes() if node["Alive"]}
    actors = ray._private.state.actors().values()  # those that are gone are told, too
    players = [actor for actor in actors if actor["ActorClassName"] == "MultiAgentEnvRunner"]
    assert len(nodes) == len(players) == 2
    assert {player["Address"]["NodeID"] for player in players} == nodes
    assert all(player["NumRestarts"] == 0 for player in players)
