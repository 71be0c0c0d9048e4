"""``python -m otap`` is the command ``otap``."""

from otap.cli import main

if __name__ == "__main__":
    main()
