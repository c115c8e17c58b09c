"""How anything is fitted: the contract of a method, EM and its loop, parameters, results, and the promises."""
