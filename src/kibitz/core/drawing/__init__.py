"""Drawings: shapes and inputs of a position, as SVG and as text. A game's `view.py` makes them."""

from kibitz.core.drawing.drawing import (AnyShape, Arrow, Circle, Click, Counters, DARK, Drawing, FromTo, Input, Label, PALETTE, Patch, Polygon, Rect, button, button_width, chequered, colour, counters, dark_style, ink_of, svg, svg_look, svg_shape, text)

__all__ = ["AnyShape", "Arrow", "Circle", "Click", "Counters", "DARK", "Drawing", "FromTo", "Input", "Label", "PALETTE", "Patch", "Polygon", "Rect", "button", "button_width", "chequered", "colour", "counters", "dark_style", "ink_of", "svg", "svg_look", "svg_shape", "text"]
