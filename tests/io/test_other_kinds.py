"""Ratings and comparisons in exports: read as what they are, or told by name where classes are asked for."""

import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from crowdwise import InputError, settle
from crowdwise.errors import OtherKind
from crowdwise.io import read_votes, write_table
from crowdwise.io.kinds import kind_of
from crowdwise.io.numbers_and_pairs import read_comparisons, read_ratings
from crowdwise.io.read_kind import read_kind
from crowdwise.votes.masks import Masks, pixels_of
from every_kind import of_every_kind
from terminal import run


def written(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def task(item, who, kind, value, data=None, shown="text"):
    result = [{"from_name": "q", "to_name": shown, "type": kind, "value": value}]
    return {"id": item, "data": data or {"text": "t"}, "annotations": [{"completed_by": who, "result": result}]}


def rated(votes):
    return list(zip(votes.items[votes.item].tolist(), votes.annotators[votes.annotator].tolist(), votes.value.tolist(), strict=True))  # noqa: E501  # fmt: skip


def compared(votes):
    left, right = votes.items[votes.item].tolist(), votes.items[votes.other].tolist()
    return list(zip(left, right, votes.annotators[votes.annotator].tolist(), votes.classes[votes.label].tolist(), strict=True))  # noqa: E501  # fmt: skip


def test_label_studio_ratings(tmp_path):
    file = written(tmp_path / "t.json", [task(1, 7, "rating", {"rating": 4}), task(2, 8, "number", {"number": -1.5})])
    votes, _ = read_ratings([file])
    assert rated(votes) == [(1, "7", 4.0), (2, "8", -1.5)]
    with pytest.raises(OtherKind, match=r"question 'q' holds ratings \(--kind ratings reads them\)") as error:
        read_votes(file)
    assert error.value.kind == "ratings"


def test_label_studio_pairs(tmp_path):
    data = {"prompt": "2+2?", "left": "4", "right": "five"}
    tasks = [task(1, 7, "pairwise", {"selected": "left"}, data, "left,right")]
    tasks += [task(2, 7, "pairwise", {"selected": "right"}, {"image": "x"}, "a,b")]
    votes, _ = read_comparisons([written(tmp_path / "t.json", tasks)])
    assert compared(votes) == [("4", "five", "7", "left"), ("2: left", "2: right", "7", "right")]
    assert votes.extra["context"].tolist() == ["1", "2"]
    bad = written(tmp_path / "b.json", [task(1, 7, "pairwise", {"selected": "both"})])
    with pytest.raises(InputError, match=r"b.json, record 1, field 'selected': 'both' is neither left nor right"):
        read_comparisons([bad])


def test_argilla_rankings_and_ratings(tmp_path):
    ranking = [{"value": "a", "rank": 1}, {"value": "b", "rank": 2}, {"value": "c", "rank": 2}]
    record = {
        "id": "r1", "fields": {"text": "t"}, "suggestions": {},
        "responses": {"order": [{"value": ranking, "user_id": "u"}], "stars": [{"value": 4, "user_id": "u"}]},
    }  # fmt: skip
    file = written(tmp_path / "a.json", [record])
    votes, notes = read_comparisons([file])
    turned = {"left": "right", "right": "left", "tie": "tie"}  # a ranking has no sides: which item stands left is a lot
    said = {
        (one, other, who, won) if one < other else (other, one, who, turned[won])
        for one, other, who, won in compared(votes)
    }
    assert said == {("a", "b", "u", "left"), ("a", "c", "u", "left"), ("b", "c", "u", "tie")}
    assert "question 'order'" in notes
    assert rated(read_ratings([file])[0]) == [("r1", "u", 4.0)]


def test_prodigy_compare(tmp_path):
    lines = [
        {"_input_hash": 5, "_task_hash": 6, "_annotator_id": "ann", "answer": answer, "A": {"text": "old"},
         "B": {"text": "new"}, "mapping": {"A": "reject", "B": "accept"}}
        for answer in ("accept", "reject")
    ]  # fmt: skip
    votes, _ = read_comparisons([written(tmp_path / "p.jsonl", "\n".join(map(json.dumps, lines)))])
    assert compared(votes) == [("old", "new", "ann", "right"), ("old", "new", "ann", "left")]


def test_likert_answers_of_mturk(tmp_path):
    text = "HITId,WorkerId,AssignmentStatus,Answer.funny\nh1,w1,Approved,4\nh1,w2,Rejected,1\nh2,w1,Approved,5\n"
    votes, _ = read_ratings([written(tmp_path / "m.csv", text)])
    assert rated(votes) == [("h1", "w1", 4.0), ("h2", "w1", 5.0)]


def test_judgments_of_wmt(tmp_path):
    head = "segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,system3Id,system3rank"
    file = written(tmp_path / "w.csv", f"{head}\n7,j1,sysA,1,sysB,2,sysC,2\n8,j2,sysA,-1,sysB,1,sysC,2\n")
    assert kind_of(file)[0] == "comparisons"
    said = [("sysA", "sysB", "j1", "left"), ("sysA", "sysC", "j1", "left"), ("sysB", "sysC", "j1", "tie"), ("sysB", "sysC", "j2", "left")]  # noqa: E501  # fmt: skip
    assert sorted(compared(read_comparisons([file])[0])) == sorted(said)


def test_wide_ratings(tmp_path):
    file = written(tmp_path / "wide.csv", "item,ann,bob\ni1,3.5,\ni2,4,2\n")
    votes, notes = read_ratings([file])
    assert sorted(rated(votes)) == [("i1", "ann", 3.5), ("i2", "ann", 4.0), ("i2", "bob", 2.0)]
    assert notes == ["one column per annotator: ann, bob"]
    only, _ = read_ratings([file], annotators=["bob"])
    assert rated(only) == [("i2", "bob", 2.0)]
    with pytest.raises(InputError, match="there is no column 'cy'"):
        read_ratings([file], annotators=["cy"])
    bad = written(tmp_path / "bad.csv", "item,ann,bob\ni1,3,x\n")
    with pytest.raises(InputError, match=r"bad.csv, row 2, column 'bob': 'x' is not a finite number"):
        read_ratings([bad])


def test_a_question_is_chosen_by_name(tmp_path):
    one, other = task(1, 7, "rating", {"rating": 4}), task(1, 7, "rating", {"rating": 2})
    other["annotations"][0]["result"][0]["from_name"] = "z"
    file = written(tmp_path / "t.json", [one, other])
    with pytest.raises(InputError, match=r"several questions; there are 'q' \(1 answer\), 'z' \(1 answer\)"):
        read_ratings([file])
    assert read_ratings([file], question="z")[0].value.tolist() == [2.0]
    with pytest.raises(InputError, match="there are no comparisons under question 'z'"):
        read_comparisons([file], question="z")
    assert np.isfinite(read_ratings([file], question="q")[0].value).all()


def test_values_go_back_to_tools(tmp_path):
    tasks = [
        task(1, 7, "rating", {"rating": 4}),
        task(2, 8, "rating", {"rating": 1}),
        task(2, 7, "rating", {"rating": 2}),
    ]
    tasks[1]["annotations"] += tasks.pop()["annotations"]
    file, out = written(tmp_path / "t.json", tasks), tmp_path / "o.json"
    done = run("aggregate", file, "--kind", "ratings", "-m", "mean", "--to", "label-studio", "--out", out)
    assert done.returncode == 0, done.stderr
    found = json.loads(out.read_text())
    assert [one["data"] for one in found] == [{"text": "t"}, {"text": "t"}]
    result = found[0]["predictions"][0]["result"][0]
    assert result == {"from_name": "q", "to_name": "text", "type": "rating", "value": {"rating": 4}}
    assert "score" not in found[0]["predictions"][0]
    table = written(tmp_path / "r.csv", "item,annotator,value\na,x,1.25\nb,x,2.5\na,y,1.75\nb,y,3\n")
    assert run("aggregate", table, "-m", "mean", "--to", "label-studio", "--out", out).returncode == 0
    found = json.loads(out.read_text())
    assert found[0]["predictions"][0]["result"][0]["value"] == {"number": 1.5}
    assert run("aggregate", table, "-m", "mean", "--to", "argilla", "--out", out).returncode == 0
    assert json.loads(out.read_text())[1]["suggestions"]["value"]["value"] == 3
    refused = run("aggregate", table, "-m", "mean", "--to", "cleanlab", "--out", tmp_path / "o.npz")
    assert refused.returncode == 2 and "--to cleanlab: choose among table, label-studio, argilla" in refused.stderr


def test_ranks_go_back_to_argilla(tmp_path):
    def record(name, ranks):
        value = [{"value": f"response-{k}", "rank": rank} for k, rank in enumerate(ranks, 1)]
        fields = {"prompt": name, **{f"response-{k}": f"{name} {k}" for k in (1, 2, 3)}}
        return {"id": name, "fields": fields, "suggestions": {}, "responses": {"o": [{"value": value, "user_id": "u"}]}}

    file = written(tmp_path / "a.json", [record("x", (2, 1, 3)), record("y", (1, 2, 3))])
    out = tmp_path / "o.json"
    done = run("aggregate", file, "--kind", "comparisons", "-m", "bradley-terry", "--to", "argilla", "--out", out)
    assert done.returncode == 0, done.stderr
    found = json.loads(out.read_text())
    order = [[one["value"] for one in record["suggestions"]["o"]["value"]] for record in found]
    assert order == [["response-2", "response-1", "response-3"], ["response-1", "response-2", "response-3"]]
    pairs = written(tmp_path / "p.csv", "left,right,annotator,winner\na,b,x,a\n")
    refused = run("aggregate", pairs, "--to", "argilla", "--out", out)
    assert refused.returncode == 2 and "and this is a table" in refused.stderr


def test_kinds_are_told_by_columns_wherever_they_come_from(tmp_path):
    frame = pd.DataFrame({"item": ["a", "a", "b"], "annotator": ["x", "y", "x"], "value": [1.5, 2.5, 3.5]})
    assert settle(frame).estimate.kind == "values"
    file = written(tmp_path / "r.jsonl", frame.to_json(orient="records", lines=True))
    assert kind_of(file)[0] == "ratings" and settle(file).estimate.kind == "values"
    odd = written(tmp_path / "odd.csv", "i,w,score\na,x,1.5\na,y,2.5\nb,x,3.5\n")
    assert kind_of(odd, {"item": "i", "annotator": "w"})[0] == "ratings"
    spoilt = written(tmp_path / "s.csv", "item,annotator,value\n" + "a,x,1.5\n" * 20 + "b,y,NaN\n")
    done = run("aggregate", spoilt, "--out", tmp_path / "out.csv")
    assert done.returncode == 1 and "row 22, column 'value': 'NaN' is not a finite number" in done.stderr
    assert not (tmp_path / "out.csv").exists()
    empty = written(tmp_path / "e.csv", "item,annotator,value\na,x,1.5\na,y,2.5\nb,y,\n")
    assert "--no-vote '' leaves such answers out" in run("aggregate", empty).stderr
    assert run("aggregate", empty, "--no-vote", "").returncode == 0
    with pytest.raises(InputError, match="kind='numbers': choose auto, classes"):
        settle(frame, kind="numbers")


@pytest.mark.parametrize(
    ("name", "table", "columns"),
    [
        ("spans", "document,annotator,begin,end,label\nd,a,0,4,X\nd,b,0,4,X\nd,c,,,\n",
         "document,begin,end,label,confidence"),
        ("spans", "document,position,annotator,label\nd,0,a,B-X\nd,1,a,O\n", "document,position,label,confidence"),
        ("label-sets", "item,annotator,labels\na,x,p|q\na,y,p\nb,x,\n", "item,labels,confidence"),
        ("similarities", "left,right,annotator,same\na,b,x,yes\na,c,x,no\nb,c,y,no\n", "item,cluster,confidence"),
        ("groupings", "item,annotator,group\na,x,1\nb,x,2\na,y,u\nb,y,v\n", "item,cluster,confidence"),
        ("texts", "item,annotator,text\na,x,one two\na,y,one too\n", "item,text,confidence,written"),
        ("boxes", "item,annotator,left,top,right,bottom,label\ni,x,0,0,9,9,cat\ni,y,1,0,9,9,cat\nj,x,,,,,\n",
         "item,left,top,right,bottom,label,confidence"),
        ("masks", "item,annotator,height,width,runs\ni,x,2,2,0:2\ni,y,2,2,0:2\n", "item,height,width,runs,confidence"),
    ],
)  # fmt: skip
def test_tables_of_structured_answers(tmp_path, name, table, columns):
    file, out = written(tmp_path / "t.csv", table), tmp_path / "o.csv"
    assert kind_of(file)[0] == name
    done = run("aggregate", file, "--out", out, "--annotators-out", tmp_path / "a.csv")
    assert done.returncode == 0, done.stderr
    assert out.read_text().splitlines()[0] == columns
    assert run("agreement", file).returncode == 0
    assert run("report", file, "--out", tmp_path / "r.html").returncode == 0
    told = run("aggregate", file, "--kind", name, "--json")
    assert json.loads(told.stdout)["kind"] == name


def test_a_misspelt_place_is_told_of_and_times_are_no_places(tmp_path):
    file, head = tmp_path / "marked.csv", "document,annotator,begin,end,label\n"
    file.write_text(head + "d1,a,0,4,PER\nd1,b,x,4,PER\nd2,a,0,3,LOC\n")
    with pytest.raises(InputError, match="row 3, column 'begin': 'x' is not a whole number"):
        settle(file)
    file.write_text(head + "".join(f"d{n},{who},17000{n}0000,17000{n}0009,yes\n" for n in range(3) for who in "ab"))
    assert kind_of(file)[0] == "classes"


def test_structured_answers_go_back_to_tools(tmp_path):
    value = {"start": 0, "end": 3, "labels": ["PER"], "text": "Ada"}
    tasks = [task(1, who, "labels", value) for who in (7, 8)]
    tasks[0]["annotations"] += tasks.pop()["annotations"]
    file, out = written(tmp_path / "t.json", tasks), tmp_path / "o.json"
    assert run("aggregate", file, "--to", "label-studio", "--out", out).returncode == 0
    (found,) = json.loads(out.read_text())
    (result,) = found["predictions"][0]["result"]
    assert result["value"] == {"start": 0, "end": 3, "labels": ["PER"]} and 0 < result["score"] < 1
    boxes = {"x": 10, "y": 20, "width": 30, "height": 40, "rectanglelabels": ["cat"]}
    file = written(tmp_path / "b.json", [task(1, 7, "rectanglelabels", boxes), task(2, 7, "rectanglelabels", boxes)])
    assert run("aggregate", file, "--to", "label-studio", "--out", out).returncode == 0
    (result,) = json.loads(out.read_text())[0]["predictions"][0]["result"]
    assert result["value"]["rectanglelabels"] == ["cat"] and result["value"]["width"] == 30.0


def test_columns_of_conll_and_coco(tmp_path):
    file = written(tmp_path / "c.conll", "Ada B-PER B-PER O\nLee I-PER I-PER ?\nsat O O ?\n\nOslo ? B-LOC ?\n")
    votes, _ = read_kind("spans", [file], form="conll")
    assert votes.n_annotators == 3 and "token" in votes.item_extra
    image = {"id": 1, "file_name": "i.png", "height": 4, "width": 4}
    drawn = [{"image_id": 1, "category_id": 3, "bbox": [0, 0, 2, 2], "annotator": who,
              "segmentation": [[0, 0, 2, 0, 2, 2, 0, 2]]} for who in "ab"]  # fmt: skip
    coco = {"images": [image], "categories": [{"id": 3, "name": "cat"}], "annotations": drawn}
    file = written(tmp_path / "k.json", coco)
    boxes, _ = read_kind("boxes", [file], form="coco")
    masks, _ = read_kind("masks", [file], form="coco")
    assert boxes.sides.tolist() == [[0, 0, 2, 2]] * 2 and masks.masks.tolist() == ["0:2 4:2"]


SPANS = (
    "document,annotator,begin,end,label\nd,a,0,3,PER\nd,b,0,3,PER\nd,c,0,3,PER\nd,a,8,12,LOC\nd,b,8,12,LOC\ne,a,,,\n"
)
TICKED = "item,annotator,labels\na,x,p|q\na,y,p|q\na,z,p|q\nb,x,q\nb,y,q\n"
DRAWN = "item,annotator,left,top,right,bottom,label\ni,x,0,0,9,9,cat\ni,y,1,0,9,9,cat\ni,z,1,0,9,9,cat\nj,x,,,,,\n"
PAINTED = "item,annotator,height,width,runs\ni,x,2,3,0:2 3:1\ni,y,2,3,0:2 3:1\ni,z,2,3,0:2 3:1\n"
WORDS = "document,begin,end,token\nd,0,3,Ada\nd,4,7,saw\nd,8,12,Rome\ne,0,2,It\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "table", "to", "name"),
    [
        ("spans", SPANS, "doccano", "o.jsonl"), ("spans", SPANS, "brat", "o.zip"), ("spans", SPANS, "conll", "o.conll"),
        ("label-sets", TICKED, "doccano", "o.jsonl"), ("label-sets", TICKED, "cvat", "o.xml"),
        ("boxes", DRAWN, "coco", "o.json"), ("boxes", DRAWN, "cvat", "o.xml"), ("masks", PAINTED, "coco", "o.json"),
    ],
)  # fmt: skip
def test_what_is_written_is_read_back(tmp_path, kind, table, to, name):
    file, out, labels = written(tmp_path / "t.csv", table), tmp_path / name, tmp_path / "labels.csv"
    words = ["--tokens", written(tmp_path / "words.csv", WORDS)] if to == "conll" else []
    done = run("aggregate", file, *words, "--to", to, "--out", out)
    assert done.returncode == 0, done.stderr
    assert run("aggregate", file, *words, "--out", labels).returncode == 0
    again, _ = read_kind(kind, [out], form=None if to in ("brat", "cvat", "coco", "conll") else to)
    table = again.to_table()
    if kind == "label-sets":
        assert {*zip(table["item"], table["labels"], strict=True)} == {("a", "p|q"), ("b", "q")}
        assert {row["labels"] for row in pd.read_csv(labels).to_dict("records")} == {"p|q", "q"}
    elif kind == "spans":
        assert again.classes.tolist() == ["O", "B-LOC", "I-LOC", "B-PER", "I-PER"]
        assert sorted(table["label"].tolist())[:2] == ["B-LOC", "B-PER"]
    elif kind == "masks":
        assert again.masks.tolist() == ["0:2 3:1"]
    else:
        found = pd.read_csv(labels)
        np.testing.assert_allclose(again.sides[0], found[["left", "top", "right", "bottom"]].to_numpy()[0], atol=0.01)


