"""Clients that misbehave, and a normal client whose waiting times show whether they hurt it."""
