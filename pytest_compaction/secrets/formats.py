"""The table of key formats: how keys begin, whose they are, and what follows.

A row is the heads, parted by spaces, and a pattern of the rest. What follows a head that few
other words have may be of any length, because a key may be cut; behind a head such as ``re_``
the length is that of a key. Every repetition is bounded or reads on to the end of the word, so
that a look at a head takes time linear in the word.
"""

from __future__ import annotations

from typing import Final

_ALNUM: Final = r"[A-Za-z0-9]"
_END: Final = r"(?![A-Za-z0-9])"
_PLAIN: Final = rf"{_ALNUM}{{16,}}+(?!\w)"
_DASHED: Final = r"[\w\-*]{12,}"  # with the asterisks of a key that a service shows in part
_HEX: Final = r"[0-9a-f]"
_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_PADDING: Final = r"={0,2}"
_BASE64: Final = r"[A-Za-z0-9+/_\-]"  # of both alphabets

KEYS: Final = (
    # --- models ---
    # OpenAI sk-proj-, Anthropic sk-ant-, OpenRouter sk-or-, DeepSeek, Langfuse sk-lf-; Cerebras;
    # xAI; Perplexity; NVIDIA; Tavily; PyPI, a macaroon in URL-safe base64; Google OAuth client
    ("sk- csk- xai- pplx- nvapi- tvly- pypi- GOCSPX-", _DASHED),
    # Groq; Hugging Face user and organisation; Replicate; Fireworks; Jina; Anyscale; Apify
    ("gsk_ hf_ api_org_ r8_ fw_ jina_ esecret_ apify_api_", _PLAIN),
    ("tgp_v1_ wandb_v1_", r"[\w\-]{40,}"),  # Together; Weights & Biases
    ("pcsk_", rf"{_ALNUM}{{4,8}}_{_ALNUM}{{40,}}"),  # Pinecone: number, secret
    ("pa-", rf"[\w\-]{{43}}{_END}"),  # Voyage: 256 bits in base64
    ("sk_", rf"{_HEX}{{48}}{_END}"),  # ElevenLabs
    ("fc-", rf"{_HEX}{{32}}{_END}"),  # Firecrawl
    ("e2b_", rf"{_HEX}{{40}}{_END}"),  # E2B
    ("ak- as-", rf"{_ALNUM}{{22}}{_END}"),  # Modal: id and secret of a token
    ("lsv2_pt_ lsv2_sk_ ls__", r"\w{16,}"),  # LangSmith: personal, service: random, checksum
    ("pylf_v1_us_ pylf_v1_eu_", rf"{_ALNUM}{{40,}}"),  # Logfire
    # --- code and packages ---
    ("gho_ ghp_ ghr_ ghs_ ghu_ npm_", _PLAIN),  # GitHub: 36 with a checksum; npm: the same
    ("github_pat_", r"\w{20,}"),  # GitHub: fine-grained personal token, 22_59
    # GitLab: personal, runner, deploy, feed, SCIM, CI build, trigger, mail, agent, feature flag
    # tokens; routable ones go on with .01. and a checksum
    (
        "glpat- glrt- glrtr- gldt- glft- glsoat- glcbt- glptt- glimt- glagent- glffct- GR1348941",
        _DASHED + r"(?:\.[\w\-]{1,27}){0,2}",
    ),
    ("ATBB", rf"{_ALNUM}{{28,}}"),  # Bitbucket: app password, 32
    ("ATATT3 ATCTT3 ATSTT3", rf"[\w\-]{{60,}}(?:=[A-Z0-9]{{8}}{_END})?"),  # Atlassian
    ("sgp_", rf"(?:(?:{_HEX}{{16}}|local)_{_HEX}{{40}}|{_ALNUM}{{40,64}}){_END}"),  # Sourcegraph;
    # Segment has the same head and 64 letters and digits
    ("sqp_ squ_ sqa_", rf"{_HEX}{{40}}{_END}"),  # SonarQube: project, user, analysis
    ("dckr_pat_ dckr_oat_", r"[\w\-]{20,}"),  # Docker Hub: personal, organisation
    ("oy2", rf"[a-z0-9]{{43}}{_END}"),  # NuGet
    ("rubygems_", rf"{_HEX}{{48}}{_END}"),  # RubyGems
    ("cio", rf"{_ALNUM}{{32}}{_END}"),  # crates.io
    ("CLOJARS_", rf"[0-9a-z]{{60}}{_END}"),  # Clojars
    ("AKCp", rf"{_ALNUM}{{60,80}}{_END}"),  # Artifactory: API key, 73
    ("cmVmdGtuOj", rf"{_ALNUM}{{50,}}"),  # Artifactory: reference token, "reftkn:" in base64
    ("packagist_", r"[\w\-]{40,}"),  # Packagist
    # --- clouds and hosting ---
    # AWS: id of a key, of a session key, of a bearer, of a certificate, of a role
    ("AKIA ASIA ABIA ACCA AROA", rf"[A-Z0-9]{{16}}{_END}"),
    ("ABSK bedrock-api-key-", rf"{_BASE64}{{40,}}{_PADDING}"),  # AWS: Bedrock API key
    ("amzn.mws.", _UUID),  # Amazon: marketplace
    # AWS: session token, whose first bytes are a name of the region or of the service
    ("IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz FQoDYXdz", rf"{_BASE64}{{60,}}{_PADDING}"),
    ("AIza", r"[\w\-]{30,}"),  # Google: API key, 39 characters in all
    ("ya29.", r"[\w\-]{20,}(?:\.[\w\-]{20,})?"),  # Google: OAuth access token
    ("1//0", r"[\w\-]{38,}"),  # Google: OAuth refresh token
    ("AAAA", r"[\w\-]{7}:APA91b[\w\-]{100,}"),  # Firebase: legacy server key
    ("dop_v1_ doo_v1_ dor_v1_", _PLAIN),  # DigitalOcean: personal, OAuth, refresh
    ("v1.0-", rf"{_HEX}{{24}}-{_HEX}{{100,}}"),  # Cloudflare: origin CA key
    ("cfut_ cfat_ cfk_", r"[\w\-]{36,}"),  # Cloudflare: user, account token, key
    ("nfp_ nfc_ nfo_ nfu_ nfb_ rnd_", rf"{_ALNUM}{{24,}}"),  # Netlify; Render
    ("vercel_ vcp_ vci_ vca_ vcr_ vck_", rf"{_ALNUM}{{24,}}"),  # Vercel
    ("napi_", r"[a-z0-9]{40,}"),  # Neon
    ("fm1r_ fm1a_ fm2_ fo1_", rf"{_BASE64}{{40,}}{_PADDING}"),  # Fly: macaroon, OAuth
    ("HRKU-", rf"(?:AA[\w\-]{{50,}}|{_UUID})"),  # Heroku
    ("tk-us-", rf"[\w\-]{{48}}{_END}"),  # Scalingo
    ("LTAI", rf"{_ALNUM}{{12,20}}{_END}"),  # Alibaba: id of a key
    ("AKID", rf"{_ALNUM}{{32}}{_END}"),  # Tencent: id of a key
    ("AQVN y0_ y1_ y2_ y3_", r"[\w\-]{35,}"),  # Yandex: API key, OAuth
    ("YCA YCM", rf"[\w\-]{{37}}{_END}"),  # Yandex: static key
    ("t1.", r"[\w\-]{20,}={0,2}\.[\w\-]{86}={0,2}"),  # Yandex: IAM token
    # --- infrastructure ---
    ("hvb. hvs. hvr.", r"[\w\-]{20,}"),  # HashiCorp Vault: batch, service, recovery
    ("s.", rf"{_ALNUM}{{24}}(?![\w.(])"),  # HashiCorp Vault before 1.10
    ("pul-", rf"{_HEX}{{40}}{_END}"),  # Pulumi
    # Doppler: personal, service, CLI, account, SCIM, audit tokens; a service token names a config
    (
        "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
        rf"(?:[a-z0-9_\-]{{2,35}}\.)?{_ALNUM}{{40,44}}{_END}",
    ),
    ("ops_eyJ", r"[\w\-]{100,}={0,2}"),  # 1Password: service account
    # 1Password: secret key
    ("A3-", rf"[A-Z0-9]{{6}}-(?:[A-Z0-9]{{6}}-)?[A-Z0-9]{{5,11}}(?:-[A-Z0-9]{{5}}){{3}}{_END}"),
    ("AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1", r"[A-Z0-9]{50,}"),  # age: Bech32, 58
    ("tskey-", r"[\w\-]{20,}"),  # Tailscale: auth, api, client, scim
    ("CCIPAT_ CCIPRJ_", rf"{_ALNUM}{{22}}_{_HEX}{{40}}"),  # CircleCI: personal, project
    ("bkua_ bkct_ bkaj_ bkat_ bkpi_", rf"{_HEX}{{40}}{_END}"),  # Buildkite
    ("dapi dose", rf"{_HEX}{{32}}(?:-\d)?{_END}"),  # Databricks
    ("pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w\-=]{32,}(?:\.[\w\-=]{1,64})?"),  # PlanetScale
    ("sbp_ sbp_oauth_ sbp_v0_", rf"{_HEX}{{40}}{_END}"),  # Supabase: account
    ("sb_secret_", r"[\w\-]{20,}"),  # Supabase: project
    ("pnu_ pnb_", rf"{_ALNUM}{{36}}{_END}"),  # Prefect
    ("PMAK-", rf"{_HEX}{{24}}-{_HEX}{{34}}"),  # Postman
    ("API-", rf"[A-Z0-9]{{25,32}}{_END}"),  # Octopus Deploy
    ("pat. sat.", rf"[\w\-]{{22}}\.{_ALNUM}{{24}}\.{_ALNUM}{{20}}{_END}"),  # Harness
    ("ico-", rf"{_ALNUM}{{32}}{_END}"),  # Infracost
    ("dnkey-", r"[\w\-]{26,}"),  # Defined Networking
    # --- chat and social networks ---
    ("xapp- xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs-", _DASHED),  # Slack
    ("EAAA", rf"[\w\-]{{60}}{_END}"),  # Square: access token
    ("EAA", rf"{_ALNUM}{{80,}}{_END}"),  # Facebook
    ("IGQV", r"[\w\-]{60,}"),  # Instagram
    ("AAAAAAAAAAAAAAAAAAAAA", r"\w{8,40}(?:%2[BF]|%3D)[\w%]{30,}"),  # X: bearer token
    # --- payment and shops ---
    ("sk_live_ sk_test_ rk_live_ rk_test_", _PLAIN),  # Stripe: secret, restricted
    ("whsec_", rf"{_BASE64}{{16,}}={{0,2}}"),  # Stripe and Svix: signing secret of a webhook
    ("sq0csp- sq0atp-", r"[\w\-]{22,}"),  # Square: OAuth secret, access token
    # Braintree
    ("access_token$production$ access_token$sandbox$", rf"[0-9a-z]{{16}}\${_HEX}{{32}}"),
    ("access-sandbox- access-development- access-production-", _UUID),  # Plaid
    ("rzp_live_ rzp_test_", rf"{_ALNUM}{{14}}{_END}"),  # Razorpay
    ("shpat_ shpca_ shppa_ shpss_", _PLAIN),  # Shopify: 32 hexadecimal digits
    ("shippo_live_ shippo_test_", rf"{_HEX}{{40}}{_END}"),  # Shippo
    ("EZAK EZTK", rf"{_ALNUM}{{54}}{_END}"),  # EasyPost
    ("FLWSECK- FLWSECK_TEST-", rf"{_ALNUM}{{12,}}(?:-X)?"),  # Flutterwave
    ("live_ test_", rf"{_HEX}{{35}}{_END}"),  # Lob
    ("duffel_live_ duffel_test_", r"[\w\-]{40,}"),  # Duffel
    # --- mail and telephony ---
    ("SK", rf"{_HEX}{{32}}{_END}"),  # Twilio: API key
    ("SG.", r"[\w\-]{16,}\.[\w\-]{16,}"),  # SendGrid: SG.id.secret
    ("key-", rf"{_HEX}{{32}}{_END}"),  # Mailgun
    ("xkeysib- xsmtpsib-", rf"{_HEX}{{64}}-{_ALNUM}{{16}}"),  # Brevo
    ("re_", rf"{_ALNUM}{{8}}_{_ALNUM}{{24}}{_END}"),  # Resend
    ("md-", rf"(?=[\w\-]{{0,21}}[0-9])(?=[\w\-]{{0,21}}[A-Z])[\w\-]{{22}}{_END}"),  # Mandrill
    ("mlsn.", rf"{_HEX}{{64}}"),  # MailerSend
    ("pat-na1- pat-na2- pat-eu1- pat-ap1-", _UUID),  # HubSpot
    ("pk_", rf"(?:{_HEX}{{34}}|\d{{6,9}}_[A-Z0-9]{{32}}){_END}"),  # Klaviyo; ClickUp
    # --- offices and content ---
    ("secret_", rf"{_ALNUM}{{43}}{_END}"),  # Notion before 2024
    ("ntn_", rf"{_ALNUM}{{40,}}"),  # Notion: 11 digits, 35
    ("lin_api_ lin_oauth_ lin_wh_", rf"{_ALNUM}{{32,}}"),  # Linear
    ("pat", rf"{_ALNUM}{{14}}\.{_HEX}{{64}}"),  # Airtable: id, secret
    ("figd_ figo_ figu_", r"[\w\-]{36,}"),  # Figma
    ("ATTA", rf"{_ALNUM}{{64,76}}{_END}"),  # Trello
    ("0/ 1/ 2/", rf"\d{{13,17}}(?:/\d{{13,17}})?:{_HEX}{{32}}{_END}"),  # Asana
    ("tfp_", r"[\w\-]{40,}"),  # Typeform
    ("CFPAT-", r"[\w\-]{40,}"),  # Contentful
    ("sk", rf"{_ALNUM}{{150,}}"),  # Sanity
    ("sl.", r"(?:u\.)?[\w\-]{100,}"),  # Dropbox: short-lived
    ("rdme_", r"[a-z0-9]{64,}"),  # ReadMe
    ("fio-u-", r"[\w\-]{64}"),  # Frame.io
    # --- more services, by what follows the head ---
    ("aio_ odt_ gta_ fjt_ lip_ hbp_ xau_ unst_ ucat_ vtwn_ tss_ unkey_ pd_ prf_ civo_ novu_ rpa_"
     " tr_prod_ tr_dev_ tr_pat_ flb_live_ flb_test_ dvc_server_ dvc_client_ dvc_mobile_ ddp_ ddw_"
     " samsara_api_ ion_ tfe_ fal_ lmnt_ cal_live_ zpka_",
     rf"{_ALNUM}{{20,}}(?:_{_HEX}{{8}})?{_END}"),
    ("codemagic_ shltm_ mdb_sa_sk_ supernotes_sk- pina_ pinc_ polar_at_ polar_oat_ polar_pat_"
     " essu_ gloas- bkaa_ bkat_ bkar_ bkpt_ bkps_ bkpat_ mergify_application_key_ ramp_sec_"
     " persona_production_ tkn.v1_ vercel_blob_rw_ sk_prod_ sk_dev_ pk_prod_ retool_01",
     r"[\w\-]{26,}"),
    # Rootly, Sourcegraph, Cursor, Inngest, Webflow, 42, n8n, Scrapfly, WooCommerce, Cloudsmith
    ("rootly_ slk_ key_ signkey-prod- signkey-test- ws- s-s4t2ud- s-s4t2af- n8n_api_ scp-live-"
     " scp-test- cs_ csa_ standard_", rf"{_HEX}{{30,}}(?:{_ALNUM}{{6}})?{_END}"),
    ("api_", rf"{_ALNUM}{{22}}\.{_ALNUM}{{22}}{_END}"),  # Close
    ("live_ sandbox_", rf"[\w\-=]{{30,42}}{_END}"),  # GoCardless, Mollie, Chargebee
    ("na1. eu1.", r"[A-Za-z0-9+/]{60,}"),  # FullStory
    ("sec-c-", rf"{_ALNUM}{{40,}}"),  # PubNub
    ("00D", rf"{_ALNUM}{{12}}![\w.]{{60,}}"),  # Salesforce: organisation, session
    ("sq0idp-", r"[\w\-]{22}"),  # Square: application
    ("hawk.", r"[\w\-]{20}\.[\w\-]{20}"),  # StackHawk
    ("sk_", rf"\d{{2,6}}_\d{{2,8}}_{_HEX}{{32}}"),  # Ticket Tailor
    ("BBFF-", rf"{_ALNUM}{{30,}}"),  # Ubidots
    ("VF.DM. VF.WS.", rf"{_HEX}{{24}}\.{_ALNUM}{{16}}"),  # Voiceflow
    ("1000.", rf"{_HEX}{{32}}\.{_HEX}{{32}}"),  # Zoho
    ("p8e-", rf"[a-z0-9]{{32}}{_END}"),  # Adobe
    ("AIK_CI_ AIK_SECRET_ AIK_CLIENT_", rf"{_ALNUM}{{20,}}"),  # Aikido
    ("aact_prod_ aact_hmlg_", r"[\w\-]{20,}"),  # Asaas
    ("cnvca", rf"[\w\-]{{51}}{_END}"),  # Canva
    ("CCDB1_", rf"{_ALNUM}{{22}}_{_ALNUM}{{40}}"),  # CockroachDB
    ("configcat-sdk-1/", r"[\w\-]{22}/[\w\-]{22}"),  # ConfigCat
    ("db-", rf"{_ALNUM}{{29}}{_END}"),  # Databento
    ("apk_user_ apk_", rf"{_BASE64}{{80,}}{_PADDING}"),  # Devin
    ("cog_ os_v2_app_ os_v2_org_", r"[a-z2-7]{50,}"),  # Devin; OneSignal
    ("SWMTKN-1- SWMKEY-1-", rf"{_BASE64}{{40,}}"),  # Docker Swarm
    ("EXO", rf"{_ALNUM}{{24,30}}{_END}"),  # Exoscale
    ("mercury_production_ mercury_sandbox_", rf"[a-z]{{3,6}}_{_ALNUM}{{40,50}}_yrucrem"),
    ("Mid-server- Mid-client-", r"[\w\-]{16,}"),  # Midtrans
    ("pdl_live_apikey_ pdl_sdbx_apikey_", r"[a-z0-9]{26}_\w{22}_\w{3}"),  # Paddle
    ("sm_aat_ sm_pat_ sm_sat_", rf"{_ALNUM}{{16}}{_END}"),  # SettleMint
    ("KEY", rf"[\w\-]{{55}}{_END}"),  # Telnyx
    ("SCW", rf"[A-Z0-9]{{17}}{_END}"),  # Scaleway
    ("mob-", _UUID),  # LaunchDarkly: mobile
    ("AKLT", rf"{_ALNUM}{{40,}}"),  # Volcengine
    ("bce-v3/ALTAK-", rf"{_ALNUM}{{21}}/{_HEX}{{40}}"),  # Baidu
    ("perm:", rf"{_BASE64}{{8,}}={{0,2}}\.{_BASE64}{{4,}}={{0,2}}\.{_ALNUM}{{20,}}"),  # JetBrains
    ("mb_", rf"[A-Za-z0-9+/]{{40,}}{_PADDING}"),  # Metabase
    ("ck-", rf"{_ALNUM}{{40,}}"),  # Chroma
    ("fn", rf"A[\w\-]{{38,}}{_END}"),  # Fauna
    ("WPL_AP1.", r"[\w\-]{12,}(?:\.[\w\-+/=]{4,})?"),  # LinkedIn
    ("act. rft. clt.", rf"{_ALNUM}{{50,}}"),  # TikTok
    ("oauth:", rf"[a-z0-9]{{30}}{_END}"),  # Twitch
    ("xprv yprv zprv tprv", rf"{_ALNUM}{{100,}}"),  # BIP 32: extended private key
    ("AGE-PLUGIN-YUBIKEY-1", r"[A-Z0-9]{40,}"),
    ("PK AK", rf"[A-Z0-9]{{18}}{_END}"),  # Alpaca
    ("AQE", rf"{_BASE64}{{70,}}(?:\.[\w+/=\-]{{4,}})?"),  # Adyen
    ("prod: dev: preview:", rf"[a-z\-]{{4,30}}-\d{{1,4}}\|{_BASE64}{{40,}}{_PADDING}"),  # Convex
    ("AQ", rf"[\w\-]{{180,}}{_END}"),  # LinkedIn: OAuth
    ("token-", rf"[a-z0-9]{{5}}:[a-z0-9]{{54}}{_END}"),  # Rancher
    ("0.", rf"{_UUID}\.{_ALNUM}{{30}}:{_BASE64}{{22}}{_PADDING}"),  # Bitwarden: machine account
    ("ag:", rf"{_HEX}{{8}}:{_HEX}{{32}}"),  # Mistral: agent
    ("tk. sk.", r"eyJ[\w\-]{20,}\.[\w\-]{20,}"),  # Mapbox: temporary, secret
    # --- observation and features ---
    ("sntrys_ sntryu_", rf"{_BASE64}{{40,}}{_PADDING}"),  # Sentry: organisation, user
    ("glc_", rf"{_BASE64}{{32,}}{_PADDING}"),  # Grafana Cloud: JSON in base64
    ("glsa_", rf"{_ALNUM}{{32}}_{_HEX}{{8}}"),  # Grafana: service account, with a checksum
    ("eyJrIjoi", rf"{_ALNUM}{{60,}}{_PADDING}"),  # Grafana before version 9: {"k":" in base64
    ("NRAK- NRJS- NRII- NRRA- NRIQ- NRSP-", r"[\w\-]{15,}"),  # New Relic
    # Honeycomb: ingest, configuration and management keys; in classic and other environments
    ("hcaik_ hcbik_ hcxik_ hcalk_ hcxlk_ hcamk_ hcxmk_ hcaic_ hcxic_", r"[a-z0-9]{40,}"),
    ("dt0c01. dt0s01. dt0s02. dt0s03. dt0s04. dt0s06. dt0s08. dt0s16. dt0a01.",
     r"[A-Z0-9]{8,24}\.[A-Z0-9]{64}"),  # Dynatrace: id, secret
    ("phx_ phs_", rf"{_ALNUM}{{40,}}"),  # PostHog: personal, feature flags
    ("sdk- api-", _UUID),  # LaunchDarkly
    ("xaat- xapt-", _UUID),  # Axiom
    ("waka_", _UUID),  # WakaTime
    ("00", rf"[\w\-]{{40}}{_END}"),  # Okta: 42 characters in all
    ("secret-live- secret-test-", r"[\w\-]{30,}={0,2}"),  # Stytch
    # JSON Web Token: header and payload begin with {", which is eyJ in base64; then a signature;
    # one that is encrypted has five parts, of which the second may be empty
    ("eyJ", r"[\w\-]{8,}\.(?:eyJ[\w\-]{8,}(?:\.[\w\-]*)?|[\w\-]*\.[\w\-]+\.[\w\-]+\.[\w\-]+)"),
)  # fmt: skip
"""How keys begin, by service, and what follows."""

