"""Results in files and on pages."""

import html
import re

import numpy as np
import pytest

import flange
from flange import tool
from flange._library import quick


def read_all(path, name):
    """A signal of a results file, also one that only viewers need."""
    import ctypes as c

    from flange.errors import ErrorPlace

    error, handle = ErrorPlace(), c.c_void_p()
    error.check(quick.flg_reader_open(c.addressof(handle), str(path).encode(), error.address))
    count, rows = c.c_int(), quick.flg_reader_rows(handle)
    number = quick.flg_reader_find(handle, name.encode())
    width = quick.flg_reader_signals(handle, c.byref(count))[number].width
    values = np.zeros((rows, width))
    error.check(quick.flg_reader_read(handle, number, 0, rows, values.ctypes.data, error.address))
    quick.flg_reader_close(handle)
    return values


def same(first, second):
    """The same columns, bit by bit; HDF5 has its own order."""
    return sorted(first) == sorted(second) and all(
        np.array_equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize("scenario, end", [("pendulum/pendulum.yaml", 1), ("incline/incline.yaml",
                                                                           0.3)])
def test_file_of_a_run_is_that_of_the_tool(examples, tmp_path, scenario, end):
    path = examples / scenario
    tool.call("run", str(path), "--set", f"time.end={end}", "-o", str(tmp_path / "tool.h5"))
    results = flange.load(path, end=end).run(file=tmp_path / "mine.h5")
    mine, theirs = flange.read(tmp_path / "mine.h5"), flange.read(tmp_path / "tool.h5")
    assert same(mine, theirs) and same(mine, results)
    assert mine.status == "complete" and mine.scenario == results.scenario
    for name in ("@view/poses", "@view/energy"):
        assert np.array_equal(read_all(tmp_path / "mine.h5", name),
                              read_all(tmp_path / "tool.h5", name))


@pytest.mark.parametrize("name", ["table.h5", "table.csv"])
def test_saved_tables_read_back_bitwise(examples, tmp_path, name):
    results = flange.load(examples / "pendulum" / "pendulum.yaml", end=0.5).run()
    results.save(tmp_path / name)
    found = flange.read(tmp_path / name)
    if name.endswith(".csv"):
        assert np.array_equal(found.table, results.table)
    else:
        assert same(found, results)


def test_rows_go_to_a_table_while_it_runs(examples, tmp_path):
    results = flange.load(examples / "pendulum" / "pendulum.yaml", end=0.5).run(
        file=tmp_path / "run.csv")
    assert np.array_equal(flange.read(tmp_path / "run.csv").table, results.table)


def test_files_that_cannot_be_are_told(examples, tmp_path):
    sim = flange.load(examples / "pendulum" / "pendulum.yaml")
    with pytest.raises(flange.OutputError):
        sim.run(file=tmp_path / "nowhere" / "run.h5")
    with pytest.raises(flange.MissingError):
        flange.read(tmp_path / "nothing.h5")
    (tmp_path / "text.h5").write_text("no results")
    with pytest.raises(flange.FlangeError):
        flange.read(tmp_path / "text.h5")


def test_page_in_a_notebook_is_the_report(examples):
    sim = flange.load(examples / "wrist" / "wrist.yaml", coupling="sequential", end=0.3)
    first = sim.run(until=0.1)
    sim.run()
    before = sim.hash
    shown = first._repr_html_()
    assert sim.hash == before
    page = html.unescape(re.fullmatch(r'<iframe srcdoc="(.*)" width=.*</iframe>', shown, re.S)[1])
    assert page.lower().startswith("<!doctype html") and len(page) > 100_000
    assert "effector/hand.position" in page


def test_results_without_a_view_say_why(examples, tmp_path):
    sim = flange.load(examples / "pendulum" / "pendulum.yaml", end=0.2)
    results = sim.run(each=lambda _: None)
    assert "run(file=" in results._repr_html_()
    kept = flange.load(examples / "pendulum" / "pendulum.yaml", end=0.2).run(
        each=lambda _: None, file=tmp_path / "run.h5")
    assert "<iframe" in kept._repr_html_()
