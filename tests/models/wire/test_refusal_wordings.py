"""Texts with which real servers refuse a request, and what follows from each."""

import pytest

from pytest_compaction.models.wire.complaint import complaint_of
from pytest_compaction.models.wire.refusals import adaptation_for, is_lasting

SAID = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Notes: the lease is 45 s."},
    {"role": "user", "content": "How long is the lease?"},
]
CALLED = [
    *SAID[:2],
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "function": {"name": "read", "arguments": '{"path": "a.py"}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "LEASE = 45"},
    SAID[2],
]
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
BODY = {
    "model": "some-model",
    "messages": SAID,
    "max_tokens": 5000,
    "temperature": 0,
    "seed": 1,
    "store": False,
    "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}},
}


def read(text, status=400, body=BODY, **error):
    """The name of what is done without; ``too long``, ``no credit``, or nothing."""
    said = {"error": {"message": text, **error}}
    complaint = complaint_of(status, said, text)
    if complaint.no_credit:
        return "no credit"
    step = adaptation_for(complaint, dict(body))
    if step is not None:
        assert not step.present(step.without(dict(body)))
        return step.name
    return "too long" if complaint.too_long else ""


@pytest.mark.parametrize(
    "text",
    [
        "Conversation roles must alternate user/assistant/user/assistant/...",
        "After the optional system message, conversation roles must alternate user and assistant "
        "roles except for tool calls and results.",
        'messages: roles must alternate between "user" and "assistant", but found multiple "user" '
        "roles in a row",
        "A conversation must alternate between user and assistant roles.",
        "After the (optional) system message(s), user and assistant roles should be alternating.",
        "Please ensure that multiturn requests alternate between user and model.",
        "Template error: syntax error: Conversation roles must alternate user/assistant",
        "A conversation must start with a user message. Try again with a conversation that starts "
        "with a user message.",
        "System message must be at the beginning.",
        "Only user and assistant roles are supported!",
    ],
)
@pytest.mark.parametrize("status", [400, 422, 500])
def test_roles_that_alternate(text, status):
    assert read(text, status) == "alternating roles"


@pytest.mark.parametrize(
    "text",
    [
        "System role not supported",
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        "Developer instruction is not enabled for models/gemma-3-27b-it",
        "This model doesn't support system messages. Try again without a system message.",
        "System prompt is not supported for this model",
        'messages: Unexpected role "system". The Messages API accepts a top-level parameter',
        "Invalid role: system",
        "invalid params, chat content has invalid message role: system (2013)",
        "Please use a valid role: user, model.",
        "'system' is not one of ['user', 'assistant'] - 'messages.0.role'",
    ],
)
def test_no_system_role(text):
    joined = {**BODY, "messages": [SAID[0], SAID[1]]}
    assert read(text, body=joined) == "system text in the first user message"


@pytest.mark.parametrize(
    "text",
    [
        "Unexpected role 'user' after role 'tool'",
        "This model doesn't support tool use.",
        "Tool messages are not supported",
        "Please ensure that function call turn comes immediately after a user turn or after a "
        "function response turn.",
    ],
)
def test_no_tools(text):
    assert read(text, body={**BODY, "messages": CALLED}) == "tool calls as text"


@pytest.mark.parametrize(
    "text",
    [
        "This model only support stream mode, please enable the stream parameter to access the "
        "model. ",
        "parameter.enable_thinking must be set to false for non-streaming calls",
        "enable thinking can not be support when `stream=False`.",
        "parameter.enable_thinking必须设置为false才能进行非流式调用",
        "Non-streaming requests are not supported for this model",
        "stream must be set to true",
        "'stream' must be true",
        "This endpoint only supports streaming responses",
        "Model requires streaming",
        "Streaming is required for this model",
        "Only streaming is supported",
        "This deployment does not support non-streaming requests",
        "stream must be enabled",
        "Stream parameter is required: only stream mode is allowed",
    ],
)
def test_streams_only(text):
    assert read(text) == "a stream"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum "
            "context length is 4096 tokens and your request has 800 input tokens "
            "(5000 > 4096 - 800).",
            3296,
        ),
        (
            "max_tokens is too large: 5000. This model supports at most 4096 completion tokens, "
            "whereas you provided 5000.",
            4096,
        ),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 4096]", 4096),
        (
            "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 2000]",
            2000,
        ),
        (
            "`max_tokens` must be less than or equal to `4096`, the maximum value for `max_tokens` "
            "is less than the `context_window` for this model",
            4096,
        ),
        (
            "max_tokens: 5000 > 4096, which is the maximum allowed number of output tokens for "
            "claude-3-haiku-20240307",
            4096,
        ),
        (
            "The maximum tokens you requested exceeds the model limit of 4096. Try again with a "
            "maximum tokens value that is lower than 4096.",
            4096,
        ),
        (
            "input length and `max_tokens` exceed context limit: 196000 + 5000 > 200000, decrease "
            "input length or `max_tokens` and try again",
            4000,
        ),
        (
            "This model's maximum context length is 8192 tokens, however you requested 9000 tokens "
            "(4000 in the messages, 5000 in the completion). Please reduce the length of the "
            "messages or completion.",
            4192,
        ),
        (
            "This endpoint's maximum context length is 32768 tokens. However, you requested about "
            "35000 tokens (30000 of text input, 5000 in the output).",
            2768,
        ),
        (
            "Requested token count exceeds the model's maximum context length of 8192 tokens. You "
            "requested a total of 9000 tokens: 4000 tokens from the input messages and 5000 tokens "
            "for the completion. Please reduce the number of completion tokens.",
            4192,
        ),
        (
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: "
            "1244 `inputs` tokens and 5000 `max_new_tokens`",
            2852,
        ),
        (
            "max_tokens=5000 cannot be greater than max_model_len=4096. Please request fewer "
            "output tokens.",
            4096,
        ),
        (
            "Unable to submit request because it has a maxOutputTokens value of 5000 but the "
            "supported range is from 1 (inclusive) to 4097 (exclusive). Update the value.",
            4096,
        ),
        (
            "This model's maximum context length is 8,192 tokens. However, you requested 5,000 "
            "output tokens and your prompt contains at least 4,000 input tokens, for a total of at "
            "least 9,000 tokens. Please reduce the number of requested output tokens.",
            4192,
        ),
        (
            "'max_tokens' is too large: 5000. This model's maximum context length is 5000 tokens "
            "and your request has 800 input tokens (5000 > 5000 - 800).",
            4200,
        ),
        (
            "too many tokens: max tokens must be less than or equal to 4096, the maximum output "
            "for this model - received 5000.",
            4096,
        ),
        ("max_tokens must be at most 4000", 4000),
        ("max_tokens is too large", 2500),
    ],
)
@pytest.mark.parametrize("key", ["max_tokens", "max_completion_tokens"])
def test_less_output(text, tokens, key):
    body = {name: value for name, value in BODY.items() if name != "max_tokens"}
    assert read(text, body={**body, key: 5000}) == f"at most {tokens} tokens of output"


