"""Python runs this file at its start in the local cloud and in every function there.

The functions' layer holds libraries for Lambda's own platform (arm64, Python 3.13). The local cloud
runs functions with this machine's interpreter, which cannot load those. Leaving the layer out lets
them find the same versions in the virtual environment: `make lock` pins the two together.
"""

import os

# MiniStack puts the folders that it names here in front of everything else.
os.environ.pop("_LAMBDA_LAYERS_DIRS", None)
