import { NeedsInput } from "../tools/needs-input.ts";
import type { ToolOutcome } from "../tools/run-tool.ts";
import { failure, type DeferredRequest, type DeferredState, type ToolResult } from "../tools/tool.ts";
import { pauseAfter, shownOf, timesOf, waitFor } from "./deferred-call.ts";
import { WaitingError } from "./gate.ts";
import { withTold } from "./run-asking.ts";
import type { taskEvents } from "#src/domain/agent-work/tasks/index.ts";
import type { TurnContext } from "./turn-context.ts";
import { roundOf, type DeferredCall, type PendingInput } from "./turn-records.ts";

/** How often in a row a server may fail to say what has become of a call. */
const MOST_FAILURES = { maybe: 8, hardly: 3, never: 1 };
/** A step that begins so little too early asks nevertheless: two machines have two clocks. */
const EARLY_MS = 500;

type Call = Parameters<typeof taskEvents.toolProgress>[0];
type Ask = (request: DeferredRequest) => Promise<DeferredState>;

/**
 * Follows a call that its server goes on with: asks the server once what has become of it, or gives it a person's answers. Throws
 * `WaitingError` as long as the call is not over. What is known of it is recorded before, so that every later executor goes on here.
 */
export async function followCall(
  turn: TurnContext,
  call: Call,
  deferred: DeferredCall,
  ask: Ask,
): Promise<ToolOutcome> {
  if (deferred.dueAt > Date.now() + EARLY_MS) throw new WaitingError(deferred.dueAt, { isAsking: false });
  const followed = new FollowedCall(turn, call, deferred, ask);
  const left = turn.log.records.inputOf(call.id);
  const isAsked = left && !left.wasSent && left.pending.round > deferred.rounds;
  return isAsked ? followed.answer(left.pending) : followed.look();
}

class FollowedCall {
  readonly #turn: TurnContext;
  readonly #call: Call;
  readonly #deferred: DeferredCall;
  readonly #ask: Ask;

  constructor(turn: TurnContext, call: Call, deferred: DeferredCall, ask: Ask) {
    this.#turn = turn;
    this.#call = call;
    this.#deferred = deferred;
    this.#ask = ask;
  }

  async look(): Promise<ToolOutcome> {
    const state = await this.#said();
    if (state.kind === "failed") return this.#failed(state);
    if (state.kind === "over") return overWith(state.result, this.#deferred);
    const { since, endsAt } = this.#deferred;
    const now = Date.now();
    const { pollMs, ttlMs = endsAt - since } = state;
    const times = timesOf({ since, pollMs, ttlMs }, now);
    if (now >= times.endsAt) return this.#giveUp(tooLong(this.#deferred, now));
    const known = { ...this.#deferred, ...times, failures: 0 };
    const answered = this.#turn.log.records.keysAnswered(this.#call.id, this.#deferred);
    const asks = state.asks.filter(({ key }) => !answered.has(key));
    if (asks.length > 0) return this.#question(known, asks);
    throw await waitFor(this.#turn, this.#call, await shownOf(this.#turn, this.#call, known, state.message));
  }

  /** Gives the server a person's answers. Throws `WaitingError` while a question is open. */
  async answer(pending: PendingInput): Promise<ToolOutcome> {
    const { records, writer } = this.#turn.log;
    const expiresAt = new Date(this.#deferred.endsAt);
    const { input, told } = await this.#turn.calls.questions.answersTo(
      this.#call,
      pending,
      records,
      expiresAt,
    );
    const state = await this.#said({ answers: input?.answers ?? {} });
    if (state.kind === "failed") return this.#failed(state);
    const answered = { ...this.#deferred, told: [...pending.told, ...told] };
    if (state.kind === "over") return overWith(state.result, answered);
    // Recorded after it was said: a server takes a repeated answer for none, and waits for one that it never got.
    writer.add({ records: [records.recordStart(roundOf(this.#call.id, pending.round))] });
    const { since, endsAt } = this.#deferred;
    const { dueAt } = timesOf({ since, pollMs: undefined, ttlMs: endsAt - since }, Date.now());
    throw await waitFor(this.#turn, this.#call, { ...answered, dueAt, failures: 0 });
  }

  async #question(
    known: DeferredCall,
    asks: Extract<DeferredState, { kind: "working" }>["asks"],
  ): Promise<ToolOutcome> {
    const { records, writer } = this.#turn.log;
    const { questions } = this.#turn.calls;
    const { server, told } = known;
    const before = records.inputOf(this.#call.id)?.pending;
    const needs = new NeedsInput(server, { asks, state: undefined });
    const pending = await questions.read(needs, { before, told });
    if (typeof pending === "string") return this.#giveUp(pending);
    const now = { ...known, dueAt: Date.now() };
    writer.add({
      records: [records.recordInput(this.#call.id, pending), records.recordDeferred(this.#call.id, now)],
    });
    await writer.flush();
    return new FollowedCall(this.#turn, this.#call, now, this.#ask).answer(pending);
  }

  async #failed(state: Extract<DeferredState, { kind: "failed" }>): Promise<ToolOutcome> {
    const { passes, result } = state;
    if ("cause" in state) this.#turn.toolFailed(this.#call.name, state.cause);
    const failures = this.#deferred.failures + 1;
    const now = Date.now();
    if (failures >= MOST_FAILURES[passes] || now >= this.#deferred.endsAt)
      return overWith(result, this.#deferred);
    const dueAt = now + pauseAfter(failures);
    throw await waitFor(this.#turn, this.#call, { ...this.#deferred, dueAt, failures });
  }

  /** Ends the call, and tells the server so, once. */
  async #giveUp(sentence: string): Promise<ToolOutcome> {
    await this.#said("cancel");
    return overWith(failure(sentence, "Go on without it, or tell the user."), this.#deferred);
  }

  #said(say?: DeferredRequest["say"]): Promise<DeferredState> {
    const { taskId, tool } = this.#deferred;
    return this.#ask({ taskId, tool, say });
  }
}

const overWith = (result: ToolResult, { told }: DeferredCall): ToolOutcome =>
  withTold({ success: result.success, result }, told);

const tooLong = ({ server, since }: DeferredCall, now: number) =>
  `The MCP server ${server} did not end the call within ${minutes(now - since)}. It was told to cancel it, and may have done a part of it.`;

const minutes = (ms: number) => (ms < 60_000 ? "a minute" : `${Math.round(ms / 60_000)} minutes`);
