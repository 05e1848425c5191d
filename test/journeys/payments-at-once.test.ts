import { inArray } from "drizzle-orm";
import { Stripe } from "stripe";
import { describe, expect, it, vi } from "vitest";
import { stripeEvents } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { WAIT_HANGS_MS } from "#test/support/hangs.ts";
import { payerOf } from "#test/support/payer.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();
const payer = payerOf(service);
const db = databaseOf(service);

const PATIENCE = { timeout: WAIT_HANGS_MS, interval: 250 };

interface Opened {
  session_id: string;
}

/** Another event of the provider about a session, delivered. */
async function deliver(id: string, sessionId: string): Promise<number> {
  const body = JSON.stringify({
    id,
    object: "event",
    type: "checkout.session.completed",
    created: Math.floor(Date.now() / 1000),
    livemode: false,
    data: { object: { id: sessionId, object: "checkout.session" } },
  });
  const signature = await Stripe.webhooks.generateTestHeaderStringAsync({
    payload: body,
    secret: service.stack.variables["STRIPE_WEBHOOK_SECRET"] ?? "",
  });
  const headers = { "stripe-signature": signature };
  return (await service.call("POST", "/api/webhooks/stripe", { body, headers })).status;
}

const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, async (_, index) => make(index)));

describe.concurrent("at once", () => {
  it("twenty verifications and five webhooks of a session count once", async () => {
    const { token } = await service.signUp();
    const { body: opened } = await service.call<Opened>("POST", "/api/billing/credits/purchase", {
      token,
      json: { package: "small" },
    });
    await payer.pay(opened.session_id);
    const events = Array.from({ length: 5 }, () => `evt_${crypto.randomUUID()}`);
    const [answers, delivered] = await Promise.all([
      times(20, () =>
        service.call("POST", "/api/billing/verify-checkout", {
          token,
          json: { session_id: opened.session_id },
        }),
      ),
      times(10, (index) => deliver(events[index % events.length] ?? "", opened.session_id)),
    ]);
    expect(new Set(delivered)).toEqual(new Set([200]));
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 200, body: { status: "ok", credits_added: 500 } });
    }
    const first = answers.filter(({ body }) => Object(body).already_fulfilled === false);
    expect(first.length).toBeLessThanOrEqual(1);
    await vi.waitFor(async () => {
      const rows = await db.select().from(stripeEvents).where(inArray(stripeEvents.id, events));
      expect(rows.map(({ status }) => status)).toEqual(events.map(() => "done"));
    }, PATIENCE);
    const get = async (path: string) => (await service.call("GET", path, { token })).body;
    expect(await get("/api/billing/credits")).toMatchObject({ purchased_credits: 500 });
    expect(await get("/api/billing/transactions")).toMatchObject({
      transactions: [{ type: "credit_purchase", amount_cents: 500 }],
    });
    expect(await get("/api/billing/credits/history")).toMatchObject({ purchases: [{ status: "completed" }] });
  });

  it("twenty wishes to subscribe are one customer and one session, and it is paid once", async () => {
    const { id, token } = await service.signUp();
    const subscribe = () =>
      service.call<Opened>("POST", "/api/billing/subscribe", { token, json: { tier: "pro" } });
    const answers = await times(20, subscribe);
    const [first] = answers;
    for (const { status, body } of answers) {
      expect({ status, body }).toEqual({ status: 200, body: first?.body });
    }
    interface Named {
      id: string;
      metadata: Record<string, string>;
    }
    const sessions = await payer.list<Named>("objects/checkout.session");
    const own = sessions.filter(({ metadata }) => metadata["user_id"] === id);
    expect(own).toMatchObject([{ id: first?.body.session_id }]);
    const customers = await payer.list<Named>("objects/customer");
    const teamId = own[0]?.metadata["team_id"];
    expect(customers.filter(({ metadata }) => metadata["team_id"] === teamId)).toHaveLength(1);

    await payer.pay(first?.body.session_id ?? "");
    const verified = await times(20, () =>
      service.call("POST", "/api/billing/verify-checkout", {
        token,
        json: { session_id: first?.body.session_id },
      }),
    );
    for (const answer of verified) expect(answer).toMatchObject({ status: 200, body: { tier: "pro" } });
    const { body } = await service.call("GET", "/api/billing/transactions", { token });
    expect(body).toMatchObject({ transactions: [{ type: "subscription", amount_cents: 4_900 }] });
    const plan = await service.call("GET", "/api/billing/subscription", { token });
    expect(plan.body).toMatchObject({ tier: "pro", bundled_credits: 2_000 });
  });
});
