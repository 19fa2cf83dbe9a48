"""``ppo``: proximal policy optimisation in self-play, for every seat and role with one network.

Schulman et al. (*Proximal policy optimization algorithms*, 2017), in the form of CleanRL's ``ppo.py`` with what this
game needs: illegal actions have no chance, advantages are estimated along the decisions of each seat
(``baselines.gae``), the critic may see all cards (Pinto et al. 2018; it is not needed for playing), some seats are
given to past selves and to agents of the ladder (``baselines.pool``), and a deal is paid by what it changes of the
chance to win the match (``baselines.equity``), from sheets as they occur in matches, so that one agent plays a deal
from zero and the barrel alike.
"""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from baselines.checkpoints import (
    env_state,
    load_env_state,
    load_module_state,
    load_optimizer_state,
    module_state,
    optimizer_state,
    restore_rng,
    rng_facts,
)
from baselines.equity import Starts, equity_for, pays_by_match
from baselines.exactly import Exactly
from baselines.learned import NetworkAgent, agent_of, load_named
from baselines.networks import Critic, PolicyNet, entropy_of, masked, owners_of
from baselines.pool import Opponents, frozen
from baselines.rollout import Rollout, value_of
from baselines.training.arguments import RunArguments, number, parse_rules, whole
from baselines.training.bare import BareRun
from baselines.training.command import trainer_command
from baselines.training.distributed import average_gradients
from baselines.training.errors import TrainingError
from baselines.training.run import Run
from baselines.training.starting import policy_of
from thousand_env import VectorEnv


@dataclass
class PpoArguments(RunArguments):
    """Arguments of PPO."""

    rows: int = 512
    """games played at once"""
    steps: int = 128
    """decisions in each game between two updates"""
    epochs: int = 4
    """passes over the decisions of an update"""
    minibatch: int = 4096
    """decisions of a gradient step"""
    learning_rate: float = 5e-4
    """of Adam at the start; it falls to a twentieth over the budget"""
    gamma: float = 1.0
    """discount from one decision of a seat to its next"""
    gae_lambda: float = 0.95
    """of generalised advantage estimation"""
    clip: float = 0.2
    """how far the ratio of new to old probability counts"""
    entropy: float = 0.01
    """weight of the entropy at the start"""
    last_entropy: float = 0.001
    """weight of the entropy at the end"""
    value_weight: float = 0.5
    """weight of the value loss"""
    max_grad_norm: float = 0.5
    """gradients are clipped to this norm"""
    target_kl: float = 0.03
    """an update ends early once the policy has moved so far; 0 for never"""
    network: Literal["mlp", "transformer"] = "mlp"
    """what looks at the observation, alone or with the history of the deal"""
    hidden: tuple[int, ...] = (256, 256)
    """widths of the policy's layers"""
    critic: Literal["privileged", "own", "shared"] = "privileged"
    """a critic that sees all cards, one that sees what the seat sees, or a value head on the policy's layers"""
    owners_weight: float = 0.0
    """weight of the loss of a head that guesses who holds each card; needs the privileged critic"""
    utility: Literal["auto", "match", "relative", "score", "win"] = "auto"
    """what a deal is paid by: the chance to win the match, or a reward of the environment; auto is the first, or
    relative under rules with a single deal"""
    opponents: tuple[str, ...] = ("heuristic",)
    """agents of the ladder in the pool"""
    opponent_share: float = 0.25
    """share of the games in which seats are given to the pool"""
    pool: int = 8
    """past selves in the pool"""
    pool_updates: int = 25
    """updates between two past selves"""
    start_from: str | None = None
    """an agent to start from, such as distill, or the file of one with the same network"""
    critic_updates: int = 0
    """updates at the start in which the critic alone learns, so that it does not unlearn a good start"""
    start_pull: float = 0.0
    """weight of the Kullback-Leibler divergence from the agent that was started from, falling to 0 over the budget"""
    measure_every: int = 0
    """updates from one exact measurement of exploitability to the next, which small games allow; 0 for none"""

    def check(self) -> None:
        """See ``RunArguments``."""
        super().check()
        try:
            pays_by_match(self.utility, parse_rules(self.rules))
        except ValueError as error:
            raise TrainingError(f"--utility: {error}") from None
        for name in ("rows", "steps", "epochs", "minibatch", "pool", "pool_updates"):
            whole(name, getattr(self, name), 1, 1 << 24)
        for name in ("gamma", "gae_lambda", "opponent_share"):
            number(name, getattr(self, name), 0, 1)
        for name in ("learning_rate", "clip", "max_grad_norm"):
            number(name, getattr(self, name), 0, above=True)
        for name in ("critic_updates", "measure_every"):
            whole(name, getattr(self, name), 0)
        for name in ("entropy", "last_entropy", "value_weight", "target_kl", "owners_weight", "start_pull"):
            number(name, getattr(self, name), 0)
        if not isinstance(self.hidden, tuple) or not self.hidden:
            raise TrainingError("--hidden is empty: give the width of at least one layer")
        for width in self.hidden:
            whole("hidden", width, 1, 1 << 14)
        if self.owners_weight and self.critic != "privileged":
            raise TrainingError(
                f"--owners-weight {self.owners_weight:g} needs --critic privileged, which sees all cards"
            )


