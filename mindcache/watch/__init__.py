"""Keeping the cache in step while people and programs write: the daemon.

`pending` decides when to look (pure), `trees` turns the system's notifications
into hints, `watcher` is the loop, `daemon` the process around it. Only here is
watchdog spoken to.
"""
