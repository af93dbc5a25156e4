"""Writing memories: each verb decides, as a plain value, what the vault then writes."""
