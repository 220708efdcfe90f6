"""The engine `numpy`."""
