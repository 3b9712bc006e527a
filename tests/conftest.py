import os

import pytest
from hypothesis import HealthCheck, settings

# Few examples of each property in every run; `make explore` tries more of them, and fresh ones.
settings.register_profile(
    "default", deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", parent=settings.get_profile("default"), max_examples=300)
settings.register_profile("thorough", parent=settings.get_profile("default"), max_examples=3000)
# The same examples in every run of continuous integration: a failure there is one of the change.
settings.register_profile("ci", parent=settings.get_profile("default"), derandomize=True)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "default")
)


def require(feature: str, sentence: str) -> None:
    """Skip with a sentence that says what to install, unless PUREMETRICS_REQUIRE lists it."""
    if feature in os.environ.get("PUREMETRICS_REQUIRE", "").replace(",", " ").split():
        pytest.fail(f"{feature} is required here: {sentence}")
    pytest.skip(sentence)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A worker takes whole files, whose tests share what they set up, and all of Spark, slow to start."""
    from xdist.scheduler import LoadFileScheduling

    class ByWhatIsShared(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            return "spark" if file.startswith("tests/spark/") else file

    return ByWhatIsShared(config, log)
