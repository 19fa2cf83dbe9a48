"""``--start-from``: the network that a trainer begins with."""

from __future__ import annotations

from baselines.learned import network_of
from baselines.networks import PolicyNet
from baselines.training.errors import TrainingError


def policy_of(name_or_path: str) -> PolicyNet:
    """The policy of an agent that comes with the package, or of a file; ``TrainingError`` if there is none."""
    try:
        network = network_of(name_or_path)
    except (OSError, ValueError) as error:
        raise TrainingError(f"--start-from: {error}") from None
    if not isinstance(network, PolicyNet):
        raise TrainingError(f"--start-from {name_or_path!r} is not accepted: it is no policy but action values")
    return network
