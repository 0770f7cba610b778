"""Pools: the items, in memory or in an engine, and the door through which tables come in."""

from spotheight.pool.cells import Cells
from spotheight.pool.column import ColumnPool
from spotheight.pool.files import PoolFiles
from spotheight.pool.models import AttributeModel
from spotheight.pool.protocol import Pool
from spotheight.pool.read import open_pool, read_pool
from spotheight.pool.roles import Roles, Scene, Service, Threshold
from spotheight.pool.table import TablePool

__all__ = [
    "AttributeModel",
    "Cells",
    "ColumnPool",
    "Pool",
    "PoolFiles",
    "Roles",
    "Scene",
    "Service",
    "TablePool",
    "Threshold",
    "open_pool",
    "read_pool",
]
