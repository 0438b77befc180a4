"""Simulations from files: run, read, written, set back, interrupted, and their mistakes."""

import _thread
import ctypes
import math
import threading
import time

import numpy as np
import pytest

import flange
from flange import tool
from flange._library import lib

SWING = """
flange: 1
name: swing
gravity: [0, 0, -9.81]
time: {end: 2, macro: 1/100}
subsystems:
  arm: {model: rod.yaml, integrator: rk4, step: 1/1000}
record: [arm/hinge.position, arm/tip.position, arm/energy]
"""
ROD = """
flange-model: 1
bodies: {rod: {mass: 2, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}}
joints: {hinge: {kind: revolute, child: rod, axis: [0, 1, 0]}}
markers: {tip: {body: rod, at: [1, 0, 0]}}
"""


@pytest.fixture
def swing(tmp_path):
    (tmp_path / "rod.yaml").write_text(ROD)
    return flange.loads(SWING, path=tmp_path / "swing.yaml")


def test_run_is_that_of_the_tool(examples):
    path = examples / "pendulum" / "pendulum.yaml"
    told = tool.call("run", str(path))
    sim = flange.load(path)
    results = sim.run()
    assert f"{sim.hash:016x}" == told["state_hash"]
    assert results.status == "complete"
    for name, values in told["final"].items():
        assert np.ravel(results[name][-1]) == pytest.approx(values, rel=1e-12, abs=1e-12)


def test_columns_are_views_of_one_table(swing):
    results = swing.run(until=0.5)
    assert list(results) == ["time", "arm/hinge.position", "arm/tip.position", "arm/energy"]
    assert results["time"].shape == (51,) and results["arm/tip.position"].shape == (51, 3)
    for name in results:
        assert np.shares_memory(results[name], results.table)
    assert results.unit("arm/tip.position") == "m" and results.unit("time") == "s"
    assert results["time"] == pytest.approx(np.arange(51) / 100)
    with pytest.raises(KeyError, match="was not recorded; there are time, arm/hinge"):
        results["nothing"]


def test_pendulum_keeps_its_energy_and_its_tip_its_distance(swing):
    results = swing.run()
    assert np.ptp(results["arm/energy"]) < 1e-7
    assert np.linalg.norm(results["arm/tip.position"], axis=1) == pytest.approx(np.ones(201))
    assert swing.energy.most - swing.energy.least < 1e-7


def test_runs_go_on_where_the_last_one_ended(swing, tmp_path):
    whole = flange.loads(SWING, path=tmp_path / "swing.yaml")
    whole.run()
    first, second = swing.run(until=0.73), swing.run()
    assert first["time"][-1] == pytest.approx(0.73) and second["time"][0] == first["time"][-1]
    assert len(first["time"]) + len(second["time"]) == 202
    assert swing.hash == whole.hash


def test_run_goes_past_the_end_of_the_scenario_if_asked_to(swing):
    assert swing.run(until=2.5)["time"][-1] == pytest.approx(2.5)
    assert swing.ended


def test_outputs_reuse_their_memory_and_items_do_not(swing):
    tip = swing.output("arm/tip.position")
    before, item = tip.read(), swing["arm/tip.position"]
    swing.step(10)
    assert tip.read() is before
    assert np.array_equal(before, swing["arm/tip.position"])
    assert not np.array_equal(item, before)
    assert isinstance(swing["arm/energy"], float)
    assert "arm/hinge.position" in [signal.name for signal in swing.quantities]


def test_many_at_once_are_as_one_by_one(swing, tmp_path):
    names = ("arm/tip.position", "arm/hinge.velocity", "arm/energy", "arm/hinge.position")
    read, written = swing.outputs(*names), swing.inputs("arm/tip.wrench", "arm/hinge.effort")
    assert [signal.name for signal in read.signals] == list(names) and read.values.size == 6
    assert written.width == 7 and written.names == ["arm/tip.wrench", "arm/hinge.effort"]
    other = flange.loads(SWING, path=tmp_path / "swing.yaml")
    for _ in range(20):
        q = read.read()[-1]
        written.write([0, 0, q, 0, 0, 0, -3 * q])
        other["arm/tip.wrench"] = [0, 0, other["arm/hinge.position"], 0, 0, 0]
        other["arm/hinge.effort"] = -3 * other["arm/hinge.position"]
        swing.step(), other.step()
    assert swing.hash == other.hash
    assert np.array_equal(read.read(), np.hstack([other[name] for name in names]))
    assert read.read() is read.values
    assert swing.outputs().read().size == 0


