"""Where functions of ``torch.fft`` are defined; by ``docs/generate_stubs.py``.

Nobody imports it. pyright's server goes this way from a name to its definition; jedi, which
would show the definition's docstring in place of the stub's, takes the condition as it is.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pellucid.ops.signal.fourier import fft_fft as fft
    from pellucid.ops.signal.fourier import fft_fft2 as fft2
    from pellucid.ops.signal.fourier import fft_fftn as fftn
    from pellucid.ops.signal.fourier import fft_fftshift as fftshift
    from pellucid.ops.signal.fourier import fft_hfft as hfft
    from pellucid.ops.signal.fourier import fft_hfft2 as hfft2
    from pellucid.ops.signal.fourier import fft_hfftn as hfftn
    from pellucid.ops.signal.fourier import fft_ifft as ifft
    from pellucid.ops.signal.fourier import fft_ifft2 as ifft2
    from pellucid.ops.signal.fourier import fft_ifftn as ifftn
    from pellucid.ops.signal.fourier import fft_ifftshift as ifftshift
    from pellucid.ops.signal.fourier import fft_ihfft as ihfft
    from pellucid.ops.signal.fourier import fft_ihfft2 as ihfft2
    from pellucid.ops.signal.fourier import fft_ihfftn as ihfftn
    from pellucid.ops.signal.fourier import fft_irfft as irfft
    from pellucid.ops.signal.fourier import fft_irfft2 as irfft2
    from pellucid.ops.signal.fourier import fft_irfftn as irfftn
    from pellucid.ops.signal.fourier import fft_rfft as rfft
    from pellucid.ops.signal.fourier import fft_rfft2 as rfft2
    from pellucid.ops.signal.fourier import fft_rfftn as rfftn
    from pellucid.ops.signal.frequencies import fftfreq as fftfreq
    from pellucid.ops.signal.frequencies import rfftfreq as rfftfreq
