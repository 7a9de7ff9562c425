"""Tables of a page and of files: people read which interval it is, programs the plain names."""

from report_results import page_result

from equipoise.report.files import Table, as_csv, as_latex
from equipoise.report.measurements import measurements
from equipoise.report.page import render
from equipoise.report.tables import headline_table


def test_people_read_that_intervals_are_of_95_per_cent() -> None:
    result = page_result()
    table = headline_table(measurements([result])[0])
    assert as_csv(table).splitlines()[0] == "number,in the papers,value,low,high,n,dropped,good,unit"
    assert r"value & 95 \% low & 95 \% high & n" in as_latex(table)
    page = render([result])
    assert "95 % low</th>" in page
    assert ">low</th>" not in page
    assert "Every estimate, with its 95 % interval" in page


def test_a_text_that_a_spreadsheet_would_run_is_disarmed() -> None:
    table = Table("t", "t", ("word", "value"), [["=HYPERLINK(1)", -1.5], ["she", None], ["-", 2]])
    assert as_csv(table).splitlines() == ["word,value", "'=HYPERLINK(1),-1.5", "she,", "'-,2"]
