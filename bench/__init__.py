"""How fast the product is: measured on a synthetic vault, beside floors.

`vaults` writes the vault, `measure` runs processes and times them, `floors` and
`inside` are what those processes do, `rows` is the table, `report` prints, saves
and compares it. Reached by `scripts/bench`; nothing of the product imports this.
"""
