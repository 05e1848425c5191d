import type { ServerResponse } from "node:http";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeEach, expect, it } from "vitest";
import { inspect } from "node:util";
import { mcpAuthorizations, mcpServers, teamMemberships, users } from "#src/db/schema/index.ts";
import {
  beginAuthorization,
  deleteServer,
  disconnectServer,
  finishAuthorization,
  showServer,
  testServer,
  updateServer,
} from "#src/domain/agent-work/mcp/index.ts";
import { claimRefresh, storeRefreshed } from "#src/domain/agent-work/mcp/queries/authorizations.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import { AppError } from "#src/lib/errors.ts";
import { createMcpOAuth } from "#src/platform/mcp-oauth/index.ts";
import { newColleague, newMember, newTeam } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { patientSafeFetch } from "#test/support/patient-mcp.ts";
import { CLIENT } from "#test/support/people.ts";
import { oauthOwner } from "./support/oauth-owner.ts";
import { startOAuthWorld } from "./support/oauth-world.ts";

const database = await fileDatabase();
const { db } = database;
const world = await startOAuthWorld();
const selective = await startOAuthWorld({ registers: false });
afterAll(() => Promise.all([world.close(), selective.close()]));

const person = await newColleague(db);
const { caller } = person;
const { started, add, finish, connect, call, rowOf, stateOf, age } = oauthOwner(database, world, caller);

const NOT_CONNECTED = "It is not connected: connect it under MCP servers";

beforeEach(() => {
  world.instead = {};
  selective.instead = {};
  world.toolScope = "read";
  for (const list of [world.grants, world.revoked, world.seen, selective.seen]) list.length = 0;
});

it("connects a server in the browser, and calls it from programs that were started since", async () => {
  const { id, state, lastError } = await add();
  expect({ state, lastError }).toEqual({
    state: "needs_authorization",
    lastError: NOT_CONNECTED,
  });
  const { authorizationUrl, server } = await connect(id);
  expect(server).toMatchObject({ state: "connected", lastError: null, tools: [{ name: "look_up" }] });
  expect(Object.fromEntries(new URL(authorizationUrl).searchParams)).toMatchObject({
    code_challenge_method: "S256",
    resource: world.url,
    scope: "read offline_access",
    redirect_uri: "http://127.0.0.1:1/api/mcp/oauth/callback",
  });
  expect(await call(id)).toBe("found");
  expect(world.grants).toEqual(["authorization_code"]);
  const row = await rowOf(id);
  for (const secret of [row?.encryptedToken, row?.encryptedRefreshToken]) expect(secret).toMatch(/^gAAAA/u);
  const shown = await showServer(started(), server);
  const token = world.seen.find((each) => each !== undefined) ?? "";
  expect(JSON.stringify(shown)).not.toContain(token);
});

it("renews a token before it expires, and once for all programs that ask", async () => {
  const { id } = await add();
  await connect(id);
  await age(id);
  const programs = [started(), started(), started()];
  expect(await Promise.all(programs.map((deps) => call(id, deps)))).toEqual(["found", "found", "found"]);
  expect(world.grants).toEqual(["authorization_code", "refresh_token"]);
  expect((await rowOf(id))?.refreshingSince).toBeNull();
});

it("renews nothing with a refresh token that was read before another program's renewal was stored", async () => {
  const { id } = await add();
  await connect(id);
  const read = async () => ({ id, generation: (await rowOf(id))?.generation ?? 0 });
  const before = await read();
  expect(await claimRefresh(db, before)).toBe(true);
  const meanwhile = await read();
  const renewed = { encryptedToken: "new", encryptedRefreshToken: "new", grantor: null };
  await storeRefreshed(db, meanwhile, { ...renewed, expiresAt: null, lifetimeSeconds: null });
  expect(await claimRefresh(db, meanwhile)).toBe(false);
  expect(await claimRefresh(db, await read())).toBe(true);
});

it("renews a token that the server no longer takes, during a connection", async () => {
  const { id } = await add();
  await connect(id);
  await world.endTokens();
  expect(await call(id)).toBe("found");
  expect(world.grants).toEqual(["authorization_code", "refresh_token"]);
});

