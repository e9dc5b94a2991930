"""Operations: each defined once, in the file of its family; `op` says what a definition is.

Most files define ops of one family. These are the machinery, in the order in which to read it:

- what an op is: `op`, `families`, `numbers` and `half` (what operands may be);
- calling it: `call`, and `generate` for the usual case; `aliases`, `out` and `autocast` for
  arguments and modes that change what is called;
- its node: `saving` (what is kept), `backward` and `gradients` (running it), `forward_mode`;
- changing a tensor: `writing`, `inplace`, `twins`, and `region` and `history` for views;
- when it fails: `blame` and `arguments` for ops, `explaining` for functions made of ops;
- what a tensor is asked for besides: `protocol`, `construct`, `exchange`, `shared_memory`,
  `formats`, `result_types`.
"""

import warnings

# What log(0) or 1/0 gives is the answer, as in PyTorch, and NumPy's warning about it would name a
# line of the library. The filter holds for these lines alone. It costs nothing per call, which an
# `errstate` would; where a program makes warnings errors, `call.failed` computes again under one.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"pellucid\.")
