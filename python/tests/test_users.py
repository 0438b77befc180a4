"""What users try who have read no header: threads, states of others, Ctrl-C, mistakes of their own."""

import copy
import os
import pickle
import signal
import threading

import numpy as np
import pytest

import flange


def _pendulum(end=1.0, macro=0.01, step=0.001, **system):
    rod = flange.Robot("rod")
    rod.body("rod", mass=1, centre=[0.5, 0, 0], inertia=[0.1, 0.1, 0.1])
    rod.joint("hinge", kind="revolute", child="rod", axis=[0, 1, 0])
    rod.marker("tip", body="rod", at=[1, 0, 0])
    swing = flange.System("swing", end=end, macro=macro, record=["a/hinge.position"], **system)
    swing.subsystem("a", model=rod, step=step)
    return swing


def test_simulations_in_threads_have_the_same_bits(examples):
    hashes = [0] * 4

    def run(k):
        sim = flange.load(examples / "wrist" / "wrist.yaml")
        sim.run(until=0.2)
        hashes[k] = sim.hash

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(hashes)) == 1 and hashes[0] != 0


def test_state_of_one_goes_on_in_another(examples):
    path = examples / "wrist" / "wrist.yaml"
    one, other = flange.load(path), flange.load(path)
    one.run(until=0.3)
    other.set_state(one.state())
    one.run(until=0.5)
    other.run(until=0.5)
    assert one.hash == other.hash
    with pytest.raises(flange.InputError, match="another system"):
        flange.load(path, coupling="parallel").set_state(one.state())
    one.input("arm/joint1.effort")
    with pytest.raises(flange.UsageError, match="were inputs opened"):
        other.set_state(one.state())


def test_ctrl_c_between_steps_leaves_a_run_that_goes_on():
    sim = _pendulum(end=1e6).simulate()
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        sim.run()
    assert sim.results.status == "interrupted" and len(sim.results["time"]) > 1
    assert sim.run(until=sim.time + 1)["time"][-1] == pytest.approx(sim.time)


def test_ctrl_c_inside_a_long_macro_step_ends_it():
    sim = _pendulum(end=1000, macro=1000, step=1e-5).simulate()
    start = sim.state()
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        sim.run()
    sim.set_state(start)
    assert sim.time == 0
    assert signal.set_wakeup_fd(-1) == -1  # as it was


def test_exception_in_a_controller_is_the_cause():
    class Careless(flange.Controller):  # without __init__: it keeps nothing
        def evaluate(self, time, positions, velocities):
            if time > 0.1:
                raise ValueError("a bug of mine")
            return [0.0]

    class Wide(flange.Controller):
        def evaluate(self, time, positions, velocities):
            return [1, 2, 3]

    for kind, told in (Careless, "a bug of mine"), (Wide, "shape"):
        flange.provide("mine", kind)
        system = _pendulum()
        system.controller("a/mine", kind="plugin", plugin="mine", sample=0.01)
        with pytest.raises(flange.FlangeError) as caught:
            system.simulate().run()
        assert told in str(caught.value.__cause__)


def test_inputs_reach_robots_inside_components():
    rod = flange.Robot("rod")
    rod.body("rod", mass=1, centre=[0.5, 0, 0], inertia=[0.1, 0.1, 0.1])
    rod.joint("hinge", kind="revolute", child="rod", axis=[0, 1, 0])
    cell = flange.Component("cell")
    cell.robot("arm", model=rod)
    cell.body("box", mass=2, inertia=[0.1, 0.1, 0.1], at=[0, 3, 0])
    system = flange.System("s", end=1, macro=1e-3, gravity=[0, 0, 0])
    system.subsystem("a", model=cell)
    sim = system.simulate()
    sim["a/arm/hinge.effort"] = 0.7
    sim.step()
    assert sim["a/arm/hinge.velocity"] == pytest.approx(0.7e-3 / 0.35, rel=1e-6)
    sim["a/arm/rod.wrench"] = [0, 0, 0, 0, -0.7, 0]
    sim["a/box.wrench"] = [1, 0, 0, 0, 0, 0]
    sim.step()
    assert sim["a/arm/hinge.velocity"] == pytest.approx(0.7e-3 / 0.35, rel=1e-6)
    assert sim["a/box.velocity"] == pytest.approx([0.5e-3, 0, 0])
    for wrong in ([1, 2], "strong", None):
        with pytest.raises(flange.UsageError):
            sim["a/arm/hinge.effort"] = wrong


