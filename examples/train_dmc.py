"""Train action values by deep Monte Carlo for a few minutes. Run: python examples/train_dmc.py --minutes 10"""

from __future__ import annotations

from baselines.dmc import command

if __name__ == "__main__":
    if code := command():
        raise SystemExit(code)
