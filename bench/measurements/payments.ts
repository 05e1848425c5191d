import { setTimeout as pause } from "node:timers/promises";
import { Pool } from "pg";
import { readAddresses } from "#local/addresses.ts";
import { stripeCredentials } from "#stand-ins/stripe/credentials.ts";
import { signatureHeader } from "#stand-ins/stripe/signature.ts";
import { apiClient } from "#test/support/api-client.ts";
import { payerOf, type Payer } from "#test/support/payer.ts";
import { findServer, makeDatabase } from "#test/db/growth/scratch.ts";
import { HttpClient } from "../http-client.ts";
import { NotPossible, type Figure, type Measurement } from "../measurement.ts";
import { p50, p95, timed } from "../statistics.ts";
import { CALLERS, INSTANT, type TaskClient } from "../task-client.ts";
import { tripsOf } from "../trips.ts";

const WARM_UP = 20;
const ROUNDS = 100;
/** Paid sessions whose events come at once. */
const SESSIONS = 200;
const AGENTS = 10_000;
const POLL_MS = 10;
/** Ends a wait for what never comes. */
const NEVER_MS = 300_000;

const LISTS = [
  { what: "list", path: "/api/marketplace/agents", goal: { atMost: 50 } },
  { what: "list of a category, by rating", path: "/api/marketplace/agents?category=review&sort=rating" },
  {
    what: "last page, of 100",
    path: `/api/marketplace/agents?page=${AGENTS / 100}&limit=100`,
    goal: { atMost: 25 },
  },
  { what: "search", path: "/api/marketplace/agents?search=number%20123", goal: { atMost: 25 } },
];

/** Agents of the service that the marketplace lists, one in ten of them for money. */
const INSERT = `
  INSERT INTO agents (id, slug, name, description, system_prompt, category, tags, is_published, published_at, pricing_type,
    price_cents, downloads, rating_sum, reviews_count)
  SELECT gen_random_uuid(), 'bench-' || n, 'Agent number ' || n, repeat('It reviews what was changed. ', 5), repeat('Review. ', 250),
    (ARRAY['review', 'builder', 'frontend', 'custom'])[1 + n % 4], ARRAY['tag-' || n % 50, 'all'], true,
    now() - n * interval '1 minute', CASE WHEN n % 10 = 0 THEN 'one_time' ELSE 'free' END,
    CASE WHEN n % 10 = 0 THEN 500 ELSE 0 END, n % 977, n % 40, n % 10
  FROM generate_series(1, $1) AS n`;

export const payments: Measurement = {
  name: "payments",
  title: "Payments and the marketplace",
  how:
    "On a real PostgreSQL, with the stand-in for Stripe. Webhook: signed events, one after the other, from the call to the answer. " +
    `Settled: ${SESSIONS} paid sessions of credit packages whose events are sent at once, until every event is handled and all ` +
    `credits are there. Lists: a signed-in person, ${AGENTS.toLocaleString("en")} agents. Invoke: with an agent that the team bought.`,
  async run(bench) {
    const server = await findServer();
    if (!server) throw new NotPossible("there is no PostgreSQL; TEST_DATABASE_URL names one");
    await using made = new AsyncDisposableStack();
    const { databaseUrl, drop } = await makeDatabase(server, async () => {});
    made.defer(drop);
    const { service, client } = await bench.use({ DATABASE_URL: databaseUrl });
    made.defer(() => bench.rest());
    const pool = new Pool({ connectionString: databaseUrl, max: 1 });
    made.defer(() => pool.end());
    const { stripeUrl } = readAddresses(bench.dataDir);
    const payer = payerOf({ stack: { stripeUrl } });
    return [
      ...(await webhooks(service.url, stripeCredentials(bench.dataDir).webhookSecret)),
      ...(await settled(service.url, { payer, pool })),
      ...(await lists(client, pool)),
      ...(await boughtAgent(client, pool)),
    ];
  },
};

