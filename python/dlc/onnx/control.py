"""Handlers of control flow."""
