import { eq, like } from "drizzle-orm";
import * as fc from "fast-check";
import { Stripe } from "stripe";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { stripeEvents } from "#src/db/schema/index.ts";
import { receiveEvent } from "#src/domain/billing/payment-events/index.ts";
import { PaymentsWorld } from "../support/payments-world.ts";
import { IS_SOAK } from "#test/support/soak.ts";
import { fieldsOf } from "#test/support/fields.ts";

/** In a long run, `FUZZ_RUNS=300`, all two thousand. */
const RUNS = IS_SOAK ? 2_000 : 60;

let world: PaymentsWorld;
beforeAll(async () => {
  world = await PaymentsWorld.open();
});
afterAll(() => world.close());

interface Delivery {
  body: Uint8Array;
  signature: string | null;
}

interface Signing {
  type?: string;
  objectId?: string;
  secret?: string;
  scheme?: string;
  livemode?: boolean;
  /** Seconds from now. */
  offset?: number;
}

/** A delivery as the provider sends it. */
async function delivery(id: string, signing: Signing = {}): Promise<Delivery> {
  const { type = "checkout.session.completed", objectId = "cs_test_none", offset = 0 } = signing;
  const payload = JSON.stringify({
    id,
    object: "event",
    type,
    created: 1_700_000_000,
    livemode: signing.livemode ?? false,
    data: { object: { id: objectId, object: "checkout.session" } },
  });
  const signature = await Stripe.webhooks.generateTestHeaderStringAsync({
    payload,
    secret: signing.secret ?? world.account.server.webhookSecret,
    timestamp: Math.floor(Date.now() / 1000) + offset,
    ...(signing.scheme !== undefined && { scheme: signing.scheme }),
  });
  return { body: new TextEncoder().encode(payload), signature };
}

const receive = (sent: Delivery, deps = world.deps()) => receiveEvent(deps, sent);
const stored = (id: string) => world.db.select().from(stripeEvents).where(eq(stripeEvents.id, id));
const publishedOf = (id: string) => world.published.filter(({ payload }) => fieldsOf(payload)["key"] === id);

describe("an event", () => {
  it("is stored without its content, and published", async () => {
    await receive(await delivery("evt_one"));
    expect(await stored("evt_one")).toEqual([
      {
        id: "evt_one",
        type: "checkout.session.completed",
        objectId: "cs_test_none",
        status: "received",
        attempts: 0,
        error: null,
        createdAt: expect.any(Date),
        settledAt: null,
      },
    ]);
    expect(publishedOf("evt_one")).toMatchObject([{ function: "handle-stripe-event" }]);
  });

  it("that comes again is acknowledged, and published again only until it is handled", async () => {
    for (let time = 0; time < 3; time += 1) await receive(await delivery("evt_two"));
    expect(await stored("evt_two")).toHaveLength(1);
    expect(publishedOf("evt_two")).toHaveLength(3);
    await world.handle("evt_two");
    expect(await stored("evt_two")).toMatchObject([{ status: "ignored" }]);
    await world.db.update(stripeEvents).set({ status: "done" }).where(eq(stripeEvents.id, "evt_two"));
    const before = publishedOf("evt_two").length;
    await receive(await delivery("evt_two"));
    expect(publishedOf("evt_two")).toHaveLength(before);
    expect(await stored("evt_two")).toMatchObject([{ status: "done" }]);
  });

  it("of a kind that means nothing here is stored as ignored and not published", async () => {
    for (const type of ["product.created", "__proto__"]) {
      const id = `evt_${type}`;
      await receive(await delivery(id, { type }));
      expect(await stored(id)).toMatchObject([{ status: "ignored", type }]);
      expect(publishedOf(id)).toEqual([]);
    }
  });

  it("of the other mode is acknowledged and said in the log, and changes nothing", async () => {
    const deps = world.deps();
    const warn = vi.spyOn(deps.log, "warn");
    await receive(await delivery("evt_live", { livemode: true }), deps);
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("other mode"), {
      event_id: "evt_live",
      type: "checkout.session.completed",
    });
    expect(await stored("evt_live")).toEqual([]);
    expect(publishedOf("evt_live")).toEqual([]);
  });

  it("is not acknowledged when it cannot be published, nor where payments are not configured", async () => {
    const sent = await delivery("evt_three");
    const broken = world.deps();
    broken.queue.publish = () => Promise.reject(new Error("The queue is away"));
    await expect(receive(sent, broken)).rejects.toThrow("The queue is away");
    await receive(sent);
    expect(publishedOf("evt_three")).toHaveLength(1);
    await expect(receive(sent, world.deps({ payments: undefined }))).rejects.toMatchObject({
      code: "unavailable",
    });
  });
});

