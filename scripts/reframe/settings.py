"""Settings for ReFrame: this machine, and a cluster with Slurm. Copy it, and name your own partitions.

    reframe -C scripts/reframe/settings.py --system=breakeven:local ...    on this machine
    reframe -C scripts/reframe/settings.py --system=breakeven:slurm ...    each check as a job
"""

site_configuration = {
    "systems": [
        {
            "name": "breakeven",
            "descr": "Wherever ReFrame runs",
            "hostnames": [".*"],
            "partitions": [
                {"name": "local", "scheduler": "local", "launcher": "local", "environs": ["builtin"], "max_jobs": 1},
                {
                    "name": "slurm",
                    # "slurm" where sacct shows jobs; squeue needs no accounting.
                    "scheduler": "squeue",
                    # Not srun: it would leave one of the node's CPUs to breakeven.
                    "launcher": "local",
                    # The check requests a whole node. Its memory is requested here; add the partition and the account.
                    "access": ["--mem=0"],
                    "environs": ["builtin"],
                    "max_jobs": 8,
                },
            ],
        }
    ],
}
