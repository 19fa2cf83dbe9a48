"""Data sets of decisions in folders, for imitation and offline learning: written from any agents, read as arrays.

``generate(agents, folder, episodes=…)`` plays and writes one row for every decision, forced ones too; the command
``thousand generate`` is the same. ``Dataset(folder)`` reads::

    from thousand_env.datasets import Dataset

    data = Dataset("folder")
    for batch in data.batches(256, seed=0):
        batch["observation"], batch["action_mask"], batch["action"], batch["return_to_go"]
    loader = torch.utils.data.DataLoader(data.torch(256, seed=0), batch_size=None, num_workers=2)

============================  =========================================================================================
``observation``               int8 or float32 [K], what the seat to act sees
``action_mask``               int8 [130], 1 for its legal actions; on disk as 130 bits, see ``unpack_masks``
``action``                    uint8, what was played
``seat``                      int8, who decided
``agent``                     uint8, who sat there: a place in ``manifest["agents"]``
``explored``                  bool, the action is a random one (``epsilon``) and not the agent's
``episode``, ``step``         int64, int32: of the data set, of the episode; both from 0
``deal``                      int32, of the episode, from 0, void deals included
``deal_return``               float32, what the seat earned when this deal was scored, or the one dealt in its place; 0
                              if it never was
``return_to_go``              float32, the sum of what it earned from this decision to the end of the episode
============================  =========================================================================================

Episode e of seed s is ``Game(rules, episode_seed(s, e), episode)``, and with k agents its seat i is played by agent
``(i + e) % k``. Rows are in order of episodes and steps. Nothing is pickled.
"""

from __future__ import annotations

from thousand_env.datasets.form import COLUMNS, DatasetError, unpack_masks
from thousand_env.datasets.generating import generate
from thousand_env.datasets.reading import Dataset

__all__ = ["COLUMNS", "Dataset", "DatasetError", "generate", "unpack_masks"]
