import { describe, expect, it } from "vitest";
import type { CeilingName } from "#src/domain/operations/ceilings/index.ts";
import { CEILINGS, OPEN_CEILINGS } from "#src/domain/operations/limits/index.ts";
import { changeChannel, insertChannel } from "#src/domain/messaging/channels/queries.ts";
import { streamTask } from "#src/domain/agent-work/tasks/index.ts";
import { createTeam } from "#src/domain/organisations/teams/index.ts";
import { readLimits } from "#src/domain/people/limits/index.ts";
import { endpoints } from "#src/routes/index.ts";
import { sockets } from "#src/routes/sockets/index.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { DEFAULT_CEILINGS } from "#test/support/ceilings.ts";
import { fileDatabase } from "#test/support/database.ts";
import { CLIENT } from "#test/support/people.ts";
import { partOf } from "#test/support/part-of.ts";
import { BOUNDED } from "./support/bounded-otherwise.ts";
import type { Ceiled } from "./support/ceiled.ts";
import { DRIVERS } from "./support/ceiling-drivers.ts";

const database = await fileDatabase();

const TIERS = {
  TIER_MAX_PROJECTS_FREE: 999_999,
  TIER_MAX_PROJECTS_BASIC: 999_999,
  TIER_MAX_PROJECTS_PRO: 999_999,
  TIER_MAX_PROJECTS_ULTRA: 999_999,
};

/** The database with this maximum of one kind. */
function withMost(name: CeilingName, max: number): Ceiled {
  const { variable } = CEILINGS[name];
  const variables = typeof variable === "string" ? [variable] : Object.values(variable);
  const set = Object.fromEntries(variables.map((each) => [each, max]));
  return { db: database.db, config: { ...DEFAULT_CEILINGS, ...TIERS, ...set } };
}

const names = Object.keys(CEILINGS).filter((name): name is CeilingName => name in CEILINGS);

describe.each(names)("the ceiling on %s", (name) => {
  const refusalAt = (max: number) => ({ code: CEILINGS[name].code, message: CEILINGS[name].refusal(max) });

  it("lets one of two that come at once have the last place, and another owner have their own", async () => {
    const { held = 0 } = await DRIVERS[name](withMost(name, 0));
    const max = held + 2;
    const deps = withMost(name, max);
    const [owner, other] = [await DRIVERS[name](deps), await DRIVERS[name](deps)];
    const first = await owner.make();
    const outcomes = await Promise.allSettled([owner.make(), owner.make(), owner.make()]);
    const refused = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    expect(refused).toEqual([1, 2].map(() => expect.objectContaining(refusalAt(max))));
    await other.make();
    await owner.remove(first);
    await owner.make();
    await expect(owner.make()).rejects.toMatchObject(refusalAt(max));
  });
});

it("a maximum of 0 is no limit", async () => {
  const owner = await DRIVERS.channels(withMost("channels", 0));
  await owner.make();
  await expect(owner.make()).resolves.toBeDefined();
});

it("a deleted or webhook channel is no way past the ceiling on connections", async () => {
  const deps = withMost("channel_connections", 1);
  const { id: userId } = await newColleague(deps.db);
  const channel = (inboundMode: "webhook" | "connection") => ({
    id: crypto.randomUUID(),
    userId,
    channelType: "telegram" as const,
    name: "bot",
    encryptedCredentials: "x",
    encryptedWebhookSecret: "x",
    inboundMode,
  });
  const [ended, called, kept] = [channel("connection"), channel("webhook"), channel("connection")];
  const change = (id: string, values: { isActive?: boolean; inboundMode?: "connection" }) =>
    changeChannel(
      deps,
      { userId, id, projectId: null },
      { change: values, action: "channel.updated", fields: [], onlyActive: false },
      CLIENT,
    );
  await insertChannel(deps, ended, CLIENT);
  await change(ended.id, { isActive: false });
  await insertChannel(deps, called, CLIENT);
  await insertChannel(deps, kept, CLIENT);
  const refusal = { message: CEILINGS.channel_connections.refusal(1) };
  await expect(change(ended.id, { isActive: true })).rejects.toMatchObject(refusal);
  await expect(change(called.id, { inboundMode: "connection" })).rejects.toMatchObject(refusal);
  // A channel that is connected already can be changed.
  await expect(change(kept.id, { isActive: true, inboundMode: "connection" })).resolves.toBeDefined();
});

it("a person sees every ceiling, with what they hold and nobody else's", async () => {
  const deps = withMost("channels", 7);
  const [owner, other] = [await newColleague(deps.db), await newColleague(deps.db)];
  await createTeam(deps, owner.caller, { name: "Team" }, CLIENT);
  const limits = await readLimits(deps, owner.caller);
  expect(limits.map(({ name }) => name).toSorted()).toEqual(
    [...names, ...Object.keys(OPEN_CEILINGS)].toSorted(),
  );
  expect(limits).toContainEqual({ name: "teams", whose: "person", used: 2, max: 10 });
  expect(limits).toContainEqual({ name: "channels", whose: "person", used: 0, max: 7 });
  expect(limits).toContainEqual({ name: "projects", whose: "team", used: 0, max: null });
  expect(limits).toContainEqual({ name: "containers", whose: "project", used: null, max: 50 });
  const others = await readLimits(deps, other.caller);
  expect(others).toContainEqual({ name: "teams", whose: "person", used: 1, max: 10 });
});

it("a person with too many streams of a task is refused with a sentence", async () => {
  await expect(
    streamTask(
      partOf({ taskLogs: { stream: async () => new Response(null, { status: 429 }) } }),
      { id: "task", status: "running" },
      0,
      "ada",
    ),
  ).rejects.toMatchObject({
    code: "rate_limited",
    message: "Too many streams of this task are open: close one",
  });
});

it("what stores a row or holds a connection has a ceiling, or a reason to have none, in support/bounded-otherwise.ts", () => {
  const operations = endpoints
    .filter(({ method, response }) => method === "post" || response.mediaType === "text/event-stream")
    .map(({ operationId }) => operationId);
  const all = [...operations, ...sockets.map(({ path }) => path)];
  expect([...BOUNDED].toSorted()).toEqual(all.toSorted());
});