def test_words_and_their_tags_as_columns(tmp_path):
    file, words = written(tmp_path / "t.csv", SPANS), written(tmp_path / "w.csv", WORDS)
    out = tmp_path / "o.conll"
    assert run("aggregate", file, "--tokens", words, "--to", "conll", "--out", out).returncode == 0
    assert out.read_text() == "Ada B-PER\nsaw O\nRome B-LOC\n\nIt O\n"
    refused = run("aggregate", file, "--to", "conll", "--out", out)
    assert refused.returncode == 2 and "give a table of them with --tokens" in refused.stderr
    bad = written(tmp_path / "bad.csv", "document,begin,end,token\nd,x,3,Ada\n")
    refused = run("aggregate", file, "--tokens", bad, "--out", tmp_path / "p.csv")
    assert refused.returncode == 1 and "bad.csv: row 2, column 'begin'" in refused.stderr
    refused = run("aggregate", written(tmp_path / "s.csv", TICKED), "--tokens", words, "--out", tmp_path / "p.csv")
    assert refused.returncode == 2 and "is for spans, and these are label-sets" in refused.stderr


def test_shapes_paths_and_texts_of_label_studio(tmp_path):
    size = {"original_height": 10, "original_width": 20}
    corners = [[0, 0], [50, 0], [50, 50], [0, 50]]
    drawn = task(1, 7, "polygonlabels", {"points": corners, "polygonlabels": ["cat"]})
    drawn["annotations"][0]["result"][0] |= size
    masks, _ = read_kind("masks", [written(tmp_path / "p.json", [drawn])])
    assert masks.pixels(0).reshape(10, 20)[:5, :10].all() and masks.pixels(0).sum() == 50
    out = tmp_path / "o.json"
    for kind, tasks in (
        ("masks", [drawn]),
        ("label-sets", [task(1, 7, "taxonomy", {"taxonomy": [["a", "b"], ["c"]]})]),
        ("texts", [task(1, who, "textarea", {"text": ["one two"]}) for who in (7, 8)][:1]),
    ):
        file = written(tmp_path / "t.json", tasks)
        done = run("aggregate", file, "--kind", kind, "--to", "label-studio", "--out", out)
        assert done.returncode == 0, done.stderr
        (result,) = json.loads(out.read_text())[0]["predictions"][0]["result"]
        if kind == "masks":  # what is written as runs is read as the same pixels
            back = task(1, 7, "brushlabels", result["value"])
            back["annotations"][0]["result"][0] |= size
            again, _ = read_kind("masks", [written(tmp_path / "b.json", [back])])
            assert (again.pixels(0) == masks.pixels(0)).all()
        elif kind == "label-sets":
            assert result["value"] == {"taxonomy": [["a", "b"], ["c"]]} and result["type"] == "taxonomy"
        else:
            assert result["value"] == {"text": ["one two"]}
    boxed = task(1, 7, "rectanglelabels", {"x": 10, "y": 10, "width": 50, "height": 50, "rectanglelabels": ["cat"]})
    file = written(tmp_path / "x.json", [boxed])
    done = run("aggregate", file, "--to", "coco", "--out", out)
    assert done.returncode == 2 and "tells boxes in percent and no size of an image" in done.stderr
    boxed["annotations"][0]["result"][0] |= size
    file = written(tmp_path / "x.json", [boxed])
    assert run("aggregate", file, "--to", "coco", "--out", out).returncode == 0
    found = json.loads(out.read_text())
    assert found["annotations"][0]["bbox"] == [2.0, 1.0, 10.0, 5.0] and found["images"][0]["width"] == 20.0
    spoilt = task(1, 7, "brushlabels", {"format": "rle", "rle": [0, 0, 0, 4], "brushlabels": ["cat"]})
    spoilt["annotations"][0]["result"][0] |= size
    with pytest.raises(InputError, match="it holds 4 numbers, and 10 x 20 pixels have 800"):
        read_kind("masks", [written(tmp_path / "x.json", [spoilt])])


