import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { KnownSecrets, scrubText } from "#src/agent/scrubbing/scrub.ts";
import { seeded } from "#test/support/random.ts";
import { BASE36, BASE62, BASE64, BASE64URL, HEX, randomText, UPPER36 } from "./random-text.ts";

const nothing = new KnownSecrets([]);
const random = seeded(7);
const drawn = (alphabet: string, length: number) => randomText(random, alphabet, length);

/** Made here, and never written down whole: the keys are of no account, and no scanner of this repository has to be told so. */
const keys: [string, string][] = [
  ["OpenAI", `sk-${drawn(BASE62, 48)}`],
  ["OpenAI project", `sk-proj-${drawn(BASE64URL, 120)}`],
  ["Anthropic", `sk-ant-api03-${drawn(BASE64URL, 95)}`],
  ["OpenRouter", `sk-or-v1-${drawn(HEX, 64)}`],
  ["GitHub", `ghp_${drawn(BASE62, 36)}`],
  ["GitHub app", `ghs_${drawn(BASE62, 36)}`],
  ["GitHub fine-grained", `github_pat_${drawn(BASE62, 22)}_${drawn(BASE62, 59)}`],
  ["GitLab", `glpat-${drawn(BASE64URL, 20)}`],
  ["AWS key id", `AKIA${drawn(UPPER36, 16)}`],
  ["Slack bot", `xoxb-${drawn("0123456789", 12)}-${drawn("0123456789", 12)}-${drawn(BASE62, 24)}`],
  ["Slack app", `xapp-1-A${drawn(UPPER36, 10)}-${drawn("0123456789", 13)}-${drawn(HEX, 64)}`],
  ["this service", `tsk_${drawn(HEX, 32)}`],
  ["Standard Webhooks", `whsec_${drawn(BASE64, 32)}`],
  ["Stripe live", `sk_live_${drawn(BASE62, 24)}`],
  ["Stripe restricted", `rk_test_${drawn(BASE62, 24)}`],
  ["Google", `AIza${drawn(BASE64URL, 35)}`],
  ["npm", `npm_${drawn(BASE62, 36)}`],
  ["Docker", `dckr_pat_${drawn(BASE64URL, 27)}`],
  ["DigitalOcean", `dop_v1_${drawn(HEX, 64)}`],
  ["Hugging Face", `hf_${drawn(BASE62, 34)}`],
  ["Groq", `gsk_${drawn(BASE62, 52)}`],
  ["SendGrid", `SG.${drawn(BASE64URL, 22)}.${drawn(BASE64URL, 43)}`],
  ["Shopify", `shpat_${drawn(HEX, 32)}`],
  ["Mailgun", `key-${drawn(HEX, 32)}`],
  ["Vault", `hvs.${drawn(BASE64URL, 90)}`],
  ["Telegram", `${drawn("123456789", 9)}:AA${drawn(BASE64URL, 33)}`],
  ["Azure", `${drawn(BASE62, 3)}8Q~${drawn(BASE62, 34)}`],
  [
    "JSON Web Token",
    `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4ifQ.${drawn(BASE64URL, 43)}`,
  ],
  [
    "encrypted JSON Web Token",
    `eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..${drawn(BASE64URL, 16)}.${drawn(BASE64URL, 60)}.${drawn(BASE64URL, 22)}`,
  ],
  [
    "base64 of a private key",
    Buffer.from(`-----BEGIN PRIVATE KEY-----\n${drawn(BASE64, 64)}\n`).toString("base64"),
  ],
  [
    "Slack webhook",
    `https://hooks.slack.com/services/T${drawn(UPPER36, 8)}/B${drawn(UPPER36, 10)}/${drawn(BASE62, 24)}`,
  ],
];

