"""A curve over a model's layers, as SVG, for one result measured with `--layer all`."""

from collections.abc import Sequence

from equipoise.errors import UserError
from equipoise.results import Result


def render(results: Sequence[Result]) -> str:
    """The curve of the only result as SVG."""
    from equipoise.report.figures.layers import layer_figure
    from equipoise.report.files import with_title

    if len(results) != 1:
        raise UserError(
            f"{len(results)} results were given; a curve over layers is drawn of one.",
            "Give the folder of one result, such as results/bert/seat.",
        )
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(with_title(layer_figure(results[0])))
    return svg
