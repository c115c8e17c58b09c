"""Drop-in modules: the names, signatures and results of packages that people use, on our engine."""
