set(libraries host)
