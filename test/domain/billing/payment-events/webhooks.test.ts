import { eq } from "drizzle-orm";
import { Stripe } from "stripe";
import { describe, expect, it, vi } from "vitest";
import { stripeEvents } from "#src/db/schema/index.ts";
import { receiveEvent } from "#src/domain/billing/payment-events/index.ts";
import { PaymentsWorld } from "../support/payments-world.ts";
import { fieldsOf } from "#test/support/fields.ts";

const world = await PaymentsWorld.open();

interface Delivery {
  body: Uint8Array;
  signature: string | null;
}

interface Signing {
  type?: string;
  secret?: string;
  livemode?: boolean;
}

/** A delivery as the provider sends it. */
async function delivery(id: string, signing: Signing = {}): Promise<Delivery> {
  const { type = "checkout.session.completed", livemode = false } = signing;
  const data = { object: { id: "cs_test_none", object: "checkout.session", customer_email: "canary" } };
  const payload = JSON.stringify({ id, object: "event", type, created: 1_700_000_000, livemode, data });
  const secret = signing.secret ?? world.account.server.webhookSecret;
  const signature = await Stripe.webhooks.generateTestHeaderStringAsync({ payload, secret });
  return { body: new TextEncoder().encode(payload), signature };
}

const receive = (sent: Delivery, deps = world.deps()) => receiveEvent(deps, sent);
const stored = (id: string) => world.db.select().from(stripeEvents).where(eq(stripeEvents.id, id));
const publishedOf = (id: string) => world.published.filter(({ payload }) => fieldsOf(payload)["key"] === id);

describe("an event", () => {
  it("is stored without its content, and published", async () => {
    await receive(await delivery("evt_one"));
    const [row] = await stored("evt_one");
    expect(row).toMatchObject({
      type: "checkout.session.completed",
      objectId: "cs_test_none",
      status: "received",
    });
    expect(JSON.stringify([row, publishedOf("evt_one")])).not.toContain("canary");
    expect(publishedOf("evt_one")).toMatchObject([{ function: "handle-stripe-event" }]);
  });

  it("is refused and not stored when another secret signed it", async () => {
    const forged = receive(await delivery("evt_forged", { secret: "whsec_another" }));
    await expect(forged).rejects.toMatchObject({ code: "unauthenticated" });
    expect([await stored("evt_forged"), publishedOf("evt_forged")]).toEqual([[], []]);
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
