import type { TaskEvent, ToolResult } from "@agent-workspace/client";
import { isObject, textOf } from "../json.ts";
import { diffLine } from "../output/diff.ts";
import { visibleLine } from "@agent-workspace/client";
import type { Output } from "../output/output.ts";
import { bold, cyan, dim, green, red, yellow, type Part } from "../output/styles.ts";

/** Longest line that names a call. */
const MAX_CALL = 100;
/** Most lines of a diff; the project has all. */
const MAX_DIFF_LINES = 60;

/**
 * Shows a task as it works. The agent's text is data, and goes to standard output; calls, edits and the outcome go to standard
 * error. On a terminal text comes as it is written; elsewhere a turn's text comes when the turn has ended, because a turn that
 * starts over takes its text back.
 */
export class LiveView {
  readonly #output: Output;
  /** Moments at which calls began, by id. */
  readonly #begun = new Map<string, number>();
  #isLineOpen = false;
  #shownOfTurn = false;
  /** The first half of a character that comes in two events. */
  #held = "";

  constructor(output: Output) {
    this.#output = output;
  }

  take(event: TaskEvent): void {
    if (this.#output.json) return this.#output.record(event);
    switch (event.type) {
      case "text_delta":
        return this.#text(event.content);
      case "turn_restarted":
        if (!this.#shownOfTurn) return;
        this.#shownOfTurn = false;
        return this.note(yellow("↺ The turn starts over; its text so far does not count."));
      case "tool_start":
        this.#begun.set(event.data.id, Date.now());
        if (this.#output.isTerminal) this.note(dim(`${clock()} ▸ ${callLine(event.tool, event.args)}`));
        return;
      case "tool_progress":
        if (this.#output.isTerminal)
          this.note(dim(`    ${visibleLine(event.content)}${countOf(event.data)}`));
        return;
      case "tool_result":
        return this.#result(event.data.id, event.tool, event.args, event.result);
      case "agent_step":
        return this.#step(event.data.response_text);
      case "waiting":
        return this.note(yellow(event.content));
      case "context_pressure":
        return this.note(dim("The conversation was shortened for the model."));
      case "plan_update":
        return this.#plan(event.data);
      case "error":
        return this.note(red("Error: "), event.error);
      case "task_started":
      case "tool_error":
      case "approval_required":
      case "approval_answered":
      case "credits_used":
      case "chat_title":
      case "complete":
      case "done":
        return undefined;
    }
  }

  /** A line on standard error, on a line of its own. */
  note(...parts: readonly Part[]): void {
    this.endLine();
    this.#output.note(...parts);
  }

  /** Ends the line of text that is open, if there is one. */
  endLine(): void {
    if (this.#isLineOpen) this.#output.printPart("\n");
    this.#isLineOpen = false;
  }

  #text(content: string): void {
    if (!this.#output.isTerminal) return;
    const text = this.#held + content;
    this.#held = /[\uD800-\uDBFF\r]$/u.exec(text)?.[0] ?? "";
    const whole = text.slice(0, text.length - this.#held.length);
    if (whole === "") return;
    this.#output.printPart(whole);
    this.#isLineOpen = !whole.endsWith("\n");
    this.#shownOfTurn = true;
  }

  #step(text: string): void {
    this.#held = "";
    this.#shownOfTurn = false;
    if (this.#output.isTerminal) return this.endLine();
    if (text.trim() !== "") this.#output.print(text);
  }

  #result(id: string, tool: string, args: Readonly<Record<string, unknown>>, result: ToolResult): void {
    const begun = this.#begun.get(id);
    this.#begun.delete(id);
    const reason = typeof result["error"] === "string" ? result["error"] : "failed";
    const seconds = begun === undefined ? "" : dim(` ${((Date.now() - begun) / 1000).toFixed(1)} s`);
    this.note(
      dim(`${clock()} `),
      result["success"] === true ? green("✓ ") : red("✗ "),
      callLine(tool, args),
      seconds,
      ...(result["success"] === true ? [] : [red(` ${visibleLine(reason)}`)]),
    );
    const lines = editLines(result);
    for (const line of lines.slice(0, MAX_DIFF_LINES)) this.note("    ", diffLine(line));
    if (lines.length > MAX_DIFF_LINES) this.note(dim(`    … ${lines.length - MAX_DIFF_LINES} more lines`));
  }

  #plan(data: Readonly<Record<string, unknown>>): void {
    const steps = [data["steps"], data["plan"], data["items"], data["todos"]].find(Array.isArray);
    if (!steps) return;
    this.note(bold("Plan"));
    for (const step of steps) {
      if (!isObject(step)) continue;
      const text = textOf(step, "step") ?? textOf(step, "content") ?? textOf(step, "title") ?? "";
      const isDone = step["status"] === "completed";
      this.note(isDone ? green("  ✓ ") : cyan("  · "), visibleLine(text));
    }
  }
}

/** Hours, minutes and seconds of this machine's clock. */
function clock(): string {
  return new Date().toTimeString().slice(0, 8);
}

/** `(3 of 10)` beside the words of a tool that counts. */
function countOf({
  message,
  progress,
  total,
}: Extract<TaskEvent, { type: "tool_progress" }>["data"]): string {
  return message === "" || total === undefined ? "" : ` (${progress} of ${total})`;
}

/** A call in one line: the tool, and what tells it apart from others. */
function callLine(tool: string, args: Readonly<Record<string, unknown>>): string {
  const telling = [
    args["file_path"],
    args["path"],
    args["command"],
    args["url"],
    args["query"],
    args["pattern"],
  ];
  const named = telling.find((each): each is string => typeof each === "string");
  const about = named ?? (Object.keys(args).length === 0 ? "" : JSON.stringify(args));
  const line = visibleLine(`${tool} ${about}`);
  return line.length > MAX_CALL ? `${line.slice(0, MAX_CALL - 1)}…` : line;
}

/** The lines of an edit: the diff that the tool made, or the beginning and the end of a new file. */
function editLines(result: ToolResult): string[] {
  const { success, file_path: file, diff, preview } = result;
  if (!success || typeof file !== "string") return [];
  if (typeof diff === "string")
    return linesOf(diff).filter((line) => !/^(={3,}|Index: |--- |\+\+\+ )/u.test(line));
  return typeof preview === "string" ? linesOf(preview).map((line) => `+${line}`) : [];
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/u, "").split("\n");
}
