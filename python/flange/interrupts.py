"""Ctrl-C inside of a macro step.

Python notes a signal at once, but raises KeyboardInterrupt only when the call into the library is
over. That is soon, unless one macro step takes long: then a thread, which Python wakes up by a
socket, tells the library to stop.
"""

from __future__ import annotations

import ctypes as c
import signal
import socket
import threading
from types import TracebackType

from ._library import lib

#: How long a macro step may go on after Ctrl-C [s].
_PATIENCE = 1.0


class Interrupts:
    """While it is entered, Ctrl-C stops steps of a simulation that take long. Signals come to the
    main thread alone: in others it does nothing."""

    def __init__(self, simulation: int) -> None:
        self._simulation = simulation
        self._stop = c.c_int(0)
        self._done = threading.Event()
        self._sockets: tuple[socket.socket, socket.socket] | None = None

    @property
    def has_stopped(self) -> bool:
        """True if a step was ended inside of a macro step."""
        return self._stop.value != 0

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            self._sockets = socket.socketpair()
            self._sockets[1].setblocking(False)
            self._earlier = signal.set_wakeup_fd(self._sockets[1].fileno(),
                                                 warn_on_full_buffer=False)
            lib.flg_simulation_watch(self._simulation, c.addressof(self._stop))
            threading.Thread(target=self._listen, args=(self._sockets[0],), daemon=True).start()
        return self

    def _listen(self, signals: socket.socket) -> None:
        with signals:
            while number := signals.recv(1):
                if number[0] == signal.SIGINT and not self._done.wait(_PATIENCE):
                    self._stop.value = 1

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._sockets is not None:
            self._done.set()
            signal.set_wakeup_fd(self._earlier)
            lib.flg_simulation_watch(self._simulation, None)
            self._sockets[1].close()
