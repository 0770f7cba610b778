"""Pools: the items, in memory or in an engine, and the door through which tables come in."""

from spotheight.pool.cells import Cells
from spotheight.pool.column import ColumnPool
from spotheight.pool.models import AttributeModel
from spotheight.pool.protocol import Pool
from spotheight.pool.read import open_pool, read_pool
from spotheight.pool.roles import Roles, Scene, Service
from spotheight.pool.table import TablePool

__all__ = [
    "AttributeModel",
    "Cells",
    "ColumnPool",
    "Pool",
    "Roles",
    "Scene",
    "Service",
    "TablePool",
    "open_pool",
    "read_pool",
]