/** How a key may stand in what a tool says. */
const settings: [string, (key: string) => string][] = [
  ["alone", (key) => key],
  ["in a sentence", (key) => `The key is ${key}, keep it.`],
  ["as a setting", (key) => `KEY=${key}\nNEXT=1`],
  ["in JSON", (key) => JSON.stringify({ value: key, next: 1 })],
  ["in JSON in JSON", (key) => JSON.stringify(JSON.stringify({ value: `a\n${key}` }))],
  ["in an address", (key) => `https://example.com/path?value=${key}&next=1`],
  ["encoded in an address", (key) => `value%3D${encodeURIComponent(key)}%26next`],
  ["in colour", (key) => `\u001B[32m${key}\u001B[0m`],
  [
    "with a part of it in colour",
    (key) => `${key.slice(0, 6)}\u001B[01;31m\u001B[K${key.slice(6, 12)}\u001B[m${key.slice(12)}`,
  ],
];

it.each(keys)("a key of %s is hidden, however it is written", (_, key) => {
  // Neither the key nor the half of it that is secret.
  const kept = key.slice(-Math.floor(key.length / 2)).slice(0, 12);
  for (const [, write] of settings) {
    const shown = scrubText(write(key), nothing);
    expect(shown).toContain("«secret»");
    expect(stripVTControlCharacters(shown)).not.toContain(kept);
  }
});

it.each(["OPENSSH", "RSA", "EC", "ENCRYPTED", ""])("hides the body of a private key (%s)", (kind) => {
  const label = `${kind} PRIVATE KEY`.trim();
  const lines = Array.from({ length: 12 }, () => drawn(BASE64, 64));
  const pem = `-----BEGIN ${label}-----\n${lines.join("\n")}\n${drawn(BASE64, 30)}==\n-----END ${label}-----`;
  for (const text of [pem, `before\n${pem}\nafter`]) {
    expect(scrubText(text, nothing)).toBe(
      text.replace(/(-----BEGIN [A-Z ]+-----\n)[^-]*(\n-----END)/u, "$1«secret»$2"),
    );
  }
  const inJson = scrubText(JSON.stringify({ key: pem }), nothing);
  const cutOff = scrubText(pem.slice(0, 300), nothing);
  for (const line of lines) {
    expect(inJson).not.toContain(line.slice(0, 20));
    expect(cutOff).not.toContain(line.slice(0, 20));
  }
});

it.each([
  ["https://octo:hunter@example.com/a.git", "https://octo:«secret»@example.com/a.git"],
  ["postgres://user:password@host:5432/db", "postgres://user:«secret»@host:5432/db"],
  ["redis://:pass@host", "redis://:«secret»@host"],
  ["mongodb+srv://a:b%40c@host/?x=1", "mongodb+srv://a:«secret»@host/?x=1"],
  ["https://abcdefghij0123456789@github.com/a/b", "https://«secret»@github.com/a/b"],
])("hides what is secret in the address %s", (address, shown) => {
  expect(scrubText(`fatal: ${address} failed`, nothing)).toBe(`fatal: ${shown} failed`);
});

it.each([
  "ssh://git@github.com/a/b.git",
  "https://registry.npmjs.org/@scope/name/-/name-1.0.0.tgz",
  "http://localhost:3000/@vite/client",
  "postgres://${USER}:${PASSWORD}@host/db",
  "postgres://user:<password>@host/db",
])("leaves the address %s", (address) => {
  expect(scrubText(address, nothing)).toBe(address);
});

describe("tokens drawn at random, with nothing beside them", () => {
  const RUNS = 500;
  it.each([
    ["base62", BASE62, 24, 0.85],
    ["base62", BASE62, 40, 0.97],
    ["base64", BASE64, 44, 0.95],
    ["base64url", BASE64URL, 43, 0.95],
    ["base36", BASE36, 40, 0.9],
  ] as const)(
    "are hidden: %s of %s, %i characters, more than %d of them",
    (_name, alphabet, length, share) => {
      const hidden = Array.from({ length: RUNS }, () => drawn(alphabet, length)).filter(
        (token) => scrubText(`got ${token} back`, nothing) === "got «secret» back",
      );
      expect(hidden.length / RUNS).toBeGreaterThan(share);
    },
  );
});
