#!/usr/bin/python3
"""What a step costs more from Python than from C, with an output read and an input written in each.

    bench/python_step.py BUILD_FOLDER [STEPS]

The same loop runs in a C program, compiled here against the library of the build folder, and in
Python; the least of many short rounds counts, since other programs disturb some of them.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCENARIO = ROOT / "examples" / "pendulum" / "pendulum.yaml"
ROUNDS = 40
# one micro step in a macro step: the least that a step can be
SETTINGS = {"time.macro": 0.001, "time.end": 1e6}

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "flange/access.h"

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int count, char **words) {
  static flg_mistakes mistakes;
  flg_simulation *simulation;
  flg_error error;
  flg_output angle;
  flg_input push;
  const long steps = atol(words[2]);
  if (count < 3 || flg_simulation_load(&simulation, words[1], (const char *const *)words + 3,
                                       count - 3, &mistakes) ||
      flg_output_find(simulation, "pendulum/elbow.position", &angle, &error) ||
      flg_input_find(simulation, "pendulum/elbow.effort", &push, &error)) return 1;
  const double start = seconds();
  for (long k = 0; k < steps; k++) {
    double q, torque;
    if (flg_output_read(simulation, angle, &q, 1, &error)) return 1;
    torque = -q;
    if (flg_input_write(simulation, push, &torque, 1, &error)) return 1;
    if (flg_simulation_step(simulation, &error)) return 1;
  }
  printf("%.17g\\n", (seconds() - start) / (double)steps);
  return 0;
}
"""


def from_c(build: pathlib.Path, steps: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "loop.c"), pathlib.Path(folder, "loop")
        source.write_text(PROGRAM)
        subprocess.run(["gcc", "-O2", "-D_POSIX_C_SOURCE=200809L", "-I", ROOT / "include", source,
                        "-o", program, build / "libflange.so", f"-Wl,-rpath,{build}"], check=True)
        words = [program, SCENARIO, str(steps), *(f"{key}={value}"
                                                  for key, value in SETTINGS.items())]
        return min(float(subprocess.run(words, check=True, capture_output=True).stdout)
                   for _ in range(ROUNDS))


def from_python(steps: int, drive) -> float:
    import flange

    least = float("inf")
    for _ in range(ROUNDS):
        sim = flange.load(SCENARIO, set=SETTINGS)
        start = time.perf_counter()
        drive(sim, steps)
        least = min(least, (time.perf_counter() - start) / steps)
    return least


def by_handles(sim, steps: int) -> None:
    angle, push = sim.output("pendulum/elbow.position"), sim.input("pendulum/elbow.effort")
    for _ in range(steps):
        push.write(-angle.read()[0])
        sim.step()


def by_names(sim, steps: int) -> None:
    for _ in range(steps):
        sim["pendulum/elbow.effort"] = -sim["pendulum/elbow.position"]
        sim.step()


def alone(sim, steps: int) -> None:
    sim.step(steps)


def recorded(sim, steps: int) -> None:
    sim.run(until=steps * SETTINGS["time.macro"])


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build, steps = pathlib.Path(sys.argv[1]).resolve(), int((sys.argv[2:] or [2000])[0])
    os.environ.setdefault("FLANGE_LIBRARY", str(build / "libflange.so"))
    sys.path.insert(0, str(ROOT / "python"))
    c = from_c(build, steps)
    print(f"C, output read and input written   {1e6 * c:6.2f} us a step")
    for text, drive in (("Python, by handles", by_handles), ("Python, by names", by_names),
                        ("Python, sim.step(n)", alone),
                        ("Python, sim.run(), rows kept", recorded)):
        found = from_python(steps, drive)
        print(f"{text:34} {1e6 * found:6.2f} us a step, {1e6 * (found - c):+.2f} over C")


main()
