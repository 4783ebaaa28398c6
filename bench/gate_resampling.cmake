set(libraries verdicts CLI11::CLI11)
