"""cuDNN's version, which frameworks report as one number."""


def version_text(number):
    """Converts 91900 into 9.19.0. Before version 9, a major version counted 1,000."""
    major = 10_000 if number >= 90_000 else 1_000
    return f"{number // major}.{number % major // 100}.{number % 100}"
