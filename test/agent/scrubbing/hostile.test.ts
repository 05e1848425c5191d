import { expect, it } from "vitest";
import { KnownSecrets, scrubText } from "#src/agent/scrubbing/scrub.ts";
import { ScrubbedStream } from "#src/agent/scrubbing/scrubbed-stream.ts";

const LENGTH = 300_000;
const filled = (part: string) => part.repeat(Math.ceil(LENGTH / part.length));

/** Texts over which a search that goes back would take hours: that these tests end is what they show. */
it.each([
  "a",
  "A1",
  "=",
  ":",
  "://",
  "://a:b",
  "://a@",
  "-",
  "--",
  "--a-",
  "-----BEGIN ",
  "-----BEGIN PRIVATE KEY-----",
  "-----BEGIN PRIVATE KEY-----\nAAAA\n",
  "-----BEGIN CERTIFICATE-----\nk3J9xPq2Vb7Lm4Rt8Wz1AAAA\n",
  "eyJ",
  "eyJaaaaaaaaaaaa",
  "eyJaaaaaaaaaaaa.",
  "eyJaaaaaaaaaaaa-.",
  ".eyJaaaaaaaaaaaa.a",
  "sk-",
  "sk-ant-",
  "ghp_",
  "ghp_a ",
  "Q~",
  ":AA",
  "1:AA",
  "password=",
  "password:",
  'password="',
  "password = ",
  "token:a",
  "a.token=b1",
  "Bearer ",
  "Bearer a1 ",
  "--password ",
  "\\n",
  '\\"',
  "%3D",
  "\u001B[",
  "\u001B[31m",
  "\u001B[31ma",
  "«secret»",
  "«secret:A»=",
  "k3J9xPq2Vb7Lm4Rt8Wz1 ",
  "k3J9xPq2Vb7Lm4Rt8Wz1/",
  "k3J9xPq2Vb7Lm4Rt8Wz1-",
  "http://a/k3J9xPq2Vb7Lm4Rt8Wz1/",
  "\n",
  " ",
  "ü",
  "\uD83C",
  "\0",
])("a long text of %j is scrubbed", (part) => {
  const text = filled(part);
  const known = new KnownSecrets([{ name: "A", value: `${part}${part}${part}x1`, declared: true }]);
  const shown = scrubText(text, known);
  expect(shown.length).toBeGreaterThan(0);
  const stream = new ScrubbedStream(known);
  let streamed = 0;
  for (let at = 0; at < text.length; at += 4096) streamed += stream.push(text.slice(at, at + 4096)).length;
  expect(streamed + stream.end().length).toBeGreaterThan(0);
});

it("secrets that nearly are in the text everywhere cost no more", () => {
  const secrets = Array.from({ length: 500 }, (_, index) => ({
    name: `KEY_${index}`,
    value: `${"a".repeat(30 + (index % 40))}b${index}`,
    declared: true,
  }));
  const known = new KnownSecrets(secrets);
  expect(scrubText("a".repeat(LENGTH), known)).toBe("a".repeat(LENGTH));
  expect(scrubText(`${"a".repeat(LENGTH)}b17`, known)).toContain("«secret:KEY_");
});

it("secrets that are larger than any are cut, not refused", () => {
  const secrets = Array.from({ length: 200 }, (_, index) => ({
    name: `KEY_${index}`,
    value: `${index}-${"k3J9xPq2Vb7Lm4Rt8Wz1".repeat(1600)}`,
    declared: true,
  }));
  const known = new KnownSecrets(secrets);
  expect(scrubText(secrets[0]?.value.slice(0, 76) ?? "", known)).toBe("«secret:KEY_0»");
});

it("certificates before tokens cost no more", () => {
  const text = "-----BEGIN A-----é".repeat(60_000) + "k3J9xPq2Vb7Lm4Rt8Wz1 ".repeat(60_000);
  const before = process.cpuUsage().user;
  scrubText(text, new KnownSecrets([]));
  expect((process.cpuUsage().user - before) / 1000).toBeLessThan(3_000);
});
