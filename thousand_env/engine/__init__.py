"""The rules of play, compiled: one room per phase, plain functions over one record."""
