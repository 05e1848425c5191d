import {
  requestInput,
  withdrawInput,
  withdrawInputs,
  type InputVerdict,
} from "#src/domain/agent-work/approvals/index.ts";
import { readAskedInput } from "#src/domain/agent-work/mcp/index.ts";
import {
  publishQuestions,
  taskEvents,
  type ClaimedTask,
  type FinishDeps,
} from "#src/domain/agent-work/tasks/index.ts";
import { cut, oneLine } from "#src/lib/one-line.ts";
import type { McpAnswer, McpInput } from "#src/platform/mcp-client/mcp-client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { AskedInput } from "#src/wire/asked-input.ts";
import { markKnownSecrets } from "../scrubbing/scrub.ts";
import type { RunSecrets } from "../scrubbing/run-secrets.ts";
import type { LogWriter } from "../steps/log-writer.ts";
import type { NeedsInput } from "../tools/needs-input.ts";
import { WaitingError } from "./gate.ts";
import { MOST_ROUNDS, type PendingInput, type TurnRecords } from "./turn-records.ts";

/** Most questions that a person is asked in one call, and most characters that a server may want back with the answers. */
const MOST_QUESTIONS = 5;
const STATE_CHARS = 64_000;
/** How long a call of an older revision is held open for an answer: less than the silence that ends it. */
const HOLD_MS = 90_000;
const LOOK_MS = 1_500;
/** Most characters of a question that the model is told. */
const TOLD_CHARS = 300;

const ELICITATION = "elicitation/create";

/** The call that a server asks about. */
export interface AskingCall {
  iteration: number;
  id: string;
  name: string;
}

export interface InputDeps extends FinishDeps {
  secrets: Pick<Secrets, "decrypt">;
  config: { APPROVAL_EXPIRE_HOURS: number };
}

interface Parts {
  writer: LogWriter;
  secrets: Pick<RunSecrets, "stored">;
  signal: AbortSignal;
}

/** What MCP servers ask a task's person in the middle of calls. Only the person answers. */
export class InputQuestions {
  readonly #deps: InputDeps;
  readonly #task: ClaimedTask;
  readonly #parts: Parts;

  constructor(deps: InputDeps, task: ClaimedTask, parts: Parts) {
    this.#deps = deps;
    this.#task = task;
    this.#parts = parts;
  }

  /** What a call needs, to be recorded before anybody is asked; or why it is given up, in a sentence. */
  async read(
    { server, needs: { asks, state, isRefusal } }: NeedsInput,
    { before, told }: { before: PendingInput | undefined; told: readonly string[] },
  ): Promise<PendingInput | string> {
    const round = (before?.round ?? 0) + 1;
    const other = asks.find(({ method }) => method !== ELICITATION)?.method;
    if (other !== undefined)
      return `The MCP server ${server} wants ${cut(oneLine(other), 60)} of its client, which is not supported.`;
    if (round > MOST_ROUNDS) return `The MCP server ${server} asked again and again. The call was given up.`;
    const kept = [state ?? "", ...asks.map(({ key }) => key)];
    if (kept.reduce((chars, each) => chars + each.length, 0) > STATE_CHARS)
      return `The MCP server ${server} wants more back than a client keeps. The call was given up.`;
    if (asks.length > MOST_QUESTIONS) return tooMany(server);
    const asked = before?.asked ?? 0;
    const pending: PendingInput = { round, server, asked, questions: [], declined: [], told: [...told] };
    if (state !== undefined) pending.state = state;
    if (isRefusal) pending.isRefusal = true;
    for (const { key, params } of asks) {
      if (pending.asked >= MOST_QUESTIONS) return tooMany(server);
      const question = await this.#read(server, params);
      if ("asked" in question) {
        pending.asked += 1;
        pending.questions.push({ key, number: pending.asked, asked: question.asked });
      } else {
        pending.declined.push(key);
        pending.told.push(question.sentence);
      }
    }
    return pending;
  }

