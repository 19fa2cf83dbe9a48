"""Positions and matches as text and pictures: plain functions, no display needed."""

from __future__ import annotations

from thousand_env.render.ansi import render

__all__ = ["render"]
