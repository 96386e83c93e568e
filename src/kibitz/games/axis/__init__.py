"""Axis & Allies Revised (Lie 2009): areas, armies and dice; battles are exact, and a turn is one order per unit."""