  /**
   * The answers to what a call needs, and what the model is told of them; no input for a call that its server goes on refusing. Asks the
   * person first, and throws `WaitingError` while a
   * question is open: for APPROVAL_EXPIRE_HOURS, or until `expiresAt`.
   */
  async answersTo(
    call: AskingCall,
    { questions, declined, state, isRefusal }: PendingInput,
    records: TurnRecords,
    expiresAt?: Date,
  ): Promise<{ input: McpInput | undefined; told: string[] }> {
    const answers: [string, McpAnswer][] = declined.map((key) => [key, { action: "decline" }]);
    const told: string[] = [];
    const open: number[] = [];
    for (const { key, number, asked } of questions) {
      const verdict = await this.#ask(
        call,
        { number, asked, expiresAt },
        records.wasAsked(askedKey(call, number)),
        records,
      );
      if (verdict.kind === "open") open.push(verdict.approval.expiresAt.getTime());
      else {
        answers.push([key, answerOf(verdict)]);
        told.push(sentenceOf(asked, verdict.action));
      }
    }
    if (open.length > 0) throw new WaitingError(Math.min(...open));
    if (!isRefusal) return { input: { answers: Object.fromEntries(answers), state }, told };
    const isAccepted = answers.every(([, { action }]) => action === "accept");
    return { input: isAccepted ? { answers: {}, state } : undefined, told };
  }

  /**
   * Answers a question that a server of an older revision asks in the middle of a call, which is held open for the person for
   * `HOLD_MS`, and withdrawn once the call is `over`. `number` counts the questions of the call from 1. Throws nothing but the signal's reason.
   */
  async hold(
    call: AskingCall,
    { server, params, number, over }: { server: string; params: unknown; number: number; over: AbortSignal },
    records: TurnRecords,
  ): Promise<{ answer: McpAnswer; told: string }> {
    if (number > MOST_QUESTIONS)
      return declined(`The server asked more than ${MOST_QUESTIONS} questions; the others were declined.`);
    const question = await this.#read(server, params);
    if (!("asked" in question)) return declined(question.sentence);
    const { asked } = question;
    const expiresAt = new Date(Date.now() + HOLD_MS);
    let wasAsked = false;
    for (;;) {
      const verdict = await this.#ask(call, { number, asked, expiresAt }, wasAsked, records);
      if (verdict.kind === "answered") {
        const isLate = verdict.approval.response === null;
        const told = isLate ? lateSentence(asked) : sentenceOf(asked, verdict.action);
        return { answer: answerOf(verdict), told };
      }
      if (!wasAsked) {
        const { task, kind } = this.#task;
        await this.#parts.writer.flush();
        await publishQuestions(this.#deps, { ...task, kind });
      }
      wasAsked = true;
      const { signal } = this.#parts;
      await lookAgain(AbortSignal.any([signal, over]));
      signal.throwIfAborted();
      if (over.aborted) await withdrawInput(this.#deps, verdict.approval);
    }
  }

  /** Cancels the questions of a call that was lost with its executor: its server no longer waits for them. */
  async withdraw({ iteration, id: callId, name: tool }: AskingCall): Promise<void> {
    const withdrawn = await withdrawInputs(this.#deps, { taskId: this.#task.task.id, iteration, callId });
    const events = withdrawn.map(({ id }) =>
      taskEvents.approvalAnswered({ id, callId, tool, verdict: "refused", reason: null }),
    );
    if (events.length > 0) this.#parts.writer.add({ events });
  }

  async #read(server: string, params: unknown): Promise<{ asked: AskedInput } | { sentence: string }> {
    const known = await this.#parts.secrets.stored();
    const read = readAskedInput(server, params, (text) => markKnownSecrets(text, known));
    if ("problem" in read)
      return { sentence: `The server asked for input, which was declined: ${read.problem}.` };
    // A program that began the task, or a schedule: a person may come tomorrow, or never.
    const { kind } = this.#task;
    if (kind === "api" || kind === "schedule")
      return {
        sentence: `The server asked “${wordsOf(read.asked)}”. It was declined: nobody is there to answer.`,
      };
    return read;
  }

  async #ask(
    call: AskingCall,
    { number, asked, expiresAt }: { number: number; asked: AskedInput; expiresAt?: Date | undefined },
    wasAsked: boolean,
    records: TurnRecords,
  ): Promise<InputVerdict> {
    const { id: taskId, chatId } = this.#task.task;
    const { iteration, id: callId, name: tool } = call;
    const place = { taskId, iteration, callId, tool, question: number, asked };
    const verdict = await requestInput(this.#deps, place, expiresAt);
    const { id, reason, parameters } = verdict.approval;
    const { writer } = this.#parts;
    if (verdict.kind === "answered") {
      // Told once, though another question is still open, or the answer is sent again.
      if (records.wasAsked(answeredKey(call, number))) return verdict;
      const outcome = verdict.action === "accept" ? "allowed" : "refused";
      writer.add({
        events: [taskEvents.approvalAnswered({ id, callId, tool, verdict: outcome, reason })],
        records: [records.recordQuestion(answeredKey(call, number))],
      });
    } else if (!wasAsked) {
      const question = {
        id,
        callId,
        tool,
        parameters,
        isShortened: false,
        description: `The MCP server ${asked.server} asks for input`,
        chatId,
        expiresAt: verdict.approval.expiresAt,
        asked,
      };
      writer.add({
        events: [taskEvents.approvalRequired(question)],
        records: [records.recordQuestion(askedKey(call, number))],
      });
    }
    return verdict;
  }
}

/** Resolves when it is time to look for an answer again, and at once when the signal aborts. */
function lookAgain(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, LOOK_MS);
  const end = () => resolve();
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  });
}

/** The id under which it is recorded that a question is in the log. */
const askedKey = ({ id }: AskingCall, number: number) => `${id}?${number}`;
/** The same of its answer. */
const answeredKey = (call: AskingCall, number: number) => `${askedKey(call, number)}!`;

function answerOf({ action, answers }: Extract<InputVerdict, { kind: "answered" }>): McpAnswer {
  return { action, ...(action === "accept" && answers !== null && { content: answers }) };
}

const wordsOf = ({ message }: AskedInput) => cut(oneLine(message), TOLD_CHARS);

function sentenceOf(asked: AskedInput, action: McpAnswer["action"]): string {
  const did = { accept: "answered", decline: "declined", cancel: "did not answer" }[action];
  return `The server asked “${wordsOf(asked)}”. The user ${did}.`;
}

const lateSentence = (asked: AskedInput) =>
  `The server asked “${wordsOf(asked)}” and waited ${HOLD_MS / 1_000} seconds. Nobody answered: call it again when the user is there.`;

const tooMany = (server: string) =>
  `The MCP server ${server} asked more than ${MOST_QUESTIONS} questions in one call. The call was given up.`;

const declined = (told: string) => ({ answer: { action: "decline" } as const, told });
