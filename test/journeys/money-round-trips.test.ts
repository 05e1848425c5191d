import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { signatureHeader } from "#stand-ins/stripe/signature.ts";
import { libraryAgents, projects } from "#src/db/schema/index.ts";
import { newId } from "#src/lib/ids.ts";
import { databaseOf } from "#test/support/database.ts";
import { listAgent } from "#test/support/marketplace.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTaskClient } from "#test/support/task-client.ts";
import { tripsOf } from "#test/support/trips.ts";

const service = sharedService();
const db = databaseOf(service);

it("a payment event is acknowledged after one statement and one publish, a repetition likewise", async () => {
  const id = `evt_${newId().replaceAll("-", "")}`;
  const object = { id: "cs_test_none", object: "checkout.session" };
  const type = "checkout.session.completed";
  const body = JSON.stringify({ id, object: "event", created: 1, type, livemode: false, data: { object } });
  const secret = service.stack.variables["STRIPE_WEBHOOK_SECRET"] ?? "";
  const send = () =>
    service.call("POST", "/api/webhooks/stripe", {
      body,
      headers: {
        "content-type": "application/json",
        "stripe-signature": signatureHeader(secret, body, Date.now()),
      },
    });
  expect(tripsOf(await send())).toEqual({ db: 1, publish: 1 });
  const again = tripsOf(await send());
  expect(again.db).toBe(1);
  // None, once the event is handled.
  expect(again.publish).toBeLessThanOrEqual(1);
});

it.each(["agents", "agents?search=a&sort=rating", "bases"])(
  "GET /api/marketplace/%s takes at most two round trips to the database",
  async (path) => {
    const { token } = await service.signUp();
    const trips = tripsOf(await service.call("GET", `/api/marketplace/${path}`, { token }));
    expect(trips.db).toBeLessThanOrEqual(2);
    expect(trips.publish).toBe(0);
  },
);

it("an invoke of an agent that the team bought takes two round trips to the database", async () => {
  const client = await newTaskClient(service);
  const agent = await listAgent(db, { pricingType: "one_time", priceCents: 500, sourceType: "closed" });
  const [project] = await db.select().from(projects).where(eq(projects.id, client.projectId));
  await db
    .insert(libraryAgents)
    .values({ teamId: project?.teamId ?? "", agentId: agent.id, purchaseType: "one_time" });
  const trips = tripsOf(await client.invoke("Hello", { agent_id: agent.id }));
  expect(trips).toEqual({ db: 2, publish: 0 });
});
