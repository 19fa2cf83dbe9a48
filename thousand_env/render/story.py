"""A match in sentences: what an action was, what it led to, what a deal came to.

Sentences are told from a step with open cards, or as one seat may know it: then from that seat's views alone, but for
the result of a deal, which is public.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from thousand_env.actions import (
    CONCEDE,
    FIRST_BID,
    FIRST_GIVE,
    FIRST_PLAY,
    PASS,
    REDEAL,
    TALON_A,
    action_card,
    bid_points,
)
from thousand_env.cards import CARD_POINTS, NUM_RANKS
from thousand_env.game import Game
from thousand_env.position import Position
from thousand_env.render.paint import Paint
from thousand_env.render.steps import DealResult, Step, declared, declares_aces, last_winner, tricks
from thousand_env.rules import Rules
from thousand_env.view import View


def action_lines(step: Step, paint: Paint, seat: int | None = None) -> list[str]:
    """What was done, for all but mere cards; with the declarer and the talon when the auction has ended by it.

    ``seat``: tell only what this seat may know.
    """
    before, scene, _ = step.seen(seat)
    if step.void:
        return [_void_line(step, before, paint)]
    events = scene.events()
    lines = []
    if len(events) > len(before.events()):
        who, action = _newest(before, scene)
        sentence = _sentence(before, scene, who, action, paint)
        lines += [sentence] if sentence else []
    if before.declarer is None and scene.declarer is not None:
        lines += declarer_lines(scene, paint)
    return lines


def trick_line(step: Step, paint: Paint) -> str | None:
    """Who has taken the trick that an action completed, with its cards and points; None if it completed none."""
    if sum(step.scene.tricks_won) == sum(step.before.tricks_won):
        return None
    cards = tricks(step.scene)[-1]
    winner = last_winner(step.scene)
    assert winner is not None
    points = sum(CARD_POINTS[card] for _, card in cards)
    arrow = paint.symbol("→", "->")
    return f"{trick_text(cards, paint)}  {arrow} {paint.seat(winner)} +{points}"


def trick_text(cards: Sequence[tuple[int, int]], paint: Paint) -> str:
    """Who played what, in order."""
    return "  ".join(f"{paint.seat(seat)} {paint.card(card)}" for seat, card in cards)


def opening_lines(position: Position, paint: Paint) -> list[str]:
    """How a deal begins: who holds the bid without having spoken, or plays without an auction."""
    lines = []
    if position.is_golden:
        lines.append("a golden deal: no auction, all counts double")
    elif position.is_forced:
        lines.append(f"first hand {paint.seat(position.active_seats[0])} is on the barrel: no auction")
    elif position.phase == "auction" and position.bidder is not None and not position.events():
        lines.append(f"{paint.seat(position.bidder)} holds {position.bid} before anyone speaks")
    if position.declarer is not None:
        lines += declarer_lines(position, paint)
    return lines


def declarer_lines(position: Position, paint: Paint) -> list[str]:
    """Who plays the contract, and the talon that he takes, if there is but one."""
    assert position.declarer is not None
    declarer = paint.seat(position.declarer)
    lines = [f"{declarer} is declarer at {paint.bold(str(position.contract))}"]
    if position.rules.players != 2:
        lines.append(f"{declarer} takes the talon: {_talon(position, 0, paint)}")
    return lines


def result_lines(result: DealResult, rules: Rules, paint: Paint) -> list[str]:
    """What a deal came to, and what it did to barrel and bolts."""
    declarer = paint.seat(result.declarer)
    taken = result.points[result.declarer]
    verdict = {
        "made": f"{paint.good('makes')} {result.contract} with {taken} points",
        "failed": f"{paint.bad('fails')} {result.contract} with {taken} points",
        "conceded": f"{paint.bad('concedes')} {result.contract}",
    }[result.outcome]
    doubled = ", doubled" if result.golden or result.dark else ""
    lines = [f"{declarer} {verdict}{doubled}"]
    for seat in range(rules.players):
        lines += [f"{paint.seat(seat)} {text}" for text in _sheet_changes(result, rules, seat, paint)]
    return lines


def ending_line(game: Position, paint: Paint) -> str:
    """How the episode ended."""
    deals = f"{game.deals_scored} deal{'' if game.deals_scored == 1 else 's'}"
    if game.winner is not None:
        name = paint.player(game.winner)
        return f"{name} {paint.good('wins the match')} with {game.scores[game.winner]} points after {deals}"
    if game.truncated:
        return f"Nobody has won: the match was cut off after {deals} (max_deals={game.rules.max_deals})"
    if game.is_over:
        return "The deal is over"
    return f"Stopped after {deals}; the match was not over"


def _newest(before: Position, scene: Position) -> tuple[int, int | None]:
    """The event that is new: declined redeals stand before the auction, so it need not be the last."""
    old, new = before.events(), scene.events()
    place = next((place for place, event in enumerate(old) if event != new[place]), len(old))
    return new[place]


def _sentence(before: Position, scene: Position, seat: int, action: int | None, paint: Paint) -> str | None:
    who = paint.seat(seat)
    rules = scene.rules
    if action is None or FIRST_GIVE <= action < FIRST_PLAY:
        return _giving(before, scene, who, action, paint)
    if action == PASS:
        words = {"dark": "looks at the cards", "redeal": "keeps the cards", "raise": f"stays at {scene.contract}"}
        return f"{who} {words.get(before.phase, 'passes')}"
    if FIRST_BID <= action < FIRST_GIVE:
        verb = "raises to" if before.phase == "raise" else "bids"
        return f"{who} {verb} {bid_points(action, rules)}{' in the dark' if before.phase == 'dark' else ''}"
    if action == CONCEDE:
        return f"{who} gives up before the play"
    if action >= TALON_A:
        return f"{who} takes talon {'AB'[action - TALON_A]}: {_talon(scene, action - TALON_A, paint)}"
    return f"{who} {_declaration(before, scene, action, paint)}" if declared(action) else None


def _declaration(before: Position, scene: Position, action: int, paint: Paint) -> str:
    card = action_card(action)
    assert card is not None
    suit = card // NUM_RANKS
    bonus = sum(scene.bonuses) - sum(before.bonuses)
    what = "four aces" if declares_aces(action) else f"the marriage in {paint.suit(suit)}"
    trump = ""
    if scene.trump == suit:
        trump = ", now trump"
    elif not declares_aces(action) or scene.rules.ace_marriage == "lead_ace_sets_trump":
        trump = ", trump from the next trick"
    return f"declares {what}: +{bonus}{trump}"


def _giving(before: Position, scene: Position, who: str, action: int | None, paint: Paint) -> str:
    card = paint.backs(1) if action is None else paint.card(action - FIRST_GIVE)
    assert isinstance(scene, Game | View)
    assert isinstance(before, Game | View)
    if scene.rules.puts_aside:
        return f"{who} puts {card} aside"
    receivers = [seat for seat in scene.gifts if seat not in before.gifts]
    return f"{who} gives {paint.seat(receivers[0])} {card}"


def _talon(position: Position, place: int, paint: Paint) -> str:
    if isinstance(position, Game):
        cards = position.dealt()[1][place]
    else:
        assert isinstance(position, View)
        cards = position.talon
    if not cards:
        return f"{paint.backs(position.rules.talon_size)}, unseen"
    shown = all(position.talon_is_seen_by(seat) for seat in range(position.rules.players))
    return paint.cards(sorted(cards, reverse=True)) + (", shown to all" if shown else ", seen by nobody else")


def _void_line(step: Step, before: Position, paint: Paint) -> str:
    who = paint.seat(step.seat)
    why = "asks for a redeal" if step.action == REDEAL else "passes, and nobody has bid"
    return f"{who} {why}: the deal is void"


def _sheet_changes(result: DealResult, rules: Rules, seat: int, paint: Paint) -> Iterator[str]:
    was, now = result.barrel_before[seat], result.barrel[seat]
    limit = "" if rules.barrel_attempts is None else f" of {rules.barrel_attempts}"
    if was is None and now is not None:
        yield f"is {paint.accent('on the barrel')} at {result.scores[seat]}"
    elif was is not None and now is not None and now < was:
        yield f"{paint.bad('falls')} and is on the barrel again"
    elif was is not None and now is not None and now > was:
        yield f"has used barrel attempt {now}{limit}"
    elif was is not None and result.scores[seat] < rules.target:
        yield f"{paint.bad('falls off the barrel')}, now at {result.scores[seat]}"
    had, has = result.bolts_before[seat], result.bolts[seat]
    if result.fined[seat]:
        yield f"is {paint.bad('fined')} {rules.bolt_penalty * (2 if result.golden else 1)} for {rules.bolt_limit} bolts"
    elif has > had:
        yield f"gets a bolt, {has} of {rules.bolt_limit}"
    if result.dumped[seat]:
        yield "stood at exactly 555 and starts again at 0"
