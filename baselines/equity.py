"""Match equity: the chance of each seat to win the match, from the score sheet between two deals.

A deal is worth what it changes of the chance to win, not its points: 60 points are little at the start of a match and
nothing to a player on the barrel, who only lacks one contract. ``Equity`` is a small network from totals, barrel, bolts
and dealer to these chances, fitted to the outcomes of matches that the heuristic plays against itself, half of them
begun at zero and half at sheets drawn at random. Learners are paid by ``rewards``.

The idea is that of match-equity tables in backgammon; Skat and bridge programs use the same. No source was followed.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from baselines.checkpoints import read_file, write_file
from baselines.heuristic import KNOBS, choose
from baselines.learned import weights_folder
from baselines.playouts import OVER, look
from thousand_env import Rules, VectorEnv
from thousand_env.compiled import (
    SIGHT_DTYPE,
    apply_action,
    entry,
    room_for,
    rules_record,
)
from thousand_env.observation import OBSERVATION

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

UNIT: Final = 10.0
"""The reward for a match from no chance to certainty; at the start of a match 100 points are then worth about 0.5."""
EQUITY_FILE: Final = "equity.safetensors"
_KIND: Final = "thousand_env equity 1"
OFF_THE_BARREL: Final = -1
MOST_DEALS: Final = 250
_SEATS: Final = 4
_FACTS: Final = 7

SHEET_DTYPE: Final = np.dtype(
    [("scores", np.int32, (4,)), ("barrel", np.int16, (4,)), ("bolts", np.uint8, (4,)), ("dealer", np.int8)], align=True
)

_room_for_sight: Final = room_for(SIGHT_DTYPE)


class Sheets(NamedTuple):
    """B score sheets of n seats between two deals.

    ``scores``, ``barrel`` (attempts used, -1 off it) and ``bolts`` are int64 [B, n], ``dealer`` of the next deal [B].
    """

    scores: Ints
    barrel: Ints
    bolts: Ints
    dealer: Ints

    def take(self, rows: Any) -> Sheets:
        """Some of the sheets."""
        return Sheets(self.scores[rows], self.barrel[rows], self.bolts[rows], self.dealer[rows])


def sheets_of_records(records: npt.NDArray[Any], players: int, *, next_deal: bool = False) -> Sheets:
    """From records with the fields of ``SHEET_DTYPE``, such as states; of the deal that is played or the one after."""
    seats = slice(players)
    scores, barrel, bolts = (records[name][:, seats].astype(np.int64) for name in ("scores", "barrel", "bolts"))
    return Sheets(scores, barrel, bolts, (records["dealer"].astype(np.int64) + next_deal) % players)


def sheets_of_observations(observation: npt.NDArray[np.int8], players: int, *, next_deal: bool = False) -> Sheets:
    """From int8 observations [B, K], by relative seat: place 0 is the observer."""

    def piece(name: str) -> Ints:
        start = OBSERVATION[name].start
        return observation[:, start : start + players].astype(np.int64)

    barrel = np.where(piece("on_barrel") != 0, piece("attempts"), OFF_THE_BARREL)
    scores = 100 * piece("score_hundreds") + piece("score_rest")
    return Sheets(scores, barrel, piece("bolts"), (piece("dealer").argmax(1) + next_deal) % players)


class Equity(nn.Module):
    """The chance of each seat to win the match. ``rules``: those of the matches it was fitted to."""

    def __init__(self, rules: Rules, hidden: int = 64) -> None:
        super().__init__()
        self.rules: Final = rules
        self.description: Final[dict[str, Any]] = {"network": "equity", "hidden": hidden}
        self.layers = nn.Sequential(
            nn.Linear(_SEATS * _FACTS, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 1)
        )

    def forward(self, facts: Tensor) -> Tensor:
        """Log-chances [B, n] from facts [B, n, 28]."""
        return torch.log_softmax(self.layers(facts).squeeze(-1), -1)

    def facts(self, sheets: Sheets) -> Tensor:
        """What the network sees of each seat's place, float32 [B, n, 28]: seats clockwise from it."""
        rules, count, players = self.rules, len(sheets.dealer), self.rules.players
        target = rules.target
        stands = sheets.barrel != OFF_THE_BARREL
        by_seat = np.zeros((count, players, _FACTS), np.float32)
        by_seat[..., 0] = 1
        by_seat[..., 1] = sheets.scores / target
        by_seat[..., 2] = np.maximum(sheets.scores - 0.6 * target, 0) / (0.4 * target)
        by_seat[..., 3] = stands
        by_seat[..., 4] = np.where(stands, sheets.barrel / (rules.barrel_attempts or 3), 0)
        by_seat[..., 5] = sheets.bolts / max(1, rules.bolt_limit - 1)
        by_seat[np.arange(count), sheets.dealer, 6] = 1
        np.clip(by_seat, -3, 3, out=by_seat)
        relative = (np.arange(players)[:, None] + np.arange(players)) % players
        facts = np.zeros((count, players, _SEATS, _FACTS), np.float32)
        facts[:, :, :players] = by_seat[:, relative]
        return torch.from_numpy(facts.reshape(count, players, _SEATS * _FACTS))

    @torch.inference_mode()
    def chances(self, sheets: Sheets) -> Floats:
        """float32 [B, n], rows of sum 1; certain once a total has reached the target, shared if several have alike."""
        chances: Floats = self(self.facts(sheets)).exp().numpy()
        most = sheets.scores.max(1, keepdims=True)
        first = (sheets.scores == most).astype(np.float32)
        return np.where(most >= self.rules.target, first / first.sum(1, keepdims=True), chances)

    def rewards(self, before: Sheets, after: Sheets) -> Floats:
        """What a deal has changed for each seat, float32 [B, n], in units of 1 / ``UNIT`` of a match; sums to 0."""
        return UNIT * (self.chances(after) - self.chances(before))

    def pay(
        self, observation: npt.NDArray[np.int8], seat: npt.NDArray[Any], at_the_end: npt.NDArray[np.int8]
    ) -> Floats:
        """``rewards`` of F deals as a batched environment shows them, float32 [F, n] by absolute seat.

        ``observation`` [F, K] is what ``seat`` [F] saw at its last decision, ``at_the_end`` [F, K] what it sees then.
        """
        players = self.rules.players
        before = sheets_of_observations(observation, players)
        after = sheets_of_observations(at_the_end, players, next_deal=True)
        place = (np.arange(players) - seat.astype(np.int64)[:, None]) % players
        paid: Floats = np.take_along_axis(self.rewards(before, after), place, 1)
        return paid