def test_many_inputs_refuse_wrong_shapes_and_numbers(swing):
    written = swing.inputs("arm/tip.wrench", "arm/hinge.effort")
    for wrong in ([1, 2], np.zeros((7, 1)), "abc", [0, 0, 0, 0, 0, 0, "x"]):
        with pytest.raises(flange.UsageError, match="take 7 numbers"):
            written.write(wrong)
    with pytest.raises(flange.FlangeError, match="Number 6 of the inputs is nan"):
        written.write([0, 0, 0, 0, 0, 0, math.nan])
    assert math.isnan(swing.input("arm/tip.wrench").read()[0])  # none was written
    with pytest.raises(flange.InputError, match="hinge"):
        swing.inputs("arm/tip.wrench", "arm/hnge.effort")
    with pytest.raises(flange.InputError):
        swing.outputs("arm/tip.position", "arm/tip.place")
    read = swing.outputs("arm/energy")
    swing.close()
    with pytest.raises(flange.UsageError, match="closed"):
        read.read()
    with pytest.raises(flange.UsageError, match="closed"):
        written.write(0)
    with pytest.raises(flange.UsageError, match="closed"):
        swing.outputs()


def test_effort_that_carries_the_weight_holds_the_rod(swing):
    effort = swing.input("arm/hinge.effort")
    assert effort.width == 1 and math.isnan(effort.read()[0])
    # gravity turns the level rod about +y by m g / 2
    effort.write(-2 * 9.81 * 0.5)
    swing.run()
    assert abs(swing["arm/hinge.position"]) < 1e-9
    effort.clear()
    assert math.isnan(effort.read()[0])
    swing.step(10)
    assert swing["arm/hinge.position"] > 1e-3


def test_controller_in_the_loop_is_the_one_of_run(swing, tmp_path):
    def hold(sim):
        sim["arm/hinge.effort"] = -40 * sim["arm/hinge.position"] - 8 * sim["arm/hinge.velocity"]

    results = swing.run(each=hold)
    other = flange.loads(SWING, path=tmp_path / "swing.yaml")
    while not other.ended:
        hold(other)
        other.step()
    assert other.hash == swing.hash
    # at rest the spring carries the weight: 40 q = m g cos(q) / 2
    q = results["arm/hinge.position"][-1]
    assert 40 * q == pytest.approx(9.81 * math.cos(q), rel=1e-2)


def test_states_come_back_bit_by_bit(swing, tmp_path):
    swing.input("arm/hinge.effort").write(1)
    swing.step(20)
    state = swing.state()
    swing.save(tmp_path / "state")
    swing.run(until=0.5)
    end = swing.hash
    for back in (lambda: swing.set_state(state), lambda: swing.restore(tmp_path / "state")):
        back()
        assert swing.time == pytest.approx(0.2)
        swing.run(until=0.5)
        assert swing.hash == end
    swing.reset()
    assert swing.time == 0 and swing["arm/hinge.position"] == 0
    with pytest.raises(flange.UsageError):
        swing.set_state(state[:-8])
    state[-1] ^= 255
    with pytest.raises(flange.FlangeError):
        swing.set_state(state)


def test_lock_holds_a_joint_until_it_is_unlocked(swing):
    swing.step(50)
    swing.fire("lock", "arm/hinge")
    held = swing["arm/hinge.position"]
    swing.step(10)
    assert swing["arm/hinge.position"] == pytest.approx(held)
    swing.fire("unlock", "arm/hinge")
    swing.step(10)
    assert swing["arm/hinge.position"] != pytest.approx(held)
    swing.fire("set", "arm/hinge", 0.25)
    assert swing["arm/hinge.position"] == pytest.approx(0.25)


def test_contacts_of_a_block_carry_its_weight(examples):
    sim = flange.load(examples / "incline" / "incline.yaml", coupling="monolithic")
    sim.run(until=0.5)
    points = sim.contacts()
    assert points and {point.state for point in points} <= {"open", "sliding", "sticking"}
    assert all(point.shapes[0] and point.shapes[1] for point in points)
    assert np.linalg.norm(sum(point.force for point in points)) > 1


def test_couplings_are_chosen_as_by_the_tool(examples):
    path = examples / "wrist" / "wrist.yaml"
    for coupling in ("sequential", {"scheme": "sequential"}, "sequential pose=none"):
        sim = flange.load(path, coupling=coupling, end=0.1, macro="1/60")
        assert sim.coupling == "sequential" and sim.end == pytest.approx(0.1)
        assert sim.run().status == "complete"
        assert [interface.name for interface in sim.interfaces] == ["wrist"]
        assert sim.interfaces[0].rank == 6


def test_threads_change_no_bit(examples):
    path = examples / "wrist" / "wrist.yaml"
    hashes = set()
    for threads in (1, 2):
        sim = flange.load(path, coupling="parallel", end=0.1, threads=threads)
        sim.run()
        hashes.add(sim.hash)
    assert len(hashes) == 1


def test_mistakes_are_told_at_once_with_file_and_line(tmp_path):
    (tmp_path / "rod.yaml").write_text(ROD)
    path = tmp_path / "bad.yaml"
    path.write_text(SWING.replace("end: 2", "end: -2").replace("rk4", "rk5"))
    with pytest.raises(flange.InputError) as caught:
        flange.load(path)
    error = caught.value
    assert isinstance(error, ValueError) and len(error.mistakes) == 2
    assert error.file == str(path) and error.line == 5 and error.column > 1
    assert error.mistakes[1].line == 7 and "rk5" in str(error)
    with pytest.raises(flange.MissingError, match="nowhere.yaml") as caught:
        flange.load(tmp_path / "nowhere.yaml")
    assert isinstance(caught.value, FileNotFoundError)
    with pytest.raises(flange.InputError, match="time.end"):
        flange.load(path, set={"time.end": "soon", "subsystems.arm.integrator": "rk4"})


