"""`python -m equipoise` is the same as `equipoise`."""

from equipoise.cli import main

if __name__ == "__main__":
    main()
