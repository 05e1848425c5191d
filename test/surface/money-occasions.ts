import { Stripe } from "stripe";
import { z } from "zod";
import { stripeEvents } from "#src/db/schema/index.ts";
import type { ApiRequest } from "#test/support/api-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { listAgent, listBase } from "#test/support/marketplace.ts";
import { payerOf } from "#test/support/payer.ts";
import type { SharedService } from "#test/support/shared-service.ts";
import type { Estate } from "./estate.ts";

interface Scene {
  service: SharedService;
  estate: Estate;
}

interface Occasion extends ApiRequest {
  address?: string;
}

const WEBHOOK_SECRET = "whsec_of_the_test";

/** Variables with which a service takes events that are signed here, beside those of the stand-in. */
export const withOwnWebhookSecret = <T extends Readonly<Record<string, string>>>(variables: T) => ({
  ...variables,
  STRIPE_WEBHOOK_SECRET: `${variables["STRIPE_WEBHOOK_SECRET"]},${WEBHOOK_SECRET}`,
});

const Session = z.looseObject({ session_id: z.string() });

/** Opens a checkout of the owner's team at `path`, pays it, and returns its id. */
async function pay({ service, estate }: Scene, path: string, json: object): Promise<string> {
  const { token } = estate.owner;
  const { body, text } = await service.call("POST", path, { token, json });
  const opened = Session.safeParse(body);
  if (!opened.success) throw new Error(`No checkout was opened: ${text}`);
  await payerOf(service).pay(opened.data.session_id);
  return opened.data.session_id;
}

/** Has the owner's team subscribe. */
async function subscribe(scene: Scene): Promise<void> {
  const session_id = await pay(scene, "/api/billing/subscribe", { tier: "pro" });
  await ask(scene, "/api/billing/verify-checkout", { session_id });
}

async function ask({ service, estate }: Scene, path: string, json: object = {}): Promise<void> {
  const { status, text } = await service.call("POST", path, { token: estate.owner.token, json });
  if (status >= 300) throw new Error(`POST ${path} returned ${status}: ${text}`);
}

/** Has the owner's team subscribe to an agent; returns the subscription's address. */
async function subscribeToAgent(scene: Scene): Promise<string> {
  const { id } = await listAgent(databaseOf(scene.service), { pricingType: "monthly", priceCents: 300 });
  const session_id = await pay(scene, `/api/marketplace/agents/${id}/purchase`, {});
  await ask(scene, "/api/marketplace/verify-purchase", { session_id });
  const path = "/api/marketplace/subscriptions";
  const { body } = await scene.service.call("GET", path, { token: scene.estate.owner.token });
  const [first] = z.array(z.looseObject({ subscription_id: z.string() })).parse(body);
  return `${path}/${first?.subscription_id}`;
}

/** A free item of the service's own in the library of the owner's team; returns its address. */
async function inLibrary(scene: Scene, kind: "agent" | "base"): Promise<string> {
  const db = databaseOf(scene.service);
  const { id } = kind === "agent" ? await listAgent(db) : await listBase(db);
  const address = `/api/marketplace/${kind}s/${id}`;
  await ask(scene, `${address}/purchase`);
  return address;
}

async function reviewed(scene: Scene, kind: "agent" | "base"): Promise<Occasion> {
  const address = `${await inLibrary(scene, kind)}/review`;
  await ask(scene, `${address}?rating=4`);
  return { address };
}

/** Has the owner publish an agent: people who published something are creators. */
async function withCreator({ service, estate }: Scene): Promise<Occasion> {
  const agent = String(estate.samples["agent"]);
  await service.call("POST", `/api/marketplace/agents/${agent}/publish`, { token: estate.owner.token });
  return {};
}

/** Preparations for the operations of billing and the marketplace that need more than a valid request to succeed. */
export const MONEY_OCCASIONS: Record<string, (scene: Scene) => Promise<Occasion> | Occasion> = {
  "POST /api/admin/billing/events/{payment_event}/retry": async ({ service }) => {
    const id = `evt_${crypto.randomUUID()}`;
    const row = { id, type: "charge.refunded", status: "failed", error: "a reason", attempts: 5 } as const;
    await databaseOf(service).insert(stripeEvents).values(row);
    return { address: `/api/admin/billing/events/${id}/retry` };
  },
  "POST /api/billing/credits/purchase": () => ({ json: { package: "small" } }),
  "POST /api/billing/verify-checkout": async (scene) => {
    const session_id = await pay(scene, "/api/billing/credits/purchase", { package: "small" });
    return { json: { session_id } };
  },
  "POST /api/billing/cancel": async (scene) => {
    await subscribe(scene);
    return {};
  },
  "POST /api/billing/renew": async (scene) => {
    await subscribe(scene);
    await ask(scene, "/api/billing/cancel");
    return {};
  },
  "GET /api/billing/portal": async (scene) => {
    await pay(scene, "/api/billing/credits/purchase", { package: "small" });
    return {};
  },
  "POST /api/webhooks/stripe": async () => {
    const payload = JSON.stringify({
      id: `evt_${crypto.randomUUID()}`,
      object: "event",
      type: "customer.created",
      livemode: false,
      created: Math.floor(Date.now() / 1000),
      data: { object: { id: "cus_none", object: "customer" } },
    });
    const signature = await Stripe.webhooks.generateTestHeaderStringAsync({
      payload,
      secret: WEBHOOK_SECRET,
    });
    return { body: payload, headers: { "stripe-signature": signature } };
  },
  "POST /api/marketplace/verify-purchase": async (scene) => {
    const { id } = await listAgent(databaseOf(scene.service), {
      pricingType: "one_time",
      priceCents: 500,
    });
    const session_id = await pay(scene, `/api/marketplace/agents/${id}/purchase`, {});
    return { json: { session_id } };
  },
  "POST /api/marketplace/subscriptions/{subscription}/cancel": async (scene) => ({
    address: `${await subscribeToAgent(scene)}/cancel`,
  }),
  "POST /api/marketplace/subscriptions/{subscription}/renew": async (scene) => {
    const address = await subscribeToAgent(scene);
    await ask(scene, `${address}/cancel`);
    return { address: `${address}/renew` };
  },
  "POST /api/marketplace/agents/{agent}/toggle": async (scene) => ({
    address: `${await inLibrary(scene, "agent")}/toggle?enabled=false`,
  }),
  "DELETE /api/marketplace/agents/{agent}/library": async (scene) => ({
    address: `${await inLibrary(scene, "agent")}/library`,
  }),
  "DELETE /api/marketplace/projects/{project}/agents/{agent}": async (scene) => {
    const { project, agent } = scene.estate.samples;
    const address = `/api/marketplace/projects/${String(project)}/agents/${String(agent)}`;
    await ask(scene, address);
    return { address };
  },
  "POST /api/marketplace/agents/{agent}/review": async (scene) => ({
    address: `${await inLibrary(scene, "agent")}/review?rating=5`,
  }),
  "POST /api/marketplace/bases/{base}/review": async (scene) => ({
    address: `${await inLibrary(scene, "base")}/review?rating=5`,
  }),
  "DELETE /api/marketplace/agents/{agent}/review": (scene) => reviewed(scene, "agent"),
  "DELETE /api/marketplace/bases/{base}/review": (scene) => reviewed(scene, "base"),
  "GET /api/creators/{creator}": withCreator,
  "GET /api/creators/{creator}/agents": withCreator,
  "GET /api/creators/{creator}/stats": withCreator,
  "GET /api/creators/by-username/{creator_name}": withCreator,
};
