"""How far a network's play is from an equilibrium, exactly, as it learns: for small games, whose whole tree is walked.

It measures and knows no algorithm; the walk is ``thousand_env.evaluation.nash_conv``.
"""

from __future__ import annotations

from typing import Final

import torch

from baselines.networks import PolicyNet, masked
from thousand_env import Rules
from thousand_env.evaluation import SmallGame, nash_conv


class Exactly:
    """Measures policies that draw their actions, under ``rules`` of a small game such as ``mini2``.

    ``ValueError`` for rules whose tree is too large to be walked.
    """

    def __init__(self, rules: Rules, device: torch.device) -> None:
        self.game: Final = SmallGame(rules)
        self._observation = torch.from_numpy(self.game.observations()).to(device)
        self._mask = torch.from_numpy(self.game.masks()).to(device)

    def measure(self, network: PolicyNet) -> dict[str, float]:
        """``charts/exploitability`` and ``charts/nash_conv``, in units of the reward, of a network without history."""
        with torch.inference_mode():
            chances = masked(network(self._observation), self._mask).exp().cpu().numpy()
        found = nash_conv(chances, self.game)
        return {"charts/exploitability": found.exploitability, "charts/nash_conv": found.nash_conv}