it("asks its owner to connect again after the answer to a renewal was lost, and does not go on asking", async () => {
  const { id } = await add();
  await connect(id);
  await age(id);
  const plain = patientSafeFetch();
  const losing: SafeFetch = async (url, options) => {
    const answer = await plain(url, options);
    if (typeof options?.body === "string" && options.body.includes("grant_type=refresh_token")) {
      throw new AppError("unavailable", "the host did not answer in time");
    }
    return answer;
  };
  expect(await call(id, started({ safeFetch: losing }))).toBe("unreachable: the host did not answer in time");
  const asked = "The authorization server did not renew the token (invalid_grant): connect it again";
  expect(await call(id)).toBe(`needs_authorization: ${asked}`);
  const requests = world.grants.length;
  expect(await call(id)).toBe(`needs_authorization: ${NOT_CONNECTED}`);
  expect(world.grants).toHaveLength(requests);
  expect(await testServer(started(), caller, id)).toMatchObject({
    error: NOT_CONNECTED,
    server: { state: "needs_authorization" },
  });
  expect((await connect(id)).server.state).toBe("connected");
});

it("takes over a renewal whose program was killed", async () => {
  const { id } = await add();
  await connect(id);
  await age(id);
  await db
    .update(mcpAuthorizations)
    .set({ refreshingSince: sql`now() - interval '31 seconds'`, generation: 7 })
    .where(eq(mcpAuthorizations.id, id));
  expect(await call(id)).toBe("found");
  expect(await rowOf(id)).toMatchObject({ refreshingSince: null, generation: 9 });
});

it("asks for the scopes that the server wants beyond those of its token, and then has them", async () => {
  const { id } = await add();
  await connect(id);
  world.toolScope = "write";
  const deps = started();
  const refused = await call(id, deps);
  expect(refused).toBe("needs_authorization: The server wants more permissions than it was given");
  await db
    .update(mcpServers)
    .set({ neededScope: "write", state: "needs_authorization", lastError: refused })
    .where(eq(mcpServers.id, id));
  // That its tools can be listed does not say that they can be called.
  expect(await testServer(deps, caller, id)).toMatchObject({ server: { state: "needs_authorization" } });
  const { authorizationUrl, server } = await connect(id);
  expect(new URL(authorizationUrl).searchParams.get("scope")).toBe("read write offline_access");
  expect(server).toMatchObject({ state: "connected", neededScope: null });
  expect(await call(id)).toBe("found");
});

it("ends with a sentence when the person declines, and keeps what it had", async () => {
  const { id } = await add();
  const decline = async () => {
    const { authorizationUrl, cookie } = await beginAuthorization(started(), caller, id);
    return finish(started(), await world.visit(authorizationUrl, "declines"), cookie.value);
  };
  const declined = "The authorization was declined: connect again to give it";
  await expect(decline()).rejects.toMatchObject({ code: "invalid_input", message: declined });
  expect(await stateOf(id)).toMatchObject({ state: "needs_authorization", lastError: declined });
  await connect(id);
  await expect(decline()).rejects.toMatchObject({ message: declined });
  expect(await call(id)).toBe("found");
});

it("revokes its tokens when it is disconnected, and when it is deleted", async () => {
  const { id } = await add();
  await connect(id);
  const disconnected = await disconnectServer(started(), caller, id, CLIENT);
  expect(disconnected).toMatchObject({ state: "needs_authorization" });
  expect(world.revoked.length).toBeGreaterThan(0);
  expect(await rowOf(id)).toMatchObject({ encryptedToken: null, encryptedRefreshToken: null, client: null });
  await connect(id);
  world.revoked.length = 0;
  await deleteServer(started(), caller, id, CLIENT);
  expect(world.revoked.length).toBeGreaterThan(0);
});

