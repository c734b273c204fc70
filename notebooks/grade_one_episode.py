# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Grade one episode
#
# One attempt at one refund: what code settles, what two judges say, and how it adds up. The judges are recordings that come with
# the product, so this runs without a key.

# %%
import rubrics
from judge import Engine, read_episodes
from rubrics.loading import SAMPLES

rubric = rubrics.load("refund_reply")
episodes = {e.id: e for e in read_episodes(SAMPLES / "refund_group.jsonl", on_bad=print)}
print(rubric.title, "|", [c.id for c in rubric.leaves])

# %% [markdown]
# ## What code alone settles
#
# `a5` made the right refund and then added a credit that nobody asked for.

# %%
from judge import check

found = check(episodes["a5"], rubric)
print(found.score, found.closed_gates)
for change in found.changes:
    print(change["kind"], change["path"])

# %% [markdown]
# ## With judges
#
# All eight attempts, each judged by the same two judges.

# %%
import asyncio


async def grade_all():
    async with Engine(["recorded/refund_group.replies.jsonl"], base_dir=SAMPLES) as engine:
        return await engine.grade_group(list(episodes.values()), rubric)


records = asyncio.run(grade_all())
for record in records:
    score = "none" if record.score is None else f"{record.score:.3f}"
    print(f"{record.episode_id}  {score:6} {'█' * round(20 * (record.score or 0)):20} {', '.join(record.flags)}")

assert records[0].score == 1.0
assert records[1].score == 0.0
assert records[6].score is None

# %% [markdown]
# ## Why `a4` lost
#
# The deed was right and the words were not: the reply names 84.00, and claims what no tool result shows.

# %%
a4 = next(record for record in records if record.episode_id == "a4")
for verdict in a4.verdicts:
    print(f"{verdict.criterion:15} {verdict.level:6} {verdict.rater:12} {verdict.reason[:90]}")
