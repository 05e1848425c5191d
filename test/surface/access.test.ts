import { eq } from "drizzle-orm";
import { SignJWT, UnsecuredJWT } from "jose";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { isScope, roleGrants } from "#src/domain/access/permissions/index.ts";
import { externalApiKeys } from "#src/db/schema/index.ts";
import type { Account } from "#test/support/api-client.ts";
import { signUpAdministrator } from "#test/support/administrators.ts";
import { signedIn } from "#test/support/browser.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { PUBLIC, ROWS } from "./access-table.ts";
import type { Row } from "./access/row.ts";
import { drawn } from "#test/support/draw.ts";
import { addressOf, newSharedEstate, smallestBody, type SharedEstate } from "./estate.ts";
import { withRepository } from "./project-parts.ts";
import { operationsOf, readDocument, type Operation } from "./operations.ts";
import { undocumentedOrFaulty } from "./refusal.ts";

// Read while the tests are collected: every operation is a test.
const service = sharedService();
const document = await readDocument(service);
const operations = operationsOf(document);
const guarded = operations.filter(({ isPublic }) => !isPublic);
const admin = await signUpAdministrator(service);

let estate: SharedEstate;
let stranger: SharedEstate;
/** What is sent as `Authorization`, or as the headers in its stead, by the name of the test. */
const credentials: Record<string, Record<string, string>> = {};

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const secret = new TextEncoder().encode(service.stack.variables["SECRET_KEY"]);

interface Claims {
  subject?: string;
  session?: string;
  audience?: string;
  expires?: string | number;
}

function accessToken({ subject, session, audience = "workspace:auth", expires = "5m" }: Claims) {
  return new SignJWT({ sid: session ?? estate.samples["session"] })
    .setSubject(subject ?? estate.owner.id)
    .setAudience([audience])
    .setIssuedAt()
    .setExpirationTime(expires);
}

const signed = async (claims: Claims, key = secret, alg = "HS256") =>
  bearer(await accessToken(claims).setProtectedHeader({ alg }).sign(key));

const unsigned = () =>
  new UnsecuredJWT({ sid: estate.samples["session"] })
    .setSubject(estate.owner.id)
    .setAudience("workspace:auth")
    .setExpirationTime("5m")
    .encode();

const past = () => Math.floor(Date.now() / 1000) - 60;

async function newKey(token: string, wish: Record<string, unknown> = {}) {
  const { body, status, text } = await service.call<{ id: string; key: string }>(
    "POST",
    "/api/external-api-keys",
    { token, json: { name: "key", ...wish } },
  );
  if (status !== 200) throw new Error(`No key was made: ${text}`);
  return body;
}

function send(operation: Operation, headers: Record<string, string>, samples = estate.samples) {
  const json = smallestBody(document, operation, samples);
  return service.call(operation.method, addressOf(operation, samples), { headers, ...(json && { json }) });
}

/** The cookies of a new session. */
const signIn = async (person: Account) => (await signedIn(service, person)).who.cookie();

/** The token of a session that has ended, or of an account that was disabled. */
async function ofTheGone(how: "logged out" | "disabled") {
  const { id, token } = await service.signUp();
  if (how === "logged out") await service.call("POST", "/api/auth/logout", { headers: bearer(token) });
  else await service.call("POST", `/api/admin/users/${id}/disable`, { token: admin.token, json: {} });
  return bearer(token);
}

/** Credentials that no operation may take, by the name of the test. */
const VALID_FOR_NOBODY: Record<string, () => Record<string, string> | Promise<Record<string, string>>> = {
  "no credentials": () => ({}),
  "the cookies of a session beside a garbage bearer": async () => ({
    cookie: await signIn(estate.owner),
    ...bearer("garbage"),
  }),
  "the cookies of a session that is over": async () => {
    const cookie = await signIn(stranger.viewer);
    await service.call("POST", "/api/auth/logout", { headers: { cookie } });
    return { cookie };
  },
  "a name and a password": () => {
    const { username, password } = estate.owner;
    return { authorization: `Basic ${btoa(`${username}:${password}`)}` };
  },
  "a token without its scheme": () => ({ authorization: estate.owner.token }),
  "an empty bearer": () => ({ authorization: "Bearer " }),
  "a garbage bearer": () => bearer("garbage"),
  "a token with a changed letter": () => {
    const { token } = estate.owner;
    return bearer(`${token.slice(0, -2)}${token.endsWith("AA") ? "BB" : "AA"}`);
  },
  "an expired token": () => signed({ expires: past() }),
  "a token for another audience": () => signed({ audience: "workspace:other" }),
  "a token signed with another secret": () =>
    signed({}, new TextEncoder().encode("another secret of 32 characters..")),
  "a token signed with another algorithm": () => signed({}, secret, "HS512"),
  "an unsigned token": () => bearer(unsigned()),
  "a token of an unknown person": () => signed({ subject: crypto.randomUUID() }),
  "a token of no session": () => signed({ session: crypto.randomUUID() }),
  "a token of another's session": () => signed({ session: String(stranger.samples["session"]) }),
  "a token of a session that is over": () => ofTheGone("logged out"),
  "a token of a disabled account": () => ofTheGone("disabled"),
  "a malformed key": () => bearer("tsk_short"),
  "a key that was never issued": () => bearer(`tsk_${"0".repeat(32)}`),
  "a revoked key": async () => {
    const { id, key } = await newKey(estate.owner.token);
    await service.call("DELETE", `/api/external-api-keys/${id}`, { token: estate.owner.token });
    return bearer(key);
  },
  "an expired key": async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { id, key } = await newKey(estate.owner.token, { expires_at });
    await databaseOf(service)
      .update(externalApiKeys)
      .set({ expiresAt: new Date(0) })
      .where(eq(externalApiKeys.id, id));
    await vi.waitUntil(
      async () => (await service.call("GET", "/api/projects", { token: key })).status === 401,
    );
    return bearer(key);
  },
};

