set(libraries ${BREAKEVEN_DRIVER_PARTS})
