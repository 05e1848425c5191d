/** Keys that are recognisable by their prefix. */

interface Format {
  /** Prefixes, at least two characters each. */
  begins: readonly string[];
  /** What follows the prefix; sticky. */
  rest: RegExp;
}

const WORD = "[A-Za-z0-9]";
const TOKEN = "[A-Za-z0-9_-]";

function format(begins: string, rest: string): Format {
  return { begins: begins.split(" "), rest: new RegExp(rest, "y") };
}

/**
 * Prefixes and lengths are those that issuers document and that the rules of gitleaks (github.com/gitleaks/gitleaks,
 * config/gitleaks.toml) use. Lengths are lower bounds, because issuers lengthen keys; a `[…]{0}` after a lookahead
 * matches nothing. No part repeats another, so that a near miss costs only the length of the text.
 */
const FORMATS: readonly Format[] = [
  format("sk-", `${TOKEN}{20,400}`), // OpenAI, Anthropic (sk-ant-), OpenRouter, and those that imitate them
  format("ghp_ gho_ ghu_ ghs_ ghr_", `${WORD}{30,255}`), // GitHub
  format("github_pat_", `${WORD}{20,30}_?${WORD}{20,100}`),
  format("glpat- gldt- glrt- glptt- glsoat- glcbt- glft- glimt- glagent- gloas- glffct-", `${TOKEN}{20,300}`), // GitLab
  format("AKIA ASIA ABIA ACCA", `[A-Z0-9]{16}(?!${WORD})`), // AWS access key ids
  format("xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- xoxe.", `[A-Za-z0-9_.-]{10,300}`), // Slack
  format(
    "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/",
    "[A-Za-z0-9_/]{20,200}",
  ),
  format("tsk_", `${WORD}{20,100}`), // keys of this service
  format("tso_ tsr_", `${TOKEN}{20,100}`), // tokens of connected apps
  format("whsec_", "[A-Za-z0-9+/]{20,100}={0,2}"), // Standard Webhooks
  format("sk_live_ rk_live_ pk_live_ sk_test_ rk_test_ sk_prod_ rk_prod_ rk_prod_", `${WORD}{10,250}`), // Stripe
  format("AIza", `${TOKEN}{35}`), // Google
  format("ya29.", "[A-Za-z0-9_.-]{20,500}"),
  format("GOCSPX-", `${TOKEN}{20,60}`),
  format("npm_", `${WORD}{30,100}`),
  format("pypi-", `${TOKEN}{50,300}`),
  format("dckr_pat_ dckr_oat_", `${TOKEN}{20,60}`), // Docker
  format("dop_v1_ doo_v1_ dor_v1_", "[a-f0-9]{40,80}"), // DigitalOcean
  format("hf_", `${WORD}{30,60}`), // Hugging Face
  format("gsk_", `${WORD}{40,80}`), // Groq
  format("xai-", `${WORD}{40,120}`),
  format("pplx-", `${WORD}{40,80}`), // Perplexity
  format("r8_", `${WORD}{30,60}`), // Replicate
  format("fo1_", `${TOKEN}{40,60}`), // Fly.io
  format("vcp_ vci_ vca_ vck_", `${WORD}{24,100}`), // Vercel
  format("shpat_ shpca_ shppa_ shpss_", "[a-fA-F0-9]{32}"), // Shopify
  format("sq0atp- sq0csp-", `${TOKEN}{22,60}`), // Square
  format("sbp_", "[a-f0-9]{40}"), // Supabase
  format("sb_secret_", `${TOKEN}{20,60}`),
  format("ntn_", `${WORD}{40,60}`), // Notion
  format("lin_api_ lin_oauth_", `${WORD}{32,80}`), // Linear
  format("ATATT3", "[A-Za-z0-9_=-]{100,300}"), // Atlassian
  format("ATBB", `${WORD}{24,60}`), // Bitbucket
  format("dp.pt. dp.st. dp.ct. dp.sa.", "[A-Za-z0-9_.-]{30,80}"), // Doppler
  format("hvs. hvb.", `${TOKEN}{24,300}`), // HashiCorp Vault
  format("glsa_", `${WORD}{30,40}_[a-f0-9]{8}`), // Grafana
  format("key-", "[a-f0-9]{32}(?![a-f0-9])"), // Mailgun
  format("re_", `${WORD}{6,12}_${WORD}{20,40}`), // Resend
  format("SG.", `${TOKEN}{16,40}\\.${TOKEN}{16,64}`), // SendGrid
  format("AGE-SECRET-KEY-1", "[A-Z0-9]{58}"),
  format("discord.com/api/webhooks/ discordapp.com/api/webhooks/", `[0-9]{10,25}/${TOKEN}{40,100}`),
  // JSON Web Tokens, signed (the signature may be missing) or encrypted (five parts, of which the second may be empty).
  format("eyJ", `${TOKEN}{10,2000}\\.\\.?${TOKEN}{10,8000}(?:\\.${TOKEN}{1,8000}){0,3}`),
  format("LS0tLS1CRUdJTi", "[A-Za-z0-9+/]{40,8000}={0,2}"), // "-----BEGIN " in base64
];

