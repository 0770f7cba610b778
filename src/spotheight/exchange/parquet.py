"""Tables as Parquet; apart from other outputs, for its library takes long to load."""

import pyarrow as pa
import pyarrow.parquet


def parquet_data(table: pa.Table) -> pa.Buffer:
    """A table as the bytes of a Parquet file."""
    whole = pa.BufferOutputStream()
    pyarrow.parquet.write_table(table, whole, compression="zstd")
    return whole.getvalue()
