"""Writing memories: each verb decides what to write, as a plain value, and the
vault writes it.
"""
