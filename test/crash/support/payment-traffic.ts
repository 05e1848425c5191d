import { setTimeout as pause } from "node:timers/promises";
import type { Account, ApiAnswer, ApiClient } from "#test/support/api-client.ts";
import type { Payer } from "#test/support/payer.ts";
import type { Random } from "#test/support/random.ts";

/** The time between a start of the service and its end. */
export interface Life {
  api: ApiClient;
  payer: Payer;
  /** Aborted when the service is about to be killed: from then on, nothing needs to succeed. */
  over: AbortSignal;
}

/** A page of the provider that a buyer was shown. */
interface Shown {
  buyer: Account;
  sessionId: string;
  isAgent: boolean;
}

const PACKAGES = ["small", "medium", "large"];

/**
 * Teams that buy, payers who pay, fail, let pages expire and come back, creators who introduce themselves, and a network
 * that delays, repeats, reorders and loses events.
 */
export class PaymentTraffic {
  readonly #people: { buyers: readonly Account[]; creators: readonly Account[] };
  readonly #agents: readonly string[];
  readonly #random: Random;
  readonly #shown: Shown[] = [];
  /** Answers that a service with a provider that works does not give. */
  readonly surprises: string[] = [];

  constructor(
    people: { buyers: readonly Account[]; creators: readonly Account[] },
    agents: readonly string[],
    random: Random,
  ) {
    this.#people = people;
    this.#agents = agents;
    this.#random = random;
  }

  /** Goes on until the life is over. */
  async run(life: Life): Promise<void> {
    const { buyers, creators } = this.#people;
    await Promise.all([
      ...buyers.map((buyer) => this.#repeat(life, [50, 400], () => this.#purchase(life, buyer))),
      this.#repeat(life, [50, 300], () => this.#comeBack(life)),
      this.#repeat(life, [100, 500], () => this.#disturb(life)),
      this.#repeat(life, [500, 1_000], async () => {
        await this.#connect(life, this.#oneOf(creators));
        await this.#onboard(life);
      }),
    ]);
  }

  /**
   * Every page comes to its end, paid or not, and every event is sent. However little the lives had time for, one of each
   * is there: a page that is paid, a page that is not, the sale of `lastAgent`, which was not for sale before, and an account
   * of each creator, without which a share waits for ever.
   */
  async finish(life: Life, lastAgent: string): Promise<void> {
    const { buyers, creators } = this.#people;
    const [first] = buyers;
    if (!first) throw new Error("There are no buyers");
    for (const creator of creators) await this.#connect(life, creator);
    const open = async (path: string, json: object) =>
      (await this.#post<{ session_id: string }>(life, first, path, json, [200])).body.session_id;
    const sold = await open(`/api/marketplace/agents/${lastAgent}/purchase`, {});
    await life.payer.pay(sold);
    const unpaid = await open("/api/billing/credits/purchase", { package: "team" });
    await life.payer.control(`sessions/${unpaid}/expire`);
    for (const { sessionId } of this.#shown) {
      const verb = this.#random.chance(0.5) ? "pay" : "expire";
      await settle(life, `sessions/${sessionId}/${verb}`);
      // A payment that was promised cannot expire.
      await settle(life, `sessions/${sessionId}/${this.#random.chance(0.5) ? "pay" : "fail"}`);
    }
    await life.payer.control("webhooks/release");
  }

  async #repeat({ over }: Life, pauses: readonly [number, number], step: () => Promise<void>): Promise<void> {
    while (!over.aborted) {
      try {
        await step();
      } catch (error) {
        if (!over.aborted) this.surprises.push(String(error));
      }
      await pause(this.#random.between(...pauses), undefined, { signal: over }).catch(() => {});
    }
  }

  async #purchase(life: Life, buyer: Account): Promise<void> {
    const isAgent = this.#agents.length > 0 && this.#random.chance(0.6);
    const path = isAgent
      ? `/api/marketplace/agents/${this.#oneOf(this.#agents)}/purchase`
      : "/api/billing/credits/purchase";
    const json = isAgent ? {} : { package: this.#oneOf(PACKAGES) };
    // 409: the payment is made, and its event is on its way.
    const { body } = await this.#post<{ session_id?: string }>(life, buyer, path, json, [200, 409]);
    if (body.session_id === undefined) return;
    const shown = { buyer, sessionId: body.session_id, isAgent };
    this.#shown.push(shown);
    await this.#decide(life, shown);
  }

  /** Someone does something more about a page that they have seen. */
  async #comeBack(life: Life): Promise<void> {
    if (this.#shown.length > 0) await this.#decide(life, this.#oneOf(this.#shown));
  }

  /** The payer acts; what the provider refuses, because the page is over, has no effect. Then the page may be verified. */
  async #decide(life: Life, { buyer, sessionId, isAgent }: Shown): Promise<void> {
    const at = `sessions/${sessionId}`;
    const luck = this.#random.between(0, 1);
    if (luck < 0.5) await settle(life, `${at}/pay`);
    else if (luck < 0.7) await settle(life, `${at}/pay`, { later: true });
    else if (luck < 0.8) await settle(life, `${at}/fail`);
    else if (luck < 0.85) await settle(life, `${at}/expire`);
    if (this.#random.chance(0.5)) return;
    const path = isAgent ? "/api/marketplace/verify-purchase" : "/api/billing/verify-checkout";
    const verify = () => this.#post(life, buyer, path, { session_id: sessionId }, [200, 400]);
    await Promise.all(Array.from({ length: this.#random.whole(1, 3) }, verify));
  }

  async #disturb(life: Life): Promise<void> {
    const verb = this.#oneOf(["hold", "release", "release", "shuffle", "duplicate", "drop", "again"]);
    if (verb !== "again") return life.payer.control(`webhooks/${verb}`);
    const events = await life.payer.list<{ id: string }>("events");
    if (events.length > 0) await settle(life, `events/${this.#oneOf(events).id}/send`);
  }

  /** A creator asks to be paid: they have an account at the provider then. */
  async #connect(life: Life, creator: Account): Promise<void> {
    await this.#post(life, creator, "/api/billing/connect", {}, [200]);
  }

  /** A creator has told the provider all that it asks: their account may receive from then on. */
  async #onboard(life: Life): Promise<void> {
    const accounts = await life.payer.list<{ id: string }>("objects/account");
    if (accounts.length > 0) await settle(life, `accounts/${this.#oneOf(accounts).id}/onboard`);
  }

  async #post<T>(
    { api, over }: Life,
    { token }: Account,
    path: string,
    json: object,
    usual: readonly number[],
  ): Promise<ApiAnswer<T>> {
    const answer = await api.call<T>("POST", path, { token, json });
    if (!usual.includes(answer.status) && !over.aborted) {
      this.surprises.push(`${path}: ${answer.status} ${answer.text}`);
    }
    return answer;
  }

  #oneOf<T>(all: readonly T[]): T {
    const one = all[this.#random.whole(0, all.length - 1)];
    if (one === undefined) throw new Error("There is none");
    return one;
  }
}

/** The provider may refuse it. */
async function settle({ payer }: Life, path: string, fields: object = {}): Promise<void> {
  await payer.control(path, fields).catch((error: unknown) => {
    if (!(error instanceof Error && error.message.includes("answered 4"))) throw error;
  });
}
