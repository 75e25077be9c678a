"""Kinds of secrets, each with the public format of its values; values are made from a seed.

A format is text with random parts in angle brackets: the letter names the alphabet, the number
the length. No value is written down, so that no scanner takes this file for one that holds keys.
"""

import base64
import json
import random
import re
import string

ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "w": string.ascii_letters + string.digits + "_-",
    "b": string.ascii_letters + string.digits + "+/",
    "h": string.digits + "abcdef",
    "U": string.ascii_uppercase + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "t": string.ascii_uppercase + "234567",
    "s": string.ascii_lowercase + "234567",
    "d": string.digits,
    "B": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "q": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}
UUID = "<h8>-<h4>-<h4>-<h4>-<h12>"
SHAPED = {
    "OpenAI project": "sk-proj-<w74>T3BlbkFJ<w74>",
    "OpenAI": "sk-<A20>T3BlbkFJ<A20>",
    "OpenAI admin": "sk-admin-<w58>T3BlbkFJ<w58>",
    "Anthropic": "sk-ant-api03-<w93>AA",
    "OpenRouter": "sk-or-v1-<h64>",
    "Groq": "gsk_<A52>",
    "xAI": "xai-<A80>",
    "Perplexity": "pplx-<A48>",
    "Together": "tgp_v1_<w43>",
    "Pinecone": "pcsk_<A6>_<A63>",
    "Voyage": "pa-<w43>",
    "ElevenLabs": "sk_<h48>",
    "Firecrawl": "fc-<h32>",
    "E2B": "e2b_<h40>",
    "Langfuse": f"sk-lf-{UUID}",
    "LangSmith service": "lsv2_sk_<h32>_<h10>",
    "Hugging Face": "hf_<A34>",
    "Replicate": "r8_<A37>",
    "Modal": "as-<A22>",
    "GitHub classic": "ghp_<A36>",
    "GitHub fine-grained": "github_pat_<A22>_<A59>",
    "GitHub app": "ghs_<A36>",
    "GitLab": "glpat-<w20>",
    "GitLab routable": "glpat-<w27>.01.<l9>",
    "GitLab runner": "glrt-<w20>",
    "Bitbucket": "ATBB<A32>",
    "AWS id": "AKIA<U16>",
    "AWS session id": "ASIA<U16>",
    "Bedrock": "ABSK<b109>=",
    "Amazon MWS": f"amzn.mws.{UUID}",
    "Google API": "AIza<w35>",
    "Google OAuth": "ya29.<w120>",
    "Google refresh": "1//0<w60>",
    "Google client": "GOCSPX-<w28>",
    "FCM": "AAAA<w7>:APA91b<w134>",
    "Azure storage": "AccountKey=<b86>==",
    "Azure client": "<A3>8Q~<w34>",
    "Azure DevOps": "<A76>AZDO<A4>",
    "DigitalOcean": "dop_v1_<h64>",
    "Cloudflare origin": "v1.0-<h24>-<h146>",
    "Netlify": "nfp_<A36>",
    "Render": "rnd_<A28>",
    "Neon": "napi_<l64>",
    "Fly": "FlyV1 fm2_<b200>==",
    "Fly macaroon": "fm2_<b200>==",
    "Slack bot": "xoxb-<d12>-<d13>-<A24>",
    "Slack user": "xoxp-<d12>-<d12>-<d13>-<h32>",
    "Slack app": "xapp-1-A<U10>-<d13>-<h64>",
    "Slack hook": "https://hooks.slack.com/services/T<U10>/B<U10>/<A24>",
    "Discord bot": "MT<A24>.G<w5>.<w38>",
    "Discord hook": "https://discord.com/api/webhooks/<d18>/<w68>",
    "Telegram": "<d10>:AA<w33>",
    "Teams hook": f"https://acme.webhook.office.com/webhookb2/{UUID}@{UUID}/IncomingWebhook/<h32>/{UUID}",
    "Stripe": "sk_live_<A24>",
    "Stripe restricted": "rk_live_<A98>",
    "Stripe hook": "whsec_<A32>",
    "Square": "EAAA<w60>",
    "Square secret": "sq0csp-<w43>",
    "Braintree": "access_token$production$<l16>$<h32>",
    "Plaid": f"access-sandbox-{UUID}",
    "Razorpay": "rzp_live_<A14>",
    "Shopify": "shpat_<h32>",
    "Shopify shared": "shpss_<h32>",
    "Shippo": "shippo_live_<h40>",
    "EasyPost": "EZAK<A54>",
    "Twilio": "SK<h32>",
    "SendGrid": "SG.<w22>.<w43>",
    "Mailgun": "key-<h32>",
    "Mailgun new": "<h32>-<h8>-<h8>",
    "Mailchimp": "<h32>-us14",
    "Brevo": "xkeysib-<h64>-<A16>",
    "Resend": "re_<A8>_<A24>",
    "Mandrill": "md-<w22>",
    "HubSpot": f"pat-na1-{UUID}",
    "Typeform": "tfp_<w44>",
    "Notion": "secret_<A43>",
    "Notion new": "ntn_<d11><A35>",
    "Linear": "lin_api_<A40>",
    "Airtable": "pat<A14>.<h64>",
    "Figma": "figd_<w40>",
    "Atlassian": "ATATT3xFfGF0<w172>=<U8>",
    "Trello": "ATTA<h64><U8>",
    "Asana": "2/<d16>/<d16>:<h32>",
    "ClickUp": "pk_<d8>_<U32>",
    "Contentful": "CFPAT-<w43>",
    "Mapbox": "sk.eyJ1Ijoi<A60>.<w22>",
    "Sentry": "sntrys_eyJpYXQi<A120>_<b43>",
    "Sentry user": "sntryu_<h64>",
    "Grafana cloud": "glc_eyJvIjoi<A120>",
    "Grafana service": "glsa_<A32>_<h8>",
    "New Relic": "NRAK-<U27>",
    "New Relic licence": "<h36>NRAL",
    "Honeycomb": "hcaik_<l58>",
    "Dynatrace": "dt0c01.<t24>.<t64>",
    "PostHog": "phx_<A43>",
    "LaunchDarkly": f"sdk-{UUID}",
    "Segment": "sgp_<A64>",
    "SonarQube": "squ_<h40>",
    "Sourcegraph": "sgp_<h16>_<h40>",
    "Docker Hub": "dckr_pat_<w27>",
    "npm": "npm_<A36>",
    "PyPI": "pypi-AgEIcHlwaS5vcmc<w150>",
    "NuGet": "oy2<s43>",
    "RubyGems": "rubygems_<h48>",
    "crates.io": "cio<A32>",
    "Clojars": "CLOJARS_<h60>",
    "Vault": "hvs.<w90>",
    "Terraform": "<A14>.atlasv1.<w67>",
    "Pulumi": "pul-<h40>",
    "Doppler": "dp.pt.<A43>",
    "1Password": "ops_eyJ<A250>",
    "Tailscale": "tskey-auth-<A12>CNTRL-<A32>",
    "CircleCI": "CCIPAT_<A22>_<h40>",
    "Buildkite": "bkua_<h40>",
    "Databricks": "dapi<h32>",
    "PlanetScale": "pscale_tkn_<w43>",
    "PlanetScale password": "pscale_pw_<w43>",
    "Supabase": "sbp_<h40>",
    "Supabase secret": "sb_secret_<w22>_<w8>",
    "Prefect": "pnu_<A36>",
    "Postman": "PMAK-<h24>-<h34>",
    "Okta": "00<w40>",
    "Dropbox": "sl.<w135>",
    "Heroku": "HRKU-AA<w58>",
    "Facebook": "EAACEdEose0cBA<A160>",
    "Alibaba": "LTAI<A20>",
    "Tencent": "AKID<A32>",
    "Yandex": "AQVN<w36>",
    "age": "AGE-SECRET-KEY-1<q58>",
    "JWT": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx<A60>.<w43>",
    "WakaTime": f"waka_{UUID}",
    "Octopus": "API-<U26>",
    "Frame.io": "fio-u-<w64>",
    "Duffel": "duffel_live_<w43>",
    "ReadMe": "rdme_<l70>",
    "MaxMind": "<A6>_<A29>_mmk",
    "Harness": "pat.<A22>.<A24>.<A20>",
    "Artifactory": "AKCp<A69>",
    "Adafruit IO": "aio_<A28>",
    "Dependency-Track": "odt_<A32>",
    "Codemagic": "codemagic_<w43>",
    "Close CRM": "api_<A22>.<A22>",
    "Courier": "pk_prod_<U28>",
    "Flexport": "shltm_<A43>",
    "Fleetbase": "flb_live_<A20>",
    "GoCardless": "live_<w40>",
    "Ionic": "ion_<A42>",
    "Atlas service account": "mdb_sa_sk_<w40>",
    "PubNub secret": "sec-c-<A48>",
    "Salesforce": "00D<A12>!<A95>",
    "Scrapfly": "scp-live-<h32>",
    "Sourcegraph LLM": "slk_<h64>",
    "StackHawk": "hawk.<A20>.<A20>",
    "Supernotes": "supernotes_sk-<A40>",
    "Teamwork": "tkn.v1_<A80>",
    "Ticket Tailor": "sk_1234_123456_<h32>",
    "Ubidots": "BBFF-<A30>",
    "Voiceflow": "VF.DM.<h24>.<A16>",
    "Zoho": "1000.<h32>.<h32>",
    "Adobe": "p8e-<l32>",
    "Aikido": "AIK_CI_<A32>",
    "Asaas": "$aact_prod_<A60>",
    "Canva": "cnvca<w51>",
    "Cloudsmith": "csa_<h30><A6>",
    "CockroachDB": "CCDB1_<A22>_<A40>",
    "Cursor": "key_<h64>",
    "Databento": "db-<A29>",
    "Deno": "ddp_<A36>",
    "DevCycle": "dvc_server_<A20>",
    "Devin": "cog_<s52>",
    "Docker swarm": "SWMTKN-1-<l50>-<l25>",
    "Elastic Cloud": "essu_<w80>",
    "Exoscale": "EXO<A26>",
    "GitLab OAuth": "gloas-<w64>",
    "Mercury": "mercury_production_wma_<A43>_yrucrem",
    "Midtrans": "Mid-server-<A24>",
    "OneSignal": "os_v2_app_<s103>",
    "OpenShift": "sha256~<w43>",
    "Paddle": "pdl_live_apikey_<l26>_<A22>_<A3>",
    "Pinterest": "pina_<w40>",
    "Polar": "polar_oat_<w40>",
    "Rootly": "rootly_<h64>",
    "RunPod": "rpa_<U40><A6>",
    "SettleMint": "sm_aat_<A16>",
    "Telnyx": "KEY<w55>",
    "Zuplo": "zpka_<l32>_<h8>",
    "intra42": "s-s4t2ud-<h64>",
    "Scaleway": "SCW<U17>",
    "Vercel blob": "vercel_blob_rw_<A16>_<A30>",
    "Inngest": "signkey-prod-<h64>",
    "Volcengine": "AKLT<A43>",
    "Baidu": "bce-v3/ALTAK-<A21>/<h40>",
    "n8n": "n8n_api_<h80>",
    "Gitea": "gta_<h40>",
    "Rancher": "token-<l5>:<l54>",
    "Alpaca": "PK<U18>",
    "WooCommerce": "cs_<h40>",
    "Twitch": "oauth:<l30>",
    "Bitcoin": "5<B50>",
    "BIP 32": "xprv9s21ZrQH143K<B96>",
    "bcrypt": "$2b$12$<A53>",
    "Argon2": "$argon2id$v=19$m=65536,t=3,p=4$<A22>$<A43>",
}
"""Values that show whose they are."""
SHAPELESS = {
    "AWS secret": "<b40>",
    "Cohere": "<A40>",
    "Mistral": "<A32>",
    "Cloudflare": "<w40>",
    "Vercel": "<A24>",
    "Fernet": "<w43>=",
    "WireGuard": "<b43>=",
    "Datadog": "<h32>",
    "Deepgram": "<h40>",
    "Heroku old": UUID,
    "Linode": "<h64>",
}
"""Values that look like any random text, like a hash or like an id."""


