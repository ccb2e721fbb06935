"""Hosts on 127.0.0.1 that do not answer, each in its own way."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


def closed_address() -> str:
    """Return an address where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


@contextmanager
def silent_address() -> Iterator[str]:
    """Give an address where connections are accepted and no byte ever comes."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


@contextmanager
def closing_address() -> Iterator[tuple[str, list[float]]]:
    """Give an address where each connection is closed at once, and the times when they came."""
    came: list[float] = []
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:

        def close_all() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                came.append(time.monotonic())
                connection.close()

        thread = threading.Thread(target=close_all, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", came
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(5)