def test_wrong_use_is_told(swing):
    with pytest.raises(flange.InputError, match="nothing"):
        swing["arm/nothing"]
    with pytest.raises(flange.InputError):
        swing["arm/hinge.colour"] = 1
    with pytest.raises(flange.UsageError):
        swing["arm/hinge.effort"] = math.nan
    with pytest.raises(ValueError):
        swing["arm/hinge.effort"] = [1, 2]
    with pytest.raises(flange.InputError):
        swing.fire("lock", "arm/nothing")
    with pytest.raises(flange.UsageError, match="finite"):
        swing.run(until=math.inf)
    output = swing.output("arm/energy")
    swing.close()
    for use in (swing.step, swing.state, swing.run, output.read, lambda: swing.time,
                lambda: swing["arm/energy"], lambda: swing.ports("arm/rod")):
        with pytest.raises(flange.UsageError, match="closed"):
            use()
    swing.close()
    assert "closed" in repr(swing)


def test_divergence_is_an_exception_that_keeps_the_rows(swing):
    swing["arm/hinge.effort"] = 1e300
    with pytest.raises(flange.DivergedError) as caught:
        swing.run()
    assert caught.value.results is swing.results
    assert swing.results.status == "diverged" and len(swing.results["time"]) >= 1


def test_ctrl_c_ends_a_run_and_keeps_the_rows(swing):
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        swing.run(until=1e6)
    timer.join()
    assert swing.results.status == "interrupted"
    assert len(swing.results["time"]) > 10
    swing.step()


def test_interpreter_runs_on_while_a_simulation_steps(examples):
    # a macro step of a million micro steps, which ends early once `stop` is set
    sim = flange.load(examples / "pendulum" / "pendulum.yaml", macro=1000, end=1000)
    stop, started, told = ctypes.c_int(0), threading.Event(), []
    lib.flg_simulation_watch(sim._at, ctypes.addressof(stop))

    def work():
        started.set()
        try:
            sim.step()
        except flange.FlangeError as error:
            told.append(error)

    worker = threading.Thread(target=work)
    worker.start()
    started.wait()
    # if the step held the lock, this thread would go on after its end alone
    time.sleep(0.05)
    stop.value = 1
    worker.join()
    assert len(told) == 1


def test_interface_model_of_a_free_port(swing):
    model = swing.ports("arm/tip").model(1e-3)
    # about the hinge: m c^2 + Iyy
    inertia = 2 * 0.25 + 0.1
    assert model.rank == 1 and model.condition == math.inf
    assert model.mass_along([0, 0, 1, 0, 0, 0]) == pytest.approx(inertia)
    assert model.mass_along([0, 1, 0, 0, 0, 0]) == math.inf
    assert model.r[2] == pytest.approx(-2 * 9.81 * 0.5 / inertia)
    assert np.allclose(model.D, model.D.T)
    with pytest.raises(flange.PhysicsError):
        model.mass
    with pytest.raises(flange.InputError):
        swing.ports("arm/nothing")


def test_elimination_is_the_dense_one():
    random = np.random.default_rng(1)
    roots = [random.normal(size=(4, 4)) for _ in range(2)]
    D, r = [a @ a.T for a in roots], [random.normal(size=4) for _ in range(2)]
    G = random.normal(size=(3, 8))
    keep = [5, 0]
    H = np.zeros((8, 8))
    H[:4, :4], H[4:, 4:] = D
    b = np.concatenate(r)
    back = np.linalg.inv(G @ H @ G.T)
    found = flange.eliminate([(D[0], r[0]), (D[1], r[1])], G, keep)
    assert found.rank == 3
    assert found.H == pytest.approx((H - H @ G.T @ back @ G @ H)[np.ix_(keep, keep)])
    assert found.b == pytest.approx((b - H @ G.T @ back @ G @ b)[keep])
    forces = np.zeros(8)
    forces[keep] = [2, -3]
    reactions, everywhere = found.back([2, -3])
    assert reactions == pytest.approx(-back @ G @ (H @ forces + b))
    assert everywhere == pytest.approx(forces + G.T @ reactions)
    models = [flange.InterfaceModel(D[k], r[k], np.zeros(4)) for k in (0, 1)]
    pairs = np.zeros((1, 8))
    pairs[0, 1], pairs[0, 6] = 1, -1
    same = flange.eliminate([(D[0], r[0]), (D[1], r[1])], pairs, keep)
    assert flange.join(*models, [(1, 2)], keep).H == pytest.approx(same.H)
    with pytest.raises(flange.UsageError):
        flange.eliminate([(D[0], r[1][:3])], G[:, :4], [0])
    with pytest.raises(flange.FlangeError):
        flange.eliminate([(D[0], r[0])], G[:, :4], [7])
