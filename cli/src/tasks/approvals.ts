import { ConnectionError, type TaskEvent } from "@agent-workspace/client";
import type { Context } from "../context.ts";
import { CommandError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { bold, dim, green, red, yellow } from "../output/styles.ts";
import type { Service } from "../service.ts";
import { askVerdict, type Verdict } from "./ask-approval.ts";
import type { LiveView } from "./live-view.ts";

type Required = Extract<TaskEvent, { type: "approval_required" }>;

/** Asks a person for approvals, and tells others how one is answered. */
export class Approvals {
  readonly #context: Context;
  readonly #service: Service;
  readonly #view: LiveView;
  readonly #interrupt: () => void;
  readonly #leave: ((error: CommandError) => void) | undefined;
  readonly #askVerdict: typeof askVerdict;
  /** Questions that are open, by approval. */
  readonly #open = new Map<string, AbortController>();

  /**
   * `interrupt` is called for Ctrl-C at a question; `leave`, with `--no-input`, for one that waits; `ask` is for those who read the
   * keys themselves otherwise.
   */
  constructor(
    context: Context,
    service: Service,
    view: LiveView,
    {
      interrupt,
      leave,
      ask = askVerdict,
    }: { interrupt: () => void; leave?: (error: CommandError) => void; ask?: typeof askVerdict | undefined },
  ) {
    this.#context = context;
    this.#service = service;
    this.#view = view;
    this.#interrupt = interrupt;
    this.#leave = context.options.input ? undefined : leave;
    this.#askVerdict = ask;
  }

  take(event: TaskEvent): void {
    if (event.type === "approval_required") this.#required(event);
    else if (event.type === "approval_answered") this.#answered(event.data.approval_id, event.data.verdict);
  }

  /** Ends all questions. */
  close(): void {
    for (const question of this.#open.values()) question.abort();
    this.#open.clear();
  }

  #required(event: Required): void {
    const { approval_id: id } = event.data;
    if (this.#open.has(id) || (this.#context.output.json && !this.#leave)) return;
    const question = new AbortController();
    this.#open.set(id, question);
    void this.#ask(event, question.signal).catch((error: unknown) => {
      // The answer may have come from elsewhere; the task's events say what holds.
      if (!question.signal.aborted)
        this.#view.note(red("Error: "), error instanceof Error ? error.message : "");
    });
  }

  async #ask(event: Required, signal: AbortSignal): Promise<void> {
    const { approval_id: id, tool, parameters_shortened: isShortened } = event.data;
    const leave = this.#leave;
    if (leave) {
      const asked = await this.#asked(id, signal);
      // Events are replayed: it may be answered by now.
      if (asked.response === null) leave(needsApproval(tool, this.#howToAnswer(id), asked.task_id));
      return;
    }
    // Who allows a long call, which events cut, has to see all of it.
    const parameters = isShortened ? (await this.#asked(id, signal)).parameters : event.data.parameters;
    this.#view.note(yellow("? "), bold(tool), " wants to run:");
    for (const line of linesOf(parameters)) this.#view.note("    ", line);
    const { stdin } = process;
    if (this.#service.caller === "key" || !this.#context.input.canAsk || !stdin.isTTY) {
      this.#view.note(dim(this.#howToAnswer(id)));
      return;
    }
    const verdict = await this.#askVerdict(stdin, {
      show: () =>
        this.#view.note(
          "  ",
          bold("y"),
          " allow once  ",
          bold("a"),
          " always in this chat  ",
          bold("n"),
          " deny",
        ),
      interrupt: this.#interrupt,
      signal,
    });
    if (verdict) await this.#answer(id, verdict);
  }

  #asked(approval: string, signal: AbortSignal) {
    return this.#service.workspace.request("GET", "/api/chat/agent/approvals/{approval}", {
      path: { approval },
      signal,
    });
  }

  async #answer(id: string, response: Verdict): Promise<void> {
    const answer = () => this.#service.workspace.approvals.answer(id, response);
    await answer().catch((error: unknown) => {
      // The question is gone from the screen. The service takes the same answer twice.
      if (!(error instanceof ConnectionError)) throw error;
      return answer();
    });
  }

  #answered(id: string, verdict: "allowed" | "refused"): void {
    this.#open.get(id)?.abort();
    this.#open.delete(id);
    if (this.#context.output.json) return;
    this.#view.note(verdict === "allowed" ? green("  ✓ allowed") : red("  ✗ denied"));
  }

  #howToAnswer(id: string): string {
    return this.#service.caller === "key"
      ? `Only a person can answer: \`workspace approvals allow ${id}\` (or deny), signed in.`
      : `Answer with \`workspace approvals allow ${id}\`, or deny.`;
  }
}

function needsApproval(tool: string, howToAnswer: string, taskId: string): CommandError {
  return new CommandError(
    EXIT.needsApproval,
    "approval_needed",
    `The task waits for an approval: ${tool}`,
    `${howToAnswer} \`workspace logs -f ${taskId}\` comes back to it. With --mode allow nothing is asked.`,
  );
}

/** The parameters of a call, each under its name. */
function linesOf(parameters: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(parameters).flatMap(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
    const [first = "", ...others] = text.split("\n");
    return [`${name}: ${first}`, ...others.map((line) => `  ${line}`)];
  });
}
