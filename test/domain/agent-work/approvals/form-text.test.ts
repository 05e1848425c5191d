import { describe, expect, it } from "vitest";
import { contentOfText, formLines } from "#src/domain/agent-work/approvals/index.ts";
import type { AskedField, AskedInput } from "#src/wire/asked-input.ts";
import { hostileTexts } from "#test/cli/support/hostile-texts.ts";

const form = (...fields: (Partial<AskedField> & { name: string })[]): AskedInput => ({
  mode: "form",
  server: "s",
  message: "m",
  fields: fields.map((field) => ({ title: field.name, required: false, type: "string", ...field })),
});

const SIZES = [
  { value: "s", title: "Small" },
  { value: "l", title: "Large" },
];
const REGION = { name: "region", title: "Region", required: true } as const;
const DEPLOY = form(
  REGION,
  { name: "replicas", type: "integer", min: 1, max: 9, default: 2 },
  { name: "isPublic", title: "Public", type: "boolean" },
  { name: "size", type: "choice", options: SIZES, default: "s" },
  { name: "parts", title: "Parts: which", type: "choices", options: SIZES },
);

describe("a form as text", () => {
  it("has a line for each field, by the label that answers it", () => {
    expect(formLines(DEPLOY)?.split("\n")).toEqual([
      "Region: a text",
      "replicas (optional): a whole number, at least 1, at most 9; otherwise 2",
      "Public (optional): yes or no",
      "size (optional): one of Small, Large; otherwise Small",
      "Parts: which (optional): some of Small, Large, with commas between them",
    ]);
  });

  it("hides nothing and has no line of its own", () => {
    for (const text of hostileTexts().filter((each) => each.length < 200)) {
      const lines = formLines(form({ name: "a", title: text, description: text }));
      expect(lines).not.toMatch(/[^\P{Cc}\t]|[\p{Zl}\p{Zp}\u200B\u202A-\u202E\u2066-\u2069]/u);
    }
  });

  it("has names where titles are alike, and is none where it is too long or names are alike", () => {
    const alike = form({ name: "a", title: "X" }, { name: "b", title: "x" });
    expect(formLines(alike)).toBe("a (optional): a text\nb (optional): a text");
    expect(formLines(form({ name: "a" }, { name: "A" }))).toBeUndefined();
    expect(formLines(form({ name: "a", description: "x".repeat(1_500) }))).toBeUndefined();
  });
});

describe("a text as answers", () => {
  it.each([
    [form(REGION), "eu-1", { region: "eu-1" }],
    [form(REGION), "region: eu-1\nand: more", { region: "eu-1\nand: more" }],
    [form(REGION), " ", {}],
    [DEPLOY, "Region: eu: 1", { region: "eu: 1", replicas: 2, size: "s" }],
    [
      DEPLOY,
      "region: eu\n two\nReplicas:3\npublic: Yes\nSIZE: large\nparts: which: small, L",
      { region: "eu\n two", replicas: 3, isPublic: true, size: "l", parts: ["s", "l"] },
    ],
    [DEPLOY, "Region: eu\r\nreplicas:\r\nsize: huge", { region: "eu", size: "huge" }],
    [form({ name: "n", type: "number" }), "many", { n: "many" }],
    [form(), "", {}],
  ])("%#: %j", (asked, text, content) => {
    expect(contentOfText(asked, text)).toEqual({ content });
  });

  it.each([
    ["a line of no field first", "eu-1\nRegion: x", "Write `!answer` and below it a line"],
    ["a field twice", "Region: a\nregion: b", '"Region" is there twice'],
  ])("refuses %s", (_, text, problem) => {
    expect(contentOfText(DEPLOY, text, "!")).toEqual({ problem: expect.stringContaining(problem) });
  });
});
