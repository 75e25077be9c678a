"""From an imported transcript to a case: points, redaction, probes, and the lint of case files.

Other rooms import from here alone. A :class:`Transcript` goes in, a :class:`MadeCase` comes out;
:func:`inspect` says what is wrong with case files.
"""

from pytest_compaction.case_making.by_model import ModelProbes as ModelProbes
from pytest_compaction.case_making.by_model import model_probes as model_probes
from pytest_compaction.case_making.case_maker import MadeCase as MadeCase
from pytest_compaction.case_making.case_maker import NoProbeError as NoProbeError
from pytest_compaction.case_making.case_maker import NotCompactableError as NotCompactableError
from pytest_compaction.case_making.case_maker import ProbeSource as ProbeSource
from pytest_compaction.case_making.case_maker import SessionPart as SessionPart
from pytest_compaction.case_making.case_maker import case_names as case_names
from pytest_compaction.case_making.case_maker import make_case as make_case
from pytest_compaction.case_making.derive import DEFAULT_COUNT as DEFAULT_COUNT
from pytest_compaction.case_making.derive import DerivedProbes as DerivedProbes
from pytest_compaction.case_making.derive import derive_probes as derive_probes
from pytest_compaction.case_making.keys import given_away as given_away
from pytest_compaction.case_making.lint import RULES as RULES
from pytest_compaction.case_making.lint import Explanation as Explanation
from pytest_compaction.case_making.lint import Inspection as Inspection
from pytest_compaction.case_making.lint import LintFinding as LintFinding
from pytest_compaction.case_making.lint import by_rule as by_rule
from pytest_compaction.case_making.lint import explain as explain
from pytest_compaction.case_making.lint import inspect as inspect
from pytest_compaction.case_making.log import ProbeLog as ProbeLog
from pytest_compaction.case_making.points import TAIL_SHARE as TAIL_SHARE
from pytest_compaction.case_making.recorded_calls import KeptRules as KeptRules
from pytest_compaction.case_making.recorded_calls import recorded_session as recorded_session
from pytest_compaction.case_making.recorded_calls import told_compactions as told_compactions
from pytest_compaction.case_making.recorded_calls import told_probes as told_probes
from pytest_compaction.case_making.redaction import Redactor as Redactor
from pytest_compaction.case_making.review import EDIT_GUIDE as EDIT_GUIDE
from pytest_compaction.case_making.review import Carried as Carried
from pytest_compaction.case_making.review import Question as Question
from pytest_compaction.case_making.review import Review as Review
from pytest_compaction.case_making.review import ReviewError as ReviewError
from pytest_compaction.case_making.review import as_text as as_text
from pytest_compaction.case_making.review import review_of as review_of
from pytest_compaction.case_making.review import with_answers as with_answers
