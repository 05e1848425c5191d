import {
  releaseReservation,
  renewReservation,
  reserveCredits,
  type TaskOfTurn,
} from "#src/domain/metering/credits/index.ts";
import { costsCredits, type ChosenModel } from "#src/domain/models/model-keys/index.ts";
import { priceOf, type ModelCall } from "#src/domain/metering/usage/index.ts";
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

/**
 * Interval at which a call in progress renews its reservation. Two renewals may fail before the reservation expires.
 */
const RENEWAL_MS = 2 * 60 * 1000;

export interface Paying {
  /** The team that pays. */
  teamId: string;
  /** The task whose turns the calls are; absent for other calls. */
  task?: TaskOfTurn;
  /** Whether the requests' tools are the service's own; false by default. */
  ownTools?: boolean;
  /** Called when a call is about to be sent; its credits are reserved by then. */
  onSending?: () => unknown;
}

/**
 * A model that reserves the cost of each call before it is sent; one call at a time. The credits that other
 * reservations leave limit the length of the answer. If they do not pay for the input and one token, the call throws
 * the `ModelError` `insufficient_credits`. Models that cost nothing are used directly, without a round trip.
 *
 * A reservation is released by the statement that charges the call (`toCall`), by the next call, by `end`, or, after a
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

  /** Whether the credits limited the last call to fewer tokens than requested. */
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

  /** Renews the reservations until `end`, including those that an earlier executor made for the task. */
  keep(): void {
    if (!costsCredits(this.#chosen)) return;
    this.#renewal ??= setInterval(() => void this.#renew(), RENEWAL_MS);
  }

  /** The last call as it is recorded and charged; the same statement releases its reservation. */
  toCall(purpose: ModelCall["purpose"], usage: ModelUsage, number = 1): ModelCall {
    this.#isHeld = false;
    const call = toCall(this.#chosen, purpose, usage, number);
    return this.#paying.task ? call : { ...call, reservation: this.#reservation };
  }

  /**
   * Call this after the last call was charged, or when it will not be charged: releases a reservation that belongs to
   * no task.
   */
  async end(): Promise<void> {
    clearInterval(this.#renewal);
    this.#renewal = undefined;
    if (!this.#isHeld || this.#paying.task) return;
    this.#isHeld = false;
    await releaseReservation(this.#deps.db, this.#paying.teamId, this.#reservation);
  }

  /** The request, limited to the output that the credits pay for. */
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
    // Another call may have spent the released credits, so the rest of this call could not be charged.
    this.#underWay?.abort(refusal("The credits of this call were released before it ended"));
  }
}

function refusal(sentence: string): ModelError {
  return new ModelError("insufficient_credits", sentence, { retryable: false });
}