it("uses the client that a person entered where the authorization server registers none", async () => {
  const { id } = await add({ url: selective.url });
  const publicUrl = "https://workspace.test";
  await expect(beginAuthorization(started({ publicUrl }), caller, id)).rejects.toThrow(
    "registers no clients by itself",
  );
  const oauthClient = { clientId: "by-hand", clientSecret: "s+cr%t of a client" };
  await updateServer(started(), caller, id, { oauthClient }, CLIENT);
  const begun = await beginAuthorization(started({ publicUrl }), caller, id);
  const callback = await selective.visit(begun.authorizationUrl);
  const { server } = await finish(started({ publicUrl }), callback, begun.cookie.value);
  expect(server.state).toBe("connected");
  expect(await rowOf(id)).toMatchObject({ client: { source: "given", issuer: selective.issuer } });
  // Its secret stays with that authorization server, whatever the MCP server says later.
  selective.instead["/.well-known/oauth-protected-resource/mcp"] = (_, response) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ resource: selective.url, authorization_servers: [world.issuer] }));
  await expect(beginAuthorization(started({ publicUrl }), caller, id)).rejects.toThrow(
    "now names another authorization server",
  );
});

it("is finished by the session that began it alone, and once", async () => {
  const { id } = await add();
  const { authorizationUrl, cookie } = await beginAuthorization(started(), caller, id);
  const callback = await world.visit(authorizationUrl);
  const stranger = await newColleague(db);
  const invalid = { code: "invalid_input", message: "INVALID_STATE_TOKEN" };
  const others = [undefined, stranger.caller, { ...caller, sessionId: crypto.randomUUID() }];
  for (const visitor of others) {
    await expect(
      finishAuthorization(started(), {
        parameters: callback.searchParams,
        cookie: cookie.value,
        visitor,
        client: CLIENT,
      }),
    ).rejects.toMatchObject(invalid);
  }
  await expect(finish(started(), callback, "planted")).rejects.toMatchObject(invalid);
  const both = [1, 2].map(() => finish(started(), callback, cookie.value));
  const outcomes = await Promise.allSettled(both);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(world.grants).toEqual(["authorization_code"]);
});

it("stores nothing of a visit that was ended meanwhile", async () => {
  const { id } = await add();
  const { authorizationUrl, cookie } = await beginAuthorization(started(), caller, id);
  const callback = await world.visit(authorizationUrl);
  await updateServer(started(), caller, id, { url: `${world.url}?other=1` }, CLIENT);
  await expect(finish(started(), callback, cookie.value)).rejects.toThrow("ended or begun again");
  expect(await rowOf(id)).toMatchObject({ encryptedToken: null, flow: null });
});

it("sends its tokens to no other address", async () => {
  const { id } = await add();
  await connect(id);
  const moved = await updateServer(started(), caller, id, { url: selective.url }, CLIENT);
  expect(moved.state).toBe("needs_authorization");
  expect(await rowOf(id)).toMatchObject({ encryptedToken: null, grantor: null });
  expect(selective.seen.filter((token) => token !== undefined && world.seen.includes(token))).toEqual([]);
});

const answering = (body: object) => (_: unknown, response: ServerResponse) =>
  void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));

it.each<[string, { resource?: string; servers?: string[] }, string]>([
  ["a resource of another host", { resource: "https://other.test/mcp" }, "those of another server"],
  ["an authorization server inside", { servers: ["http://169.254.169.254/"] }, "must not be called"],
])("refuses metadata with %s", async (_, { resource, servers }, why) => {
  const { id } = await add();
  world.instead["/.well-known/oauth-protected-resource/mcp"] = answering({
    resource: resource ?? world.url,
    authorization_servers: servers ?? [world.issuer],
  });
  const guarded = patientSafeFetch({ allowPrivate: false, allowedOrigins: [new URL(world.url).origin] });
  await expect(beginAuthorization(started({ safeFetch: guarded }), caller, id)).rejects.toThrow(why);
});

it("refuses an authorization server that is another one than it was called, in its metadata and in its answer", async () => {
  const { id } = await add();
  const { authorizationUrl, cookie } = await beginAuthorization(started(), caller, id);
  const callback = await world.visit(authorizationUrl);
  callback.searchParams.set("iss", "https://other.test");
  await expect(finish(started(), callback, cookie.value)).rejects.toThrow("another one than the one");
  const again = await beginAuthorization(started(), caller, id);
  const bare = await world.visit(again.authorizationUrl);
  bare.searchParams.delete("iss");
  await expect(finish(started(), bare, again.cookie.value)).rejects.toThrow("another one than the one");
  expect(world.grants).toEqual([]);
  world.instead["/op/.well-known/openid-configuration"] = answering({
    issuer: "https://other.test",
    authorization_endpoint: "https://other.test/a",
    token_endpoint: "https://other.test/t",
    jwks_uri: "https://other.test/k",
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    code_challenge_methods_supported: ["S256"],
  });
  await expect(beginAuthorization(started(), caller, id)).rejects.toThrow("another one than the one");
});