def made(template, random_):
    """A value of a format, and its random parts."""
    parts = []

    def drawn(match):
        alphabet, length = ALPHABETS[match[1]], int(match[2])
        # Every real value of this length has a digit and letters; the very short parts need none.
        while True:
            part = "".join(random_.choice(alphabet) for _ in range(length))
            if (
                length < 12
                or match[1] == "d"
                or (re.search(r"\d", part) and re.search(r"\D", part))
            ):
                break
        parts.append(part)
        return part

    return re.sub(r"<(\w)(\d+)>", drawn, template), parts


def _lines(random_, count, width=64):
    rows = ["".join(random_.choice(ALPHABETS["b"]) for _ in range(width)) for _ in range(count)]
    return [*rows, rows[0][:21] + "=="]


def _block(begin, end, headers=()):
    def make(random_):
        rows = _lines(random_, 5)
        return "\n".join((begin, *headers, *rows, end)), rows

    return make


def _pem(label, *headers):
    return _block(f"-----BEGIN {label}-----", f"-----END {label}-----", headers)


def _encoded(template):
    def make(random_):
        value = base64.b64encode(made(template, random_)[0].encode()).decode()
        return value, [value]

    return make


def _putty(random_):
    public, private = _lines(random_, 2), _lines(random_, 4)
    rows = ["PuTTY-User-Key-File-3: ssh-rsa", "Encryption: none", "Comment: work"]
    rows += [f"Public-Lines: {len(public)}", *public, f"Private-Lines: {len(private)}", *private]
    return "\n".join((*rows, "Private-MAC: " + made("<h64>", random_)[0])), private


