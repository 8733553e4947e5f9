"""Reads captions with libraries of other hands (ttconv, pysubs2) and prints what they found: [[start, end, text], ...] in seconds."""

import json
import sys
from xml.etree import ElementTree

import pysubs2
from ttconv.imsc import reader as imsc
from ttconv.stl import reader as stl
from ttconv.model import Br, Text


def text_of(element):
    if isinstance(element, Br):
        return "\n"
    if isinstance(element, Text):
        return element.get_text()
    return "".join(text_of(child) for child in element)


def paragraphs(document):
    for element in document.get_body().dfs_iterator():
        if type(element).__name__ == "P":
            yield [float(element.get_begin() or 0), float(element.get_end()), text_of(element).strip()]


def read(path):
    if path.endswith(".ass"):
        return [[event.start / 1000, event.end / 1000, event.plaintext] for event in pysubs2.load(path)]
    if path.endswith(".stl"):
        with open(path, "rb") as file:
            return list(paragraphs(stl.to_model(file)))
    return list(paragraphs(imsc.to_model(ElementTree.parse(path))))


print(json.dumps(read(sys.argv[1])))
