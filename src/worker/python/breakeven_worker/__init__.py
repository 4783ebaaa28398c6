"""Common parts of backend programs in Python: the protocol, the inputs, the evidence and the timed loop.

It needs only numpy. docs/worker-protocol.md describes the protocol; src/worker/ is the same in C++.
"""