def test_shapes_of_cvat(tmp_path):
    image = '<image id="0" name="i" width="4" height="4"><box label="cat" xtl="0" ytl="0" xbr="2" ybr="2"/>'
    image += '<polygon label="cat" points="0,0;2,0;2,2;0,2"/><tag label="a"/><tag label="b"/></image>'
    file = written(tmp_path / "ann.xml", f"<annotations>{image}</annotations>")
    assert read_kind("boxes", [file])[0].sides.tolist() == [[0, 0, 2, 2]]
    assert read_kind("masks", [file])[0].masks.tolist() == ["0:2 4:2"]
    assert read_kind("label-sets", [file])[0].to_table()["labels"].tolist() == ["a|b"]


def test_prodigys_answers(tmp_path):
    for kind, table, key in (("spans", SPANS, "spans"), ("label-sets", TICKED, "accept")):
        out = tmp_path / f"{kind}.jsonl"
        done = run("aggregate", written(tmp_path / "t.csv", table), "--kind", kind, "--to", "prodigy", "--out", out)
        assert done.returncode == 0, done.stderr
        rows = [json.loads(line) for line in out.read_text().splitlines()]
        assert all(row["answer"] == "accept" and key in row for row in rows)
        assert len(rows[0][key]) == 2


def test_coco_that_is_packed_or_broken(tmp_path):
    image = {"id": 1, "file_name": "i.png", "height": 2, "width": 5}

    def coco(counts):
        drawn = {"image_id": 1, "category_id": 1, "segmentation": {"size": [2, 5], "counts": counts}, "annotator": "a"}
        return written(tmp_path / "k.json", {"images": [image], "categories": [], "annotations": [drawn]})

    plain, packed = (read_kind("masks", [coco(c)], form="coco")[0].masks.tolist() for c in ([5, 2, 1, 0, 2], "521N1"))
    assert plain == packed
    with pytest.raises(InputError, match="the counts are of 3 pixels, not 2 x 5"):
        read_kind("masks", [coco([1, 2])], form="coco")
    with pytest.raises(InputError, match="polygons, or runs as counts, are expected"):
        read_kind("masks", [coco(7)], form="coco")