async function webhooks(url: string, secret: string): Promise<Figure[]> {
  const http = new HttpClient(url);
  const call = (n: number) => {
    const object = { id: `cs_test_bench${n}`, object: "checkout.session" };
    const type = "checkout.session.completed";
    const event = {
      id: `evt_bench${n}`,
      object: "event",
      created: 1,
      type,
      livemode: false,
      data: { object },
    };
    const signature = signatureHeader(secret, JSON.stringify(event), Date.now());
    return http.request("POST", "/api/webhooks/stripe", event, { "stripe-signature": signature });
  };
  const times: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const ms = await timed(() => call(round + WARM_UP));
    if (round >= 0) times.push(ms);
  }
  const trips = tripsOf("webhook", await call(WARM_UP + ROUNDS), { db: 1, publish: 1, objects: 0 });
  http.close();
  return [
    { what: "webhook, p50", value: p50(times), unit: "ms", goal: { atMost: 15 } },
    { what: "webhook, p95", value: p95(times), unit: "ms", goal: { atMost: 60 } },
    ...trips,
  ];
}

async function settled(url: string, { payer, pool }: { payer: Payer; pool: Pool }): Promise<Figure[]> {
  const api = apiClient(url);
  const count = async (query: string) => {
    const { rows } = await pool.query<{ count: string }>(`SELECT count(*) FROM ${query}`);
    return Number(rows[0]?.count);
  };
  await until(async () => (await count("stripe_events WHERE status = 'received'")) === 0);
  const before = await count("stripe_events");
  await payer.control("webhooks/hold");
  const paid = new Set<string>();
  const buy = async () => {
    const { token } = await api.signUp("payer");
    for (let n = 0; n < SESSIONS / CALLERS; n += 1) {
      const json = { package: "small" };
      const opened = await api.call<{ session_id: string }>("POST", "/api/billing/credits/purchase", {
        token,
        json,
      });
      await payer.pay(opened.body.session_id);
      paid.add(opened.body.session_id);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, buy));
  if (paid.size !== SESSIONS) throw new Error(`${paid.size} of ${SESSIONS} sessions were paid`);
  const ms = await timed(async () => {
    await payer.control("webhooks/release");
    await until(
      async () =>
        (await count("transactions WHERE type = 'credit_purchase'")) === SESSIONS &&
        (await count("stripe_events WHERE status = 'received'")) === 0,
    );
  });
  const events = (await count("stripe_events")) - before;
  return [
    { what: `${SESSIONS} paid sessions: all settled`, value: ms / 1000, unit: "s" },
    { what: "sessions settled", value: (SESSIONS * 1000) / ms, unit: "per s", goal: { atLeast: 20 } },
    { what: "events handled", value: (events * 1000) / ms, unit: "per s" },
  ];
}

async function lists({ person }: TaskClient, pool: Pool): Promise<Figure[]> {
  await pool.query(INSERT, [AGENTS]);
  await pool.query("VACUUM ANALYZE agents");
  const figures: Figure[] = [];
  for (const { what, path, goal } of LISTS) {
    const times: number[] = [];
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      const ms = await timed(() => person.request("GET", path));
      if (round >= 0) times.push(ms);
    }
    figures.push(
      { what: `${what}, p50`, value: p50(times), unit: "ms", ...(goal && { goal }) },
      { what: `${what}, p95`, value: p95(times), unit: "ms" },
      ...tripsOf(what, await person.request("GET", path), { db: 2, publish: 0 }),
    );
  }
  return figures;
}

async function boughtAgent({ http, projectId }: TaskClient, pool: Pool): Promise<Figure[]> {
  const { rows } = await pool.query<{ agent_id: string }>(
    `INSERT INTO library_agents (team_id, agent_id, purchase_type)
      SELECT projects.team_id, agents.id, 'one_time' FROM projects, agents
      WHERE projects.id = $1 AND agents.slug = 'bench-10' RETURNING agent_id`,
    [projectId],
  );
  const body = { project_id: projectId, message: INSTANT, agent_id: rows[0]?.agent_id };
  const invoke = () => http.request("POST", "/api/external/agent/invoke", body);
  await invoke();
  return tripsOf("invoke of a bought agent", await invoke(), { db: 2, publish: 1, objects: 1 });
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + NEVER_MS;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error("The events were not handled");
    await pause(POLL_MS);
  }
}
