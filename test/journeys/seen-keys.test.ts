import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { externalApiKeys, tasks, teamMemberships, users } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTaskClient, type TaskClient } from "#test/support/task-client.ts";
import { tripsOf } from "#test/support/trips.ts";

const service = sharedService();
const db = databaseOf(service);

/** A client whose key the service has seen a moment ago. */
async function seenClient() {
  const client = await newTaskClient(service);
  const first = () => client.invoke("Hello", {}, { "Idempotency-Key": "first" });
  expect((await first()).status).toBe(200);
  const [row] = await db.select().from(externalApiKeys).where(eq(externalApiKeys.id, client.keyId));
  const userId = row?.userId ?? "";
  return { ...client, userId, first, stored: () => db.$count(tasks, eq(tasks.userId, userId)) };
}

type Seen = Awaited<ReturnType<typeof seenClient>>;

const change = ({ keyId }: TaskClient, values: Partial<typeof externalApiKeys.$inferInsert>) =>
  db.update(externalApiKeys).set(values).where(eq(externalApiKeys.id, keyId));

const inRole = ({ userId }: Seen, role: "viewer" | "admin") =>
  db.update(teamMemberships).set({ role }).where(eq(teamMemberships.userId, userId));

it("a task of a key that was seen a moment ago is stored in one round trip", async () => {
  const client = await newTaskClient(service);
  expect(tripsOf(await client.invoke("Hello"))).toEqual({ db: 2, publish: 0 });
  expect(tripsOf(await client.invoke("Hello"))).toEqual({ db: 1, publish: 0 });
});

it.each<[string, (seen: Seen) => PromiseLike<unknown>, number, string]>([
  [
    "a key that was revoked",
    ({ keyId, account: { token } }) => service.call("DELETE", `/api/external-api-keys/${keyId}`, { token }),
    401,
    "Invalid API key",
  ],
  ["a key that has expired", (seen) => change(seen, { expiresAt: new Date(0) }), 401, "API key expired"],
  ["a key that lost its permission", (seen) => change(seen, { scopes: ["chat.view"] }), 403, "chat.send"],
  [
    "a person whose account was disabled",
    ({ userId }) => db.update(users).set({ isActive: false }).where(eq(users.id, userId)),
    401,
    "inactive",
  ],
  [
    "a person who has left the team",
    ({ userId }) => db.delete(teamMemberships).where(eq(teamMemberships.userId, userId)),
    401,
    "inactive",
  ],
  ["a person who may only view", (seen) => inRole(seen, "viewer"), 403, "chat.send"],
])("nothing is stored for %s, though the key was seen a moment ago", async (_, lose, status, detail) => {
  const client = await seenClient();
  await lose(client);
  // What is refused for another reason is refused for this one, too, and nothing is told of the first task.
  for (const invoke of [() => client.invoke("Hello"), client.first, () => client.invoke("")]) {
    expect(await invoke()).toMatchObject({ status, body: { detail: expect.stringContaining(detail) } });
  }
  expect(await client.stored()).toBe(1);
});

it("a permission that a key did not have when it was seen counts at once", async () => {
  const client = await seenClient();
  await inRole(client, "viewer");
  expect((await client.invoke("Hello")).status).toBe(403);
  await inRole(client, "admin");
  expect((await client.invoke("Hello")).status).toBe(200);
});
