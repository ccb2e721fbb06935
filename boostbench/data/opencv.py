"""OpenCV as the features of images use it: one thread, and code whose rounding is known."""

import os
from importlib import import_module
from types import ModuleType

from boostbench.errors import DataError

_INSTALL = "install it by: pip install 'boostbench[images]'"
# OpenCV's code for AVX-512 rounds otherwise than that for AVX2, and it is chosen at the import.
_CHOICE_OF_CODE = "OPENCV_CPU_DISABLE"
_NOT_CHOSEN = "AVX512-SKX"


def load_opencv() -> ModuleType:
    """Return the module ``cv2``, set up so that x86-64 processors with AVX2 give equal bits.

    Raises
    ------
    DataError
        if OpenCV is missing, or is a version without the descriptors that features are made of
    """
    own_choice = os.environ.get(_CHOICE_OF_CODE)
    os.environ.setdefault(_CHOICE_OF_CODE, _NOT_CHOSEN)
    try:
        module = import_module("cv2")
    except ImportError:
        raise DataError(f"features of images need OpenCV 4; {_INSTALL}") from None
    finally:
        if own_choice is None:
            del os.environ[_CHOICE_OF_CODE]
    if not module.__version__.startswith("4.") or not hasattr(module, "HOGDescriptor"):
        raise DataError(
            f"features of images need OpenCV 4, but version {module.__version__} is installed; "
            f"{_INSTALL}"
        )
    module.setNumThreads(1)
    # Intel's library chooses its code by the processor too.
    module.ipp.setUseIPP(False)
    return module
