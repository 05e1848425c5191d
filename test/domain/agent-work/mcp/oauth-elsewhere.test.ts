import { inspect } from "node:util";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeEach, expect, it } from "vitest";
import { mcpAuthorizations, teamMemberships, users } from "#src/db/schema/index.ts";
import { beginAuthorization, testServer, updateServer } from "#src/domain/agent-work/mcp/index.ts";
import { createMcpOAuth } from "#src/platform/mcp-oauth/index.ts";
import { newMember, newTeam } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { patientSafeFetch } from "#test/support/patient-mcp.ts";
import { CLIENT } from "#test/support/people.ts";
import { oauthOwner } from "./support/oauth-owner.ts";
import { startOAuthWorld } from "./support/oauth-world.ts";

const database = await fileDatabase();
const { db } = database;
const world = await startOAuthWorld();
const other = await startOAuthWorld();
afterAll(() => Promise.all([world.close(), other.close()]));
const team = await newTeam(db);
const member = await newMember(db, team.id, "editor");
const owner = oauthOwner(database, world, member.caller);
const { started, connect, call } = owner;
const add = () => owner.add({ scope: "team", team: team.slug });
const NOT_CONNECTED = "needs_authorization: It is not connected: connect it under MCP servers";

beforeEach(() => {
  for (const list of [world.seen, other.seen, world.grants, world.revoked]) list.length = 0;
});

it("Tokens go to the address for which they were given, also from a program that read another one before", async () => {
  const { id } = await add();
  await connect(id);
  // As a step that began before the server was moved here and connected.
  expect(await call(id, started(), other.url)).toBe(NOT_CONNECTED);
  expect(other.seen.filter((token) => token !== undefined)).toEqual([]);
});

it("A visit of a server that has moved since ends without tokens, whoever stored it last", async () => {
  const { id } = await add();
  const { authorizationUrl, cookie } = await beginAuthorization(started(), member.caller, id);
  const callback = await world.visit(authorizationUrl);
  const [row] = await db.select().from(mcpAuthorizations).where(eq(mcpAuthorizations.id, id));
  await updateServer(started(), member.caller, id, { url: other.url }, CLIENT);
  // As a request that had read the old address, and was stored after the move.
  await db
    .update(mcpAuthorizations)
    .set({ flow: row?.flow, client: row?.client })
    .where(eq(mcpAuthorizations.id, id));
  await expect(owner.finish(started(), callback, cookie.value)).rejects.toThrow("ended or begun again");
  expect(world.grants).toEqual([]);
});

it("A team's agents no longer act as a person who has left it, or is disabled", async () => {
  const { id } = await add();
  await connect(id);
  expect(await call(id)).toBe("found");
  const gone = "needs_authorization: Who connected it may no longer use it: connect it again";
  await db.update(users).set({ isActive: false }).where(eq(users.id, member.id));
  expect(await call(id)).toBe(gone);
  await db.update(users).set({ isActive: true }).where(eq(users.id, member.id));
  await db.delete(teamMemberships).where(eq(teamMemberships.userId, member.id));
  expect(await call(id)).toBe(gone);
  const { error } = await testServer(started(), team.owner.caller, id);
  expect(error).toBe("Who connected it may no longer use it: connect it again");
  await db.insert(teamMemberships).values({ teamId: team.id, userId: member.id, role: "editor" });
});

it("A client of another authorization server, of a visit that is not over, is not used for the tokens of the first", async () => {
  const { id } = await add();
  await connect(id);
  await owner.age(id);
  const issuer = sql`jsonb_set(client, '{issuer}', '"https://another.test"')`;
  await db.update(mcpAuthorizations).set({ client: issuer }).where(eq(mcpAuthorizations.id, id));
  world.grants.length = 0;
  expect(await call(id)).toContain("It is being connected to another authorization server");
  expect(world.grants).toEqual([]);
  expect((await owner.rowOf(id))?.encryptedRefreshToken).not.toBeNull();
});

it("The service's metadata document is shown to no authorization server whose codes would go elsewhere", async () => {
  const { id } = await add();
  const publicUrl = "https://workspace.test";
  const deps = started({ publicUrl });
  const mcpOAuth = createMcpOAuth({ safeFetch: patientSafeFetch(), publicUrl });
  const mixed: typeof mcpOAuth = {
    ...mcpOAuth,
    async discover(...asked) {
      const found = await mcpOAuth.discover(...asked);
      const authorizationEndpoint = "https://honest.test/authorize";
      return {
        ...found,
        server: { ...found.server, authorizationEndpoint, takesClientDocuments: true, namesItself: false },
      };
    },
  };
  const begun = await beginAuthorization({ ...deps, mcpOAuth: mixed }, member.caller, id);
  const clientId = new URL(begun.authorizationUrl).searchParams.get("client_id");
  expect(clientId).not.toBe(mcpOAuth.clientDocument.client_id);
  expect(await owner.rowOf(id)).toMatchObject({ client: { source: "registered" } });
});

it("What an authorization server answers to a token is in no log, as it may repeat it", async () => {
  const { id } = await add();
  await connect(id);
  await owner.age(id);
  const logged: unknown[] = [];
  const deps = started();
  const warn = (...entry: unknown[]) => void logged.push(entry);
  world.instead["/op/token"] = (_, response) => response.writeHead(500).end("<pre>repeated-secret</pre>");
  try {
    expect(await call(id, { ...deps, log: { ...deps.log, warn } })).toContain("did not renew the token");
  } finally {
    world.instead = {};
  }
  expect(logged).toHaveLength(1);
  expect(inspect(logged, { depth: 10 })).not.toContain("repeated-secret");
});
