"""Train a policy from labels, as a start for other learners. Run: python examples/train_distill.py --minutes 10"""

from __future__ import annotations

from baselines.distill import command

if __name__ == "__main__":
    if code := command():
        raise SystemExit(code)
