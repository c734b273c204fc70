# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Calibrate a judge
#
# 64 short replies to customers of a shop: 16 questions, four replies each. The embedded judge judged them (its probabilities are
# recorded), one of their makers labelled all of them, and a second reader 24 without seeing that. Made-up work and makers' labels: to see how
# things work, not how good models are.

# %%
import asyncio

import calibration
from calibration.agreeing import ratings_of_judge
from judge import Engine, read_episodes
from judge.adapters.labels import read_labels
from rubrics.loading import SAMPLES

import rubrics

rubric = rubrics.load(SAMPLES / "shop_reply.yaml")
labels = list(read_labels(SAMPLES / "shop_replies.labels.csv"))


async def grade(fitted=None):
    async with Engine(["recorded/shop_replies.replies.jsonl"], base_dir=SAMPLES) as engine:
        episodes = read_episodes(SAMPLES / "shop_replies.jsonl", on_bad=print)
        return [record async for record in engine.grade_many(episodes, rubric, calibration=fitted)]


records = asyncio.run(grade())
print(len(records), "records by", records[0].panel, "and", len(labels), "labels")

# %% [markdown]
# ## Agreement, judge by judge
#
# Kappa stands beside the share, since a judge that always says yes agrees often too.

# %%
pairing = calibration.pair(records, labels)
people = calibration.agreement(pairing)
for row in people.rows:
    print(row.criterion, row.n, "agree", row.raw.value, "kappa", row.kappa.value, row.kappa.why)

from calibration.agreeing import ratings_of_people

for judge_name in sorted({name for item in pairing.items for name in item.judges}):
    table = calibration.agreement(ratings_of_judge(pairing.items, judge_name), ratings_of_people(pairing))
    for row in table.rows:
        print(judge_name, row.criterion, "J", row.youden.value, "from", row.youden.low, "to", row.youden.high)

# %% [markdown]
# ## Fit
#
# Folds go by task: the four replies to one question are not four independent labels.

# %%
fitted = calibration.fit(records, labels)
for held in fitted.heldout:
    print(held.key, "Brier", round(held.brier.value, 3), "base rate alone", round(held.reference_brier, 3), "signal", held.signal)
print("badges", fitted.badges, "| escalation", fitted.escalation.threshold if fitted.escalation else None)

# %% [markdown]
# ## Rewards
#
# The engine takes the calibration as it is. A reward is a probability; its interval is the uncertainty of the fit.

# %%
rewarded = asyncio.run(grade(fitted))
for record in rewarded[:4]:
    print(record.episode_id, "score", record.score, "reward", record.reward, record.reward_low, record.reward_high)

# %% [markdown]
# ## The rate over all episodes, and what to label next

# %%

whole = calibration.report(records, labels, fitted)
for estimate in whole.estimates:
    print(estimate.criterion or "the whole", estimate.value, estimate.low, estimate.high, "raw", estimate.naive)
print(whole.plan.reads if whole.plan else "")
print(whole.whole.mark, "|", whole.whole.reason)
