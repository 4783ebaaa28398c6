set(libraries statistics)
