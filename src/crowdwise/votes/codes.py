"""Names and codes: a column of names becomes small integers and the names behind them, as they appear."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError

Array = npt.NDArray[Any]
WORD = 8  # bytes of a number
MANY = 100_000  # texts, from which it pays to look at how they are spelt


class MissingName(Exception):
    """A cell is empty; carries its position."""

    def __init__(self, position: int):
        self.position = position


def smallest_int(n: int) -> npt.DTypeLike:
    """The smallest signed type that holds the codes 0 .. n-1.

    >>> smallest_int(128).__name__, smallest_int(129).__name__
    ('int8', 'int16')
    """
    return next(t for t in (np.int8, np.int16, np.int32, np.int64) if n - 1 <= np.iinfo(t).max)


def encode(values: Any, missing_ok: bool = False) -> tuple[Array, Array]:
    """Names as they appear, and the code of each value; an empty cell is -1 where it may be, else `MissingName`.

    Text and numbers are never mixed: 1 and "1" are different names.

    >>> names, codes = encode(["b", "a", "b"])
    >>> names.tolist(), codes.tolist()
    (['b', 'a'], [0, 1, 0])
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu" and values.size:
        low, high = int(values.min()), int(values.max())
        if high - low < 4 * values.size + 1024 and high <= np.iinfo(np.int64).max:
            return _encode_dense(values, low, high)
    return _encode_arrow(as_arrow(values), missing_ok)


def encode_all(columns: Mapping[str, Any], missing_ok: Collection[str]) -> dict[str, Callable[[], tuple[Array, Array]]]:
    """`encode` of several columns, each told when it is called; long ones in threads, for arrow lets go of the GIL."""
    work = {name: partial(encode, column, name in missing_ok) for name, column in columns.items()}
    if all(not hasattr(column, "__len__") or len(column) < MANY for column in columns.values()):
        return dict(work)
    with ThreadPoolExecutor(len(work)) as pool:
        return {name: pool.submit(one).result for name, one in work.items()}


def _encode_dense(values: Array, low: int, high: int) -> tuple[Array, Array]:
    """A lookup table instead of a hash: 5M integers in 40 ms."""
    shifted = values.astype(np.int64, copy=False) - low if low else values
    order = as_they_appear(shifted, high - low + 1)
    dtype = smallest_int(order.size)
    if order.size == high - low + 1 and (order == np.arange(order.size)).all():
        return order + low, shifted.astype(dtype)
    rank = np.empty(high - low + 1, dtype)
    rank[order] = np.arange(order.size)
    return order + low, rank[shifted]


def as_they_appear(codes: Array, n: int) -> Array:
    """Those of the codes 0 .. n-1 that are there, in the order in which they are first seen.

    >>> as_they_appear(np.array([3, 1, 3, 0]), 5).tolist()
    [3, 1, 0]
    """
    first = np.full(n, codes.size)
    first[codes[::-1]] = np.arange(codes.size - 1, -1, -1)
    there = np.flatnonzero(first < codes.size)
    return np.asarray(there[np.argsort(first[there])])


def _encode_arrow(column: Any, missing_ok: bool) -> tuple[Array, Array]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.null_count:
        filled = ~np.asarray(pc.is_null(column))
        if not missing_ok:
            raise MissingName(int((~filled).argmax()))
        names, some = _encode_arrow(column.drop_null(), missing_ok)
        codes = np.full(filled.size, -1, some.dtype)
        codes[filled] = some
        return names, codes
    if isinstance(column, pa.ChunkedArray) and not pa.types.is_dictionary(column.type):
        if pa.types.is_string(column.type) and column.nbytes > np.iinfo(np.int32).max:
            column = column.cast(pa.large_string())
        column = column.combine_chunks()  # one dictionary to build, instead of many to join
    if (
        pa.types.is_string(column.type)
        and len(column) >= MANY
        and _many_names(column)
        and (short := encode_short(column))
    ):
        return short
    try:
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    except pa.ArrowNotImplementedError as error:
        raise InputError(f"holds values of type {column.type}, which are no names") from error
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.unify_dictionaries().combine_chunks()
        coded = coded.chunk(0) if isinstance(coded, pa.ChunkedArray) else coded
    names, codes = names_array(coded.dictionary), coded.indices.to_numpy()
    order = as_they_appear(codes, names.size)  # a dictionary may have another order, and names that no row uses
    rank = np.empty(names.size, smallest_int(order.size))
    rank[order] = np.arange(order.size)
    return names[order], rank[codes]


def _many_names(column: Any) -> bool:
    """Whether a column seems to hold many names: few are found fast as they are."""
    import pyarrow.compute as pc

    return pc.count_distinct(column.slice(0, 20_000)).as_py() > 500


