"""A local judge provider: it speaks the OpenAI and Anthropic wire formats, answers rubric prompts and fails on demand."""

from tests.provider.faults import FAULTS, Fault
from tests.provider.requests import Request
from tests.provider.server import Provider

__all__ = ["FAULTS", "Fault", "Provider", "Request"]
