"""The memory for agents, over the Model Context Protocol.

`tools` says what can be asked, `arguments` reads what was asked; `recalling`, `opening`,
`listing` and `writing` answer, for the `desk`; `guard` is what an agent may not write.
`server` speaks the protocol over `wires`, and alone needs the SDK; `clients` knows how
programs are told of it.
"""

from __future__ import annotations

__all__: list[str] = []
