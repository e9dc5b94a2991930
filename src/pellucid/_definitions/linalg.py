"""Where functions of ``torch.linalg`` are defined; by ``docs/generate_stubs.py``.

Nobody imports it. pyright's server goes this way from a name to its definition; jedi, which
would show the definition's docstring in place of the stub's, takes the condition as it is.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pellucid.ops.linalg.decompositions import linalg_cholesky as cholesky
    from pellucid.ops.linalg.decompositions import linalg_cholesky_ex as cholesky_ex
    from pellucid.ops.linalg.decompositions import linalg_eig as eig
    from pellucid.ops.linalg.decompositions import linalg_eigh as eigh
    from pellucid.ops.linalg.decompositions import linalg_eigvals as eigvals
    from pellucid.ops.linalg.decompositions import linalg_eigvalsh as eigvalsh
    from pellucid.ops.linalg.decompositions import linalg_qr as qr
    from pellucid.ops.linalg.decompositions import linalg_svd as svd
    from pellucid.ops.linalg.decompositions import linalg_svdvals as svdvals
    from pellucid.ops.linalg.determinants import linalg_det as det
    from pellucid.ops.linalg.determinants import linalg_slogdet as slogdet
    from pellucid.ops.linalg.householder import linalg_householder_product as householder_product
    from pellucid.ops.linalg.ldl import linalg_ldl_factor as ldl_factor
    from pellucid.ops.linalg.ldl import linalg_ldl_factor_ex as ldl_factor_ex
    from pellucid.ops.linalg.ldl import linalg_ldl_solve as ldl_solve
    from pellucid.ops.linalg.least_squares import linalg_lstsq as lstsq
    from pellucid.ops.linalg.lu import linalg_lu as lu
    from pellucid.ops.linalg.lu import linalg_lu_factor as lu_factor
    from pellucid.ops.linalg.lu import linalg_lu_factor_ex as lu_factor_ex
    from pellucid.ops.linalg.lu import linalg_lu_solve as lu_solve
    from pellucid.ops.linalg.matmul import matmul as matmul
    from pellucid.ops.linalg.matrix_functions import linalg_matrix_exp as matrix_exp
    from pellucid.ops.linalg.matrix_functions import linalg_matrix_power as matrix_power
    from pellucid.ops.linalg.matrix_functions import linalg_matrix_rank as matrix_rank
    from pellucid.ops.linalg.matrix_functions import linalg_pinv as pinv
    from pellucid.ops.linalg.matrix_norms import linalg_cond as cond
    from pellucid.ops.linalg.matrix_norms import linalg_matrix_norm as matrix_norm
    from pellucid.ops.linalg.matrix_norms import linalg_norm as norm
    from pellucid.ops.linalg.matrix_norms import linalg_vector_norm as vector_norm
    from pellucid.ops.linalg.products import linalg_cross as cross
    from pellucid.ops.linalg.products import linalg_diagonal as diagonal
    from pellucid.ops.linalg.products import linalg_multi_dot as multi_dot
    from pellucid.ops.linalg.products import linalg_tensorinv as tensorinv
    from pellucid.ops.linalg.products import linalg_tensorsolve as tensorsolve
    from pellucid.ops.linalg.products import linalg_vander as vander
    from pellucid.ops.linalg.products import linalg_vecdot as vecdot
    from pellucid.ops.linalg.solving import linalg_inv as inv
    from pellucid.ops.linalg.solving import linalg_inv_ex as inv_ex
    from pellucid.ops.linalg.solving import linalg_solve as solve
    from pellucid.ops.linalg.solving import linalg_solve_ex as solve_ex
    from pellucid.ops.linalg.solving import linalg_solve_triangular as solve_triangular