def test_wrench_on_a_flexible_link_is_the_force_of_a_file():
    def tips(pushed_by_key):
        rod = flange.Robot("rod")
        rod.body("rod", mass=1, centre=[0.5, 0, 0], inertia=[0.01, 0.1, 0.1])
        rod.joint("hinge", kind="revolute", child="rod", axis=[0, 1, 0])
        rod.flexible("rod", end=[1, 0, 0], section_diameter=0.02, young=7e10, bending=[2, 2],
                     twist=1)
        rod.marker("tip", body="rod", at=[1, 0, 0])
        system = flange.System("s", end=0.1, macro=2e-3, gravity=[0, 0, 0],
                               record=["a/rod/tip.position"])
        system.subsystem("a", model=rod, step=1e-3)
        if pushed_by_key:
            system.force("a/push", body="rod", at=[1, 0, 0], force=[0, 3, 5], moment=[0.2, 0, 0])
        sim = system.simulate()
        if not pushed_by_key:
            sim["a/rod/tip.wrench"] = [0, 3, 5, 0.2, 0, 0]
        return sim.run()["a/rod/tip.position"]

    assert np.array_equal(tips(True), tips(False))


ROBOT = """flange-model: 1
bodies: {u: {mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]},
  l: {mass: 2, centre: [0.5, 0, 0.1], inertia: [0.01, 0.1, 0.1]}}
joints: {s: {kind: revolute, child: u, axis: [0, 1, 0], damping: 0.2, armature: 0.3},
  w: {kind: ball, parent: u, child: l, at: [1, 0, 0]}}
ports: {p: {body: l, at: [1, 0, 0]}, q: {body: u, at: [0.2, 0.1, 0]}}
"""
WELDED = """flange-component: 1
bodies: {one: {mass: 2, inertia: [0.1, 0.2, 0.3], at: [0, 0, 1], centre: [0.1, 0.05, -0.02]},
  two: {mass: 1, inertia: [0.05, 0.04, 0.03], at: [0.5, 0, 1]},
  three: {mass: 1.5, inertia: [0.05, 0.04, 0.06], at: [1, 0.2, 1]}}
joints: {weld: {kind: weld, between: [one, two]},
  hinge: {kind: revolute, between: [two, three], at: [0.8, 0, 1], axis: [0, 1, 0.3]}}
ports: {p: {body: two, at: [0.1, 0.2, 0.3]}, q: {body: three, at: [0.2, 0, 0]}}
"""
LOOP = """flange-component: 1
bodies: {crank: {mass: 1, inertia: [0.01, 0.02, 0.02], at: [0, 0, 0.25]},
  rod: {mass: 2, inertia: [0.02, 0.1, 0.1], at: [0.5, 0, 0.5]},
  rocker: {mass: 1.5, inertia: [0.02, 0.05, 0.05], at: [1, 0, 0.25]}}
joints: {a: {kind: revolute, between: [world, crank], axis: [0, 1, 0]},
  b: {kind: revolute, between: [crank, rod], at: [0, 0, 0.5], axis: [0, 1, 0]},
  c: {kind: revolute, between: [rod, rocker], at: [1, 0, 0.5], axis: [0, 1, 0]},
  d: {kind: revolute, between: [world, rocker], at: [1, 0, 0], axis: [0, 1, 0]}}
ports: {p: {body: rod, at: [0.1, 0.3, 0.05]}, q: {body: crank, at: [0, 0, 0.1]}}
"""
HELD = """flange-component: 1
robots: {arm: {model: robot.yaml, initial: {s: 0.3}}}
bodies: {box: {mass: 3, inertia: [0.1, 0.2, 0.3], at: [2, 0, -0.6]}}
joints: {hold: {kind: spherical, between: [arm/p, box]}}
ports: {p: {body: box, at: [0, 0.1, 0]}, q: {of: arm/q}}
"""


def _foretold(sim, h):
    """Errors of D and r against steps of the simulation itself, after a push."""
    ports, inputs = sim.ports("a/p", "a/q"), [sim.input(f"a/{name}.wrench") for name in "pq"]

    def push(forces):
        for k, wrench in enumerate(inputs):
            wrench.write(forces[6 * k:6 * k + 6])
        sim.step()
        return ports.model(h).w

    some = np.arange(1.0, 13) % 5 - 2
    push(some / np.linalg.norm(ports.model(h).D @ some) / h / 2)
    for _ in range(6):  # solvers have forgotten the push
        push(np.zeros(12))
    state, model = sim.state(), ports.model(h)

    def after(forces):
        sim.set_state(state)
        return push(forces)

    still = after(np.zeros(12))
    D = np.array([after(row) - still for row in np.eye(12)]).T / h
    r = (still - model.w) / h
    return (np.abs(D - model.D).max() / np.abs(model.D).max(),
            np.abs(r - model.r).max() / (1 + np.abs(model.r).max()))


