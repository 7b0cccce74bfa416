"""What exists in AWS: one module per part, mirrored by functions/."""

import os

# jsii calls Node 20 unsupported in a banner on every run, while Fanfare's checks pass on it. Set
# here because jsii looks at the environment once, when the first CDK module is imported.
os.environ.setdefault("JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION", "20")
os.environ.setdefault("JSII_SILENCE_WARNING_DEPRECATED_NODE_VERSION", "1")
os.environ.setdefault("JSII_SILENCE_WARNING_UNTESTED_NODE_VERSION", "1")
