"""Why a file as a whole is not imported."""


class FileRefusedError(Exception):
    """The file is refused; the text goes on behind its name: `is empty`."""