@pytest.mark.parametrize(
    "text",
    [
        "This model's maximum context length is 8192 tokens. However, your messages resulted in "
        "8545 tokens. Please reduce the length of the messages.",
        "Your input exceeds the context window of this model. Please adjust your input.",
        "prompt is too long: 213462 tokens > 200000 maximum",
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).",
        "The input token count exceeds the maximum number of tokens allowed 1048576.",
        "Unable to submit request because the input token count is 40000 but the model only "
        "supports up to 32768.",
        "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]",
        "Input is too long for requested model.",
        "Too many input tokens. Max input tokens: 8192, request input token count: 9000",
        "Malformed input request: expected maxLength: 2048, actual: 5000, please reformat",
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum "
        "context length",
        "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it",
        "The number of tokens to keep from the initial prompt is greater than the context length",
        "prompt token count of 150000 exceeds the limit of 128000",
        "invalid params, context window exceeds limit (2013)",
        "Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)",
        "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000. "
        "Try using a shorter prompt",
        "Input validation error: `inputs` must have less than 1024 tokens. Given: 1872",
        "The decoder prompt (length 5100) is longer than the maximum model length of 4096.",
        "The input (5100 tokens) is longer than the model's context length (4096 tokens).",
        "Prompt exceeds max length",
        "Input tokens exceed the configured limit of 272000 tokens. Yours were more.",
        "Input Tokens Exceeded: Number of input tokens exceeds maximum length.",
        "the number of input tokens 5100 cannot exceed the total tokens limit 4096 for this model",
        "prompt too long; exceeded max context length by 12 tokens",
        "Input length 40000 exceeds the maximum length 32768",
        "输入长度超过模型限制",
        "The prompt is too long: 140000, model maximum context length: 131071",
        "Invalid 'messages[1].content': string too long. Expected a string with maximum length "
        "1048576, but got a string with length 2000000 instead. (string_above_max_length)",
        "This model's maximum context length is 65536 tokens. However, you requested 71000 tokens "
        "(66000 in the messages, 5000 in the completion).",
        "Total tokens of image and text exceed max message tokens",
        "input length and `max_tokens` exceed context limit: 199990 + 5000 > 200000, decrease it",
    ],
)
def test_too_long(text):
    assert read(text) == "too long"


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (429, "You exceeded your current quota, please check your plan and billing details."),
        (402, "Insufficient Balance"),
        (400, "Your credit balance is too low to access the Anthropic API."),
        (429, "Your account is suspended due to insufficient balance, please recharge"),
        (403, "Your team has either used all available credits or reached its monthly spending"),
        (400, "Access denied, please make sure your account is in good standing. (Arrearage)"),
        (429, "余额不足或无可用资源包,请充值。"),
        (429, "Quota exceeded for quotaId: GenerateRequestsPerDayPerProjectPerModel-FreeTier"),
        (402, "nothing said"),
    ],
)
def test_no_credit_is_left(status, text):
    assert read(text, status) == "no credit"


