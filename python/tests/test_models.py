"""Models in code are those of files: the same states, bit by bit; mistakes are told at once."""

import numpy as np
import pytest

import flange


def double_pendulum() -> flange.Robot:
    """examples/pendulum/models/double-pendulum.yaml"""
    robot = flange.Robot("double-pendulum")
    for body in ("upper", "lower"):
        robot.body(body, mass=1, centre=[0.5, 0, 0], inertia=[1 / 2400, 401 / 4800, 401 / 4800])
        robot.shape(body, kind="box", lengths=[1, 0.05, 0.05], at=[0.5, 0, 0])
    robot.joint("shoulder", kind="revolute", child="upper", axis=[0, 1, 0])
    robot.joint("elbow", kind="revolute", parent="upper", child="lower", at=[1, 0, 0],
                axis=(0, 1, 0))
    robot.marker("tip", body="lower", at=np.array([1.0, 0, 0]))
    return robot


def swing(**options) -> flange.System:
    """examples/pendulum/pendulum.yaml"""
    system = flange.System("double pendulum", gravity=[0, 0, -9.81], end=3, macro=0.01,
                           record=["pendulum/lower/tip.position", "pendulum/energy"])
    system.subsystem("pendulum", model=double_pendulum(), integrator="rk4", step=1e-3, **options)
    system["subsystems.pendulum.initial"] = {"shoulder": 0, "elbow": 0}
    return system


def test_pendulum_in_code_is_that_of_the_example(examples):
    mine, theirs = swing().simulate(), flange.load(examples / "pendulum" / "pendulum.yaml")
    found, expected = mine.run(), theirs.run()
    assert mine.hash == theirs.hash
    assert np.array_equal(found["pendulum/energy"], expected["pendulum/energy"])


def test_keys_say_what_options_say(examples):
    robot = flange.Robot.read("double-pendulum", (
        examples / "pendulum" / "models" / "double-pendulum.yaml").read_text())
    system = flange.System("double pendulum")
    system["time"] = {"end": 3, "macro": "1/100"}
    system["gravity"] = np.array([0, 0, -9.81])
    system.use(robot)
    system["subsystems.pendulum.model"] = "double-pendulum"
    system["subsystems.pendulum.integrator"] = "rk4"
    system["subsystems.pendulum.step"] = 1 / 1000
    system["record"] = ["pendulum/energy"]
    assert "integrator: rk4" in str(system)
    mine, theirs = system.simulate(), flange.load(examples / "pendulum" / "pendulum.yaml")
    mine.run()
    theirs.run()
    assert mine.hash == theirs.hash


def test_file_can_be_loaded_and_changed(examples):
    path = examples / "pendulum" / "pendulum.yaml"
    system = flange.System.load(path)
    changed, theirs = system.simulate(), flange.load(path)
    changed.run(until=1)
    theirs.run(until=1)
    assert changed.hash == theirs.hash
    system["subsystems.pendulum.step"] = 1 / 500
    changed = system.simulate()
    changed.run(until=1)
    assert changed.hash != theirs.hash
    with pytest.raises(flange.MissingError, match="nowhere.yaml"):
        flange.Robot.load("nowhere.yaml")


def test_bell_on_a_pendulum_is_coupled_in_every_scheme():
    bell = flange.Component("bell")
    bell.body("bell", mass=0.5, inertia=[0.01, 0.01, 0.005], at=[0, 0, -0.3])
    bell.port("top", body="bell", at=[0, 0, 0.3])
    system = swing()
    system.subsystem("bell", model=bell, step=1e-3, at=[2, 0, 0])
    system.interface("hook", between=["pendulum/tip", "bell/top"], kind="spherical")
    system.coupling(scheme="monolithic")
    exact = system.simulate(end=0.5)
    exact.run()
    for scheme in ("sequential", "parallel"):
        sim = system.simulate(coupling=scheme, end=0.5)
        assert sim.coupling == scheme
        sim.run()
        # 1 mm in 2 m: what macro steps of 10 ms leave (README.md)
        assert sim["bell/bell.position"] == pytest.approx(exact["bell/bell.position"], abs=1e-3)
        assert sim["bell/top.position"] == pytest.approx(sim["pendulum/lower/tip.position"],
                                                         abs=1e-6)


def test_oscillator_moves_by_its_closed_form():
    component = flange.Component("cart")
    component.body("mass", mass=2, inertia=[1, 1, 1])
    component.joint("rail", kind="prismatic", between=["world", "mass"], axis=[1, 0, 0])
    component.spring("spring", on="rail", stiffness=8)
    system = flange.System("oscillator", gravity=[0, 0, 0], end=3, macro=0.01)
    system.subsystem("cart", model=component, step=1e-3)
    sim = system.simulate()
    sim["cart/rail.effort"] = 4
    sim.run(until=1)
    # x = F/k (1 - cos w t) with w = sqrt(k/m) = 2
    assert sim["cart/rail.position"] == pytest.approx(0.5 * (1 - np.cos(2)), abs=1e-5)


def test_event_happens_at_its_time():
    system = swing()
    system.event(at=0.5, lock=["pendulum/elbow"])
    sim = system.simulate()
    sim.run(until=0.5)
    held = sim["pendulum/elbow.position"]
    sim.run(until=0.6)
    assert sim["pendulum/elbow.position"] == pytest.approx(held, abs=1e-9)


def test_mistakes_of_code_are_told_at_once():
    system = swing(base="flying")
    system["time.end"] = -1
    with pytest.raises(flange.InputError) as caught:
        system.simulate()
    assert len(caught.value.mistakes) == 2
    assert "flying" in str(caught.value) and "time.end" in str(caught.value)


def test_wrong_options_are_told():
    robot = flange.Robot("arm")
    with pytest.raises(flange.UsageError, match="no option 'weight'; there are mass"):
        robot.body("rod", weight=3)
    with pytest.raises(flange.UsageError, match="'centre' cannot be .* 3 values"):
        robot.body("rod", centre=[1, 2])
    with pytest.raises(flange.UsageError, match="'mass' cannot be 'heavy'"):
        robot.body("rod", mass="heavy")
    with pytest.raises(flange.UsageError):
        robot.body("rod", mass=float("inf"))
    with pytest.raises(TypeError, match="no value of a scenario"):
        robot["bodies.rod"] = object()
    with pytest.raises(flange.UsageError):
        robot["bodies..rod"] = 1
    # a system that uses two robots of one name
    system = flange.System("two")
    system.use(robot)
    with pytest.raises(flange.UsageError):
        system.use(flange.Robot("arm"))
