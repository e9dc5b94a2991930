"""Operations: each is defined once, in the file of its family, with its public names above it.

What a definition is says `pellucid.core.op`, and what its names are `pellucid.core.public`.
"""

import warnings

# What log(0) or 1/0 gives is the answer, as in PyTorch, and NumPy's warning about it would name a
# line of the library. The filter holds for these lines alone. It costs nothing per call, which an
# `errstate` would; where a program makes warnings errors, `call.failed` computes again under one.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"pellucid\.")
