import {
  releaseReservation,
  renewReservation,
  reserveCredits,
  type TaskOfTurn,
} from "#src/domain/billing/credits/index.ts";
import { costsCredits, type ChosenModel } from "#src/domain/models/model-keys/index.ts";
import { priceOf, type ModelCall } from "#src/domain/billing/usage/index.ts";
import { newId } from "#src/lib/ids.ts";
import {
  ModelError,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type ModelUsage,
} from "#src/models/model.ts";
import { worstUsage } from "#src/models/worst-usage.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import { toCall } from "./to-call.ts";
import { affordableTokens, worstCost } from "./worst-cost.ts";

/** How often a call that goes on says so: often enough that two renewals may fail before its reservation expires. */
const RENEWAL_MS = 2 * 60 * 1000;

export interface Paying {
  /** The team that pays. */
  teamId: string;
  /** Whose turns the calls are; absent for any other call. */
  task?: TaskOfTurn;
  /** Whether the tools of requests are the service's own; false where it is not given. */
  ownTools?: boolean;
  /** Told when a call is about to be sent: what it needs is reserved by then. */
  onSending?: () => unknown;
}

/**
 * A model each of whose calls reserves what it may cost before it is sent, one call after the other. An answer is bounded by
 * what the team has left beside its other reservations; a call whose input and first token it cannot pay for throws the
 * `ModelError` `insufficient_credits`. Models that cost nothing are passed on as they are, without a trip.
 *
 * What was reserved is released by the statement that charges the call (`toCall`), by the next call, by `end`, or, after a
 * crash, when it expires.
 */
export class PrepaidModel implements Model {
  readonly #deps: { db: Db; log: Pick<Log, "warn"> };
  readonly #chosen: ChosenModel;
  readonly #paying: Paying;
  readonly #reservation = newId();
  #isHeld = false;
  #isBounded = false;
  #renewal: ReturnType<typeof setInterval> | undefined;
  #underWay: AbortController | undefined;

  constructor(deps: { db: Db; log: Pick<Log, "warn"> }, chosen: ChosenModel, paying: Paying) {
    this.#deps = deps;
    this.#chosen = chosen;
    this.#paying = paying;
  }

  get name(): string {
    return this.#chosen.model.name;
  }

  get provider(): string {
    return this.#chosen.model.provider;
  }

  /** Whether the last call could be given less room than it asked for. */
  get isBounded(): boolean {
    return this.#isBounded;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    const { model } = this.#chosen;
    const isFree = !costsCredits(this.#chosen);
    const bounded = isFree ? request : await this.#reserve(request);
    this.#paying.onSending?.();
    if (isFree) {
      yield* model.stream(request, signal);
      return;
    }
    this.keep();
    const underWay = new AbortController();
    this.#underWay = underWay;
    try {
      yield* model.stream(bounded, AbortSignal.any([signal, underWay.signal]));
    } finally {
      this.#underWay = undefined;
    }
  }

  /** Renew what is held until `end`; also what an earlier executor reserved for the task. */
  keep(): void {
    if (!costsCredits(this.#chosen)) return;
    this.#renewal ??= setInterval(() => void this.#renew(), RENEWAL_MS);
  }

  /** The last call as it is noted and charged, by the statement that also releases what was reserved for it. */
  toCall(purpose: ModelCall["purpose"], usage: ModelUsage, number = 1): ModelCall {
    this.#isHeld = false;
    const call = toCall(this.#chosen, purpose, usage, number);
    return this.#paying.task ? call : { ...call, reservation: this.#reservation };
  }

  /** To be called when the last call was charged, or will not be: what is held by no task is released then. */
  async end(): Promise<void> {
    clearInterval(this.#renewal);
    this.#renewal = undefined;
    if (!this.#isHeld || this.#paying.task) return;
    this.#isHeld = false;
    await releaseReservation(this.#deps.db, this.#paying.teamId, this.#reservation);
  }

  /** The request, bounded where the credits are fewer than it may cost. */
  async #reserve(request: ModelRequest): Promise<ModelRequest> {
    const { teamId, task = null, ownTools = false } = this.#paying;
    const price = priceOf(this.#chosen.id);
    const { input, least, most } = worstCost(price, worstUsage(this, request, { ownTools }));
    const wish = { id: this.#reservation, teamId, task, least, most };
    const credits = await reserveCredits(this.#deps.db, wish);
    if (credits === 0) throw refusal("The team has no credits left");
    this.#isHeld = true;
    this.#isBounded = credits < most;
    if (!this.#isBounded) return request;
    return { ...request, affordableTokens: affordableTokens(price, credits - input) };
  }

  async #renew(): Promise<void> {
    const { task } = this.#paying;
    const holder = task ? { taskId: task.id } : { id: this.#reservation };
    try {
      if (await renewReservation(this.#deps.db, holder)) return;
    } catch (cause) {
      this.#deps.log.warn("a reservation of credits could not be renewed", {
        team_id: this.#paying.teamId,
        cause,
      });
      return;
    }
    // Others may have spent it by now: what goes on would be paid by nobody.
    this.#underWay?.abort(refusal("The credits of this call were released before it ended"));
  }
}

function refusal(sentence: string): ModelError {
  return new ModelError("insufficient_credits", sentence, { retryable: false });
}