/** Formats by their first two characters. */
const BY_BEGINNING = new Map<number, { begin: string; rest: RegExp }[]>();
for (const { begins, rest } of FORMATS) {
  for (const begin of begins) {
    const key = (begin.charCodeAt(0) << 7) | begin.charCodeAt(1);
    BY_BEGINNING.set(key, [...(BY_BEGINNING.get(key) ?? []), { begin, rest }]);
  }
}
const BEGINNINGS = new Uint8Array(1 << 14);
for (const key of BY_BEGINNING.keys()) BEGINNINGS[key] = 1;

/** Azure client secrets and Telegram bot tokens: recognised by their middle. */
const MIDDLES = [
  { middle: "Q~", before: 4, whole: /[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}/y },
  { middle: ":AA", before: 10, whole: /[0-9]{8,10}:AA[A-Za-z0-9_-]{32,35}/y },
] as const;

/** Returns where keys with a known prefix stand, between two positions of a text. */
export function findFormats(text: string, from: number, to: number): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (let at = from; at < to - 1; at += 1) {
    const key = (text.charCodeAt(at) << 7) | text.charCodeAt(at + 1);
    if (BEGINNINGS[key] === 1 && beginsWord(text, at)) {
      const end = endOfKey(text, at, key);
      if (end === undefined) continue;
      found.push({ start: at, end });
      at = end - 1;
    }
  }
  return found;
}

/** Returns where keys stand that only their middle identifies. */
export function findMiddles(text: string): { start: number; end: number }[] {
  return MIDDLES.flatMap(({ middle, before, whole }) => {
    const found: { start: number; end: number }[] = [];
    for (let at = text.indexOf(middle); at !== -1; at = text.indexOf(middle, at + middle.length)) {
      for (let start = Math.max(0, at - before); start < at; start += 1) {
        whole.lastIndex = start;
        if (!whole.test(text)) continue;
        found.push({ start, end: whole.lastIndex });
        break;
      }
    }
    return found;
  });
}

function endOfKey(text: string, at: number, key: number): number | undefined {
  for (const { begin, rest } of BY_BEGINNING.get(key) ?? []) {
    if (!text.startsWith(begin, at)) continue;
    rest.lastIndex = at + begin.length;
    if (rest.test(text)) return rest.lastIndex;
  }
  return undefined;
}

/**
 * Whether a key can begin here: not in the middle of a word. In `\nghp_…` and `%3Dghp_…` of an escaped text, the letter
 * before the key belongs to the escape.
 */
function beginsWord(text: string, at: number): boolean {
  if (!/[A-Za-z0-9_]/u.test(text.charAt(at - 1))) return true;
  return /(?:\\[nrtbf]|%[0-9A-Fa-f]{2})$/u.test(text.slice(Math.max(0, at - 3), at));
}
