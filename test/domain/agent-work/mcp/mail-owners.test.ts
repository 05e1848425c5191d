import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { mailOwners, storeOutcome } from "#src/domain/agent-work/mcp/index.ts";
import { insertServer, type NewMcpServer } from "#src/domain/agent-work/mcp/queries.ts";
import { NO_RULES } from "#src/domain/agent-work/mcp/rules.ts";
import { newId } from "#src/lib/ids.ts";
import type { Services } from "#src/services.ts";
import { executeJob } from "#src/work/execute.ts";
import { joinTeam, newColleague, newTeam } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";
import { CLIENT } from "#test/support/people.ts";

const database = await fileDatabase();
const { db } = database;

/** A person with a confirmed address, and whether they want mails about tasks. */
async function person({ wantsMail = true } = {}) {
  const found = await newColleague(db);
  await db.execute(sql`UPDATE users SET task_mail = ${wantsMail}, is_verified = true WHERE id = ${found.id}`);
  return found;
}

type Owned = Pick<NewMcpServer, "scope" | "userId" | "teamId" | "projectId">;

/** A server that was found connected. */
async function newServer(owned: Owned) {
  const server = {
    ...owned,
    id: newId(),
    name: "tracker",
    url: "https://tracker.test/mcp",
    auth: "oauth",
    rules: NO_RULES,
    state: "connected",
  } as const;
  const { id: userId } = await newColleague(db);
  return insertServer(database, server, { userId, logTeamId: null, client: CLIENT });
}

/** Services whose mails are kept as text, with so many mails about each server allowed. */
function services({ most = 1 } = {}) {
  const mails: string[] = [];
  const taken = new Map<string, number>();
  const deps = partOf<Services>({
    db,
    config: partOf({ PUBLIC_URL: "https://service.test", APP_BASE_URL: "https://workspace.test" }),
    mailer: partOf({ configured: true }),
    attempts: partOf({
      take: async (_rule: string, key: string) => {
        taken.set(key, (taken.get(key) ?? 0) + 1);
        const allowed = (taken.get(key) ?? 0) <= most;
        return { allowed, limit: most, remaining: 0, resetSeconds: 60, retryAfterSeconds: 60 };
      },
    }),
    secrets: partOf({
      encrypt: async (text: string) => {
        mails.push(text.trim());
        return text;
      },
    }),
    queue: { publish: async () => {} },
    log: partOf({ warn: () => {}, error: () => {}, info: () => {} }),
  });
  return { deps, mails };
}

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
  const mailed = rows.filter(({ email }) => mails.some((mail) => mail.includes(email)));
  expect([mails.length, mailed.length]).toEqual([2, 2]);
});