def encode_short(column: Any) -> tuple[Array, Array] | None:
    """Names and codes of short texts, which are numbers: eight letters after a common beginning are eight bytes.

    Hashing numbers is several times as fast as hashing texts. None where texts are longer.

    >>> import pyarrow
    >>> names, codes = encode_short(pyarrow.array(["item-10", "item-9", "item-10"]))
    >>> names.tolist(), codes.tolist()
    (['item-10', 'item-9'], [0, 1, 0])
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    ends = pc.min_max(column).as_py()
    same = _common_beginning(ends["min"], ends["max"])  # of all: they lie between
    if pc.max(pc.binary_length(column)).as_py() > len(same) + WORD or not _is_plain(column):
        return None
    rest = pc.utf8_slice_codeunits(column, len(same))
    digits = _digits(rest)
    if digits is None:
        found, codes = encode(_packed(rest))
        texts = pa.array(found.astype(">u8").view(f"S{WORD}").astype(f"U{WORD}"))
        return names_array(pc.binary_join_element_wise(same, texts, "")), codes
    numbers, width = digits
    found, codes = encode(numbers)
    texts = pc.utf8_lpad(pa.array(found).cast(pa.string()), width, "0")
    return names_array(pc.binary_join_element_wise(same, texts, "")), codes


def _common_beginning(one: str, other: str) -> str:
    length = next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    return min(one, other, key=len) if length is None else one[:length]


def _is_plain(column: Any) -> bool:
    """Whether texts are ASCII without NUL, which fills up short ones."""
    letters = _letters(column)
    return bool(letters.size and letters.min() > 0 and letters.max() < 128)


def _letters(column: Any) -> Array:
    """The bytes of all texts; of a slice, those of the whole."""
    return np.frombuffer(column.buffers()[2] or b"", np.uint8)


def _packed(texts: Any) -> Array:
    """Texts of up to eight letters as numbers in the same order."""
    import pyarrow.compute as pc

    full = pc.utf8_rpad(texts, WORD, "\0")
    return np.frombuffer(full.buffers()[2], ">u8", count=len(full)).astype(np.uint64)


def _digits(texts: Any) -> tuple[Array, int] | None:
    """Texts that are nothing but digits as numbers, and how wide they are filled up with zeros; None for others."""
    import pyarrow as pa
    import pyarrow.compute as pc

    letters, length = _letters(texts), pc.min_max(pc.binary_length(texts)).as_py()
    if not length["min"] or letters.min() < ord("0") or letters.max() > ord("9"):
        return None
    width = length["max"] if length["min"] == length["max"] else 0
    if not width and pc.any(pc.and_(pc.starts_with(texts, "0"), pc.greater(pc.binary_length(texts), 1))).as_py():
        return None  # 7 and 07
    return texts.cast(pa.int64()).to_numpy(), width


def as_arrow(values: Any) -> Any:
    """An arrow array of one type, NaN as null; refuses a column that mixes types."""
    import pyarrow as pa

    if isinstance(values, pa.Array | pa.ChunkedArray):
        floating = pa.types.is_floating(values.type)
        return pa.array(values.to_numpy(zero_copy_only=False), from_pandas=True) if floating else values
    try:
        return pa.array(values, from_pandas=True)
    except OverflowError as error:
        raise InputError("holds whole numbers that are too large: convert them to text") from error
    except UnicodeEncodeError as error:
        raise InputError("holds text that is not Unicode (half of a letter, \\ud800 to \\udfff)") from error
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        kinds = sorted({type(value).__name__ for value in values})
        raise InputError(f"holds values of several types ({', '.join(kinds)}): convert them to one type") from error


def interleaved(columns: Sequence[Any]) -> Any:
    """Columns of equal length as one: the first row of each, then the second of each ..."""
    import pyarrow as pa

    arrays = [as_arrow(column) for column in columns]
    kinds = {str(array.type) for array in arrays}
    if len(kinds) > 1 and all(pa.types.is_integer(array.type) for array in arrays):
        arrays = [array.cast(pa.int64()) for array in arrays]
    elif len(kinds) > 1:
        types = ", ".join(sorted(kinds))
        raise InputError(f"and its partner hold values of several types ({types}): convert them to one")
    whole = pa.concat_arrays([chunk for array in arrays for chunk in getattr(array, "chunks", [array])])
    n = len(arrays[0])
    return whole.take(pa.array((np.arange(n)[:, None] + n * np.arange(len(arrays))).ravel()))


def names_array(values: Any) -> Array:
    """Names as NumPy keeps them best: numbers as numbers, text as Python strings.

    >>> names_array(["a", "b"]).dtype, names_array([1, 2]).dtype
    (dtype('O'), dtype('int64'))
    """
    if isinstance(values, np.ndarray) and values.dtype.kind not in "OUT":
        return values
    array = as_arrow(values if isinstance(values, np.ndarray) or hasattr(values, "type") else list(values))
    return np.asarray(array.to_numpy(zero_copy_only=False))


def shown(name: Any) -> str:
    """A name as a person wrote it, for messages.

    >>> shown(np.int64(7)), shown("a")
    ('7', "'a'")
    """
    return repr(name.item() if isinstance(name, np.generic) else name)


def as_names_of(names: Array, new: Array) -> Array:
    """New names in the type of those that are there: "7" among numbers is 7, 7 among texts is "7".

    >>> as_names_of(np.array([1, 2]), names_array(["7"])).tolist()
    [7]
    >>> as_names_of(np.array([True]), names_array(["false"])).tolist()
    [False]
    """
    if names.dtype == new.dtype or not names.size or not new.size:
        return new
    if names.dtype.kind == "O":
        return names_array(new.astype(str))
    words = {"true": True, "false": False} if names.dtype.kind == "b" else {}
    plain = [words.get(str(name).lower(), name) for name in new.tolist()]
    try:
        cast = np.array([float(name) for name in plain]).astype(names.dtype)
    except ValueError:
        cast = np.empty(0)
    if cast.size != len(plain) or any(float(a) != float(b) for a, b in zip(plain, cast.tolist(), strict=True)):
        raise InputError(f"{shown(new[0])} is not of the type of {shown(names[0])}, which is there already")
    return cast


def natural_order(names: Array) -> Array:
    """Positions of names in the order a person expects: "2" before "10" where all of them are numbers.

    >>> names_array(["10", "2"])[natural_order(names_array(["10", "2"]))].tolist()
    ['2', '10']
    """
    try:
        numbers = names.astype(float)
    except (TypeError, ValueError):
        return np.argsort(names, kind="stable")
    return np.argsort(numbers, kind="stable")


def same_names(names: Array, other: Array) -> bool:
    """Whether two arrays are one in memory, as the names of crowds that come from each other are."""
    return names is other or (names.size == other.size and names.__array_interface__ == other.__array_interface__)


def find(names: Array, among: Array) -> Array:
    """The code of each name among `among`, which differ; -1 where it is not there; "1" finds 1 where types differ.

    >>> find(names_array(["b", "x"]), names_array(["a", "b"])).tolist()
    [1, -1]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not names.size or not among.size:
        return np.full(names.size, -1)
    if same_names(names, among):
        return np.arange(names.size)
    if names.dtype != among.dtype:
        return _find_across_types(names, among)
    found = pc.index_in(pa.array(names), value_set=pa.array(among))
    return np.asarray(found.fill_null(-1).to_numpy(zero_copy_only=False)).astype(np.int64)


