set(libraries timing statistics host)
