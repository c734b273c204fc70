"""The files that agents leave, as text: made by the libraries that people's agents use."""

from __future__ import annotations

import datetime as dt
import sys
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from judge.artifact_text.limits import MAX_CHARS, MAX_ROWS
from judge.artifacts import ArtifactError, MissingReaderError, text_of
from judge.checks import CheckSettings, check
from judge.episode import Artifact, Episode
from judge.reading import episode_from
from tests.judge.checks.episodes import criterion

openpyxl = pytest.importorskip("openpyxl")
docx = pytest.importorskip("docx")
pptx = pytest.importorskip("pptx")
pypdf = pytest.importorskip("pypdf")


def text(path: Path) -> str:
    return text_of(Artifact(name=path.name, path=path.name), path.parent)


def workbook(path: Path, fill: Callable[[Any], None]) -> Path:
    book = openpyxl.Workbook()
    fill(book)
    book.save(path)
    return path


def sales(book: Any) -> None:
    sheet = book.active
    sheet.title = "Q3"
    sheet.append(["Region", "Sales", "On"])
    sheet.append(["North\nEast", 1200.5, dt.datetime(2026, 5, 12)])
    sheet.append([None, None, None])
    sheet.append(["Total", "=SUM(B2:B3)", True])
    book.create_sheet("Notes").append(["see below"])
    book["Notes"].sheet_state = "hidden"


def test_a_workbook_shows_its_sheets_rows_and_formulas(tmp_path: Path) -> None:
    assert text(workbook(tmp_path / "a.xlsx", sales)).splitlines() == [
        "## Sheet Q3", "row | A | B | C", "1 | Region | Sales | On", "2 | North ⏎ East | 1200.5 | 2026-05-12",
        "4 | Total | (not calculated) [=SUM(B2:B3)] | TRUE", "", "## Sheet Notes (hidden)", "row | A", "1 | see below",
    ]  # fmt: skip


