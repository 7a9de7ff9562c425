"""Headings: the columns of tables as people read them; files keep the plain names."""

_ENDS = {"low": "95 % low", "high": "95 % high"}


def heading(column: str) -> str:
    """The heading of a column; the ends of an interval say which interval it is."""
    *before, last = column.replace("_", " ").split(" ")
    if last not in _ENDS:
        return " ".join([*before, last])
    of = " ".join(before).removesuffix(",")
    return f"{of}, {_ENDS[last]}" if of else _ENDS[last]
