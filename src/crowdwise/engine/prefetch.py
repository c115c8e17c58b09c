"""An instruction that numba has no name for: fetch a cache line that will be needed soon."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array


@intrinsic
def prefetch(typing_context: Any, rows: Any, row: Any, column: Any) -> Any:
    """Have the cache line of rows[row, column] fetched, of a matrix whose rows lie one behind the other."""

    def generated(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        matrix = make_array(signature.args[0])(context, builder, given[0])
        width = builder.extract_value(matrix.shape, 1)
        at = [context.cast(builder, given[k], signature.args[k], types.intp) for k in (1, 2)]
        place = builder.gep(matrix.data, [builder.add(builder.mul(at[0], width), at[1])])
        byte = ir.IntType(8).as_pointer()
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        # for reading (0), to be kept in all caches (3), data (1)
        builder.call(function, [builder.bitcast(place, byte), number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(rows, row, column), generated