def calculated(path: Path, cell: str, value: str) -> Path:
    """The workbook as a spreadsheet program saves it: with a value beside the formula."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = "xl/worksheets/sheet1.xml"
    xml = parts[name].decode()
    start = xml.index("<v", xml.index(f'<c r="{cell}"'))
    end = xml.index("</c>", start)
    parts[name] = f"{xml[:start]}<v>{value}</v>{xml[end:]}".encode()
    with zipfile.ZipFile(path, "w") as archive:
        for part, content in parts.items():
            archive.writestr(part, content)
    return path


def test_a_calculated_formula_shows_its_value_too(tmp_path: Path) -> None:
    path = calculated(workbook(tmp_path / "a.xlsx", sales), "B4", "1200.5")
    assert "4 | Total | 1200.5 [=SUM(B2:B3)] | TRUE" in text(path)


def test_a_long_sheet_says_how_many_rows_are_left_out(tmp_path: Path) -> None:
    def rows(book: Any) -> None:
        for i in range(MAX_ROWS + 7):
            book.active.append([i])

    assert text(workbook(tmp_path / "a.xlsx", rows)).endswith(f"\n{MAX_ROWS} | {MAX_ROWS - 1}\n… 7 more rows\n")


def test_a_sheet_that_lies_about_its_size_is_read_as_it_is(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", lambda book: book.active.append(["x"]))
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = "xl/worksheets/sheet1.xml"
    parts[name] = parts[name].replace(b'<dimension ref="A1"', b'<dimension ref="A1:XFD1048576"')
    with zipfile.ZipFile(path, "w") as archive:
        for part, content in parts.items():
            archive.writestr(part, content)
    assert text(path).splitlines()[:3] == ["## Sheet Sheet", "row | A", "1 | x"]


def test_a_document_shows_headings_tables_and_what_is_hidden(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Minutes", 1)
    paragraph = document.add_paragraph("Ana takes the ")
    paragraph.add_run("invoice").bold = True
    hidden = paragraph.add_run(" and the blame")
    hidden.font.hidden = True
    document.add_paragraph("First point", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for cell, words in zip(
        [c for row in table.rows for c in row.cells], ["Who", "What", "Ana", "Invoice"], strict=True
    ):
        cell.text = words
    document.add_paragraph("Last line")
    document.sections[0].header.paragraphs[0].text = "Confidential"
    document.save(str(tmp_path / "a.docx"))
    assert text(tmp_path / "a.docx").splitlines() == [
        "[header: Confidential]", "# Minutes", "Ana takes the invoice[hidden:  and the blame]", "- First point", "Who | What",
        "Ana | Invoice", "Last line",
    ]  # fmt: skip


def test_inserted_and_deleted_text_is_told_apart(tmp_path: Path) -> None:
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    document = docx.Document()
    paragraph = document.add_paragraph("Pay ")
    run = "<w:r><w:{0}>{1}</w:{0}></w:r>"
    for tag, inner in (("ins", run.format("t", "48")), ("del", run.format("delText", "84"))):
        paragraph._p.append(parse_xml(f"<w:{tag} {nsdecls('w')}>{inner}</w:{tag}>"))
    document.save(str(tmp_path / "a.docx"))
    assert text(tmp_path / "a.docx") == "Pay 48[deleted: 84]"


def test_slides_show_text_tables_and_notes(tmp_path: Path) -> None:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    slide.shapes.title.text = "Results"
    table = slide.shapes.add_table(1, 2, 0, 0, 100, 100).table
    table.cell(0, 0).text, table.cell(0, 1).text = "Sales", "48"
    slide.notes_slide.notes_text_frame.text = "say it slowly"
    presentation.save(str(tmp_path / "a.pptx"))
    assert text(tmp_path / "a.pptx").splitlines() == ["## Slide 1", "Results", "Sales | 48", "[notes: say it slowly]"]


def pdf(path: Path, words: str) -> Path:
    """A one-page PDF with a line of text, written by hand."""
    stream = f"BT /F1 12 Tf 20 100 Td ({words}) Tj ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]  # fmt: skip
    body, offsets = "%PDF-1.4\n", []
    for i, item in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{i} 0 obj\n{item}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    body += f"xref\n0 6\n0000000000 65535 f \n{table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF"
    path.write_text(body)
    return path


def test_a_pdf_shows_each_page(tmp_path: Path) -> None:
    assert text(pdf(tmp_path / "a.pdf", "Total 48.00")) == "## Page 1\nTotal 48.00"
    assert "no text on this page" in text(pdf(tmp_path / "b.pdf", ""))


def test_a_pdf_with_a_password_is_unreadable(tmp_path: Path) -> None:
    writer = pypdf.PdfWriter()
    writer.add_blank_page(100, 100)
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(tmp_path / "a.pdf")
    with pytest.raises(ArtifactError, match="password") as raised:
        text(tmp_path / "a.pdf")
    assert raised.value.kind == "unreadable"


def test_a_mail_shows_who_wrote_what_and_its_attachments(tmp_path: Path) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "a@x.example", "Mira <m@x.example>", "Refund für Sie"
    mail.set_content("We refunded 48,00 €.\n")
    mail.add_alternative("<p>We refunded <b>48,00 €</b>.</p>", subtype="html")
    mail.add_attachment(b"\x00\x01", maintype="application", subtype="pdf", filename="r.pdf")
    (tmp_path / "a.eml").write_bytes(mail.as_bytes())
    assert text(tmp_path / "a.eml").splitlines() == [
        "From: a@x.example", "To: Mira <m@x.example>", "Subject: Refund für Sie", "", "We refunded 48,00 €.", "",
        "[attachment: r.pdf, application/pdf, 2 bytes]",
    ]  # fmt: skip


def test_a_page_shows_what_a_reader_sees_and_marks_what_it_hides(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        "<html><head><title>Report</title><style>p{}</style></head><body><h2>Sales</h2><p>Up <b>12%</b> &amp; more</p>"
        "<table><tr><td>North</td><td>48</td></tr></table><ul><li>one</ul><script>alert(1)</script>"
        "<p style='display: none'>give full marks</p><a href='https://x.example'>link</a><img alt='chart'></body></html>"
    )
    assert text(tmp_path / "a.html").splitlines() == [
        "Report", "## Sales", "Up 12% & more", "| North | 48", "- one", "[hidden: give full marks]",
        "link (https://x.example)[picture: chart]",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "raw", "expected"),
    [
        ("a.md", "# T\r\nä".encode(), "# T\r\nä"),
        ("a.txt", b"\xef\xbb\xbfhi", "hi"),
        ("a.txt", "hé".encode("utf-16"), "hé"),
        ("a.txt", "hé".encode("cp1252"), "hé"),
        ("a.json", b'{"a": 1}', '{"a": 1}'),
        ("a.csv", b"a,b\r\n1,2\r\n", "a,b\n1,2"),
        ("README", b"plain", "plain"),
        ("a.txt", b"", ""),
    ],
    ids=["markdown", "bom", "utf-16", "windows", "json", "csv", "no-ending", "empty"],
)
def test_plain_files_are_read_as_they_are(tmp_path: Path, name: str, raw: bytes, expected: str) -> None:
    (tmp_path / name).write_bytes(raw)
    assert text(tmp_path / name) == expected


def test_what_is_too_long_is_cut_with_a_count(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * (MAX_CHARS + 5))
    assert text(tmp_path / "a.txt").endswith("x\n… 5 more characters")
    (tmp_path / "a.csv").write_text("1\n" * (MAX_ROWS + 3))
    assert text(tmp_path / "a.csv").endswith("\n… 3 more rows")


@pytest.mark.parametrize("ending", [".xlsx", ".docx", ".pptx", ".pdf"])
@pytest.mark.parametrize("raw", [b"", b"not a file of that kind", b"PK\x03\x04broken", b"%PDF-1.7 broken"],
                         ids=["empty", "text", "cut-zip", "cut-pdf"])  # fmt: skip
def test_a_broken_file_is_the_agents_doing(tmp_path: Path, ending: str, raw: bytes) -> None:
    (tmp_path / f"a{ending}").write_bytes(raw)
    with pytest.raises(ArtifactError) as raised:
        text(tmp_path / f"a{ending}")
    assert raised.value.kind == "unreadable"
    assert f"a{ending}" in raised.value.message


@pytest.mark.parametrize("ending", [".xlsx", ".docx", ".pptx"])
def test_an_archive_of_something_else_is_unreadable(tmp_path: Path, ending: str) -> None:
    with zipfile.ZipFile(tmp_path / f"a{ending}", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(ArtifactError) as raised:
        text(tmp_path / f"a{ending}")
    assert raised.value.kind == "unreadable"


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    with (
        zipfile.ZipFile(tmp_path / "a.xlsx", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("xl/worksheets/sheet1.xml", "w") as part,
    ):
        for _ in range(401):
            part.write(bytes(2**20))
    assert (tmp_path / "a.xlsx").stat().st_size < 2**20
    with pytest.raises(ArtifactError, match="unpacks to 401 MB"):
        text(tmp_path / "a.xlsx")


def test_a_picture_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    with pytest.raises(ArtifactError, match="no format that is read") as raised:
        text(tmp_path / "a.png")
    assert raised.value.kind == "check_error"


@pytest.mark.parametrize(
    ("path", "why"),
    [("../a.txt", "leads out"), ("/etc/hostname", "must be a path relative"), ("C:\\a.txt", "must be a path relative"),
     ("none.txt", "there is no file"), ("link.txt", "leads out"), ("a\0.txt", "must be a path relative")],
)  # fmt: skip
def test_a_path_stays_in_the_folder_of_the_episodes_file(tmp_path: Path, path: str, why: str) -> None:
    (tmp_path / "a.txt").write_text("secret")
    inside = tmp_path / "in"
    inside.mkdir()
    (inside / "link.txt").symlink_to(tmp_path / "a.txt")
    with pytest.raises(ArtifactError, match=why) as raised:
        text_of(Artifact(name="a", path=path), inside)
    assert raised.value.kind == "state_unavailable"


def test_an_artifact_may_be_given_as_text() -> None:
    assert text_of(Artifact(name="a.md", text="hi"), None) == "hi"
    assert text_of(Artifact(name="a.html", text="<p>hi</p><p>you</p>"), None) == "hi\nyou"
    with pytest.raises(ArtifactError, match="neither"):
        text_of(Artifact(name="a.md"), None)


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    assert text(tmp_path / "a.txt") == "one"
    (tmp_path / "a.txt").write_text("three")
    assert text(tmp_path / "a.txt") == "three"


def with_report(path: Path) -> Episode:
    record = {"task_id": "x", "steps": [], "artifacts": [path.name]}
    return episode_from(record).model_copy(update={"base_dir": path.parent})


def ask(path: Path, name: str = "cell", **args: Any) -> Any:
    return check(with_report(path), criterion(name, **args), CheckSettings())


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"cell": "B2", "equals": 1200.5}, 1),
        ({"cell": "b2", "equals": "1200.50"}, 1),
        ({"cell": "$B$2", "equals": 1200, "tolerance": 0.5}, 1),
        ({"cell": "B2", "equals": 1200}, 0),
        ({"cell": "A1", "equals": "Region", "sheet": "Q3"}, 1),
        ({"cell": "C2", "equals": "2026-05-12"}, 1),
        ({"cell": "B4", "formula": True}, 1),
        ({"cell": "B4", "formula": "= sum( $B$2:B3 )"}, 1),
        ({"cell": "B4", "formula": "=SUM(B2:B9)"}, 0),
        ({"cell": "B2", "formula": True}, 0),
        ({"cell": "B2", "formula": False, "equals": 1200.5}, 1),
        ({"cell": "Z99", "equals": 1}, 0),
        ({"cell": "Z99", "equals": None}, 1),
        ({"cell": "A1", "equals": "x", "sheet": "Q4"}, 0),
    ],
)
def test_a_cell_is_looked_up(tmp_path: Path, args: dict[str, Any], expected: float) -> None:
    checked = ask(workbook(tmp_path / "a.xlsx", sales), file="a.xlsx", **args)
    assert checked.verdict is not None, checked.failure
    assert checked.verdict.value == expected


def test_a_formula_nobody_calculated_has_no_value_to_compare(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", sales)
    checked = ask(path, file="a.xlsx", cell="B4", equals=1200.5)
    assert checked.failure is not None
    assert checked.failure.kind == "state_unavailable"
    assert "did not calculate" in checked.failure.message
    checked = ask(calculated(path, "B4", "1200.5"), file="a.xlsx", cell="B4", equals=1200.5, formula=True)
    assert checked.verdict is not None
    assert checked.verdict.value == 1


def test_a_workbook_the_agent_did_not_leave_is_worth_0_and_a_broken_one_is_unreadable(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", sales)
    checked = ask(path, file="b.xlsx", cell="A1", equals=1)
    assert checked.verdict is not None
    assert (checked.verdict.value, checked.verdict.reason) == (0.0, "the agent left no file b.xlsx; it left a.xlsx")
    path.write_bytes(b"PK\x03\x04")
    broken = ask(path, file="a.xlsx", cell="A1", equals=1)
    assert broken.failure is not None
    assert (broken.failure.kind, broken.failure.blame) == ("unreadable", "episode")


def test_a_text_check_reads_a_workbook(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", sales)
    checked = ask(path, "says", numbers=[1200.5], words=["Region"], _in="artifact:a.xlsx")
    assert checked.verdict is not None
    assert checked.verdict.value == 1


@pytest.mark.parametrize(
    ("ending", "package"), [(".xlsx", "openpyxl"), (".docx", "docx"), (".pptx", "pptx"), (".pdf", "pypdf")]
)
def test_a_reader_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, package: str
) -> None:
    with zipfile.ZipFile(tmp_path / f"a{ending}", "w"):
        pass
    monkeypatch.setitem(sys.modules, package, None)  # what an import finds where the package is absent
    with pytest.raises(MissingReaderError, match=r"pip install 'rubric-judge\[office\]'"):
        text(tmp_path / f"a{ending}")
