"""What was learned as a file of settings, which a person reads and edits."""

from otap.learning.file.seal import is_unedited
from otap.learning.file.settings_file import settings_file

__all__ = ["is_unedited", "settings_file"]