def _client_key_data(random_):
    block, _ = _pem("RSA PRIVATE KEY")(random_)
    value = base64.b64encode(block.encode()).decode()
    return f"client-key-data: {value}", [value[30:]]


def _docker_auth(random_):
    value = base64.b64encode(made("deploy:<A14>", random_)[0].encode()).decode()
    return json.dumps({"auths": {"registry.acme.io": {"auth": value}}}), [value]


def _netrc(random_):
    value = made("<A16>", random_)[0]
    return f"machine api.acme.io login deploy password {value}", [value]


def _web_key(random_):
    value = made("<w43>", random_)[0]
    return json.dumps({"kty": "EC", "crv": "P-256", "x": "x", "d": value}), [value]


STRUCTURED = {
    "private key": _pem("PRIVATE KEY"),
    "RSA key": _pem("RSA PRIVATE KEY"),
    "encrypted RSA key": _pem("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED", ""),
    "EC key": _pem("EC PRIVATE KEY"),
    "DSA key": _pem("DSA PRIVATE KEY"),
    "OpenSSH key": _pem("OPENSSH PRIVATE KEY"),
    "GPG key": _pem("PGP PRIVATE KEY BLOCK", "Version: GnuPG v2", ""),
    "SSH2 key": _block(
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----", "---- END SSH2 ENCRYPTED PRIVATE KEY ----"
    ),
    "OpenVPN key": _pem("OpenVPN Static key V1"),
    "PuTTY key": _putty,
    "Docker auth": _docker_auth,
    "kubeconfig key": _client_key_data,
    "netrc": _netrc,
    "JSON web key": _web_key,
    "GitHub in base64": _encoded("ghp_<A36>"),
    "database in base64": _encoded("postgres://app:<A16>@db.acme.io:5432/app"),
}
"""Blocks, files and encoded values."""


def _of(template):
    return lambda random_: made(template, random_)


KINDS = {
    **{name: _of(template) for name, template in {**SHAPED, **SHAPELESS}.items()},
    **STRUCTURED,
}
"""Makers of values, by kind: a source of random numbers gives a value and its secret parts."""


def value_of(kind, seed):
    """A value of a kind, and the parts of it that must not be left."""
    return KINDS[kind](random.Random(f"{kind} {seed}"))
