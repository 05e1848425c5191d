import { describe, expect, it } from "vitest";
import { placementOf } from "#src/agent/scrubbing/placement.ts";
import { KnownSecrets, scrubText } from "#src/agent/scrubbing/scrub.ts";
import { seeded } from "#test/support/random.ts";
import { BASE62, randomText } from "./random-text.ts";

/** Values of a container's variables, which are never shown. */
const declared = (values: Record<string, string>) =>
  new KnownSecrets(Object.entries(values).map(([name, value]) => ({ name, value, declared: true })));
/** Values of a `.env` file. */
const found = (values: Record<string, string>) =>
  new KnownSecrets(Object.entries(values).map(([name, value]) => ({ name, value, declared: false })));

describe("where a known value is looked for", () => {
  it.each([
    // Long, or random: everywhere.
    ["API_KEY", "plain-words-but-very-long-indeed", "anywhere"],
    ["API_KEY", "aaaaaaaaaaaaaaaaaaaaaaaa1", "anywhere"],
    ["DATABASE_URL", "postgres://app:app@db.internal/app", "anywhere"],
    // The facts' own example: 3.33 bits per character.
    ["API_KEY", "correcthorse1234", "alone"],
    ["DB_PASSWORD", "hunter2", "alone"],
    ["DB_PASSWORD", "opensesameagain", "alone"],
    // Words that stand everywhere.
    ["DB_PASSWORD", "postgres", "beside_name"],
    ["DB_PASSWORD", "12345678", "beside_name"],
    // Says nothing.
    ["DB_PASSWORD", "password", "nowhere"],
    ["DB_PASSWORD", "abc", "nowhere"],
  ] as const)("%s=%s: %s", (name, value, placement) => {
    expect(placementOf({ name, value, declared: true })).toBe(placement);
    expect(placementOf({ name, value, declared: false })).toBe(placement);
  });

  const SETTINGS =
    "NODE_ENV=development DEBUG=true PORT=3000 HOST=localhost ADDRESS=0.0.0.0:8080 RELEASE=2024-07-18 API_URL=https://api.example.com/v1 MAIL_FROM=no-reply@example.com DATA_DIR=./data/files SMTP_HOST=smtp.example.com";
  const SETTINGS_IN_FILES =
    "MODEL=gpt-4o-mini-2024-07-18|AWS_REGION=us-east-1|BUCKET=my-garden-pictures|TENANT_ID=0199c0de-0000-7000-8000-000000000001|API_KEY=your-api-key-here|API_KEY=<your key>";
  it.each([
    ...SETTINGS.split(" ").flatMap((setting) =>
      [true, false].map((isDeclared) => [setting, isDeclared] as const),
    ),
    ...SETTINGS_IN_FILES.split("|").map((setting) => [setting, false] as const),
  ])("%s is a setting, declared: %s", (setting, isDeclared) => {
    const [name = "", value = ""] = setting.split("=");
    expect(placementOf({ name, value, declared: isDeclared })).toBe("nowhere");
  });

  it.each([
    ["CODE_WORD", "bar-secret-value-123", "alone"],
    ["CODE_WORD", "opensesame", "beside_name"],
    ["HOOK", "https://example.com/hooks/k3J9xPq2Vb7Lm4Rt8Wz1", "anywhere"],
    ["CODE", "a1b2c3d4", "alone"],
    ["CODE", "a1b2c3", "beside_name"],
  ] as const)("%s=%s of a container is secret, whatever its name", (name, value, placement) => {
    expect(placementOf({ name, value, declared: true })).toBe(placement);
  });
});

it("does not turn output into noise for what a project's settings say", () => {
  const text = "Server in development mode on localhost:3000, debug: true, using postgres as postgres\n";
  const known = {
    NODE_ENV: "development",
    PORT: "3000",
    HOST: "localhost",
    DEBUG: "true",
    DB_USER: "postgres",
    DB_PASSWORD: "postgres",
  };
  expect(scrubText(text, found(known))).toBe(text);
  expect(scrubText(text, declared(known))).toBe(text);
});

it.each([
  "DB_PASSWORD=postgres",
  "export DB_PASSWORD='postgres'",
  "DB_PASSWORD: postgres",
  '{"DB_PASSWORD":"postgres"}',
  String.raw`"{\"DB_PASSWORD\": \"postgres\"}"`,
])("hides a weak password beside its name: %s", (text) => {
  expect(scrubText(text, found({ DB_PASSWORD: "postgres" }))).toBe(
    text.replace("postgres", "«secret:DB_PASSWORD»"),
  );
});

