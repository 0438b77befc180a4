# The front door: each target sets up what it needs and calls a script that can be run alone.
# CMake does the building. A bare `make` only prints this help, because the other targets may
# install packages.
PREFIX ?= /usr/local

.PHONY: help demo build test soak bench bench-check coverage figures format install package clean
.NOTPARALLEL:

help:
	@echo 'make demo      install what is missing, build, and simulate a double pendulum'
	@echo 'make build     build the library and the tool into build/demo'
	@echo 'make test      every check; the last line is "N passed, N failed"'
	@echo 'make soak      the long runs: soak tests, faults, clang, all of clang-tidy and cppcheck, an hour of each fuzz target'
	@echo 'make bench     one table of times against MuJoCo, Simbody, DART, Bullet, ODE and Siconos'
	@echo 'make bench-check  instructions of the kernels against bench/baseline.txt'
	@echo 'make coverage  which lines the tests reach'
	@echo 'make figures   draw the figures of docs/ from runs of the examples'
	@echo 'make format    lay out the C files'
	@echo 'make install   build and install under PREFIX=$(PREFIX)'
	@echo 'make package   Debian packages of library, headers, tool and Python in build/demo/packages'
	@echo 'make clean     remove build/'
	@echo
	@echo 'Packages are installed with apt-get, as root or through sudo; see scripts/bootstrap --help.'

build:
	@scripts/bootstrap demo
	@scripts/build demo

demo: build
	@mkdir -p results
	@build/demo/flange run examples/pendulum/pendulum.yaml -o results/pendulum.h5
	@echo 'The results are in results/pendulum.h5.'

test:
	@scripts/bootstrap test || { echo '0 passed, 1 failed'; exit 1; }
	@scripts/test

soak:
	@scripts/bootstrap test
	@scripts/soak

bench:
	@scripts/bootstrap demo
	@scripts/bootstrap bench || echo 'Peers that are missing are left out.'
	@scripts/bench

bench-check:
	@scripts/bootstrap test
	@scripts/bench-check

coverage:
	@scripts/bootstrap test
	@scripts/coverage

figures:
	@scripts/bootstrap figures
	@scripts/build demo
	@scripts/figures build/demo/flange
	@scripts/figures-flexible build/demo/flange
	@scripts/pictures build/demo/flange

format:
	@scripts/bootstrap test
	@scripts/format

install: build
	@cmake --install build/demo --prefix '$(PREFIX)'
	@echo 'Run ldconfig once if programs do not find libflange.so.'

package:
	@scripts/bootstrap package
	@scripts/package

clean:
	rm -rf build
