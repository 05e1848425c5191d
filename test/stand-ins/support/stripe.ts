import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Stripe } from "stripe";
import { startStripe, type StripeServer } from "#stand-ins/stripe/index.ts";
import { startReceiver, type Delivery, type Reply } from "./receiver.ts";

const PRICES = [
  { id: "price_basic", name: "Basic", amountCents: 2_000, interval: "month" },
  { id: "price_pro", name: "Pro", amountCents: 4_900, interval: "month" },
  { id: "price_pro_annual", name: "Pro, annual", amountCents: 58_800, interval: "year" },
] as const;

/** A stand-in with the SDK in front of it and a service behind it that keeps the events it is sent. */
export interface TestStripe {
  server: StripeServer;
  stripe: Stripe;
  deliveries: Delivery[];
  /** Moves the clock of the stand-in, in seconds. */
  pass(seconds: number): void;
  control(path: string, fields?: object): Promise<Response>;
  list<T = Record<string, unknown>>(path: string): Promise<T[]>;
  /** Types of the events that arrived, oldest first. */
  types(): string[];
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a stand-in over a new data folder. */
export async function startTestStripe(
  reply: (delivery: Delivery, nth: number) => Reply | Promise<Reply> = () => ({ status: 200 }),
): Promise<TestStripe> {
  const dataDir = mkdtempSync(path.join(tmpdir(), "stripe-"));
  const receiver = await startReceiver(reply);
  let passed = 0;
  const start = () =>
    startStripe({
      dataDir,
      deliverTo: receiver.url,
      catalogue: PRICES,
      log: () => {},
      clock: () => Date.now() + passed,
    });
  const started: TestStripe = {
    server: await start(),
    stripe: new Stripe("sk_test_none"),
    deliveries: receiver.deliveries,
    pass: (seconds) => {
      passed += seconds * 1000;
    },
    control: (at, fields = {}) =>
      fetch(`${started.server.url}/_standin/${at}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(fields),
      }),
    list: async (at) => (await fetch(`${started.server.url}/_standin/${at}`)).json(),
    types: () => receiver.deliveries.map(({ body }) => String(JSON.parse(body).type)),
    restart: async () => {
      await started.server.close();
      started.server = await start();
      started.stripe = clientOf(started.server);
    },
    close: async () => {
      await started.server.close();
      await receiver.close();
      rmSync(dataDir, { recursive: true });
    },
  };
  started.stripe = clientOf(started.server);
  return started;
}

/** The SDK as the service uses it. */
export function clientOf({ url, secretKey }: { url: string; secretKey: string }): Stripe {
  const { hostname, port } = new URL(url);
  return new Stripe(secretKey, {
    host: hostname,
    port,
    protocol: "http",
    httpClient: Stripe.createFetchHttpClient(),
    telemetry: false,
    maxNetworkRetries: 0,
  });
}

/** A checkout session for one thing at 5 dollars. */
export function purchase(customer: string): Stripe.Checkout.SessionCreateParams {
  return {
    mode: "payment",
    customer,
    client_reference_id: "row-1",
    line_items: [
      {
        price_data: { currency: "usd", unit_amount: 500, product_data: { name: "Agent & co" } },
        quantity: 1,
      },
    ],
    metadata: { type: "agent_purchase", team_id: "t1" },
    payment_intent_data: { metadata: { team_id: "t1" }, transfer_group: "group-1" },
    success_url: "http://service.test/success?session_id={CHECKOUT_SESSION_ID}",
    cancel_url: "http://service.test/back",
  };
}