class Ppo:
    """The learner. ``update`` collects ``rows * steps`` decisions and learns from them.

    ``start``: the policy to train, in place of a new one or of ``start_from``.
    """

    def __init__(self, arguments: PpoArguments, run: Run | BareRun, start: PolicyNet | None = None) -> None:
        self.arguments: PpoArguments = arguments
        self.run: Final = run
        self.decisions = self.updates = 0
        privileged = arguments.critic == "privileged"
        self.opponents = _opponents(arguments, run)
        if start is None and arguments.start_from is not None:
            start = _start(arguments)
        self.network: Final[PolicyNet] = start or PolicyNet(
            arguments.network, arguments.hidden, arguments.critic == "shared", arguments.owners_weight > 0
        )
        self.network.requires_grad_(True).train().to(run.device)
        self.started_from = frozen(self.network) if start is not None and arguments.start_pull else None
        self.critic: Critic | PolicyNet = self.network
        if arguments.critic != "shared":
            self.critic = Critic(privileged, arguments.hidden).to(run.device)
        self.modules = nn.ModuleList([self.network] if self.critic is self.network else [self.network, self.critic])
        self.optimizer = torch.optim.Adam(self.modules.parameters(), arguments.learning_rate, eps=1e-5, fused=True)
        matchwise = pays_by_match(arguments.utility, run.rules)
        self.env = VectorEnv(
            arguments.rows,
            run.rules,
            episode="deal",
            reward="relative" if arguments.utility in ("auto", "match") else arguments.utility,
            seed=run.seed,
            num_threads=torch.get_num_threads(),
            observation_dtype="int8",
            state=privileged,
            history=self.network.needs_history,
            start=Starts(run.rules, run.seed) if matchwise else None,
            skip_forced=True,
        )
        self.rng = np.random.default_rng(run.seed)
        equity = equity_for(run.rules) if matchwise else None
        self.rollout = Rollout(self.env, arguments.steps, equity, run.device, self.network.needs_history)
        self.policy = run.maybe_compile(self.network)
        self.batch = self.env.reset()
        self.seconds: dict[str, float] = {}
        self.exactly = _exactly(arguments, run) if arguments.measure_every else None

    def update(self) -> dict[str, float]:
        """One round; the metrics of it."""
        begun = time.perf_counter()
        self.batch = self.rollout.fill(self.batch, self.policy, self.opponents)
        collected = time.perf_counter()
        metrics = self.learn()
        self.updates += 1
        self.decisions += self.rollout.seat.size
        if self.updates % self.arguments.pool_updates == 0 and self.arguments.opponent_share:
            self.opponents.remember(self.network, self.decisions)
        self.seconds = self.rollout.seconds | {"learning": time.perf_counter() - collected}
        shares = {f"time/{name}": each / (time.perf_counter() - begun) for name, each in self.seconds.items()}
        returns = self.rollout.episode_returns
        if len(returns):
            metrics["charts/episodic_return"] = float(returns.mean())
        if self.exactly is not None and self.updates % self.arguments.measure_every == 0:
            metrics |= self.exactly.measure(self.network)
        return metrics | shares

    def learn(self) -> dict[str, float]:
        """Learn from what the rollout holds; the metrics of it."""
        arguments, rollout = self.arguments, self.rollout
        self.begin_update(1 - self.run.progress(self))
        value = rollout.values(self.critic)
        estimated = rollout.advantages(value, arguments.gamma, arguments.gae_lambda)
        rows = np.flatnonzero(estimated.known & rollout.learned)
        if not len(rows):
            return {"charts/learning_rate": self.optimizer.param_groups[0]["lr"]}
        advantage = estimated.advantage.reshape(-1).copy()
        advantage[rows] = self.scaled(advantage[rows])
        data: dict[str, npt.NDArray[Any]] = {
            "observation": rollout.observation,
            "action_mask": rollout.action_mask,
            "action": rollout.action,
            "log_probability": rollout.log_probability,
            "advantage": advantage,
            "value_target": estimated.value_target,
        }
        if rollout.state is not None:
            data["state"] = rollout.state
        if rollout.history is not None:
            data["history"] = rollout.history
        flat = {name: torch.from_numpy(each.reshape(rollout.seat.size, *each.shape[2:])) for name, each in data.items()}
        sums: dict[str, list[float]] = {}
        for _ in range(arguments.epochs):
            self.rng.shuffle(rows)
            kls = []
            for part in np.array_split(rows, max(1, round(len(rows) / arguments.minibatch))):
                chosen = torch.from_numpy(part)
                found = self.step({name: each[chosen].to(self.run.device) for name, each in flat.items()})
                kls.append(found["losses/approx_kl"])
                for name, each in found.items():
                    sums.setdefault(name, []).append(each)
            if arguments.target_kl and self.run.world_size == 1 and np.mean(kls) > arguments.target_kl:
                break
        metrics = {name: float(np.mean(each)) for name, each in sums.items()}
        spread = float(estimated.value_target.reshape(-1)[rows].var())
        metrics["losses/explained_variance"] = 1 - float(
            (estimated.value_target - value).reshape(-1)[rows].var()
        ) / max(spread, 1e-9)
        return metrics | {"charts/learning_rate": self.optimizer.param_groups[0]["lr"]}

    def begin_update(self, left: float) -> None:
        """Set what changes from update to update; ``left`` is the share of the budget that is left."""
        arguments = self.arguments
        for group in self.optimizer.param_groups:
            group["lr"] = arguments.learning_rate * max(0.05, left)
        self.entropy_weight = arguments.last_entropy + left * (arguments.entropy - arguments.last_entropy)
        self.pull = arguments.start_pull * left
        self.holds_policy = self.updates < arguments.critic_updates

    def scaled(self, advantage: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """The advantages that are learned from, float32 [B], brought to mean 0 and deviation 1."""
        return (advantage - advantage.mean()) / (advantage.std() + 1e-6)

    def step(self, batch: dict[str, Tensor]) -> dict[str, float]:
        """A gradient step on some decisions, their fields by name; its losses."""
        arguments = self.arguments
        with self.run.autocast():
            told = [batch["history"]] if "history" in batch else []
            heads = self.network.heads(batch["observation"], *told) if self._needs_heads else None
            logits = self.policy(batch["observation"], *told) if heads is None else heads.logits
            seen = batch["state"] if arguments.critic == "privileged" else batch["observation"]
            value = heads.value if heads is not None and heads.value is not None else value_of(self.critic, seen)
        chances = masked(logits, batch["action_mask"])
        log_ratio = chances.gather(1, batch["action"][:, None])[:, 0] - batch["log_probability"]
        ratio = log_ratio.exp()
        policy_loss = self.policy_loss(chances, ratio, batch)
        value_loss = 0.5 * (value.float() - batch["value_target"]).square().mean()
        entropy = entropy_of(chances).mean()
        loss = policy_loss - self.entropy_weight * entropy
        if self.started_from is not None and self.pull:
            with torch.no_grad():
                first = masked(self.started_from(batch["observation"], *told), batch["action_mask"])
            loss = loss + self.pull * (chances.exp() * (chances - first)).sum(-1).mean()
        if heads is not None and heads.owners is not None:
            loss = loss + arguments.owners_weight * owners_loss(heads.owners, batch["state"])
        loss = arguments.value_weight * value_loss + (0 if self.holds_policy else 1) * loss
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        average_gradients(self.modules)
        nn.utils.clip_grad_norm_(self.modules.parameters(), arguments.max_grad_norm)
        self.optimizer.step()
        with torch.no_grad():
            return {
                "losses/policy_loss": float(policy_loss),
                "losses/value_loss": float(value_loss),
                "losses/entropy": float(entropy),
                "losses/approx_kl": float((ratio - 1 - log_ratio).mean()),
                "losses/clipfrac": float(((ratio - 1).abs() > arguments.clip).float().mean()),
            }

    def policy_loss(self, chances: Tensor, ratio: Tensor, batch: dict[str, Tensor]) -> Tensor:
        """The clipped surrogate, to be minimised; ``chances`` are log-probabilities [B, 130]."""
        advantage, clip = batch["advantage"], self.arguments.clip
        return torch.max(-advantage * ratio, -advantage * ratio.clamp(1 - clip, 1 + clip)).mean()

    @property
    def _needs_heads(self) -> bool:
        return self.critic is self.network or self.arguments.owners_weight > 0

    def agent(self) -> NetworkAgent:
        """The agent as it plays now."""
        return agent_of(self.network, self.run.rules)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """See ``Run``."""
        tensors = module_state("modules", self.modules) | optimizer_state("adam", self.optimizer)
        tensors |= env_state("games", self.env)
        for place, past in enumerate(self.opponents.past):
            tensors |= module_state(f"past{place}", past)
        tensors["seated"] = torch.from_numpy(self.opponents.seated)
        if self.started_from is not None:
            tensors |= module_state("started_from", self.started_from)
        facts = {
            "decisions": self.decisions,
            "updates": self.updates,
            "rng": rng_facts(self.rng),
            "opponents_rng": rng_facts(self.opponents.rng),
            "past_at": list(self.opponents.past_at),
        }
        return tensors, facts

    def load_state(self, state: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """See ``Run``."""
        load_module_state("modules", self.modules, state)
        load_optimizer_state("adam", self.optimizer, state)
        self.opponents.past_at = list(facts["past_at"])
        self.opponents.past = [frozen(self.network) for _ in self.opponents.past_at]
        for place, past in enumerate(self.opponents.past):
            load_module_state(f"past{place}", past, state)
        self.opponents.seated[:] = state["seated"].numpy()
        if self.started_from is not None:
            load_module_state("started_from", self.started_from, state)
        restore_rng(self.rng, facts["rng"])
        restore_rng(self.opponents.rng, facts["opponents_rng"])
        self.decisions, self.updates = facts["decisions"], facts["updates"]
        self.batch = load_env_state("games", self.env, state)


def _exactly(arguments: PpoArguments, run: Run | BareRun) -> Exactly:
    """What measures exploitability; ``TrainingError`` for games that are not small."""
    if arguments.network == "transformer":
        raise TrainingError("--measure-every needs --network mlp: the walk through a small game has no histories")
    try:
        return Exactly(run.rules, run.device)
    except ValueError as error:
        raise TrainingError(f"--measure-every {arguments.measure_every} needs a small game: {error}") from None


def _start(arguments: PpoArguments) -> PolicyNet:
    """The policy to start from; ``TrainingError`` if there is none, or if it is not as the arguments say."""
    assert arguments.start_from is not None
    where = f"--start-from {arguments.start_from!r}"
    network = policy_of(arguments.start_from)
    kind, hidden = network.description["kind"], tuple(network.description["hidden"])
    if (kind, hidden) != (arguments.network, tuple(arguments.hidden)):
        widths = " ".join(str(width) for width in hidden)
        raise TrainingError(f"{where} has another network: use --network {kind} --hidden {widths}")
    if arguments.critic == "shared" and network.value is None:
        raise TrainingError(f"{where} has no value head: use --critic privileged or --critic own")
    if arguments.owners_weight and network.owners is None:
        raise TrainingError(f"{where} has no head for the owners of cards: use --owners-weight 0")
    return network


def _opponents(arguments: PpoArguments, run: Run | BareRun) -> Opponents:
    """The pool; ``TrainingError`` for an agent that cannot be in it."""
    share, names, size = arguments.opponent_share, arguments.opponents, arguments.pool
    try:
        return Opponents(arguments.rows, run.rules.players, share, names if share else (), size, run.seed, run.device)
    except (OSError, ValueError, TypeError, ImportError) as error:
        raise TrainingError(f"--opponents: {error}") from None


def owners_loss(owners: Tensor, state: Tensor) -> Tensor:
    """Cross-entropy of the guess who holds each hidden card, [B, 24, 5], against a state int8 [B, M] that shows all."""
    target, hidden = owners_of(state)
    losses = nn.functional.cross_entropy(owners.float().transpose(1, 2), target, reduction="none")
    return (losses * hidden).sum() / hidden.sum().clamp(min=1)


def main(arguments: PpoArguments) -> int:
    """Train; the exit code."""
    with Run("ppo", arguments) as run:
        trainer = Ppo(arguments, run)
        run.resume(trainer)
        while run.goes_on(trainer):
            run.record(trainer, trainer.update())
        return run.finish(trainer)


command = trainer_command("ppo", PpoArguments, main)

load = functools.partial(load_named, "ppo")
"""The agent that comes with this package; options and errors as of ``baselines.learned.load_agent``."""
