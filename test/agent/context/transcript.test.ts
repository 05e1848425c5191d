import { describe, expect, it } from "vitest";
import { NO_COMPACTION, type Compaction } from "#src/agent/context/compaction.ts";
import { textOf, transcript, withoutImages, type HistoryMessage } from "#src/agent/context/transcript.ts";
import type { ModelMessage } from "#src/models/model.ts";
import { expectValid, turn } from "../context/conversation.ts";

const history: HistoryMessage[] = [
  { role: "user", content: "build a garden planner" },
  { role: "assistant", content: "built" },
  { role: "user", content: "add beds" },
  { role: "assistant", content: "" },
];
const long = "x".repeat(500);
const turns = [turn(1, [long, "short"]), turn(2, [long]), turn(3, [long])];
const conversation = { history, message: "add dates", turns };
const compacted = (changes: Partial<Compaction>) =>
  transcript({ ...conversation, compaction: { ...NO_COMPACTION, ...changes } });
const texts = (messages: readonly ModelMessage[]) =>
  messages.map(({ role, content }) => `${role}: ${typeof content === "string" ? content : "parts"}`);

describe("the transcript", () => {
  it("is the history, the task's message and its turns with all results", () => {
    expect(texts(transcript(conversation))).toEqual([
      "user: build a garden planner",
      "assistant: built",
      "user: add beds",
      "user: add dates",
      "assistant: said 1",
      `tool: ${long}`,
      "tool: short",
      "assistant: said 2",
      `tool: ${long}`,
      "assistant: said 3",
      `tool: ${long}`,
    ]);
    expect(compacted({})).toEqual(transcript(conversation));
  });

  it("shows the summary before the task's message, and what the chat began with, in place of what is folded", () => {
    const messages = compacted({ summary: "beds exist", keptHistory: 0, throughIteration: 2 });
    expect(texts(messages)).toEqual([
      "user: build a garden planner",
      expect.stringMatching(/^user: \[An account[^]*<summary>\nbeds exist\n<\/summary>$/u),
      "user: add dates",
      "assistant: said 3",
      `tool: ${long}`,
    ]);
    expectValid(messages);
  });

  it("shows old results as notes, leaves short ones, and shortens those that are too large", () => {
    const emptied = texts(compacted({ emptiedThrough: 2, shortened: { through: 3, chars: 100 } }));
    const note =
      "tool: [An old result of 500 characters is no longer shown. Run the tool again if you need it.]";
    expect(emptied.filter((text) => text.startsWith("tool: "))).toEqual([
      note,
      "tool: short",
      note,
      `tool: ${"x".repeat(50)}\n[... 400 characters cut ...]\n${"x".repeat(50)}`,
    ]);
  });

  it("shows the chat's own summary until the task has one that took it in", () => {
    const chatSummary = "of long ago";
    const shown = (compaction: Compaction | null) =>
      texts(transcript({ ...conversation, chatSummary, compaction }));
    expect(shown(null)[0]).toContain("of long ago");
    expect(shown({ ...NO_COMPACTION, emptiedThrough: 1 })[0]).toContain("of long ago");
    const newer = shown({ ...NO_COMPACTION, summary: "newer", keptHistory: 1, throughIteration: 0 });
    expect(newer.slice(0, 3)).toEqual([
      expect.stringContaining("newer"),
      "user: add beds",
      "user: add dates",
    ]);
  });

  it("keeps the newest of the history, however far back it reaches now", () => {
    const compaction = { ...NO_COMPACTION, summary: "s", keptHistory: 1 };
    const older: HistoryMessage[] = [{ role: "user", content: "even earlier" }, ...history];
    expect(texts(transcript({ ...conversation, history: older, compaction }))[2]).toBe("user: add beds");
    expect(texts(transcript({ ...conversation, history: [], compaction })).slice(0, 2)).toEqual([
      expect.stringContaining("<summary>"),
      "user: add dates",
    ]);
  });

  it("puts notes in place of pictures before the task, not of the task's own", () => {
    const picture = { type: "image" as const, mimeType: "image/png" as const, base64: "AAAA" };
    const messages = transcript({
      history: [{ role: "user", content: [picture, { type: "text", text: "like this" }] }],
      message: [picture],
      turns: [],
      compaction: { ...NO_COMPACTION, picturesGone: true },
    });
    expect(messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "[A picture was here.]" },
          { type: "text", text: "like this" },
        ],
      },
      { role: "user", content: [picture] },
    ]);
  });

  it("can be shown to a model that takes no pictures", () => {
    const content = [
      { type: "image" as const, mimeType: "image/png" as const, base64: "AAAA" },
      { type: "text" as const, text: "like this" },
    ];
    expect(textOf(withoutImages(content))).toBe("[A picture was here.]\n\nlike this");
    expect(withoutImages("like this")).toBe("like this");
  });

  it("begins with a user's message where the history begins in the middle", () => {
    const messages = transcript({ history: history.slice(1), message: "add dates", turns: [] });
    expect(texts(messages)[0]).toBe("user: [Earlier messages are not shown.]");
    expectValid(messages);
  });
});