beforeAll(async () => {
  [estate, stranger] = [await newSharedEstate(service), await newSharedEstate(service)];
  await withRepository(service, estate);
  const { owner, viewer } = estate;
  const { id: otherProject } = await service.newProject(owner.token);
  // The viewer works in the owner's team, so that a key made now is one of that team.
  await service.call("POST", `/api/teams/${String(estate.samples["team"])}/switch`, { token: viewer.token });
  const editor = await newEditor();
  for (const [name, make] of Object.entries(VALID_FOR_NOBODY)) credentials[name] = await make();
  Object.assign(credentials, {
    "the cookies of a session": { cookie: await signIn(owner) },
    "an access token": bearer(owner.token),
    "a key": bearer(estate.key),
    "a stranger's token": bearer(stranger.owner.token),
    "a stranger's key": bearer(stranger.key),
    "a viewer's token": bearer(viewer.token),
    "a viewer's key": bearer((await newKey(viewer.token)).key),
    "a key for another project": bearer((await newKey(owner.token, { project_id: otherProject })).key),
    "an editor's token": bearer(editor.token),
    "an editor's key": bearer((await newKey(editor.token)).key),
    ...(await keysWithAllBut(new Set(guarded.flatMap(({ scopes }) => scopes)))),
  });
});

const withAllBut = (scope: string) => `a key with every permission but ${scope}`;

/** For each permission a key that has all the others: a key without it is refused whatever else it has. */
async function keysWithAllBut(scopes: ReadonlySet<string>) {
  const all = await service.call<{ value: string }[]>("GET", "/api/external-api-keys/scopes", {
    token: admin.token,
  });
  const keys: typeof credentials = {};
  let token = "";
  for (const [place, scope] of [...scopes].entries()) {
    // A person may have at most ten keys.
    if (place % 10 === 0) ({ token } = await service.signUp());
    const others = all.body.map(({ value }) => value).filter((value) => value !== scope);
    keys[withAllBut(scope)] = bearer((await newKey(token, { scopes: others })).key);
  }
  return keys;
}

/** An editor in the owner's team, who works there. */
async function newEditor() {
  const { token } = await service.signUp("editor");
  const team = `/api/teams/${String(estate.samples["team"])}`;
  const { body } = await service.call<{ invite_url: string }>("POST", `${team}/members/link`, {
    token: estate.owner.token,
    json: { role: "editor" },
  });
  const invitation = new URL(body.invite_url).pathname.split("/").at(-1);
  await service.call("POST", `/api/teams/invitations/${invitation}/accept`, { token });
  await service.call("POST", `${team}/switch`, { token });
  return { token };
}

/** Whom the published document says an operation admits, in the words of the table. */
function admitted({ person, keys, permission, scopes, template }: Operation): Row["admits"] {
  const scope = scopes.join(" and ") || "any";
  if (!person) return template.includes("{task}") ? `key of the task: ${scope}` : `key: ${scope}`;
  if (keys) return `person or key: ${scope}`;
  if (permission === "superuser") return "superuser";
  return permission === undefined ? "person" : `member: ${permission}`;
}

