"""Check that a page is well-formed and self-contained, and that its picture has a point for each measurement."""

import html.parser
import re
import sys

VOID = {"meta"}


class Checker(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.points = [], 0

    def handle_starttag(self, tag, attributes):
        assert not {"src", "href"} & {name for name, _ in attributes}, (tag, attributes)
        self.points += tag == "circle"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


with open(sys.argv[1], encoding="utf-8") as file:
    page = file.read()
checker = Checker()
checker.feed(page)
assert not checker.open, checker.open
assert checker.points >= 2, "the picture has no points"
assert not re.search(r"https?:|url\(|@import|nan|inf\b", page)