_ANY = [{}, {"integrator": "semi-implicit"}, {"integrator": "rk4"}]
_COMPONENT = [*_ANY, {"coordinates": "joint"}, {"reduce": "none"}]
_MODELS = [("robot", ROBOT, _ANY), ("welded", WELDED, _COMPONENT), ("loop", LOOP, _COMPONENT),
           ("held", HELD, _COMPONENT)]


@pytest.mark.parametrize(("model", "keys"), [
    pytest.param(model, keys, id=f"{name} {keys}") for name, model, given in _MODELS
    for keys in given])
def test_models_of_ports_foretell_steps(tmp_path, model, keys):
    is_robot = model is ROBOT
    h = 1e-6
    (tmp_path / "robot.yaml").write_text(ROBOT)
    (tmp_path / "model.yaml").write_text(model)
    sim = flange.loads("flange: 1\ngravity: [0.3, 0.2, -9.81]\ntime: {end: 1, macro: 1e-6}\n"
                       f"subsystems: {{a: {{model: {'robot' if is_robot else 'model'}.yaml}}}}\n",
                       path=tmp_path / "s.yaml",
                       set={f"subsystems.a.{key}": value for key, value in keys.items()})
    error_of_D, error_of_r = _foretold(sim, h)
    assert error_of_D < 1e-5 and error_of_r < 1e-4


def test_names_that_are_no_texts_are_told():
    sim = _pendulum().simulate()
    for read in (sim.__getitem__, sim.input, sim.outputs, sim.inputs, sim.ports):
        for wrong in (3, ["a/hinge.position"], None, b"a/hinge.position"):
            with pytest.raises(TypeError, match="no text"):
                read(wrong)
        with pytest.raises(ValueError, match="code 0"):
            read("a/\0hinge")
    with pytest.raises(TypeError, match="no coupling"):
        _pendulum().simulate(coupling=3)
    with pytest.raises(TypeError, match="no mapping"):
        _pendulum().simulate(set=["time.end=1"])
    with pytest.raises(flange.UsageError, match="1000000000000 is neither"):
        _pendulum().simulate(threads=10**12)
    with pytest.raises(flange.UsageError, match="not by -1"):
        sim.step(-1)
    with pytest.raises(flange.UsageError, match="takes 1 numbers"):
        sim["a/hinge.effort"] = 10**400
    with pytest.raises(KeyError, match="was not recorded; there are time, a/hinge"):
        sim.run(until=0.02).unit("nothing")


class _Meddler(flange.Controller):
    """Does to its simulation what it may not."""

    simulation = None
    told = ()

    def evaluate(self, time, positions, velocities):
        if self.simulation is not None:
            for meddle in (self.simulation.step, self.simulation.close, self.simulation.reset,
                           lambda: self.simulation.fire("lock", "a/hinge")):
                try:
                    meddle()
                except flange.UsageError as error:
                    type(self).told += (str(error),)
        return 0 * positions


def test_controllers_cannot_step_or_close_their_own_simulation():
    flange.provide("meddler", _Meddler)
    system = _pendulum()
    system.controller("a/meddler", kind="plugin", plugin="meddler", sample=0.01)
    sim = system.simulate()
    _Meddler.simulation, _Meddler.told = sim, ()
    sim.step()
    assert len(_Meddler.told) >= 4 and all("steps" in text for text in _Meddler.told)
    _Meddler.simulation = None
    sim.close()


class _Keeper(flange.Controller):
    """Keeps what it is handed."""

    kept = []

    def evaluate(self, time, positions, velocities):
        self.kept.append((time, positions))
        return 0 * velocities


def test_what_controllers_are_handed_they_may_keep():
    flange.provide("keeper", _Keeper)
    system = _pendulum()
    system.controller("a/keeper", kind="plugin", plugin="keeper", sample=0.01)
    sim = system.simulate()
    angles = sim.run()["a/hinge.position"]
    sim.close()
    kept = dict((round(time, 6), position[0]) for time, position in _Keeper.kept)
    assert [kept[round(0.01 * k, 6)] for k in range(100)] == pytest.approx(list(angles[:100]))


class _Silent(flange.Controller):
    """Returns nothing."""

    def evaluate(self, time, positions, velocities):
        pass


def test_controllers_that_return_nothing_are_told():
    flange.provide("silent", _Silent)
    system = _pendulum()
    system.controller("a/silent", kind="plugin", plugin="silent", sample=0.01)
    with pytest.raises(flange.FlangeError) as told:
        system.simulate().run()
    assert "evaluate returned None" in str(told.value.__cause__)


def test_simulations_are_not_copied_and_results_are():
    sim = _pendulum().simulate()
    results = sim.run(until=0.1)
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="not copied or pickled"):
            copied(sim)
    again = pickle.loads(pickle.dumps(results))
    assert np.array_equal(again.table, results.table) and list(again) == list(results)
