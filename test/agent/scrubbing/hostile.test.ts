import { expect, it } from "vitest";
import { KnownSecrets, scrubText } from "#src/agent/scrubbing/scrub.ts";
import { ScrubbedStream } from "#src/agent/scrubbing/scrubbed-stream.ts";
import { IS_SOAK } from "#test/support/soak.ts";
import { processorMs } from "#test/support/processor-ms.ts";

/** Longer in `npm run soak`. */
const LENGTH = IS_SOAK ? 300_000 : 40_000;
/**
 * Processor time that no text here reaches on any machine: the longest takes 100 ms on a quiet one. A search that goes back
 * takes many seconds, since its steps grow with the square of the length.
 */
const BUDGET_MS = LENGTH / 20;
const filled = (part: string) => part.repeat(Math.ceil(LENGTH / part.length));

/** Parts of texts over which a search that goes back takes minutes. */
const PARTS = [
  "a|A1|=|:|://|://a:b|://a@|-|--|--a-|-----BEGIN |-----BEGIN PRIVATE KEY-----",
  "-----BEGIN PRIVATE KEY-----\nAAAA\n|-----BEGIN CERTIFICATE-----\nk3J9xPq2Vb7Lm4Rt8Wz1AAAA\n|eyJ",
  "eyJaaaaaaaaaaaa|eyJaaaaaaaaaaaa.|eyJaaaaaaaaaaaa-.|.eyJaaaaaaaaaaaa.a|sk-|sk-ant-|ghp_|ghp_a |Q~|:AA",
  '1:AA|password=|password:|password="|password = |token:a|a.token=b1|Bearer |Bearer a1 |--password ',
  '\\n|\\"|%3D|\u001b[|\u001b[31m|\u001b[31ma|«secret»|«secret:A»=|k3J9xPq2Vb7Lm4Rt8Wz1 ',
  "k3J9xPq2Vb7Lm4Rt8Wz1/|k3J9xPq2Vb7Lm4Rt8Wz1-|http://a/k3J9xPq2Vb7Lm4Rt8Wz1/|\n| |ü|\ud83c|\u0000",
].flatMap((line) => line.split("|"));

it.each(PARTS)("a long text of %j is scrubbed", (part) => {
  const text = filled(part);
  const known = new KnownSecrets([{ name: "A", value: `${part}${part}${part}x1`, declared: true }]);
  let shown = 0;
  expect(processorMs(() => (shown = scrubText(text, known).length))).toBeLessThan(BUDGET_MS);
  expect(shown).toBeGreaterThan(0);
  const stream = new ScrubbedStream(known);
  let streamed = 0;
  const cost = processorMs(() => {
    for (let at = 0; at < text.length; at += 4096) streamed += stream.push(text.slice(at, at + 4096)).length;
    streamed += stream.end().length;
  });
  expect(cost).toBeLessThan(BUDGET_MS);
  expect(streamed).toBeGreaterThan(0);
});

it("secrets that nearly are in the text everywhere cost no more", () => {
  const secrets = Array.from({ length: 500 }, (_, index) => ({
    name: `KEY_${index}`,
    value: `${"a".repeat(30 + (index % 40))}b${index}`,
    declared: true,
  }));
  const known = new KnownSecrets(secrets);
  const cost = processorMs(() => {
    expect(scrubText("a".repeat(LENGTH), known)).toBe("a".repeat(LENGTH));
    expect(scrubText(`${"a".repeat(LENGTH)}b17`, known)).toContain("«secret:KEY_");
  });
  expect(cost).toBeLessThan(BUDGET_MS);
});

it("secrets that are larger than any are cut, not refused", () => {
  const secrets = Array.from({ length: 200 }, (_, index) => ({
    name: `KEY_${index}`,
    value: `${index}-${"k3J9xPq2Vb7Lm4Rt8Wz1".repeat(1600)}`,
    declared: true,
  }));
  let shown = "";
  const cost = processorMs(() => {
    shown = scrubText(secrets[0]?.value.slice(0, 76) ?? "", new KnownSecrets(secrets));
  });
  expect(cost).toBeLessThan(BUDGET_MS);
  expect(shown).toBe("«secret:KEY_0»");
});

it("certificates before tokens cost no more", () => {
  const text = "-----BEGIN A-----é".repeat(20_000) + "k3J9xPq2Vb7Lm4Rt8Wz1 ".repeat(20_000);
  const cost = processorMs(() => void scrubText(text, new KnownSecrets([])));
  expect(cost).toBeLessThan(BUDGET_MS);
});
