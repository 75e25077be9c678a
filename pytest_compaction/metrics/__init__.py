"""Figures from records alone: means, intervals, tests, losses, costs, and how views are read.

Other rooms import from here alone. Nothing here needs pytest, a model or a file. A figure that a
report or a gate shows is one :class:`Figure` of :data:`FIGURES`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_compaction.facade import lazy

if TYPE_CHECKING:  # a star exports to type checkers what the modules define
    from pytest_compaction.metrics.aggregates import *
    from pytest_compaction.metrics.agreement import *
    from pytest_compaction.metrics.arms import *
    from pytest_compaction.metrics.budgets import *
    from pytest_compaction.metrics.changed_facts import *
    from pytest_compaction.metrics.changes import *
    from pytest_compaction.metrics.comparisons import *
    from pytest_compaction.metrics.constraints import *
    from pytest_compaction.metrics.cost import *
    from pytest_compaction.metrics.curve import *
    from pytest_compaction.metrics.cycles import *
    from pytest_compaction.metrics.dimensions import *
    from pytest_compaction.metrics.fetched_again import *
    from pytest_compaction.metrics.figures import *
    from pytest_compaction.metrics.foreign import *
    from pytest_compaction.metrics.intervals import *
    from pytest_compaction.metrics.long_memory import *
    from pytest_compaction.metrics.losses import *
    from pytest_compaction.metrics.lost_facts import *
    from pytest_compaction.metrics.next_actions import *
    from pytest_compaction.metrics.nuggets import *
    from pytest_compaction.metrics.observed import *
    from pytest_compaction.metrics.production import *
    from pytest_compaction.metrics.readings import *
    from pytest_compaction.metrics.recovery import *
    from pytest_compaction.metrics.search import *
    from pytest_compaction.metrics.strategies import *
    from pytest_compaction.metrics.task_tokens import *

_NAMES: Final = {
    "aggregates": (
        "Aggregate Losses ORIGINS TOO_FEW Tokens aggregate arm_name budget_share budgets_of "
        "by_arm by_class by_compactor by_origin is_answered is_needed is_stated "
        "loss_counts mean_pass_hat_k of_origin outcome_of overall_mean pass_estimates pass_hat_k "
        "reading_of removed_share scored survival token_totals"
    ),
    "agreement": (
        "Agreement Coefficient kendall_tau_b krippendorff_alpha of_judges of_readings of_runs "
        "spearman weighted_kappa"
    ),
    "arms": (
        "ArmChanges ArmTotals EQUAL_TOKENS FLAWS FigureChange arm_changes arm_totals "
        "facts_between_trials"
    ),
    "budgets": (
        "furthest_over is_over_budget over_budget_failures over_budget_text times tokens_over "
        "uncompacted_text"
    ),
    "changed_facts": "FactChange FactChanges named_facts newly_gone_bound",
    "changes": "BothMeans ItemChange RunChanges adjusted_p run_changes",
    "comparisons": (
        "Paired TIE cases_needed compare detectable_difference fewest_cases holm letters "
        "sign_flip_p"
    ),
    "constraints": (
        "Compliance GIVERS IS_CONTROL NO_CONTROL NO_EFFECT NO_PAIRS against compliance "
        "constraint_survival effect_retention liftings since_given standing_constraints"
    ),
    "cost": (
        "BreakEven COST_HORIZON DEFAULT_PRICING Pricing Ratios Sizes StrategyCosts SummaryCalls "
        "break_even compaction_cost refetch request_saving strategy_costs"
    ),
    "curve": "BudgetCurve CurvePoint area_under curves",
    "cycles": "Cycles LEAST_FREED cycles_in cycles_of stuck_at usd_of_compaction",
    "dimensions": "choice_score criterion_score listed probe_scores tally view_scores",
    "fetched_again": (
        "AfterCompaction FAR Fetched HORIZONS HeldAgainst LOOKBACK MOST_POINTS POLLING "
        "after_compactions change_between far_points held_against repeated"
    ),
    "figures": "FIGURES Figure compared figure_of further kept_by_dimension known means of_items",
    "foreign": (
        "ForeignNames ForeignWordings ListedNames foreign_names foreign_to_case "
        "foreign_wordings listed_in_view listed_names worded_as_case"
    ),
    "intervals": (
        "FEWEST_CLUSTERS Mean cluster_interval counts_of interval_method jackknife_interval "
        "noncentrality "
        "proportion_interval ratio_interval t_quantile"
    ),
    "long_memory": (
        "ALL TENTHS abilities_of ability_mean conversations_of null_nuggets order_mean "
        "questions_of_tenth questions_scored sizes_of tenth_mean"
    ),
    "losses": (
        "CLASSES FactClass FactLosses HalfLife LifeRow Runway StrategyLosses class_of "
        "half_life life_table median_length runway strategy_losses"
    ),
    "lost_facts": (
        "ComparedLosses Drop FactFate LostFact compared_losses events_by_case fates most_lost"
    ),
    "next_actions": (
        "CONTEXTS WAYS arguments_right next_share next_unscored same_value without_next_call "
        "working_folder"
    ),
    "nuggets": (
        "EventOrder NuggetFigures NuggetScore ORDERING ORDER_FIGURES SCORES event_order "
        "mean_order nugget_figures ranks"
    ),
    "observed": (
        "BLOATED OBSERVED ObservedFigure Sessions Told fetched_in freed_by known_observed "
        "session_cycles stuck_in told_by_case"
    ),
    "production": "ProductionLoss production_loss",
    "recovery": "is_recoverable names_command names_path",
    "search": "without_questions",
    "strategies": (
        "NULLS NullComparison StrategyComparison StrategyPair best_null compare_strategies "
        "differences_by_case is_null pair_items paired_difference stale_summaries "
        "with_other_words with_same_views words_in reader_in"
    ),
    "task_tokens": "Cheapest SessionTokens TaskTokens cheapest requests_cost tokens_per_task",
    "readings": (
        "Loss ReadViews Readings Source loss read read_outcomes reader_version "
        "readings_of view_index"
    ),
}

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _NAMES)