it("sends tokens to no other address than they were given for, also not from a program that read another one before", async () => {
  const { id } = await add();
  await connect(id);
  // As a step that began before the server was moved here and connected.
  expect(await call(id, started(), selective.url)).toBe(`needs_authorization: ${NOT_CONNECTED}`);
  expect(selective.seen.filter((token) => token !== undefined)).toEqual([]);
});

it("ends a visit of a server that has moved since without tokens, whoever stored it last", async () => {
  const { id } = await add();
  const { authorizationUrl, cookie } = await beginAuthorization(started(), caller, id);
  const callback = await world.visit(authorizationUrl);
  const [row] = await db.select().from(mcpAuthorizations).where(eq(mcpAuthorizations.id, id));
  await updateServer(started(), caller, id, { url: selective.url }, CLIENT);
  // As a request that had read the old address, and was stored after the move.
  await db
    .update(mcpAuthorizations)
    .set({ flow: row?.flow, client: row?.client })
    .where(eq(mcpAuthorizations.id, id));
  await expect(finish(started(), callback, cookie.value)).rejects.toThrow("ended or begun again");
  expect(world.grants).toEqual([]);
});

it("has a team's agents act no longer as a person who has left it, or is disabled", async () => {
  const team = await newTeam(db);
  const member = await newMember(db, team.id, "editor");
  const ofTeam = oauthOwner(database, world, member.caller);
  const { id } = await ofTeam.add({ scope: "team", team: team.slug });
  await ofTeam.connect(id);
  expect(await ofTeam.call(id)).toBe("found");
  const gone = "needs_authorization: Who connected it may no longer use it: connect it again";
  await db.update(users).set({ isActive: false }).where(eq(users.id, member.id));
  expect(await ofTeam.call(id)).toBe(gone);
  await db.update(users).set({ isActive: true }).where(eq(users.id, member.id));
  await db.delete(teamMemberships).where(eq(teamMemberships.userId, member.id));
  expect(await ofTeam.call(id)).toBe(gone);
  const { error } = await testServer(started(), team.owner.caller, id);
  expect(error).toBe("Who connected it may no longer use it: connect it again");
});

it("uses no client of another authorization server, of a visit that is not over, for the tokens of the first", async () => {
  const { id } = await add();
  await connect(id);
  await age(id);
  const issuer = sql`jsonb_set(client, '{issuer}', '"https://another.test"')`;
  await db.update(mcpAuthorizations).set({ client: issuer }).where(eq(mcpAuthorizations.id, id));
  world.grants.length = 0;
  expect(await call(id)).toContain("It is being connected to another authorization server");
  expect(world.grants).toEqual([]);
  expect((await rowOf(id))?.encryptedRefreshToken).not.toBeNull();
});

it("shows the service's metadata document to no authorization server whose codes would go elsewhere", async () => {
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
  const begun = await beginAuthorization({ ...deps, mcpOAuth: mixed }, caller, id);
  const clientId = new URL(begun.authorizationUrl).searchParams.get("client_id");
  expect(clientId).not.toBe(mcpOAuth.clientDocument.client_id);
  expect(await rowOf(id)).toMatchObject({ client: { source: "registered" } });
});

it("logs nothing of what an authorization server answers to a token, as it may repeat it", async () => {
  const { id } = await add();
  await connect(id);
  await age(id);
  const logged: unknown[] = [];
  const deps = started();
  const warn = (...entry: unknown[]) => void logged.push(entry);
  world.instead["/op/token"] = (_, response) => response.writeHead(500).end("<pre>repeated-secret</pre>");
  expect(await call(id, { ...deps, log: { ...deps.log, warn } })).toContain("did not renew the token");
  expect(logged).toHaveLength(1);
  expect(inspect(logged, { depth: 10 })).not.toContain("repeated-secret");
});
