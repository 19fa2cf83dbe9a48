"""A small game as text in Gambit's format, from which OpenSpiel makes a game in C++ that its solvers walk fast.

OpenSpiel has an exporter too; it copies the whole text for every node.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from thousand_env.open_spiel.game import ThousandGame
from thousand_env.open_spiel.node import CHANCE, TERMINAL, Node
from thousand_env.open_spiel.parameters import Setting

MOST_DEALS: Final = 20_000


def export_efg(game: ThousandGame) -> str:
    """The whole tree, chance exact up to rounding; the name of an information set is its string.

    ``pyspiel.load_efg_game(text)`` then has the information states ``"OWNER-OWNER-NUMBER-NAME"``, and for each as many
    actions as are legal here, in this order; the numbers and labels that it gives them are its own. ``ValueError`` for
    a game of more than one deal, or of more than 20,000 deals.
    """
    setting = game.setting
    if setting.most_deals != 1 or _deals(setting) > MOST_DEALS:
        raise ValueError(
            f"{game} is too large for a tree: use a small deck, such as 'mini2' or 'mini3', and max_deals=1"
        )
    players = " ".join(f'"seat {seat}"' for seat in range(setting.rules.players))
    return "\n".join([f'EFG 2 R "{game}" {{ {players} }}', *_lines(game.root)]) + "\n"


def _deals(setting: Setting) -> int:
    rules = setting.rules
    sizes = [rules.hand_size] * rules.active_players + [rules.talon_size] * setting.num_talons
    return math.factorial(len(rules.deck)) // math.prod(map(math.factorial, sizes))


def _lines(root: Node) -> Iterator[str]:
    """The nodes in the order of the format: each before those that follow it, these in the order of its actions."""
    numbers: list[dict[str, int]] = [{} for _ in range(root.setting.rules.players)]
    left = [root]
    count = 0
    while left:
        node = left.pop()
        count += 1
        if node.player == TERMINAL:
            yield f't "" {count} "" {{ {" ".join(map(repr, node.returns()))} }}'
            continue
        if node.player == CHANCE:
            outcomes = node.chance_outcomes()
            chances = " ".join(f'"{node.action_text(CHANCE, each)}" {chance!r}' for each, chance in outcomes)
            yield f'c "" {count} "" {{ {chances} }} 0'
            actions = [each for each, _ in outcomes]
        else:
            name, known = node.information_text(node.player), numbers[node.player]
            actions = node.legal_actions()
            labels = " ".join(f'"{node.action_text(node.player, action)}"' for action in actions)
            number = known.setdefault(name, len(known) + 1)
            yield f'p "" {node.player + 1} {number} "{name}" {{ {labels} }} 0'
        left += [node.after(action) for action in reversed(actions)]
