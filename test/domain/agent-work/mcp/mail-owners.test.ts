import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { mailOwners, storeOutcome } from "#src/domain/agent-work/mcp/index.ts";
import type { Services } from "#src/services.ts";
import { executeJob } from "#src/work/execute.ts";
import { joinTeam, newTeam } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";
import { mailed, mailReader } from "../support/mailed.ts";
import { storeServer, type Owned } from "./support/stored-server.ts";

const database = await fileDatabase();
const { db } = database;

/** Services whose mails are kept as text, with so many mails about each server allowed. */
function services({ most = 1 } = {}) {
  const taken = new Map<string, number>();
  const { deps, mails } = mailed(db);
  const limited = {
    ...deps,
    attempts: partOf<Services["attempts"]>({
      take: async (_rule: string, key: string) => {
        taken.set(key, (taken.get(key) ?? 0) + 1);
        const allowed = (taken.get(key) ?? 0) <= most;
        return { allowed, limit: most, remaining: 0, resetSeconds: 60, retryAfterSeconds: 60 };
      },
    }),
  };
  return { deps: limited, mails };
}

const person = (wish?: { wantsMail: boolean }) => mailReader(db, wish);
const newServer = (owned: Owned) => storeServer(database, owned, { auth: "oauth" });
type Server = Awaited<ReturnType<typeof newServer>>;

const connected = (server: Server) =>
  storeOutcome(db, server, { state: "connected", lastError: null }, { tellsOwners: true });
const needsAuthorization = (server: Server, tellsOwners = true) =>
  storeOutcome(db, server, { state: "needs_authorization", lastError: "No token" }, { tellsOwners });

async function isDue({ id }: Server): Promise<boolean> {
  const { rows } = await db.execute(sql`SELECT FROM jobs WHERE kind = 'mail-mcp-server' AND key = ${id}`);
  return rows.length > 0;
}

it("a person is told once a day that a server of theirs needs authorization, with a link to it", async () => {
  const { deps, mails } = services();
  const { id: userId } = await person();
  const server = await newServer({ scope: "person", userId });
  for (let round = 0; round < 2; round += 1) {
    await needsAuthorization(server);
    expect(await isDue(server)).toBe(true);
    await executeJob(deps, mailOwners, server.id);
    expect(mails).toEqual([expect.stringContaining(`https://workspace.test/app/mcp-servers/${server.id}`)]);
    // That it still does is no news.
    await needsAuthorization(server);
    expect(await isDue(server)).toBe(false);
    await connected(server);
  }
});

it("those who test it themselves are told by what they see", async () => {
  const { id: userId } = await person();
  const server = await newServer({ scope: "person", userId });
  await needsAuthorization(server, false);
  expect(await isDue(server)).toBe(false);
});

it("nobody is told of a server that was authorized meanwhile", async () => {
  const { deps, mails } = services();
  const { id: userId } = await person();
  const server = await newServer({ scope: "person", userId });
  await needsAuthorization(server);
  await connected(server);
  await executeJob(deps, mailOwners, server.id);
  expect(mails).toEqual([]);
});

it("the administrators of a team are told who want mails about tasks, and none of its other members", async () => {
  const { deps, mails } = services();
  const team = await newTeam(db);
  const admins = [await person(), await person()];
  for (const each of admins) await joinTeam(db, each, team.id, "admin");
  await joinTeam(db, await person({ wantsMail: false }), team.id, "admin");
  await joinTeam(db, await person(), team.id, "editor");
  const server = await newServer({ scope: "team", teamId: team.id });
  await needsAuthorization(server);
  await executeJob(deps, mailOwners, server.id);
  const { rows } = await db.execute<{ email: string }>(sql`SELECT email FROM users
    WHERE id IN (${admins[0]?.id}, ${admins[1]?.id})`);
  const reached = rows.filter(({ email }) => mails.some((mail) => mail.includes(email)));
  expect([mails.length, reached.length]).toEqual([2, 2]);
});
