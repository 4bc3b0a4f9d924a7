"""A tornado's rows."""

from acklab.figures import rows
from acklab.figures.charts import Swing, Tornado


def test_a_row_is_the_same_parameter_in_every_panel():
    chart = Tornado("t", "", [
        ("left", 50.0, None, [Swing("clock", [("10 ms", 60.0)]), Swing("passes", [("one", 20.0)])]),
        ("right", 50.0, None, [Swing("clock", [("1 s", 40.0)]), Swing("queue", [("24", 70.0)])]),
    ], "gain (%)")  # fmt: skip
    left, right = rows.tornado(chart).axes
    names = [label.get_text() for label in left.get_yticklabels()]
    assert names == ["clock", "passes", "queue"]
    for axes, bars in ((left, {"clock": 60.0, "passes": 20.0}), (right, {"clock": 40.0, "queue": 70.0})):
        found = {
            names[round(-(bar.get_y() + bar.get_height() / 2))]: bar.get_x() + bar.get_width() for bar in axes.patches
        }
        assert found == bars
