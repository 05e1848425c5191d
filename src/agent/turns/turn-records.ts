import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { AskedInput } from "#src/wire/asked-input.ts";
import type { TurnRecord } from "#src/platform/objects/task-logs.ts";

const Answer = z.object({
  text: z.string(),
  /** The model's thinking, scrubbed and bounded; empty for none. */
  thought: z.string().default(""),
  /** The part that is returned to the model with the answer, encrypted by `sealPart`. */
  kept: z.string().nullable().default(null),
  toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
  finishReason: z.enum(["stop", "tool_calls", "length", "content_filter", "other"]),
  usage: z.object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cachedInputTokens: z.number(),
    cacheWriteTokens: z.number(),
  }),
});
export type Answer = z.infer<typeof Answer>;

const Result = z.object({ result: z.object({ success: z.boolean() }).loose(), modelText: z.string() });
export type RecordedResult = z.infer<typeof Result>;

/** Most times that a call is made again with a person's answers. */
export const MOST_ROUNDS = 5;

/** The id under which a call that is made again is recorded. */
export const roundOf = (callId: string, round: number) => `${callId}#${round}`;

/** What a server needs before its call goes on; recorded before anybody is asked. */
const Pending = z.object({
  /** From 1, of the calls of this one that needed input. */
  round: z.number(),
  server: z.string(),
  /** How many questions a person was asked in the call, with these. */
  asked: z.number().default(0),
  questions: z.array(z.object({ key: z.string(), number: z.number(), asked: AskedInput })),
  /** Keys of questions that are declined without asking. */
  declined: z.array(z.string()),
  state: z.string().optional(),
  /** Whether the server has refused the call until a person accepts. */
  isRefusal: z.boolean().optional(),
  /** What the model is told of the questions so far, in sentences. */
  told: z.array(z.string()),
});
export type PendingInput = z.infer<typeof Pending>;

const Deferred = z.object({
  /** The tool, by the name by which the model calls it. */
  name: z.string(),
  server: z.string(),
  /** The server's id of the call. */
  taskId: z.string(),
  /** What was called: see `Deferred.tool` in `src/agent/tools`. */
  tool: z.string(),
  /** When the server took the call, when it is asked again, and when the call is given up; milliseconds since 1970. */
  since: z.number(),
  dueAt: z.number(),
  endsAt: z.number(),
  /** How often in a row the server did not say what has become of the call. */
  failures: z.number(),
  /** What was last shown of it. */
  shown: z.string(),
  /** How often the call needed input before the server took it. */
  rounds: z.number(),
  /** What the model is told of the server's questions so far, in sentences. */
  told: z.array(z.string()),
});
/** A call that its server goes on with by itself; recorded before the task waits for it. */
export type DeferredCall = z.infer<typeof Deferred>;

/** What an earlier executor recorded of a turn: the parts that must not happen a second time. */
export class TurnRecords {
  readonly iteration: number;
  readonly #records: readonly TurnRecord[];
  /** Records of this executor. They do not count for its own checks, because a model may give two calls one id. */
  readonly #noted: TurnRecord[] = [];

  constructor(iteration: number, records: readonly TurnRecord[]) {
    this.iteration = iteration;
    this.#records = records.filter((record) => record.iteration === iteration);
  }

  /** All records so far, of earlier executors and of this one. */
  untilNow(): TurnRecords {
    return new TurnRecords(this.iteration, [...this.#records, ...this.#noted]);
  }

  get answer(): Answer | undefined {
    const record = this.#records.find(({ kind }) => kind === "answer");
    return record && safeParseJson(record.value, Answer)?.value;
  }

  wasStarted(callId: string): boolean {
    return this.#records.some((record) => record.kind === "started" && record.callId === callId);
  }

  /** Whether the log holds the event that asks for a call's approval. */
  wasAsked(callId: string): boolean {
    return this.#records.some((record) => record.kind === "asked" && record.callId === callId);
  }

  /** The newest input that a call needed, and whether the call was made again since. */
  inputOf(callId: string): { pending: PendingInput; wasSent: boolean } | undefined {
    for (let round = MOST_ROUNDS; round > 0; round -= 1) {
      const key = roundOf(callId, round);
      const record = this.#records.find((each) => each.kind === "input" && each.callId === key);
      const pending = record && safeParseJson(record.value, Pending)?.value;
      if (pending) return { pending, wasSent: this.wasStarted(key) };
    }
    return undefined;
  }

  recordInput(callId: string, pending: PendingInput): TurnRecord {
    return this.#note("input", roundOf(callId, pending.round), JSON.stringify(pending));
  }

  /** The keys of what a deferred call has asked and was answered. */
  keysAnswered(callId: string, { rounds }: DeferredCall): ReadonlySet<string> {
    const ids = new Set(Array.from({ length: MOST_ROUNDS }, (_, place) => roundOf(callId, place + 1)));
    const pending = this.#records.flatMap((each) =>
      each.kind === "input" && ids.has(each.callId) && this.wasStarted(each.callId)
        ? (safeParseJson(each.value, Pending)?.value ?? [])
        : [],
    );
    return new Set(
      pending
        .filter(({ round }) => round > rounds)
        .flatMap(({ questions, declined }) => [...questions.map(({ key }) => key), ...declined]),
    );
  }

  /** A call that its server goes on with, as it is known now. */
  deferredOf(callId: string): DeferredCall | undefined {
    const record = this.#records.findLast((each) => each.kind === "deferred" && each.callId === callId);
    return record && safeParseJson(record.value, Deferred)?.value;
  }

  /** All calls that servers go on with. */
  get deferred(): DeferredCall[] {
    const ids = new Set(this.#records.flatMap(({ kind, callId }) => (kind === "deferred" ? [callId] : [])));
    return [...ids].flatMap((id) => (this.resultOf(id) ? [] : (this.deferredOf(id) ?? [])));
  }

  /** Replaces what is known of the call. */
  recordDeferred(callId: string, deferred: DeferredCall): TurnRecord {
    return this.#note("deferred", callId, JSON.stringify(deferred));
  }

  resultOf(callId: string): RecordedResult | undefined {
    const record = this.#records.find((each) => each.kind === "result" && each.callId === callId);
    return record && safeParseJson(record.value, Result)?.value;
  }

  /** Whether the log holds the event of the turn's end. */
  get ended(): boolean {
    return this.#records.some(({ kind }) => kind === "ended");
  }

  recordAnswer(answer: Answer): TurnRecord {
    return this.#note("answer", "", JSON.stringify(answer));
  }

  recordStart(callId: string): TurnRecord {
    return this.#note("started", callId, "{}");
  }

  recordQuestion(callId: string): TurnRecord {
    return this.#note("asked", callId, "{}");
  }

  recordResult(callId: string, result: RecordedResult): TurnRecord {
    return this.#note("result", callId, JSON.stringify(result));
  }

  recordEnd(): TurnRecord {
    return this.#note("ended", "", "{}");
  }

  #note(kind: TurnRecord["kind"], callId: string, value: string): TurnRecord {
    const record = { iteration: this.iteration, kind, callId, value };
    this.#noted.push(record);
    return record;
  }
}
