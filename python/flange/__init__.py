"""Flange: simulates mechanical systems built from parts, and couples parts modelled apart.

    import flange

    sim = flange.load("capture.yaml", coupling="sequential")
    results = sim.run(until=4)
    results["time"], results["hand/box/U.position"]

`load` and `loads` read scenarios, `Robot`, `Component` and `System` put them together in code,
`compare` and `analyze` tell what a coupling costs and how interfaces answer, `Subsystem` and
`Controller` are for your own, `eliminate` and `join` work on interface models. docs/python.md is
the guide.
"""

from . import options
from ._library import VERSION as __version__
from .access import Input, Inputs, Output, Outputs, Trigger
from .errors import (CapacityError, DivergedError, FlangeError, InputError, MissingError, Mistake,
                     NoticeWarning, OutputError, PhysicsError, ToolError, UnsolvedError,
                     UnsolvedWarning, UsageError)
from .files import read
from .models import Component, Definition, Robot, System
from .plugins import Answer, Controller, Frame, Setup, Subsystem, provide
from .ports import Eliminated, InterfaceModel, Ports, eliminate, join
from .results import Results
from .signals import Signal
from .simulation import Contact, Energy, Interface, Simulation, load, loads
from .study import Analysis, ComparedRun, Comparison, Side, analyze, compare
from .tool import report

__all__ = [
    "Analysis", "Answer", "CapacityError", "ComparedRun", "Comparison", "Component", "Contact",
    "Controller", "Definition", "DivergedError", "Eliminated", "Energy", "FlangeError", "Frame",
    "Input", "InputError", "Inputs", "Interface", "InterfaceModel", "MissingError", "Mistake",
    "NoticeWarning", "Output", "OutputError", "Outputs", "PhysicsError", "Ports", "Results",
    "Robot", "Setup", "Side", "Signal", "Simulation", "Subsystem", "System", "ToolError",
    "Trigger", "UnsolvedError", "UnsolvedWarning", "UsageError", "__version__", "analyze",
    "compare", "eliminate", "join", "load", "loads", "options", "provide", "read", "report",
]
