"""The memory for agents, over the Model Context Protocol.

`tools` says what can be asked, `arguments` reads what was asked, `reading` and
`writing` answer, `guard` is what an agent may not write, `server` speaks the protocol,
`clients` knows how programs are told of it. Only `server` needs the SDK.
"""

from __future__ import annotations

__all__: list[str] = []
