"""Networks of learned agents as ONNX models, which run without torch and without this package.

Inputs ``observation`` float32 [N, K] and ``action_mask`` int8 [N, 130], for any N; outputs ``log_probabilities`` (of a
``PolicyNet``) or ``values`` (of an ``ActionValueNet``), float32 [N, 130], about -1e9 where an action is not legal, and
``action`` int64 [N], the best of them, the lowest id among equals. Other heads are left out.

The graph is written operator by operator rather than traced: it has a dozen of them, needs no other package than
``onnx``, and does not depend on the version of torch.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from baselines.checkpoints import replace_file
from baselines.networks import NO_CHANCE, ActionValueNet, Mlp, PolicyNet, Scaled
from thousand_env import NUM_ACTIONS
from thousand_env.observation import OBSERVATION

OPSET: Final = 17
_IR_VERSION: Final = 8  # of that opset; newer ones are refused by runtimes of its time


def write_onnx(network: nn.Module, path: Path, facts: Mapping[str, Any]) -> None:
    """Write the model of a network to a file, with facts as JSON in its metadata.

    ``ValueError`` for a network that reads the history, or that has layers which are not known here.
    """
    graph = _Graph()
    if isinstance(network, ActionValueNet):
        scores, scores_name = _values(graph, network), "values"
    elif isinstance(network, PolicyNet) and isinstance(network.trunk, Mlp):
        features = graph.layers(network.trunk.layers, "observation")
        logits = graph.masked(graph.linear(network.policy, features))
        scores, scores_name = graph.add("LogSoftmax", logits, axis=-1), "log_probabilities"
    else:
        raise ValueError(
            "this network cannot be exported: it reads the history, and a model sees the observation alone"
        )
    graph.add("Identity", scores, output=scores_name)
    graph.add("ArgMax", scores, output="action", axis=-1, keepdims=0)
    replace_file(path, graph.model(scores_name, facts).SerializeToString())


def _values(graph: _Graph, network: ActionValueNet) -> str:
    """Values of all actions: the share of the observation [N, 1, H] and those of the actions [1, 130, H], together."""
    given = graph.layers([network.scaled], "observation")
    seen = graph.add("Unsqueeze", graph.linear(network.seen, given), graph.constant(np.array([1])))
    chosen = graph.constant(_array(network.chosen.weight)[None])
    values = graph.layers(network.rest, graph.add("Add", seen, chosen))
    return graph.masked(graph.add("Squeeze", values, graph.constant(np.array([-1]))))


class _Graph:
    """A graph that grows by an operator a call; tensors are known by their names."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._legal = self.add("Cast", "action_mask", to=TensorProto.BOOL)

    def constant(self, value: npt.NDArray[Any]) -> str:
        name = f"constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, operator: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        name = output or f"{operator.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name

    def linear(self, layer: nn.Linear, given: str) -> str:
        product = self.add("MatMul", given, self.constant(_array(layer.weight).T))
        return self.add("Add", product, self.constant(_array(layer.bias)))

    def layers(self, layers: Iterable[nn.Module], given: str) -> str:
        for layer in layers:
            if isinstance(layer, nn.Linear):
                given = self.linear(layer, given)
            elif isinstance(layer, nn.ReLU):
                given = self.add("Relu", given)
            elif isinstance(layer, Scaled):
                given = self.add("Mul", given, self.constant(_array(layer.kept)))
            else:
                raise ValueError(f"a layer {type(layer).__name__} cannot be exported")
        return given

    def masked(self, scores: str) -> str:
        return self.add("Where", self._legal, scores, self.constant(np.array([NO_CHANCE], np.float32)))

    def model(self, scores: str, facts: Mapping[str, Any]) -> Any:
        """The checked model."""
        inputs = [
            helper.make_tensor_value_info("observation", TensorProto.FLOAT, ["N", OBSERVATION.size]),
            helper.make_tensor_value_info("action_mask", TensorProto.INT8, ["N", NUM_ACTIONS]),
        ]
        outputs = [
            helper.make_tensor_value_info(scores, TensorProto.FLOAT, ["N", NUM_ACTIONS]),
            helper.make_tensor_value_info("action", TensorProto.INT64, ["N"]),
        ]
        graph = helper.make_graph(self._nodes, "thousand_env", inputs, outputs, self._constants)
        opsets = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="thousand_env")
        helper.set_model_props(model, {"facts": json.dumps(facts)})
        onnx.checker.check_model(model)
        return model


def _array(tensor: Any) -> npt.NDArray[np.float32]:
    array: npt.NDArray[np.float32] = tensor.detach().cpu().float().numpy()
    return array
