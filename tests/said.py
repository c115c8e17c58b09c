"""What a crowd says, in a form that tests compare."""


def triples(crowd):
    """Item, annotator and label of every vote, sorted."""
    names = (crowd.items[crowd.item], crowd.annotators[crowd.annotator], crowd.classes[crowd.label])
    return sorted(zip(*(column.tolist() for column in names), strict=True), key=str)