@entry
def _play_matches(states: Any, rules_records: Any, knobs: Any, sheets: Any, counts: Any, winners: Any) -> None:
    rules = rules_records[0]
    room = _room_for_sight()
    seen = room[0]
    for k in range(states.shape[0]):
        state = states[k]
        number = -1
        while state["phase"] != OVER:
            if state["deals_scored"] != number and counts[k] < sheets.shape[1]:
                number = state["deals_scored"]
                sheet = sheets[k, counts[k]]
                for seat in range(4):
                    sheet["scores"][seat] = state["scores"][seat]
                    sheet["barrel"][seat] = state["barrel"][seat]
                    sheet["bolts"][seat] = state["bolts"][seat]
                sheet["dealer"] = state["dealer"]
                counts[k] += 1
            look(state, rules, seen)
            apply_action(state, rules, choose(seen, rules, knobs[0]))
        winners[k] = state["winner"]


def play_matches(rules: Rules, matches: int, seed: int, *, random_sheets: bool = False) -> tuple[Sheets, Ints]:
    """The sheets before every deal of so many matches of the heuristic, and who won each sheet's match, int64 [B].

    Matches that ``max_deals`` has cut off are left out. ``random_sheets``: they begin at sheets drawn at random.
    """
    start = (lambda rng, count: random_starts(rules, rng, count)) if random_sheets else None
    env = VectorEnv(matches, rules, seed=seed, start=start, num_threads=1)
    env.reset()
    states = env.positions()
    sheets = np.zeros((matches, MOST_DEALS), SHEET_DTYPE)
    counts, winners = np.zeros(matches, np.int64), np.full(matches, -1, np.int64)
    _play_matches(states, rules_record(rules), KNOBS, sheets, counts, winners)
    kept = (np.arange(MOST_DEALS) < counts[:, None]) & (winners >= 0)[:, None]
    return sheets_of_records(sheets[kept], rules.players), np.broadcast_to(winners[:, None], kept.shape)[kept]


