"""Files: atomic writing, folders, versioned JSON, TOML definitions, gzipped text."""

from kibitz.core.files.cells import cell_text, csv_cell
from kibitz.core.files.files import (
    LARGEST_DEFINITION,
    atomic_write,
    changed_at,
    check_writable,
    definition_text,
    lock_folder,
    make_folder,
    private_files,
    read_text,
    read_versioned,
    toml_tables,
    wrap_os_errors,
    write_file,
)

__all__ = [
    "LARGEST_DEFINITION",
    "atomic_write",
    "cell_text",
    "changed_at",
    "check_writable",
    "csv_cell",
    "definition_text",
    "lock_folder",
    "make_folder",
    "private_files",
    "read_text",
    "read_versioned",
    "toml_tables",
    "wrap_os_errors",
    "write_file",
]
