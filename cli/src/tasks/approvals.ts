import {
  BadRequestError,
  ConnectionError,
  visibleLine,
  type api,
  type TaskEvent,
} from "@agent-workspace/client";
import type { Context } from "../context.ts";
import { CommandError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { bold, dim, green, red, yellow } from "../output/styles.ts";
import type { Service } from "../service.ts";
import { howToAnswerInput, linesOfInput } from "./asked-input.ts";
import { askVerdict, type Verdict } from "./ask-approval.ts";
import { askForm, type Content, type InputAnswer } from "./ask-form.ts";
import type { LiveView } from "./live-view.ts";

type Required = Extract<TaskEvent, { type: "approval_required" }>;

/** Runs a question while nobody else reads the keys. */
export type Suspended = <T>(ask: () => Promise<T>) => Promise<T>;

/** Asks a person for approvals, and tells others how one is answered. */
export class Approvals {
  readonly #context: Context;
  readonly #service: Service;
  readonly #view: LiveView;
  readonly #interrupt: () => void;
  readonly #leave: ((error: CommandError) => void) | undefined;
  readonly #suspended: Suspended;
  /** Questions that are open, by approval. */
  readonly #open = new Map<string, AbortController>();

  /**
   * `interrupt` is called for Ctrl-C at a question; `leave`, with `--no-input`, for one that waits; `suspended` is for those who read
   * the keys themselves otherwise.
   */
  constructor(
    context: Context,
    service: Service,
    view: LiveView,
    {
      interrupt,
      leave,
      suspended = (ask) => ask(),
    }: {
      interrupt: () => void;
      leave?: (error: CommandError) => void;
      suspended?: Suspended | undefined;
    },
  ) {
    this.#context = context;
    this.#service = service;
    this.#view = view;
    this.#interrupt = interrupt;
    this.#leave = context.options.input ? undefined : leave;
    this.#suspended = suspended;
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
    const { input } = event.data;
    if (input) return this.#askInput(id, input, signal);
    // Who allows a long call, which events cut, has to see all of it.
    const parameters = isShortened ? (await this.#asked(id, signal)).parameters : event.data.parameters;
    this.#view.note(yellow("? "), bold(tool), " wants to run:");
    for (const line of linesOf(parameters)) this.#view.note("    ", line);
    const { stdin } = process;
    if (!this.#canAsk) {
      this.#view.note(dim(this.#howToAnswer(id)));
      return;
    }
    const show = () =>
      this.#view.note(
        "  ",
        bold("y"),
        " allow once  ",
        bold("a"),
        " allow this tool in this chat  ",
        bold("n"),
        " deny",
      );
    const question = { show, interrupt: this.#interrupt, signal };
    const verdict = await this.#suspended(() => askVerdict(stdin, question));
    if (verdict) await this.#answer(id, verdict);
  }

  get #canAsk(): boolean {
    return this.#service.caller !== "key" && this.#context.input.canAsk && process.stdin.isTTY;
  }

  /** Asks what a server asks field by field, or says which command answers it. */
  async #askInput(id: string, input: api.AskedInput, signal: AbortSignal): Promise<void> {
    this.#view.note(yellow("? "), bold(visibleLine(input.server)), " asks:");
    for (const line of linesOfInput(input)) this.#view.note("    ", line);
    if (!this.#canAsk) return this.#view.note(dim(howToAnswerInput(id, input, this.#service.caller)));
    this.#view.note(dim(input.mode === "url" ? "Open it only if you trust it." : "Never give secrets."));
    const interrupt = this.#interrupt;
    let before: Content | undefined;
    for (;;) {
      const asking = { before, interrupt, signal };
      const answer = await this.#suspended(() => askForm(input, asking));
      if (!answer) return;
      const content = "content" in answer ? answer.content : undefined;
      try {
        return await this.#answer(id, answer.response, content);
      } catch (error) {
        if (!(error instanceof BadRequestError)) throw error;
        this.#view.note(red("Not taken: "), error.message);
        before = content;
      }
    }
  }

  #asked(approval: string, signal: AbortSignal) {
    return this.#service.workspace.request("GET", "/api/chat/agent/approvals/{approval}", {
      path: { approval },
      signal,
    });
  }

  async #answer(id: string, response: Verdict | InputAnswer["response"], content?: Content): Promise<void> {
    const answer = () => this.#service.workspace.approvals.answer(id, response, { content });
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
    `The task needs your input: ${tool}`,
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