@pytest.mark.parametrize(
    "text",
    [
        "Rate limit reached for requests per minute. Visit the billing page to raise it.",
        "You exceeded your current quota, please check your plan. Please retry in 37.9s.",
    ],
)
def test_a_limit_that_passes_is_no_lack_of_credit(text):
    complaint = complaint_of(429, {"error": {"message": text}}, text)
    assert not is_lasting(complaint, BODY)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
            "'max_completion_tokens' instead.",
            "max_completion_tokens for max_tokens",
        ),
        (
            "Unsupported value: 'temperature' does not support 0 with this model. Only the default "
            "(1) value is supported.",
            "without temperature",
        ),
        ("`temperature` is deprecated for this model.", "without temperature"),
        ("invalid temperature: only 1 is allowed for this model", "without temperature"),
        ("Unrecognized request argument supplied: seed", "without seed"),
        ("property 'seed' is unsupported", "without seed"),
        ('json: unknown field "seed"', "without seed"),
        ("Extra inputs are not permitted, field: 'seed', value: 1", "without seed"),
        ("Argument not supported on this model: seed", "without seed"),
        (
            'Invalid JSON payload received. Unknown name "store": Cannot find field.',
            "without store",
        ),
        ("Additional properties are not allowed ('store' was unexpected)", "without store"),
        ("got an unexpected keyword argument 'seed'", "without seed"),
        ("This model does not support the temperature parameter", "without temperature"),
        ("This response_format type is unavailable now", "json_object for json_schema"),
    ],
)
def test_a_parameter_that_is_refused(text, name):
    assert read(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "some-model does not support tools",
        '"auto" tool choice requires --enable-auto-tool-choice to be set',
        "tools param requires --jinja flag",
        "Function calling is not enabled for models/gemma-3-27b-it",
        "Unrecognized request argument supplied: tools",
    ],
)
def test_a_tool_that_is_refused(text):
    assert read(text, body={**BODY, "tools": [{"type": "function"}]}) == "without tools"
    assert read(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "CUDA error while sampling (temperature=0, seed=1)",
        "The model produced invalid content. Consider another temperature.",
        "Invalid prompt: flagged for its content; the temperature outside was not the reason",
        "Failed to store the result of the request",
        "The seed node of the cluster is down",
        "Could not load image processor worker",
        "max_tokens was 5000 when the worker died",
    ],
)
@pytest.mark.parametrize("status", [400, 500])
def test_a_name_in_an_unrelated_text_changes_nothing(text, status):
    assert read(text, status) == ""


def test_a_reply_that_groq_refuses_changes_nothing():
    text = (
        "Generated JSON does not match the expected schema. Please adjust your prompt: jsonschema"
    )
    assert read(text, code="json_validate_failed") == ""
