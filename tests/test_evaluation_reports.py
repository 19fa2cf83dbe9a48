"""What reports say: as text, JSON and CSV, and that nothing private is in them."""

from __future__ import annotations

import csv
import io
import json
import math
import platform
from pathlib import Path

import numpy as np
import pytest

from thousand_env import Rules, __version__
from thousand_env.evaluation import MatchReport, Report, Table, cross_play, duplicate, matches

Result = Report | MatchReport | Table


@pytest.fixture(scope="module")
def report() -> Report:
    return duplicate("greedy", "random", deals=6, rules="modern", seed=1, seatings="one", control=zeros)


@pytest.fixture(scope="module")
def match_report() -> MatchReport:
    return matches("greedy", "random", "greedy,caution=20", matches=2, seed=1)


@pytest.fixture(scope="module")
def table() -> Table:
    return cross_play(["greedy", "random", "greedy,caution=20"], deals=4, seed=1)


def zeros(game: object) -> list[float]:
    return [0.0, 0.0, 0.0]


def test_results_come_back_from_json(report: Report, match_report: MatchReport, table: Table) -> None:
    for result in (report, match_report, table):
        data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        again = type(result).from_dict(data)
        assert again.to_dict() == result.to_dict()
        assert again.text() == result.text()
        assert again.to_csv().splitlines()[:3] == result.to_csv().splitlines()[:3]
    assert (Report.from_dict(report.to_dict()).differences == report.differences).all()
    again = Table.from_dict(table.to_dict())
    assert all((again.differences[pair] == values).all() for pair, values in table.differences.items())


def test_a_single_deal_comes_back_too() -> None:
    one = duplicate("greedy", "random", seed=1, only=0)
    again = Report.from_dict(json.loads(json.dumps(one.to_dict(), allow_nan=False)))
    assert math.isnan(again.interval[0])
    assert again.text() == one.text()


@pytest.mark.parametrize("data", [{}, [], None, {"what": "report", "format": 2}, {"what": "table", "format": 1}])
def test_other_json_is_refused(data: object) -> None:
    with pytest.raises(ValueError, match="is no report of format 1: give what to_dict"):
        Report.from_dict(data)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the report lacks mean, interval"):
        Report.from_dict({"what": "report", "format": 1, "names": []})


def test_every_result_states_what_it_rests_on(report: Report, match_report: MatchReport, table: Table) -> None:
    for result in (report, match_report, table):
        facts = result.facts
        assert Rules.from_dict(facts["rules"]).to_dict() == facts["rules"]
        assert facts["seed"] == 1
        assert facts["versions"]["thousand_env"] == __version__
        assert set(facts["versions"]) == {"thousand_env", "Python", "numpy", "numba"}
        assert facts["decisions"] > 0
        assert facts["wall_seconds"] > 0
        assert facts["decisions_per_second"] > 0
        text = result.text()
        assert f"thousand_env {__version__}" in text
        assert "seed 1" in text
        assert f"{facts['decisions']:,} decisions" in text
    assert report.facts["rules_changes"]["concede"] == "bid_60"
    assert "concede='bid_60'" in report.text()
    assert "the default rules" in table.text()


def test_nothing_private_is_told(report: Report, match_report: MatchReport, table: Table) -> None:
    for result in (report, match_report, table):
        told = json.dumps(result.to_dict()) + result.text() + result.to_csv()
        assert platform.node() not in told or len(platform.node()) < 4
        assert str(Path.home()) not in told


def test_the_text_of_deals(report: Report) -> None:
    lines = report.text().splitlines()
    assert lines[0].startswith("greedy against random: +")
    assert lines[0].endswith("6 deals")
    assert lines[1].startswith("in raw points")
    assert lines[2].startswith("control variate: 100.0 % of the variance left")
    assert any(line.startswith("declarer  greedy") for line in lines)
    assert any(line.startswith("first hand") for line in lines)
    assert any(line.startswith("100 ") for line in lines)
    assert max(map(len, lines[:-3])) <= 100


def test_the_text_of_matches(match_report: MatchReport) -> None:
    lines = match_report.text().splitlines()
    assert "where 33.3 % is even; 12 matches of 2 seeds" in lines[0]
    assert any(line.startswith("greedy,caution=20 ") for line in lines)


def test_the_text_of_a_table_begins_with_the_best(table: Table) -> None:
    lines = table.text().splitlines()
    assert lines[3].startswith("3 random")
    assert "deals won, row against column" in table.text()


def test_csv_has_every_figure(report: Report, match_report: MatchReport, table: Table) -> None:
    rows = {}
    for result in (report, match_report, table):
        read = list(csv.reader(io.StringIO(result.to_csv())))
        assert read[0] == ["part", "agent", "item", "quantity", "value"]
        assert {len(row) for row in read} == {5}
        rows[type(result)] = {tuple(row[:4]): row[4] for row in read[1:]}
        assert len(rows[type(result)]) == len(read) - 1
    assert float(rows[Report]["total", "greedy", "", "mean"]) == report.mean
    declarer = rows[Report]["role", "random", "declarer", "made"]
    assert float(declarer) == report.by_role["declarer"]["agents"]["random"]["made"]
    bid = report.by_bid[0]
    assert int(rows[Report]["bid", bid["agent"], str(bid["contract"]), "times"]) == bid["times"]
    assert float(rows[MatchReport]["agent", "random", "", "share"]) == match_report.shares[1]
    assert float(rows[Table]["pair", "random", "greedy", "mean"]) == table.mean[1, 0]
    assert float(rows[Table]["pair", "random", "greedy", "games"]) == 4
    assert rows[Table]["fact", "", "", "seed"] == "1"


def test_results_do_not_share_what_they_hold(report: Report) -> None:
    data = report.to_dict()
    data["facts"]["seed"] = 9
    data["differences"][0] = np.inf
    assert report.facts["seed"] == 1
    assert np.isfinite(report.differences).all()
