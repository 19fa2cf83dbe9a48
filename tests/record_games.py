"""Games of all kinds for the tests of records: random rules and sheets, cut anywhere, undone, through bytes."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.random_rules import random_rules, random_sheet
from thousand_env import PRESETS, DealError, Game, Rules

CALM_FIRST = (126, 127)  # concede and redeal, which random play would choose too often


def choose(rng: random.Random, game: Game, calm: float) -> int:
    """A random legal action; calm players pass when they can, so that there are many deals."""
    legal = game.legal_actions()
    if rng.random() < calm:
        legal = [action for action in legal if action not in CALM_FIRST] or legal
        return legal[0] if game.phase != "play" else legal[-1]
    return rng.choice(legal)


def play_on(rng: random.Random, game: Game, decisions: int) -> None:
    """Play at most so many decisions, now and then taking some back."""
    calm = rng.choice((0.0, 0.5, 0.9))
    for _ in range(decisions):
        if game.is_over:
            return
        game.apply(choose(rng, game, calm))
        if rng.random() < 0.01:
            for _ in range(rng.randint(1, min(40, len(game.actions())))):
                game.undo()


def new_game(rng: random.Random, rules: Rules) -> Game:
    """A game from a seed, or from given cards on a given sheet."""
    seed = rng.getrandbits(rng.choice((3, 64)))
    episode = rng.choice(("match", "match", "deal"))
    game = Game(rules, seed=seed, episode=episode)
    if rng.random() < 0.5 or game.is_over:
        return game
    hands, talons = Game(rules, seed=rng.getrandbits(64)).dealt() if rules.players != 4 else game.dealt()
    dealer = rng.randrange(rules.players) if rules.players != 4 else game.dealer
    sheet = random_sheet(rng, rules)
    talon = talons if rules.players == 2 else talons[0]
    try:
        return Game.from_deal(rules, hands, talon, dealer, **sheet, episode=episode, seed=seed)
    except DealError:  # four nines under ``mandatory``
        return game


def random_games(rng: random.Random, count: int, decisions: int = 300) -> Iterator[Game]:
    """Games over presets and random rules, most of them unfinished."""
    for _ in range(count):
        rules = Rules.preset(rng.choice(list(PRESETS))) if rng.random() < 0.25 else random_rules(rng)
        game = new_game(rng, rules)
        play_on(rng, game, rng.randint(0, decisions))
        if rng.random() < 0.2 and game.actions():
            game = Game.from_bytes(game.to_bytes())
        yield game
