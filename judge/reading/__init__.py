"""Reading episodes: files of many formats in, one noun out, and nothing lost without a word."""

from judge.reading.cleaning import clean_text
from judge.reading.reader import read_episodes
from judge.reading.records import Origin, as_episode, episode_from
from judge.reading.sources import BadLine

__all__ = ["BadLine", "Origin", "as_episode", "clean_text", "episode_from", "read_episodes"]