it("replaces a short value only where it stands alone, and a long one wherever it stands", () => {
  const known = declared({ KEY: "correcthorse1234", LONG: "not-random-at-all-not-at-all" });
  expect(scrubText("it is correcthorse1234.", known)).toBe("it is «secret:KEY».");
  expect(scrubText("acorrecthorse1234b", known)).toBe("acorrecthorse1234b");
  expect(scrubText("xnot-random-at-all-not-at-ally", known)).toBe("x«secret:LONG»y");
});

describe.each([
  'p@ss/word+with "quotes" & spaces',
  "zwölf Boxkämpfer jagen Viktor 99",
  "k3J9xPq2Vb7Lm4Rt8Wz1",
])("%s", (value) => {
  const known = declared({ KEY: value });
  it.each([
    ["as it is", (text: string) => text],
    ["in JSON", (text: string) => JSON.stringify({ a: text })],
    ["in an address", (text: string) => `https://example.com/?q=${encodeURIComponent(text)}&b=1`],
    ["in a form", (text: string) => new URLSearchParams({ q: text }).toString()],
    ["in base64", (text: string) => Buffer.from(text).toString("base64")],
    ["in base64 after one byte", (text: string) => Buffer.from(`u${text}`).toString("base64")],
    ["in base64 after two bytes", (text: string) => Buffer.from(`u:${text}\n`).toString("base64")],
    ["in base64 for addresses", (text: string) => Buffer.from(`user:${text}`).toString("base64url")],
    ["in colour", (text: string) => `${text.slice(0, 4)}\u001B[31m${text.slice(4)}\u001B[0m`],
  ])("is hidden %s", (_, write) => {
    const written = write(value);
    const shown = scrubText(`before ${written} after`, known);
    expect(shown).toContain("«secret:KEY»");
    expect(shown.length).toBeLessThan("before  after".length + written.length);
    expect(shown).not.toContain(written.slice(-14, -4));
  });
});

it("hides lines and pieces of a long value", () => {
  const random = seeded(3);
  const lines = Array.from({ length: 20 }, () => randomText(random, BASE62, 64));
  const known = declared({ BLOB: lines.join("\n") });
  expect(scrubText(lines.join("\n"), known)).toBe("«secret:BLOB»");
  expect(scrubText(`one: ${lines[7]}`, known)).toBe("one: «secret:BLOB»");
  expect(scrubText(JSON.stringify(lines.join("\n")), known)).toBe('"«secret:BLOB»"');
});

it.each([
  [
    "leaves nothing of secrets that overlap",
    { ONE: "abcdefgh-12345678-XYZ1", TWO: "12345678-XYZ1-ijklmnop" },
    "<abcdefgh-12345678-XYZ1-ijklmnop>",
    "<«secret:ONE»>",
  ],
  [
    "finds what begins as another does",
    { A: "key-aaaa-1111-bbbb-2222x", B: "key-aaaa-1111-bbbb-3333x", C: "a-1111-bbbb-4444-cccc" },
    "key-aaaa-1111-bbbb-4444-cccc key-aaaa-1111-bbbb-3333x",
    "key-aaa«secret:C» «secret:B»",
  ],
  [
    "finds the end of what does not stand alone",
    { LONGER: "abc9-horse1234", SHORTER: "horse1234" },
    "xabc9-horse1234",
    "xabc9-«secret:SHORTER»",
  ],
  [
    "hides the password of an address apart from it",
    { DATABASE_URL: "postgres://app:s3cr3t%2Fvalue@db.internal/app" },
    'authentication failed for "app" with s3cr3t/value',
    'authentication failed for "app" with «secret:DATABASE_URL»',
  ],
])("%s", (_, values, text, shown) => {
  expect(scrubText(text, declared(values))).toBe(shown);
});

it("scrubs what is scrubbed no further", () => {
  const known = declared({ API_KEY_2B: "k3J9xPq2Vb7Lm4Rt8Wz1", DB_PASSWORD: "postgres" });
  const once = scrubText(
    'API_KEY_2B=k3J9xPq2Vb7Lm4Rt8Wz1 DB_PASSWORD="postgres" password: Summer2024!x',
    known,
  );
  expect(once).toBe('API_KEY_2B=«secret:API_KEY_2B» DB_PASSWORD="«secret:DB_PASSWORD»" password: «secret»');
  expect(scrubText(once, known)).toBe(once);
});
