"""A module whose import never ends."""

import time

from faulty import Mean

time.sleep(600)


class Never(Mean):
    pass
