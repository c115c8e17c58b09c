"""What spark-submit runs: `spark-submit $(crowdwise spark --script) spark LAKE --out LABELS`.

It takes a file for a Python program by its ending alone. The folder holds nothing else: it goes first on the path.
"""

from crowdwise.cli import main

if __name__ == "__main__":
    main()
