"""What each flag of a grade means, for those who read one."""

FLAGS = {
    "accepted_width": "verdicts are missing, but the score could only lie within the rubric's accept_width; the middle is used",
    "early_stop": "not all judges were asked: the rest could not have changed whether it passed",
    "episode_truncated": "the episode was cut off by a limit before the agent finished",
    "escalated": "judges disagreed, so stronger judges decided the disputed criteria",
    "forfeited": "what the agent produced could not be judged (overlong, filtered), by all judges or some; that counts against it",
    "injection_suspected": "the agent's own text speaks to a grader or imitates its answer; look at it",
    "invisible_text": "the agent's own text holds characters that a reader does not see; judges were shown them as ⟨U+…⟩",
    "judge_replaced": "a judge failed and a substitute took its place",
    "missing": "some criteria have no verdict",
    "no_evidence": "a verdict that should quote evidence came from a judge that writes none (the embedded one)",
    "no_reply": "the agent said nothing, called nothing and left nothing: nothing was put to a judge",
    "panel_reduced": "a judge failed on a sibling, so its verdicts count for none of the group",
    "quote_misplaced": "a quote stands elsewhere than in the step that the judge named",
    "quote_not_found": "a judge quoted words that do not stand where it says",
    "shortened": "the episode was too long for the judge's window; steps in the middle were left out, visibly",
    "tie": "judges were split evenly: the mean is used, and `passed` is left open",
}
