"""The rules of the verdict as a reader meets them, and what each statistic means in one line."""

from __future__ import annotations

from calibration.reports.blocks import Cell, Section, Terms, Text, table
from calibration.reports.cautions import CAUTIONS
from calibration.reports.findings import Findings
from calibration.reports.links import Link
from calibration.reports.rules import RULES

TERMS: dict[str, str] = {
    "Accuracy": "the share of labels on which the calibrated probability, cut at a half, is right.",
    "AC2": "Gwet's agreement beyond chance, which stays sensible where nearly all is good or bad; 1 is perfect, 0 is chance.",
    "Alpha": "Krippendorff's agreement of any number of raters beyond chance, on the level of measurement of the scale; 1 is perfect.",
    "Alternative-annotator test": "whether a judge agrees with the others at least as well as a person does (Calderon et al. 2025).",
    "Assurance": "how often, over many calibrations like this one, the promise holds.",
    "AUC": "how often a right episode is ranked above a wrong one; 0.5 is chance.",
    "Base rate": "the share that is good: always answering the commoner is right so often without looking.",
    "Brier score": "the mean squared distance of the probability from what was so; 0 is perfect, smaller is better.",
    "Calibration error": "the mean distance between probability given and how often it was so, over five bins; chance alone never shows 0.",
    "Ceiling": "how well people agree with each other: no judge can be shown to be better than that.",
    "Confidence": "the larger of p and 1 − p.",
    "Coverage": "the share of labelled episodes that have a grade and so could be used.",
    "Interval": "where the true figure lies with 95% confidence. Rollouts of one task are counted together, since they are alike.",
    "J": "Youden's TPR + TNR − 1: 0 is no better than chance, 1 is perfect, below 0 is worse than chance.",
    "Kappa": "Cohen's agreement beyond chance: 0 is chance, 1 is perfect. Weighted kappa counts near misses as less wrong.",
    "Panel": "the judges together, pooled into one value.",
    "PPI++": "the mean of many grades, corrected by how far off they are on the labelled few (Angelopoulos et al. 2023).",
    "Severity": "how far a judge's values lie above (+) or below (−) the panel's, on the same episodes.",
    "Slope": "1 if probabilities are as spread as they should be; below 1 they are too sure, above 1 too timid.",
    "TPR and TNR": "of the good work, the share that is passed; of the bad work, the share that is failed.",
    "Worth of independent judges": "how many judges that err independently would do as well (Kish's effective number).",
}


def rules_section(_findings: Findings, _link: Link) -> Section:
    """The rules by which marks are given."""
    rows = [
        (Cell(rule.name.replace("_", " ")), Cell(rule.mark, mark=rule.mark), Cell(rule.when, wide=True))
        for rule in RULES
    ]
    cautions = [
        (Cell(rule.name.replace("_", " ")), Cell(rule.mark, mark=rule.mark), Cell(rule.when, wide=True))
        for rule in CAUTIONS
    ]
    last = (Cell("none of these"), Cell("trusted", mark="trusted"), Cell("no rule above applies", wide=True))
    lead = "The first rule that applies decides. Where none does, any caution makes it “with care”."
    return Section(
        "rules", "How the marks are given", lead,
        (table("Rules and cautions", ("rule", "mark", "when"), [*rows, *cautions, last]),),
    )  # fmt: skip


def glossary_section(_findings: Findings, _link: Link) -> Section:
    """Each statistic in a line."""
    terms = tuple((term, Cell(meaning)) for term, meaning in TERMS.items())
    return Section(
        "glossary", "Glossary", "", (Terms(terms), Text("A dash means that a figure is undefined; its note says why."))
    )
