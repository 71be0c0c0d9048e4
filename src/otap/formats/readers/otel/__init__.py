"""OpenTelemetry's formats: envelopes, attributes and messages."""
