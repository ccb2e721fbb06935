"""Why runs do not fill a table of the paper."""

from dataclasses import replace

import pytest
from parts import A, paper_of, results_of, row, store_of

from boostbench.errors import ConfigError
from boostbench.papers.metrics import RMSE
from boostbench.report.build import build_report
from boostbench.report.document.printed_tables import why_not_filled


def test_a_table_of_which_a_column_was_not_run_says_which(tmp_path) -> None:
    rows = [row("d", "srt"), row("d", "orrt", 0.7)]
    own = replace(paper_of(tmp_path, rows), captions={"1": "x"})
    results = results_of({("d", "srt"): A}, own)
    assert why_not_filled(results, "1") == (
        "its column orrt of depth 3 was not run; a part of it is shown where the experiment has "
        'table: "1"'
    )
    assert why_not_filled(results, "2") == ""
    assert why_not_filled(results_of({("d", "srt"): A}, own, RMSE), "1") == (
        "it prints r2, and this report is of rmse"
    )
    both = {("e", "srt"): A, ("e", "orrt"): A}
    assert why_not_filled(results_of(both, own), "1") == "none of its data sets was run"
    three = replace(paper_of(tmp_path, [*rows, row("d", "srt_l2")]))
    assert why_not_filled(results_of({("d", "srt"): A}, three), "1").startswith(
        "its columns orrt of depth 3 and srt_l2 of depth 3 were not run"
    )


def test_the_command_says_so_too() -> None:
    store = store_of({("yacht", "srt_l2"): [0.9]}, table=None)
    with pytest.raises(ConfigError, match=r"table 'G\.9': its column random_forest was not run"):
        build_report(store, None, table="G.9")