@pytest.mark.parametrize("votes", of_every_kind(), ids=lambda votes: votes.kind)
def test_a_table_of_answers_is_read_back_as_what_it_was(tmp_path, votes):
    file = tmp_path / "votes.csv"
    write_table(votes.to_table(), file)
    kind = kind_of(file)[0]
    again, _ = read_kind(kind, [file])

    def told(one):  # numbers are written with six digits, and of tags no places in a text are read
        columns = {name: cells.tolist() for name, cells in one.to_table().columns.items() if "token_" not in name}
        rows = zip(*columns.values(), strict=True)
        return Counter(tuple(f"{c:.3f}" if isinstance(c, float) else str(c) for c in row) for row in rows), [*columns]

    assert kind == votes.kind and told(again) == told(votes)


@pytest.mark.parametrize("votes", of_every_kind(), ids=lambda votes: votes.kind)
@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_tells_its_kind(votes, backend):
    frame = votes.to_frame(backend)
    assert kind_of(frame)[0] == votes.kind
    assert type(settle(frame).estimate) is type(settle(votes).estimate)


def test_spans_and_tags_are_not_taken_together(tmp_path):
    spans = written(tmp_path / "s.csv", "document,annotator,begin,end,label\nd,a,0,3,X\nd,b,0,3,X\n")
    tags = written(tmp_path / "t.csv", "document,position,annotator,label\ne,0,a,B-X\ne,1,a,O\n")
    done = run("aggregate", spans, tags)
    assert done.returncode == 1 and "spans have places in a text, and tags of tokens have none" in done.stderr


