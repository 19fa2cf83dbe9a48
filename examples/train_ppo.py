"""Train by proximal policy optimisation in self-play. Run: python examples/train_ppo.py --minutes 10"""

from __future__ import annotations

from baselines.ppo import command

if __name__ == "__main__":
    if code := command():
        raise SystemExit(code)