def _find_across_types(names: Array, among: Array) -> Array:
    """By number where one side is numbers and the other reads as numbers, by spelling otherwise."""
    kinds = names.dtype.kind + among.dtype.kind
    if "O" in kinds and "b" not in kinds:
        numbers = {float(name): code for code, name in enumerate(among.tolist()) if _is_number(name)}
        places = [numbers.get(float(name), -1) if _is_number(name) else -1 for name in names.tolist()]
        return np.array(places)
    if "O" in kinds:
        words = {str(name).lower(): code for code, name in enumerate(among.tolist())}
        return np.array([words.get(str(name).lower(), -1) for name in names.tolist()])
    common = np.promote_types(names.dtype, among.dtype)
    return find(names.astype(common), among.astype(common))


def _is_number(name: Any) -> bool:
    try:
        float(name)
    except (TypeError, ValueError):
        return False
    return True


def stable_sort(code: Array) -> tuple[Array, Array] | None:
    """The codes sorted and the stable order that sorts them; None where they are sorted already."""
    if (code[1:] >= code[:-1]).all():
        return None
    if code.size > np.iinfo(np.uint32).max or int(code.max()) > np.iinfo(np.int32).max:
        order = np.argsort(code, kind="stable")
        return code[order], order
    # Code and position in one number: sorting numbers is several times as fast as sorting positions by them.
    key = code.astype(np.int64)
    key <<= 32
    key |= np.arange(code.size, dtype=np.int64)
    key.sort()
    order = (key & 0xFFFFFFFF).astype(np.uint32 if code.size > np.iinfo(np.int32).max else np.int32)
    key >>= 32
    return key.astype(code.dtype), order
