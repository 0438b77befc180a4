"""Comparisons and analyses in this process say what the tool says; Ctrl-C ends them."""

import os
import signal
import threading

import numpy as np
import pytest

import flange
from flange import tool


def test_compare_says_what_the_tool_says(examples):
    path = examples / "wrist" / "wrist.yaml"
    found = flange.compare(path, ["sequential", "parallel"], ["1/60", 1 / 30],
                           set={"time.end": 0.2})
    told = tool.call("compare", str(path), "--coupling", "sequential,parallel", "--macro",
                     "1/60,1/30", "--set", "time.end=0.2")
    assert len(found.runs) == len(told["runs"]) == 4
    for run, other in zip(found.runs, told["runs"]):
        assert run.coupling == other["coupling"]
        assert run.macro == pytest.approx(other["macro"])
        assert run.status == other["status"]
        assert set(run.errors) == set(other["errors"])
        for name, errors in run.errors.items():
            assert errors == pytest.approx(other["errors"][name], rel=1e-12)
    assert 0 < found.error("effector/hand.position", "sequential", 1 / 60) < 1e-3
    assert found.reference.coupling == "monolithic" and "sequential" in str(found)
    with pytest.raises(KeyError):
        found.error("effector/hand.position", "hold")
    with pytest.raises(flange.InputError):
        flange.compare(path, "nonsense")
    with pytest.raises(flange.MissingError):
        flange.compare("/nowhere.yaml")


@pytest.mark.parametrize(("scenario", "given", "words"), [
    ("wrist", {"lock": ["joint1", "joint2"]}, ["--lock", "joint1,joint2"]),
    ("wrist", {"pose": {"joint2": "45 deg", "joint3": 0.5}}, ["--pose", "joint2=45deg,joint3=0.5"]),
    ("wrist", {"pose": [0.1, "1/5", 0.3]}, ["--pose", "0.1,1/5,0.3"]),
    ("wrist", {"at": 0.5, "side": "arm"}, ["--at", "0.5", "--side", "arm"]),
    ("wrist", {"at": 0.2, "pose": {"joint2": "45 deg"}}, ["--at", "0.2", "--pose", "joint2=45deg"]),
    ("capture", {"at": 0.2, "contacts": "smooth"}, ["--at", "0.2", "--contacts", "smooth"]),
])
def test_analyze_says_what_the_tool_says(examples, scenario, given, words):
    path = examples / scenario / f"{scenario}.yaml"
    found = flange.analyze(path, **given)
    told = tool.call("analyze", str(path), *words)
    assert found.interface == told["interface"] and list(found.sides) == list(told["sides"])
    for name, side in found.sides.items():
        other = told["sides"][name]
        assert side.rank == other["rank"] and side.closed_contacts == other["closed_contacts"]
        assert side.admittance == pytest.approx(np.array(other["admittance"]), rel=1e-12, abs=1e-15)
        assert side.singular_values == pytest.approx(other["singular_values"])
        assert side.axes == pytest.approx(np.array(other["ellipsoid"]["axes"]), abs=1e-9)
        if other["effective_mass"] is None:
            assert side.effective_mass is None
        else:
            assert side.effective_mass @ side.admittance == pytest.approx(np.eye(6), abs=1e-6)


def test_simulation_is_analyzed_as_it_is(examples):
    path = examples / "wrist" / "wrist.yaml"
    sim = flange.load(path, coupling="sequential")
    sim.run(until=0.5)
    here, there = flange.analyze(sim)["arm"], flange.analyze(path, at=0.5)["arm"]
    assert here.admittance == pytest.approx(there.admittance, rel=1e-12)
    with pytest.raises(flange.InputError, match="solved as one"):
        flange.analyze(flange.load(path, coupling="monolithic"), "wrist")
    with pytest.raises(flange.UsageError):
        flange.analyze(path, contacts="soft")
    with pytest.raises(flange.InputError):
        flange.analyze(path, lock=["nobody"])
    with pytest.raises(flange.UsageError):
        flange.analyze(path, side="nobody")
    with pytest.raises(flange.UsageError):
        flange.analyze(path, pose=["far"])
    with pytest.raises(flange.MissingError):
        flange.analyze("/nowhere.yaml")


def _pair(end=0.5):
    rod = flange.Robot("rod")
    rod.body("rod", mass=1, centre=[0.5, 0, 0], inertia=[0.01, 0.1, 0.1])
    rod.joint("hinge", kind="revolute", child="rod", axis=[0, 1, 0])
    rod.marker("tip", body="rod", at=[1, 0, 0])
    bell = flange.Component("bell")
    bell.body("bell", mass=0.5, inertia=[0.01, 0.01, 0.005], at=[0, 0, -0.3])
    bell.port("top", body="bell", at=[0, 0, 0.3])
    system = flange.System("swing", end=end, macro=1 / 60, record=["bell/bell.position"])
    system.subsystem("rod", model=rod, step=1 / 600)
    system.subsystem("bell", model=bell, step=1 / 600, at=[1, 0, 0])
    system.interface("hook", between=["rod/tip", "bell/top"], kind="spherical")
    return system


def test_systems_in_code_are_compared():
    system = _pair()
    system.compare(couplings=["sequential", "parallel"], macro=[1 / 60, 1 / 30])
    found = flange.compare(system)
    errors = {(run.coupling, round(1 / run.macro)): run.errors["bell/bell.position"]["max"]
              for run in found.runs}
    assert set(errors) == {(name, rate) for name in ("sequential", "parallel")
                           for rate in (60, 30)}
    assert all(0 < error < 0.05 for error in errors.values())


def test_ctrl_c_ends_a_comparison():
    system = _pair(end=3000)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        flange.compare(system, "sequential")
