"""What backend programs written in Python share: the protocol, the inputs, the evidence and the timed loop.

It needs numpy alone. docs/worker-protocol.md describes what it speaks; src/worker/ is the same in C++.
"""
