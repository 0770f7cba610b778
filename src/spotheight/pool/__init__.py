"""Pools: the items, in memory or in an engine, and the door through which tables come in."""

from spotheight.pool.cells import Cells
from spotheight.pool.engine import TablePool
from spotheight.pool.memory import ColumnPool
from spotheight.pool.protocol import Pool
from spotheight.pool.reading.files import PoolFiles
from spotheight.pool.reading.models import AttributeModel
from spotheight.pool.reading.read import open_pool, read_pool
from spotheight.pool.roles import Roles, Scene, Service, Threshold

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
