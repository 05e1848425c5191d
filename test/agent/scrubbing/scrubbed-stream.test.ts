import { describe, expect, inject, it } from "vitest";
import { KnownSecrets, scrubText } from "#src/agent/scrubbing/scrub.ts";
import { ScrubbedStream } from "#src/agent/scrubbing/scrubbed-stream.ts";
import { seeded } from "#test/support/random.ts";
import { BASE62, BASE64, randomText } from "./random-text.ts";
import { runs } from "#test/support/soak.ts";

/** Texts that are tried; as many again for each of `FUZZ_RUNS` in `npm run soak`. */
const RUNS = 150 + 5 * runs(0);
const random = seeded(inject("fuzzSeed"));
const drawn = (length: number) => randomText(random, BASE62, length);
const blob = Array.from({ length: 8 }, () => randomText(random, BASE64, 64)).join("\n");
const values = {
  API_KEY: drawn(40),
  LONG: drawn(400),
  PHRASE: "five little words and a fire",
  DB_PASSWORD: "postgres",
  SHORT: "correcthorse1234",
  LINES: `${drawn(30)}\n${drawn(30)}`,
  UMLAUTS: "zwölf Boxkämpfer 99 jagen Viktor",
};
const known = new KnownSecrets(
  Object.entries(values).map(([name, value]) => ({ name, value, declared: true })),
);

const pieces = [
  ...Object.entries(values).flatMap(([name, value]) => [
    value,
    value.slice(0, -1),
    `${name}=${value}`,
    `${name}: "${value}"`,
    Buffer.from(value).toString("base64"),
    JSON.stringify(value),
  ]),
  `-----BEGIN PRIVATE KEY-----\n${blob}\n-----END PRIVATE KEY-----`,
  `-----BEGIN CERTIFICATE-----\n${blob}\n-----END CERTIFICATE-----`,
  `-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----`,
  `Authorization: Bearer ${drawn(16)}`,
  'password: "Summer2024!"',
  `https://user:${drawn(12)}@example.com/path`,
  `ghp_${drawn(36)}`,
  `token ${drawn(43)}`,
  "The quick brown fox jumps over the lazy dog.",
  "Über allen Gipfeln ist Ruh, 我们在这里 🌱 ",
  "commit 53a57de0c1f2a3b4c5d6e7f8091a2b3c4d5e6f70\n",
  "export const value = (a, b) => a + b;\n",
  "five little words",
  "\n\n  ",
];

/** A text of some pieces, and the same cut somewhere else. */
function composed(): { text: string; cut: string[] } {
  const chosen = Array.from(
    { length: random.whole(1, 8) },
    () => pieces[random.whole(0, pieces.length - 1)] ?? "",
  );
  const text = chosen.join([" ", "\n", "", ", "][random.whole(0, 3)]);
  const longest = [1, 4, 12, 60, 500][random.whole(0, 4)] ?? 1;
  const cut: string[] = [];
  for (let at = 0; at < text.length;) {
    const length = random.whole(1, longest);
    cut.push(text.slice(at, at + length));
    at += length;
  }
  return { text, cut };
}

it("says what the whole would say, wherever it is cut", () => {
  for (let run = 0; run < RUNS; run += 1) {
    const { text, cut } = composed();
    const stream = new ScrubbedStream(known);
    const shown = cut.map((piece) => stream.push(piece)).join("") + stream.end();
    expect(shown).toBe(scrubText(text, known));
  }
});

it("names each of two secrets in one word, though the end of the first looks like a part of the second", () => {
  const text = `https://user:${drawn(12)}@example.com/path${values.LONG}${values.LINES.slice(0, -1)}`;
  const stream = new ScrubbedStream(known);
  const shown = Array.from(text, (character) => stream.push(character)).join("") + stream.end();
  expect(shown).toContain("«secret:LONG»«secret:LINES»");
  expect(shown).toBe(scrubText(text, known));
});

describe("ordinary text", () => {
  it("is held back for no more than its last word", () => {
    const text =
      "Here is what I did: I changed `src/app.ts` and ran the tests. All 42 pass (in 3 s), see https://example.com/a?b=c.\n".repeat(
        40,
      );
    const stream = new ScrubbedStream(known);
    let shown = "";
    for (let at = 0; at < text.length; at += 5) {
      shown += stream.push(text.slice(at, at + 5));
      const seen = text.slice(0, at + 5);
      const lastWord = /\S*$/u.exec(seen)?.[0] ?? "";
      expect(seen.length - shown.length).toBeLessThanOrEqual(lastWord.length + 2);
    }
    expect(shown + stream.end()).toBe(text);
  });

  it("is not held back where words have no spaces", () => {
    const stream = new ScrubbedStream(known);
    expect(stream.push("我们在这里工作")).toBe("我们在这里工作");
  });

  it("without a space is let go after a while", () => {
    const stream = new ScrubbedStream(known);
    let shown = "";
    for (let piece = 0; piece < 400; piece += 1) shown += stream.push("0123456789abcdef".repeat(8));
    expect(shown.length).toBeGreaterThan(30_000);
    expect((shown + stream.end()).length).toBe(400 * 128);
  });
});

it("begins anew after its end", () => {
  const stream = new ScrubbedStream(known);
  expect(stream.push(values.API_KEY) + stream.end()).toBe("«secret:API_KEY»");
  expect(stream.push(values.API_KEY) + stream.end()).toBe("«secret:API_KEY»");
});
