"""Servers, hosts and clusters that several tests use."""