def pays_by_match(utility: str, rules: Rules) -> bool:
    """Whether ``utility`` means the chance to win the match; ``auto`` does where a match can be more than one deal.

    ``ValueError`` if it is asked for where a match is one deal.
    """
    if utility == "match" and rules.max_deals == 1:
        raise ValueError("utility 'match' is not accepted under rules with max_deals=1: use relative, score or win")
    return utility == "match" or (utility == "auto" and rules.max_deals != 1)


def random_starts(rules: Rules, rng: np.random.Generator, count: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Sheets as ``VectorEnv`` takes them: any totals below the target, a third of the seats that may be on the barrel.

    Also sheets that hardly ever come up in a match: who is fitted to them is not lost there.
    """
    shape = count, rules.players
    top = rules.barrel_threshold if rules.barrel else rules.target
    scores = rng.integers(-top // 3, top, shape) // 5 * 5
    barrel = np.full(shape, OFF_THE_BARREL)
    if rules.barrel:
        stands = rng.random(shape) < 0.2
        scores[stands] = rules.barrel_threshold
        barrel = np.where(stands, rng.integers(0, rules.barrel_attempts or 3, shape), OFF_THE_BARREL)
    bolts = rng.integers(0, rules.bolt_limit, shape) if rules.bolt_mode != "off" else np.zeros(shape, np.int64)
    return scores, bolts, barrel, rng.integers(0, rules.players, count)


def equity_for(rules: Rules) -> Equity:
    """The ``Equity`` that comes with this package if it is of these rules, else one fitted now."""
    file = weights_folder() / EQUITY_FILE
    if file.is_file():
        with importlib.resources.as_file(file) as path:
            weights, facts = read_file(path, _KIND)
        if Rules.from_dict(facts["rules"]) == rules:
            equity = Equity(rules, facts["network"]["hidden"])
            equity.load_state_dict(weights)
            return equity.eval()
    return fit(rules)


def save_equity(path: Path, equity: Equity, facts: Mapping[str, Any]) -> None:
    """Write an equity as a safetensors file, with what it is of and ``facts`` as JSON inside it and beside it."""
    described = {"rules": equity.rules.to_dict(), "network": equity.description, "facts": dict(facts)}
    write_file(path, _KIND, equity.state_dict(), described)


class Starts:
    """``start`` of a ``VectorEnv``: sheets that episodes of one deal begin with.

    Three in ten are those of a new match, half are drawn from matches of the heuristic, two in ten are random.
    """

    def __init__(self, rules: Rules, seed: int, matches: int = 2000) -> None:
        self.rules: Final = rules
        self.sheets: Final = play_matches(rules, matches, seed)[0]

    def __call__(self, rng: np.random.Generator, count: int) -> tuple[Ints, Ints, Ints, Ints]:
        """See ``VectorEnv``."""
        drawn = self.sheets.take(rng.integers(0, len(self.sheets.dealer), count))
        scores, bolts, barrel, dealer = random_starts(self.rules, rng, count)
        kind = rng.random(count)
        new, played = kind < 0.3, (kind >= 0.3) & (kind < 0.8)
        scores[new], bolts[new], barrel[new] = 0, 0, OFF_THE_BARREL
        scores[played], bolts[played], barrel[played] = drawn.scores[played], drawn.bolts[played], drawn.barrel[played]
        dealer[played] = drawn.dealer[played]
        return scores, bolts, barrel, dealer


def fit(rules: Rules, matches: int = 10_000, seed: int = 0, passes: int = 6, batch: int = 2048) -> Equity:
    """An ``Equity`` for these rules; with 10,000 matches of ``classic`` it takes about half a minute on one core.

    The same seed gives the same network on the same machine.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        equity = Equity(rules)
    played = [play_matches(rules, -(-matches // 2), seed, random_sheets=kind) for kind in (False, True)]
    facts = torch.cat([equity.facts(sheets) for sheets, _ in played])
    winners = torch.from_numpy(np.concatenate([each for _, each in played]))
    rng = np.random.default_rng(seed)
    updates = max(1, passes * len(winners) // batch)
    optimizer = torch.optim.Adam(equity.parameters(), 3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=updates)
    for _ in range(updates):
        rows = torch.from_numpy(rng.integers(0, len(winners), batch))
        loss = nn.functional.nll_loss(equity(facts[rows]), winners[rows])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        schedule.step()
    return equity.eval()
