"""Spans that no rewrite may touch: markup, code, addresses and file names."""

import re

_MARKUP = re.compile(
    r"""(?P<comment><!--) | <(?P<block>script|style|pre|code|math)\b[^<>]*> | (?P<fence>```)
      | </?[A-Za-z][^<>]*> | <![A-Za-z][^<>]*> | (?<!`)`(?![`\s])[^`\n]+(?<![`\s])`(?!`)""",
    re.VERBOSE | re.IGNORECASE,
)
_CLOSING = {"<!--": re.compile("-->"), "```": re.compile("```")} | {
    tag: re.compile(rf"</{tag}\s*>", re.IGNORECASE) for tag in ("script", "style", "pre", "code", "math")
}
_ADDRESS = re.compile(
    r"""\w://\S | \bwww\. | \w[.+-]*@[\w-]+\.\w         # addresses
      | ^[("'\[]*[@\#]\w                             # mentions and hashtags
      | \w=["'“] | [\w)]\(\)                         # attributes, calls
      | ["'][\w.-]+["']:(?!\w)                         # keys
      | ["'](?:s?he|hers?|hi[ms])["'][:}\]] | [{\[]["'](?:s?he|hers?|hi[ms])["']   # keys and values
      | \b(?:self|cls|this|obj|args|row|df|user|data|person)\.[a-z_]
      | ^[("'\[]*(?:~|\.{1,2})?/\w+/ | [A-Za-z]:\\ | \\\w+\\
      | \w-*\.(?:com|org|net|edu|gov|info|io|co|uk|de|fr|eu|us|tv|ly)\b(?:/|\.?(?:[^\w.]|$))
      | \w[/-]*\.(?:txt|csv|tsv|json|jsonl|xml|html?|php|aspx?|pdf|docx?|xlsx?|pptx?|md|py|js|ts|css|
          java|cpp|hpp|
          rb|go|rs|sh|bat|exe|dll|zip|gz|tar|rar|png|jpe?g|gif|svg|bmp|webp|mp3|mp4|wav|avi|mov|mkv|epub|log|ini|
          cfg|ya?ml|toml|sql|db|parquet|ipynb|tex|bib|bak|tmp|srt)\b""",
    re.VERBOSE | re.IGNORECASE,
)


def markup_spans(text: str) -> list[tuple[int, int]]:
    """The spans of tags, comments and code; quick where there is neither a bracket nor a backtick."""
    if "<" not in text and "`" not in text:
        return []
    spans: list[tuple[int, int]] = []
    never_closed: set[str] = set()
    place = 0
    while match := _MARKUP.search(text, place):
        start, place = match.span()
        if opened := (match["block"] or match["comment"] or match["fence"] or "").lower():
            closing = None if opened in never_closed else _CLOSING[opened].search(text, place)
            if closing:
                place = closing.end()
            else:  # from here on nothing closes it, so that it is not looked for again
                never_closed.add(opened)
                if not match["block"]:
                    continue
        spans.append((start, place))
    return spans


_BLOCK = re.compile(
    r"</?(?:p|div|li|ul|ol|dl|dt|dd|t[dhr]|table|h[1-6]|title|option|section|article|blockquote)\b",
    re.IGNORECASE,
)


def blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with spans turned into blanks, so that every offset stays what it was.

    A tag that begins or ends a paragraph, a list item or a cell leaves a mark that ends a sentence.
    """
    if not spans:
        return text
    pieces, place = [], 0
    for start, end in spans:
        blank = " !".ljust(end - start) if _BLOCK.match(text, start) else " " * (end - start)
        pieces += [text[place:start], blank]
        place = end
    return "".join([*pieces, text[place:]])


def is_address(run: str) -> bool:
    """Whether a run of characters without blanks is a link, an address, a path, a file name or code."""
    return _ADDRESS.search(run) is not None
