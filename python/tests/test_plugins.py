"""Subsystems and controllers in Python: as the same in C, and what goes wrong in them."""

import gc
import shutil
import subprocess

import numpy as np
import pytest

import flange
from flange import plugins

SWING = """
flange: 1
gravity: [0, 0, -9.81]
time: {end: 0.4, macro: 1/100}
subsystems:
  pendulum: {model: models/double-pendulum.yaml, step: 1/1000}
  chain:
    plugin: PLUGIN
    step: 1/1000
    at: [2, 0, 0]
    parameters: {masses: 3, mass: 0.2, stiffness: 200, damping: 0.5, length: 0.3}
interfaces: {knot: {between: [pendulum/tip, chain/head], joint: spherical}}
coupling: {scheme: sequential}
record: [pendulum/lower/tip.position, chain/mass2.position, chain/energy]
"""


class Chain(flange.Subsystem):
    """examples/own-subsystem/mass_spring.c: point masses with springs between them."""

    ports = ("head",)

    def __init__(self, setup):
        n = int(setup.parameter("masses", 4))
        self.mass, self.stiffness = setup.parameter("mass", 1), setup.parameter("stiffness", 100)
        self.damping, self.length = setup.parameter("damping", 0), setup.parameter("length", 1)
        self.gravity = setup.gravity
        self.signals = [flange.Signal(f"mass{k}.position", "m", 3) for k in range(n)]
        self.state = np.zeros(6 * n)
        self.x, self.v = self.state.reshape(2, n, 3)
        self.x[:] = setup.position - self.length * np.outer(np.arange(n), setup.rotation[:, 2])

    def springs(self):
        span = np.diff(self.x, axis=0)
        length = np.linalg.norm(span, axis=1, keepdims=True)
        return span / length, length - self.length

    def forces(self):
        along, stretch = self.springs()
        rate = np.sum(along * np.diff(self.v, axis=0), axis=1, keepdims=True)
        tension = (self.stiffness * stretch + self.damping * rate) * along
        forces = np.tile(self.mass * self.gravity, (len(self.x), 1))
        forces[:-1] += tension
        forces[1:] -= tension
        return forces

    def energy(self):
        _, stretch = self.springs()
        return (self.mass * np.sum(self.v ** 2 / 2 - self.gravity * self.x)
                + self.stiffness * np.sum(stretch ** 2) / 2)

    def step(self, time, h, impulses):
        forces = self.forces()
        self.v[0] += impulses[:3] / self.mass
        self.v += h * forces / self.mass
        self.x += h * self.v

    def frame(self, port):
        return flange.Frame(self.x[0], velocity=[*self.v[0], 0, 0, 0])

    def reduce(self, time, tau, answer):
        answer.D[:3, :3] = np.eye(3) / self.mass
        answer.r[:3] = self.forces()[0] / self.mass
        answer.w[:3] = self.v[0]

    def impulse(self, impulses):
        self.v[0] += impulses[:3] / self.mass

    def displace(self, x):
        self.x[0] += x[:3] / self.mass

    def read(self, signal):
        return self.x[signal]


def load(examples, plugin, **options):
    text = SWING.replace("PLUGIN", str(plugin))
    return flange.loads(text, path=examples / "pendulum" / "swing.yaml", **options)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
@pytest.mark.parametrize("coupling", ["sequential", "parallel", "monolithic"])
def test_chain_in_python_is_the_chain_in_c(root, examples, tmp_path, coupling):
    library = tmp_path / "mass_spring.so"
    subprocess.run(["gcc", "-O2", "-fPIC", "-shared", "-I", root / "include",
                    examples / "own-subsystem" / "mass_spring.c", "-o", library, "-lm"], check=True)
    flange.provide("python-chain", Chain)
    runs = [load(examples, plugin, coupling=coupling).run() for plugin in ("python-chain", library)]
    assert len(runs[0].table) == 41
    # sums in another order: rounding, grown over 400 steps
    assert runs[0].table == pytest.approx(runs[1].table, rel=1e-9, abs=1e-9)


def test_states_of_subsystems_in_python_come_back(examples):
    flange.provide("python-chain", Chain)
    sim = load(examples, "python-chain")
    sim.step(5)
    state = sim.state()
    sim.run()
    end = sim.hash
    sim.set_state(state)
    sim.run()
    assert sim.hash == end


def test_instances_end_with_their_simulations(examples):
    flange.provide("python-chain", Chain)
    gc.collect()
    before = len(plugins._instances)
    sim = load(examples, "python-chain")
    assert len(plugins._instances) == before + 1
    sim.close()
    assert len(plugins._instances) == before
    load(examples, "python-chain")
    gc.collect()
    assert len(plugins._instances) == before


@pytest.mark.parametrize("method", ["step", "frame", "reduce", "impulse", "displace", "energy",
                                    "read"])
def test_exceptions_in_functions_are_causes(examples, method):
    fails = []

    def broken(self, *arguments):
        if fails:
            raise ZeroDivisionError(f"from {method}")
        return getattr(Chain, method)(self, *arguments)

    flange.provide("broken", type("Broken", (Chain,), {method: broken}))
    sim = load(examples, "broken", coupling="parallel")
    fails.append(True)
    with pytest.raises(flange.FlangeError) as caught:
        sim.run()
        sim.step(2)  # what records may be asked after the last step
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert method in str(caught.value.__cause__)


def test_refusal_at_the_start_is_told(examples):
    class Refusing(Chain):
        def __init__(self, setup):
            raise ValueError("no chain has this many masses")

    flange.provide("refusing", Refusing)
    with pytest.raises(flange.InputError, match="no chain has this many masses") as caught:
        load(examples, "refusing")
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(flange.UsageError):
        flange.provide("nothing", int)


def test_ctrl_c_in_a_function_is_ctrl_c(examples):
    class Interrupted(Chain):
        def step(self, time, h, impulses):
            if time > 0.1:
                raise KeyboardInterrupt
            super().step(time, h, impulses)

    flange.provide("interrupted", Interrupted)
    sim = load(examples, "interrupted")
    with pytest.raises(KeyboardInterrupt):
        sim.run()
    assert sim.results.status == "interrupted"


def test_controller_in_python_is_the_one_of_the_library(examples):
    class Servo(flange.Controller):
        def __init__(self, setup):
            self.count = setup.joint_count

        def evaluate(self, time, positions, velocities):
            assert len(positions) == self.count == 2
            return -50 * positions - 10 * velocities

    flange.provide("servo", Servo)
    path = examples / "pendulum" / "pendulum.yaml"
    keys = "subsystems.pendulum.controllers"
    mine = flange.load(path, set={keys: {"hold": {"kind": "plugin", "plugin": "servo"}}})
    theirs = flange.load(path, set={keys: {"hold": {
        "kind": "pd", "stiffness": 50, "damping": 10}}})
    found, expected = mine.run(), theirs.run()
    name = "pendulum/lower/tip.position"
    assert found[name] == pytest.approx(expected[name], abs=1e-9)