INNER: Final = (
    # Slack: path of a webhook; of a workflow
    ("/B", 14, rf"T[A-Z0-9]{{8,12}}/B[A-Z0-9]{{8,12}}/{_ALNUM}{{20,}}"),
    ("hooks.slack.com/", 0, r"hooks\.slack\.com/(?:workflows|triggers)/[\w/]{30,120}"),
    # Discord: path of a webhook, with the number of the channel
    ("/webhooks/", 0, r"/webhooks/\d{17,20}/[\w\-]{60,80}"),
    # Microsoft Teams: path of a webhook
    ("/IncomingWebhook/", 80, rf"(?:{_UUID}@{_UUID})?/IncomingWebhook/{_HEX}{{32}}(?:/{_UUID})?"),
    (".atlasv1.", 14, rf"{_ALNUM}{{14}}\.atlasv1\.[\w\-=]{{40,}}"),  # Terraform Cloud
    ("8Q~", 4, rf"[\w~.\-]{{3}}8Q~[\w~.\-]{{31,34}}{_END}"),  # Azure: client secret
    ("7Q~", 4, rf"[\w~.\-]{{3}}7Q~[\w~.\-]{{31,34}}{_END}"),
    ("AZDO", 76, rf"{_ALNUM}{{76}}AZDO{_ALNUM}{{4}}{_END}"),  # Azure DevOps
    ("JQQJ99", 52, rf"{_ALNUM}{{52}}JQQJ99{_ALNUM}{{20,30}}{_END}"),  # Azure: keys since 2024
    ("-us", 32, rf"{_HEX}{{32}}-us[0-9]{{1,2}}{_END}"),  # Mailchimp: key, data centre
    ("NRAL", 36, rf"[0-9a-z]{{36}}NRAL{_END}"),  # New Relic: licence
    ("_mmk", 36, rf"{_ALNUM}{{6}}_{_ALNUM}{{29}}_mmk{_END}"),  # MaxMind
    ("sha256~", 0, rf"sha256~[\w\-]{{43}}{_END}"),  # OpenShift
    ("hooks.zapier.com/", 0, r"hooks\.zapier\.com/hooks/catch/\d{5,9}/\w{5,12}"),
    (".make.com/", 8, r"hook\.\w{2,4}\d?\.make\.com/\w{20,}"),
    ("endr+", 0, rf"endr\+{_ALNUM}{{16}}{_END}"),  # Endor
)
"""A text within a key, the most characters before it, and the pattern of the whole key."""

WHOLE: Final = (
    rf"{_HEX}{{32}}-{_HEX}{{8}}-{_HEX}{{8}}",  # Mailgun since 2018
    r"[0-9]{6,10}:[\w\-]{35}",  # Telegram: number of the bot, key
    # Discord: number of the bot in base64, whose digits begin with M, N or O; time; signature
    r"[5KL][1-9A-HJ-NP-Za-km-z]{50,51}",  # Bitcoin: private key in base58
    rf"{_HEX}{{32}}\.{_ALNUM}{{16}}",  # Zhipu: id, secret
    rf"{_HEX}{{24}}:{_HEX}{{64}}",  # Ghost: id, secret
    r"[MNO][\w\-]{23,27}\.[\w\-]{6}\.[\w\-]{27,38}",
)
"""Keys that nothing but the lengths and alphabets of their parts shows."""
