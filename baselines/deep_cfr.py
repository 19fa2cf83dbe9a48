"""Deep CFR on small games: networks learn regrets, and the exploitability of what they play is measured exactly.

After Brown et al., "Deep Counterfactual Regret Minimization" (ICML 2019): every iteration samples traversals in which
one seat follows all its actions, keeps how much better each was, and fits a network to the averages, weighed by the
iteration; regret matching on its answers is the next policy. It is the reference curve for methods that need no tree:
on ``mini2`` and ``mini3``, or any rules that ``thousand_env.evaluation.SmallGame`` takes, not on the full game.

What differs from the paper, and why:

- The average policy is taken of the networks themselves and not of samples of what they played, as in "Single Deep
  Counterfactual Regret Minimization" (Steinberger, arXiv:1901.07621, 2019), which found that to be closer to
  equilibrium: it has one error of approximation less. All choices of a small game can be listed, so the average
  over networks is a table, exact. A policy network learns that table; it is the agent, and the curve is the agent's.
- The memory is the weighted sum of advantages for each choice. For squared errors this is the same as to keep all
  samples, without forgetting any.
- One network serves all seats, because an observation says everything from the seat's own place; so the seats are
  updated together. It goes on learning from one iteration to the next, which took fewer steps here than a new one.

With two players the average goes to equilibrium as far as the networks follow. With three nothing is promised.
Everything is deterministic on one thread of a CPU.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from baselines.cfr import Floats, Ints, Slots
from baselines.checkpoints import (
    load_module_state,
    load_optimizer_state,
    module_state,
    optimizer_state,
    restore_rng,
    rng_facts,
)
from baselines.external_sampling import ExternalSampling
from baselines.learned import NetworkAgent, agent_of
from baselines.networks import PolicyNet, masked
from baselines.training import Run, RunArguments, TrainingError, trainer_command
from baselines.training.arguments import number, parse_rules, whole
from thousand_env import NUM_ACTIONS
from thousand_env.evaluation import SmallGame, nash_conv


@dataclass
class Arguments(RunArguments):
    """Deep CFR on a small game: exact exploitability as it learns."""

    rules: str = "mini2"
    """mini2, mini3, or a JSON file or object of options that make a game small enough to walk all of its tree"""
    hidden: tuple[int, ...] = (64, 64)
    """widths of the layers of both networks"""
    traversals: int = 300
    """traversals an iteration for each seat"""
    advantage_steps: int = 20
    """steps of the advantage network an iteration"""
    policy_steps: int = 20
    """steps of the policy network an iteration"""
    batch_size: int = 512
    """choices a step"""
    learning_rate: float = 1e-3
    """of Adam, for both networks"""
    measure_every: int = 5
    """iterations from one exact measurement of exploitability to the next"""

    def check(self) -> None:
        """``TrainingError`` for the first value that is not accepted."""
        super().check()
        if not self.hidden:
            raise TrainingError("--hidden is empty: give the width of at least one layer")
        for width in self.hidden:
            whole("hidden", width, 1, 4096)
        for name in ("traversals", "advantage_steps", "policy_steps", "batch_size", "measure_every"):
            whole(name, getattr(self, name), 1, 10_000_000)
        number("learning_rate", self.learning_rate, 0, 1, above=True)


class DeepCfr:
    """The trainer on a game, that of the run's rules: ``update`` is one iteration.

    ``decisions`` counts the positions met in traversals; ``iteration`` int; ``network`` the policy network.
    ``TrainingError`` for more than one process.
    """

    def __init__(self, arguments: Arguments, run: Run, game: SmallGame) -> None:
        if run.world_size > 1:
            raise TrainingError(f"{run.world_size} processes are not accepted: deep_cfr trains in one")
        self.game: Final = game
        self.arguments: Final = arguments
        self.slots: Final = Slots(self.game)
        self._run: Final = run
        self._sampling: Final = ExternalSampling(self.slots)
        self._rng: Final = np.random.default_rng(run.seed)
        self._seen: Final = _Observations(self.slots, run.device)
        self.network: Final = PolicyNet(hidden=arguments.hidden).to(run.device)
        self.advantages: Final = PolicyNet(hidden=arguments.hidden).to(run.device)
        self._policy_fit: Final = self._fit(self.network)
        self._advantage_fit: Final = self._fit(self.advantages)
        # The memory: sums over iterations, weighed by the iteration.
        self._sums = np.zeros(self.game.num_slots)  # of advantages
        self._visits = np.zeros(len(self.game.choice_seat))
        self._played = np.zeros(self.game.num_slots)  # of how likely a seat alone lets a slot happen
        self.iteration = 0
        self.decisions = 0

    def update(self) -> dict[str, float]:
        """One iteration; its metrics, exploitability among them every ``measure_every`` iterations."""
        policy = self.current_policy()
        self.iteration += 1
        for seat in range(self.game.players):
            found = self._sampling.traverse(policy, seat, self.arguments.traversals, self._rng)
            self._sums += self.iteration * found.advantages
            self._visits += self.iteration * found.visits
            self.decisions += found.decisions
        self._played += self.iteration * self.slots.realised(policy)
        metrics = {
            "charts/iterations": float(self.iteration),
            "losses/advantage_loss": self._learn_advantages(),
            "losses/policy_loss": self._learn_policy(),
        }
        if self.iteration == 1 or self.iteration % self.arguments.measure_every == 0:
            metrics |= self.measure()
        return metrics

    def current_policy(self) -> Floats:
        """Regret matching on the advantages, float64 ``[slots]``; where none is positive, the best action."""
        if not self.iteration:
            return self.slots.normalised(np.zeros(self.game.num_slots))
        advantages = self._seen.of_slots(self._ask(self.advantages))
        highest = np.maximum.reduceat(advantages, self.game.choice_start[:-1])[self.slots.choice]
        return self.slots.matched(np.where(highest > 0, advantages, advantages == highest))

    def probabilities(self) -> npt.NDArray[np.float32]:
        """What the policy network plays, float32 ``[C, 130]``, as ``nash_conv`` takes it."""
        found: npt.NDArray[np.float32] = masked(self._ask(self.network), self._seen.mask).exp().cpu().numpy()
        return found[self._seen.row]

    def average(self) -> Floats:
        """The average over the networks of all iterations, exactly, float64 ``[C, 130]``: what the policy learns."""
        return self.slots.table(self.slots.normalised(self._played))

    def measure(self) -> dict[str, float]:
        """Exploitability of the policy network, and of the average that it learns."""
        found = nash_conv(self.probabilities(), self.game)
        return {
            "charts/exploitability": found.exploitability,
            "charts/nash_conv": found.nash_conv,
            "charts/exploitability_of_average": nash_conv(self.average(), self.game).exploitability,
        }

    def agent(self) -> NetworkAgent:
        """The policy network, which draws its actions: what is near equilibrium is not what is likeliest."""
        return agent_of(self.network, self.game.rules, mode="sample", seed=self._run.seed)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Networks, optimizers and the memory, a few numbers for each slot."""
        sums = {"sums": self._sums, "visits": self._visits, "played": self._played}
        tensors = {name: torch.from_numpy(array.copy()) for name, array in sums.items()}
        for name, fit in self._fits().items():
            tensors |= module_state(name, fit.network) | optimizer_state(f"{name}_adam", fit.optimizer)
        return tensors, {"iteration": self.iteration, "decisions": self.decisions, "rng": rng_facts(self._rng)}

    def load_state(self, state: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Go on from what ``state`` gave; ``ValueError`` if it does not fit."""
        sums = {"sums": self._sums, "visits": self._visits, "played": self._played}
        for name, array in sums.items():
            if state[name].shape != array.shape:
                raise ValueError(f"{name!r} has {len(state[name])} entries, this game has {len(array)}")
        for name, fit in self._fits().items():
            load_module_state(name, fit.network, state)
            load_optimizer_state(f"{name}_adam", fit.optimizer, state)
        for name, array in sums.items():
            array[:] = state[name].numpy()
        restore_rng(self._rng, facts["rng"])
        self.iteration, self.decisions = int(facts["iteration"]), int(facts["decisions"])

    def _learn_advantages(self) -> float:
        """Towards the mean advantages, choices drawn as often as the memory weighs them: the loss of the paper."""
        weight = self._seen.in_rows(self._visits)
        target = self._seen.in_table(self._sums, np.maximum(weight, 1e-12))

        def loss(advantages: Tensor, rows: Tensor) -> Tensor:
            return ((advantages - target[rows]).square() * self._seen.mask[rows]).sum(-1).mean()

        return self._advantage_fit.learn(weight, self.arguments.advantage_steps, loss, self._rng)

    def _learn_policy(self) -> float:
        """Towards the average policy, choices drawn as often as a seat's own play comes to them."""
        weight = self._seen.in_rows(self.slots.sums(self._played))
        target = self._seen.in_table(self._played, np.maximum(weight, 1e-300))

        def loss(logits: Tensor, rows: Tensor) -> Tensor:
            return -(masked(logits, self._seen.mask[rows]) * target[rows]).sum(-1).mean()

        return self._policy_fit.learn(weight, self.arguments.policy_steps, loss, self._rng)

    @torch.no_grad()
    def _ask(self, network: PolicyNet) -> Tensor:
        answers: Tensor = network(self._seen.observation)
        return answers.float()

    def _fit(self, network: PolicyNet) -> _Fit:
        return _Fit(network, self._seen.observation, self.arguments, self._run)

    def _fits(self) -> dict[str, _Fit]:
        return {"policy": self._policy_fit, "advantages": self._advantage_fit}


class _Observations:
    """The different observations of a game's choices, U of them, and how to go between them and the slots.

    What is the same to all seats, or was reached in another order, is one observation: fewer than there are choices.
    """

    def __init__(self, slots: Slots, device: torch.device) -> None:
        observations = slots.game.observations()
        numbers: dict[bytes, int] = {}
        self.row: Final[Ints] = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in observations])
        first = np.unique(self.row, return_index=True)[1]
        self.observation: Final = torch.from_numpy(observations[first]).to(device)
        self.mask: Final = torch.from_numpy(slots.game.masks()[first]).to(device)
        self._entry: Final[Ints] = self.row[slots.choice[1:]] * NUM_ACTIONS + slots.game.slot_action[1:]

    def in_rows(self, of_choices: Floats) -> Floats:
        """Sums over the choices of each observation, float64 ``[U]``."""
        return np.bincount(self.row, weights=of_choices, minlength=len(self.mask)).astype(np.float64)

    def in_table(self, of_slots: Floats, divisor: Floats) -> Tensor:
        """Sums over the slots of each observation and action, divided by a number a row, float32 ``[U, 130]``."""
        sums = np.bincount(self._entry, weights=of_slots[1:], minlength=self.mask.numel())
        table = sums.reshape(len(self.mask), NUM_ACTIONS) / divisor[:, None]
        return torch.from_numpy(table.astype(np.float32)).to(self.mask.device)

    def of_slots(self, answers: Tensor) -> Floats:
        """What a network answers, ``[U, 130]``, for each slot, float64 ``[slots]``; 0 for slot 0."""
        return np.concatenate([[0.0], answers.cpu().numpy().reshape(-1)[self._entry].astype(np.float64)])


