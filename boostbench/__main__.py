"""``python -m boostbench`` is the same as ``boostbench``."""

from boostbench.cli.app import main

if __name__ == "__main__":
    main()
