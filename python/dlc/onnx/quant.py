"""Handlers of quantized operators."""
