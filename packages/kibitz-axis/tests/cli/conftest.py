"""Commands as the tests of this folder call them."""

from commands import empty_folder as empty_folder
from commands import run as run
