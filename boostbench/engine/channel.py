"""Messages between a pool and its worker processes: length-prefixed JSON on a socket, no pickle."""

import json
import os
import socket
import stat
import struct
from typing import Any

_HEADER = struct.Struct("<I")
_MAX_BYTES = 256 * 2**20


class ChannelBroken(Exception):
    """The other side is gone, or sends something that is no message."""


class Channel:
    """One end of a connection. The pool's end never blocks, a worker's always does."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._inode = os.fstat(sock.fileno()).st_ino
        self._buffer = bytearray()

    def fileno(self) -> int:
        """The file descriptor, for a selector."""
        return self._socket.fileno()

    def is_intact(self) -> bool:
        """Whether the descriptor is still this socket, and not closed or another file by now."""
        try:
            status = os.fstat(self._socket.fileno())
        except OSError:
            return False
        return stat.S_ISSOCK(status.st_mode) and status.st_ino == self._inode

    def send(self, message: dict[str, Any]) -> None:
        """Send one message; raises :class:`ChannelBroken`."""
        payload = json.dumps(message).encode()
        try:
            self._socket.sendall(_HEADER.pack(len(payload)) + payload)
        except OSError as error:
            raise ChannelBroken(str(error)) from error

    def receive(self) -> dict[str, Any]:
        """Wait for one message; raises :class:`ChannelBroken` at the end of the stream."""
        while (message := self._take()) is None:
            self._fill()
        return message

    def poll(self) -> tuple[list[dict[str, Any]], bool]:
        """Return the messages that have come without waiting, and whether the stream is open."""
        messages = []
        is_open = True
        try:
            while True:
                while (message := self._take()) is not None:
                    messages.append(message)
                self._fill(socket.MSG_DONTWAIT)
        except BlockingIOError:
            pass
        except ChannelBroken:
            is_open = False
        return messages, is_open

    def close(self) -> None:
        """Close this end."""
        self._socket.close()

    def _fill(self, flags: int = 0) -> None:
        try:
            data = self._socket.recv(2**16, flags)
        except BlockingIOError:
            raise
        except OSError as error:
            raise ChannelBroken(str(error)) from error
        if not data:
            raise ChannelBroken("end of stream")
        self._buffer += data

    def _take(self) -> dict[str, Any] | None:
        if len(self._buffer) < _HEADER.size:
            return None
        (length,) = _HEADER.unpack_from(self._buffer)
        if length > _MAX_BYTES:
            raise ChannelBroken("not a message")
        end = _HEADER.size + length
        if len(self._buffer) < end:
            return None
        payload = bytes(self._buffer[_HEADER.size : end])
        del self._buffer[:end]
        try:
            message = json.loads(payload)
        except ValueError as error:
            raise ChannelBroken("not a message") from error
        if not isinstance(message, dict):
            raise ChannelBroken("not a message")
        return message
