import type { ConversationCall } from "@agent-workspace/client";
import { describe, expect, it } from "vitest";
import { lineOf } from "../../console/src/parts/agent/call-line.ts";
import { changedBy } from "../../console/src/parts/agent/line-counts.ts";
import { linkedFile } from "../../console/src/parts/files/linked-file.ts";
import { completed, completionAt } from "../../console/src/pages/chat/completion.ts";
import { isSending } from "../../console/src/pages/chat/sending-key.ts";

const call = (tool: string, fields: Partial<ConversationCall>): ConversationCall => ({
  id: "1.0",
  tool,
  args: {},
  state: "done",
  result: { success: true },
  durationMs: undefined,
  startedAt: undefined,
  ...fields,
});
const edit = (file_path: string, lines_added: number, lines_removed: number) =>
  call("patch_file", { args: { file_path }, result: { details: { lines_added, lines_removed } } });

const notesAt = (progress: NonNullable<ConversationCall["progress"]>) =>
  lineOf(call("mcp__a__b", { state: "running", progress }), undefined).notes;

describe("the line of a call", () => {
  it("says what happened to what, with lines, exit code and time", () => {
    expect(lineOf(edit("src/parser.ts", 12, 3), undefined)).toMatchObject({
      verb: "Edited",
      target: "src/parser.ts",
      file: "src/parser.ts",
      counts: { added: 12, removed: 3 },
      outcome: "done",
    });
    expect(lineOf(call("mcp__tracker__list_issues", {}), undefined).verb).toBe("tracker: list issues");
    const args = { command: "npm test\nrm x" };
    const failed = { args, state: "failed", result: { exit_code: 1 }, durationMs: 4_200 } as const;
    expect(lineOf(call("bash_exec", failed), undefined)).toMatchObject({
      verb: "Ran",
      target: "npm test",
      notes: ["exit 1", "4.2 s"],
      outcome: "failed",
    });
    expect(lineOf(call("bash_exec", { args, state: "running" }), undefined).verb).toBe("Running");
    expect(lineOf(call("read_file", { state: "failed" }), undefined).verb).toBe("Could not read");
  });

  it("says how far it is, with nothing hidden in what the tool says", () => {
    expect(notesAt({ message: "Indexing\u202E", progress: 3, total: 10 })).toEqual([
      "Indexing\\u{202E} (3 of 10)",
    ]);
    expect(notesAt({ message: "", progress: 3, total: undefined })).toEqual(["3"]);
  });

  it("says who denied it and why, of a history and of what comes live", () => {
    const denied = { state: "failed", result: { denied: { by: "Ada", reason: "Too early" } } } as const;
    const line = lineOf(call("write_file", denied), undefined);
    expect(line).toMatchObject({ verb: "Write", notes: ["Denied by Ada: Too early"], outcome: "denied" });
    const approval = {
      approvalId: "a",
      toolCallId: "1.0",
      tool: "write_file",
      args: {},
      state: "refused",
      reason: undefined,
      expiresAt: undefined,
    } as const;
    const live = call("write_file", { state: "failed", result: { success: false } });
    expect(lineOf(live, approval)).toMatchObject({ notes: ["Denied"], outcome: "denied" });
  });
});

it("what a task has changed is summed over its edits, a file once, without what failed", () => {
  const calls = [
    edit("a.ts", 3, 1),
    edit("./a.ts", 2, 0),
    call("write_file", { args: { file_path: "b.ts" }, result: { details: { line_count: 35 } } }),
    call("multi_edit", {
      args: { path: "c.ts" },
      result: { diff: "--- a/c\n+++ b/c\n@@ -1 +1 @@\n-x\n+y\n" },
    }),
    { ...edit("d.ts", 9, 9), state: "failed" as const },
    call("bash_exec", { args: { command: "touch e" } }),
  ];
  const turn = { iteration: 1, text: "", thinking: undefined, calls, isComplete: true };
  expect(changedBy([turn])).toEqual({ files: ["a.ts", "b.ts", "c.ts"], added: 41, removed: 2 });
  expect(changedBy([{ ...turn, calls: [] }])).toBeUndefined();
});

it.each([
  ["hello.txt", { path: "hello.txt" }],
  ["./src/app.ts#L12", { path: "src/app.ts", line: 12 }],
  ["src/app.ts#L12-L20", { path: "src/app.ts", line: 12 }],
  ["/docs/a%20b.md", { path: "docs/a b.md" }],
  ["../secret", undefined],
  ["a/../../secret", undefined],
  ["//evil.example/x", undefined],
  ["https://evil.example/x", undefined],
  ["javascript:alert(1)", undefined],
  ["java&#x73;cript:alert(1)", undefined],
  ["java%73cript:alert(1)", undefined],
  ["#part", undefined],
  ["", undefined],
])("the address %j of a text leads to %j", (href, file) => {
  expect(linkedFile(href)).toEqual(file);
});

describe("what is completed", () => {
  it.each([
    ["/", 1, { kind: "command", from: 0, query: "" }],
    ["/und", 4, { kind: "command", from: 0, query: "und" }],
    ["/undo this", 10, undefined],
    ["a /undo", 7, undefined],
    ["See @src/pa", 11, { kind: "file", from: 4, query: "src/pa" }],
    ["(@x", 3, { kind: "file", from: 1, query: "x" }],
    ["me@example", 10, undefined],
    ["@a b", 4, undefined],
  ] as const)("%j at %i", (text, caret, completion) => {
    expect(completionAt(text, caret)).toEqual(completion);
  });

  it("takes the place of what was written of it, with a space behind it", () => {
    const text = "See @pa and go on";
    const completion = completionAt(text, 7);
    expect(completion && completed(text, completion, "src/parser.ts")).toEqual({
      text: "See src/parser.ts and go on",
      caret: 17,
    });
    expect(completed("@p", { kind: "file", from: 0, query: "p" }, "a.ts")).toEqual({
      text: "a.ts ",
      caret: 5,
    });
  });
});

const key = (fields: object) => ({
  key: "Enter",
  keyCode: 13,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  ...fields,
});

/** Whether a key sends, where Enter sends and where it breaks the line. */
const both = (fields: object) => [true, false].map((sends) => isSending(key(fields), sends));

it("Enter sends or breaks the line as the person set it, and never while an input method composes", () => {
  expect(both({})).toEqual([true, false]);
  expect(both({ shiftKey: true })).toEqual([false, true]);
  expect(both({ ctrlKey: true })).toEqual([true, true]);
  expect(both({ metaKey: true })).toEqual([true, true]);
  expect(both({ isComposing: true })).toEqual([false, false]);
  expect(both({ keyCode: 229 })).toEqual([false, false]);
  expect(both({ key: "a", ctrlKey: true })).toEqual([false, false]);
});
