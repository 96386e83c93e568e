"""The bridge to OpenSpiel."""