class _Fit:
    """A network that learns from the observations of a game, with its optimizer."""

    def __init__(self, network: PolicyNet, observation: Tensor, arguments: Arguments, run: Run) -> None:
        self.network: Final = network
        self.optimizer: Final = torch.optim.Adam(network.parameters(), arguments.learning_rate)
        self._observation: Final = observation
        self._batch_size: Final = arguments.batch_size
        self._run: Final = run
        self._asked: Final = run.maybe_compile(network)

    def learn(
        self, weight: Floats, steps: int, loss: Callable[[Tensor, Tensor], Tensor], rng: np.random.Generator
    ) -> float:
        """Steps on rows drawn in proportion to their weight, float64 ``[U]``; the mean loss."""
        running = np.cumsum(weight)
        total = torch.zeros((), device=self._observation.device)
        for _ in range(steps):
            drawn = np.searchsorted(running, running[-1] * rng.random(self._batch_size), side="right")
            rows = torch.from_numpy(np.minimum(drawn, len(weight) - 1)).to(self._observation.device)
            with self._run.autocast():
                answers = self._asked(self._observation[rows])
            found = loss(answers.float(), rows)
            self.optimizer.zero_grad(set_to_none=True)
            torch.autograd.backward(found)
            nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            self.optimizer.step()
            total += found.detach()
        return float(total) / steps


def small_game(rules: str) -> SmallGame:
    """The tree of the game that rules make, as ``Arguments.rules`` names them; ``TrainingError`` if it is not small."""
    try:
        return SmallGame(parse_rules(rules))
    except TrainingError:
        raise
    except ValueError as error:
        raise TrainingError(f"--rules: {error}") from None


def main(arguments: Arguments) -> int:
    """Train; the exit code."""
    arguments.check()
    game = small_game(arguments.rules)  # what is too large is refused before a folder is made
    with Run("deep_cfr", arguments) as run:
        trainer = DeepCfr(arguments, run, game)
        run.resume(trainer)
        while run.goes_on(trainer):
            run.record(trainer, trainer.update())
        return run.finish(trainer)


command = trainer_command("deep_cfr", Arguments, main)
