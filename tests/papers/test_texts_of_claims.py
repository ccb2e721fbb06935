"""Words of claims: names that need quotes, titles of figures, and units of bounds."""

import pytest
from claim_cells import claim, evidence, names, noisy

from boostbench.papers.figures import title
from boostbench.papers.judge import judge
from boostbench.papers.language import ExpressionError
from boostbench.papers.metrics import METRICS
from boostbench.papers.readings import ClaimReadings
from boostbench.report.document.claim_tables import claim_lines, value_text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("d = lead(MC dropout, x)", "column 10: write the name in quotes: 'MC dropout'"),
        ("d = lead(x, Deep Ensembles (5))",
         "column 13: write the name in quotes: 'Deep Ensembles (5)'"),
        ("e = lead(x, 'MC dropout'); d = rank(x, MC dropout)",
         "column 40: write the name in quotes: 'MC dropout'"),
        ("d = lead(x-net, x)",
         "column 10: here must be a name; with other characters than letters, digits and _ it "
         "needs quotes, as in 'MC dropout'"),
        ("d = lead(x, x, table=2)",
         "column 22: here must be a name; with other characters than letters, digits and _ it "
         "needs quotes, as in 'MC dropout'"),
        ("d = lead(x, x, table=C.4)", "column 22: write the name in quotes: 'C.4'"),
        ("d = lead(x x)", "column 10: invalid syntax"),
        ("d = lead('MC dropout', 'x-net', table='2')", ""),
    ],
)  # fmt: skip
def test_a_name_with_spaces_needs_quotes(text, message) -> None:
    known = names("x", "MC dropout", "Deep Ensembles (5)", "x-net")
    known = known._replace(choices={"table": ["2", "C.4"]})
    if not message:
        assert [call.roles for call in known.read(text)] == [["MC dropout", "x-net"]]
        return
    with pytest.raises(ExpressionError) as raised:
        known.read(text)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        ("saving(x, y)", "time of y that x saves"),
        ("saving(x, y, of=rmse)", "rmse of y that x saves"),
        ("saving(x, y, of=solver, over=mean)", "solver time of y that x saves, mean"),
        ("speedup(x, y, of=log_loss)", "log_loss of y to that of x"),
        ("power(x, by=rows, of=objective)", "power of the rows in the objective of x"),
        ("lead(x, y, of=rmse)", "rmse: lead of x over y"),
        ("rank(x, y, of=time)", "time: rank of x"),
        ("saving(x, y, of=time)", "time of y that x saves"),
        ("lead(x, y, of=score)", "lead of x over y"),
        ("value(x)", "mean of x"),
        ("value(x, of=log_loss)", "log_loss: mean of x"),
    ],
)
def test_titles_of_figures_of_a_metric(figure, words) -> None:
    (call,) = claim(f"f = {figure}").figures
    assert title(call) == words


def test_bounds_have_units() -> None:
    figures = (
        "less = saving(x, y, of=rmse); times = ratio(x, y); by = lead(x, y); "
        "low = lead(x, y, of=rmse); p = wilcoxon(x, y); t = seconds(x); m = value(x); "
        "e = value(y, of=rmse, over=mean); s = value(y, of=time)"
    )
    one = claim(figures, "all(less > 5)")
    cells = {"x": noisy(0.6, rmse=0.4, time=1.0), "y": noisy(0.5, rmse=0.5, time=2.0)}
    judged = judge(one, "as described", {}, evidence(cells))
    lines = claim_lines(ClaimReadings(one, judged, {}, evidence(cells)), METRICS["r2"])
    assert (
        "  bounds: less is a percentage; times is a ratio; by is a difference of scores; low is a "
        "difference of rmse; p is a p-value; t is in seconds; m is a mean of scores; "
        "e is a mean of rmse; s is in seconds"
    ) in lines
    shown = {each.call.name: value_text(each, METRICS["r2"]) for each in judged.shown}
    assert shown["less"].startswith("4 of 4 above 0 %: ")
    assert shown["times"].startswith("4 of 4 above ×1: ")
    assert shown["by"].startswith("4 of 4 above 0: ")
    assert shown["e"].startswith("0.500")