/** Another character at this place. */
function withChange(bytes: Uint8Array, at: number, by: number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  const place = at % bytes.length;
  changed[place] = ((changed[place] ?? 0) + by) % 256;
  return changed;
}

const place = fc.nat(10_000);
const by = fc.integer({ min: 1, max: 255 });
/** A way to forge or to damage a delivery; each leaves nothing that is valid. */
const damage = fc.oneof(
  fc.record({ kind: fc.constant("a byte"), place, by }),
  fc.record({ kind: fc.constant("cut"), place, by }),
  fc.record({ kind: fc.constant("more"), place, by }),
  fc.record({ kind: fc.constant("header"), place, by: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant("header gone"), place, by }),
  fc.record({ kind: fc.constant("scheme"), place, by }),
  fc.record({ kind: fc.constant("secret"), place, by }),
  fc.record({ kind: fc.constant("late"), place: fc.integer({ min: 302, max: 1_000_000 }), by }),
  fc.record({ kind: fc.constant("early"), place: fc.integer({ min: 302, max: 1_000_000 }), by }),
  fc.record({ kind: fc.constant("two times"), place, by }),
);
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

async function damaged(id: string, { kind, place: at, by: step }: Damage): Promise<Delivery> {
  const good = await delivery(id);
  const header = good.signature ?? "";
  switch (kind) {
    case "a byte": {
      return { ...good, body: withChange(good.body, at, step) };
    }
    case "cut": {
      return { ...good, body: good.body.subarray(0, at % good.body.length) };
    }
    case "more": {
      return { ...good, body: Uint8Array.from([...good.body, step]) };
    }
    case "header": {
      // A digit of the time or of the signature becomes another one.
      const digits = Array.from(header.matchAll(/\d/gu), ({ index }) => index);
      const where = digits[at % digits.length] ?? 0;
      const other = String((Number(header[where]) + step) % 10);
      return { ...good, signature: `${header.slice(0, where)}${other}${header.slice(where + 1)}` };
    }
    case "header gone": {
      return { ...good, signature: [null, "", "t=1", header.replace(/,.*$/u, "")][at % 4] ?? null };
    }
    case "scheme": {
      return delivery(id, { scheme: ["v0", "v2", "v10", "V1"][at % 4] ?? "v0" });
    }
    case "secret": {
      return delivery(id, { secret: `whsec_${at}${step}` });
    }
    case "late": {
      return delivery(id, { offset: -at });
    }
    case "early": {
      return delivery(id, { offset: at });
    }
    case "two times": {
      break;
    }
  }
  return { ...good, signature: `t=${Math.floor(Date.now() / 1000) + step},${header}` };
}

it("none of many damaged and forged deliveries is accepted or stored", async () => {
  let nth = 0;
  const before = world.published.length;
  await fc.assert(
    fc.asyncProperty(damage, async (how) => {
      nth += 1;
      const sent = await damaged(`evt_damaged_${nth}`, how);
      await expect(receive(sent)).rejects.toMatchObject({ code: "unauthenticated" });
    }),
    { numRuns: RUNS, seed: inject("fuzzSeed") },
  );
  expect(nth).toBeGreaterThanOrEqual(RUNS);
  expect(world.published).toHaveLength(before);
  const found = await world.db.select().from(stripeEvents).where(like(stripeEvents.id, "evt_damaged%"));
  expect(found).toEqual([]);
  await receive(await delivery("evt_whole"));
  expect(await stored("evt_whole")).toHaveLength(1);
});
