"""Formulas that papers derive, to set beside simulations of the same thing."""