def test_numbers_are_told_in_wide_tables_and_beside_one_slip(tmp_path):
    (tmp_path / "wide.csv").write_text("item,ann,bob,cy\nq1,1.5,2.5,1.0\nq2,3.5,,4.0\nq3,2.5,2.25,2\n")
    assert kind_of(tmp_path / "wide.csv")[0] == "ratings"
    (tmp_path / "codes.csv").write_text("item,ann,bob,cy\nq1,1,2,1\nq2,3,,4\nq3,2,2,2\n")
    assert kind_of(tmp_path / "codes.csv")[0] == "classes"
    rows = "".join(f"i{k % 3},a{k // 3},{k}.5\n" for k in range(8))
    (tmp_path / "slip.csv").write_text(f"item,annotator,value\n{rows}i2,a2,foo\n")
    assert kind_of(tmp_path / "slip.csv")[0] == "ratings"
    with pytest.raises(InputError, match="row 10, column 'value': 'foo'"):
        read_kind("ratings", [tmp_path / "slip.csv"])


def test_objects_of_several_labels_are_masks_of_their_own(tmp_path):
    """Three people draw a cat, in two parts, and two of them a dog: nothing is lost, and nothing outvotes itself."""
    square = {
        "cat": [[0, 0, 4, 0, 4, 4, 0, 4]],
        "tail": [[4, 0, 6, 0, 6, 2, 4, 2]],
        "dog": [[6, 6, 10, 6, 10, 10, 6, 10]],
    }
    annotations = [
        {"image_id": 1, "category_id": 2 if part == "dog" else 1, "segmentation": square[part], "annotator": who}
        for who in ("ann", "bob", "cy") for part in ("cat", "tail", "dog") if (who, part) != ("cy", "dog")
    ]  # fmt: skip
    told = {"images": [{"id": 1, "file_name": "i.png", "width": 12, "height": 12}], "annotations": annotations,
            "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}]}  # fmt: skip
    (tmp_path / "coco.json").write_text(json.dumps(told))
    votes, notes = read_kind("masks", [tmp_path / "coco.json"])
    assert votes.items.tolist() == ["i.png / cat", "i.png / dog"] and votes.n_votes == 6
    assert "2 labels: each is an item of its own, such as 'i.png / cat'" in notes
    assert "3 objects put together with others of their label that somebody drew" in notes
    result = settle(votes)
    assert [pixels_of(runs, 144).sum() for runs in result.estimate.columns()["runs"]] == [20, 16]
    empty = settle(Masks.from_columns(["i"], ["ann"], [3], [3], [""]))
    assert empty.estimate.columns()["confidence"][0] < 1.0