/** Credentials that are valid elsewhere, or for others, with the status that the row of the table says. */
function refusalsOf(operation: Operation): [name: string, status: number][] {
  const row = ROWS[canonical(operation)];
  if (!row) return [];
  const { person, keys, scopes, permission, method } = operation;
  const refusals: [string, number][] = [];
  if (!person) refusals.push(["an access token", 401], ["the cookies of a session", 401]);
  else if (method !== "GET") refusals.push(["the cookies of a session", 403]);
  if (!keys) refusals.push(["a key", row.key ?? 401]);
  for (const scope of scopes) refusals.push([withAllBut(scope), 403]);
  // The permissions of a role are one table: an editor is refused every permission that the role lacks.
  const needed = permission ?? scopes[0];
  if (needed !== undefined && isScope(needed) && !roleGrants("editor", needed)) {
    if (person) refusals.push(["an editor's token", 403]);
    if (keys) refusals.push(["an editor's key", 403]);
  }
  if (row.admits === "superuser") refusals.push(["an access token", 403]);
  if (row.stranger && person) refusals.push(["a stranger's token", row.stranger]);
  if (row.stranger && keys) refusals.push(["a stranger's key", row.stranger]);
  if (row.viewer && person) refusals.push(["a viewer's token", row.viewer]);
  if (row.viewer && keys) refusals.push(["a viewer's key", row.viewer]);
  if (row.project && keys) refusals.push(["a key for another project", 403]);
  return refusals;
}

/** The name under which an operation stands in the table: its own, or that of the one it is another name of. */
function canonical({ name, method, "x-alias-of": original }: Operation): string {
  return original === undefined ? name : `${method} ${original}`;
}

describe("the table", () => {
  it("has a row for every guarded operation, and no other", () => {
    const names = guarded.filter(({ isAlias }) => !isAlias).map(({ name }) => name);
    expect(Object.keys(ROWS).toSorted()).toEqual(names.toSorted());
  });

  it("admits the same as the published document", () => {
    const own = guarded.filter(({ isAlias }) => !isAlias);
    const published = Object.fromEntries(own.map((each) => [each.name, admitted(each)]));
    expect(published).toEqual(
      Object.fromEntries(Object.entries(ROWS).map(([name, row]) => [name, row.admits])),
    );
  });

  it("has every public operation", () => {
    const open = operations.filter(({ isPublic, isAlias }) => isPublic && !isAlias).map(({ name }) => name);
    expect(open.toSorted()).toEqual(PUBLIC.toSorted());
  });
});

/** How an operation responds to those credentials: the status, and what else is wrong. */
async function answerTo(operation: Operation, name: string) {
  const headers = credentials[name];
  if (!headers) throw new Error(`There are no credentials called ${name}`);
  const answer = await send(operation, headers);
  return [name, answer.status, undocumentedOrFaulty(operation, answer)];
}

interface Attempt {
  operation: Operation;
  /** Of the credentials. */
  name: string;
  status: number;
}

const byOperation = { of: ({ operation }: Attempt) => operation.name, kind: ({ name }: Attempt) => name };
const invalid = guarded.flatMap((operation) =>
  Object.keys(VALID_FOR_NOBODY).map((name): Attempt => ({ operation, name, status: 401 })),
);
// Another name of an operation runs the same code: what is valid for nobody shows that it is guarded.
const unfit = guarded
  .filter(({ isAlias }) => !isAlias)
  .flatMap((operation) =>
    refusalsOf(operation).map(([name, status]): Attempt => ({ operation, name, status })),
  );
const attempts = Map.groupBy(
  [...drawn(invalid, byOperation), ...drawn(unfit, { ...byOperation, each: 3 })],
  ({ operation }) => operation,
);

describe("a caller whom the table does not admit is refused", () => {
  it.each([...attempts.keys()])("by $name", async (operation) => {
    const refusals = attempts.get(operation) ?? [];
    const answers = await Promise.all(refusals.map(({ name }) => answerTo(operation, name)));
    expect(answers).toEqual(refusals.map(({ name, status }) => [name, status, undefined]));
  });
});

/** Statuses of a caller who is not admitted. An admitted request may still be invalid otherwise, such as 422. */
const REFUSALS = new Set([401, 403, 404, 405]);

it("a viewer is admitted to what the role is enough for", async () => {
  const own = guarded.filter((each) => !each.isAlias && admitsViewers(each));
  expect(own.length).toBeGreaterThan(50);
  for (const operation of own) {
    const { status } = await send(operation, credentials["a viewer's token"] ?? {});
    expect([operation.name, status, REFUSALS.has(status)]).toEqual([operation.name, status, false]);
  }
});

/** Operations where the role decides and a viewer's is enough. Only reads: a change could break what other rows need. */
function admitsViewers(operation: Operation): boolean {
  const row = ROWS[canonical(operation)];
  const byRole = /^(member|person or key): /u.test(row?.admits ?? "");
  return byRole && row?.viewer === undefined && operation.method === "GET";
}

it("nothing that was refused has left a trace", async () => {
  const { token } = estate.owner;
  const project = await service.call("GET", `/api/projects/${String(estate.samples["project"])}`, { token });
  expect(project).toMatchObject({ status: 200, body: { name: "app", updated_at: null } });
  const key = await service.call("GET", "/api/projects", { token: estate.key });
  expect(key.status).toBe(200);
});
