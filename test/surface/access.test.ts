import { SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startService } from "#test/support/service.ts";
import { addressOf, newEstate, smallestBody, type Estate } from "./estate.ts";
import { bodySchemaOf, operationsOf, readDocument, type Operation } from "./operations.ts";
import { undocumentedOrFaulty } from "./refusal.ts";

// Started while the tests are collected: every row of the published table is a test.
const service = await startService();
afterAll(() => service.close());
const document = await readDocument(service);
const operations = operationsOf(document);
const guarded = operations.filter(({ isPublic }) => !isPublic);

let estate: Estate;
let stranger: Estate;
/** What is sent as `Authorization`, or as the headers in their stead, by the name of the test. */
const credentials: Record<string, Record<string, string>> = {};

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const secret = new TextEncoder().encode(service.stack.variables["SECRET_KEY"]);

interface Claims {
  subject?: string;
  audience?: string;
  expires?: string | number;
}

function accessToken({ subject = estate.owner.id, audience = "workspace:auth", expires = "5m" }: Claims) {
  return new SignJWT({}).setSubject(subject).setAudience([audience]).setIssuedAt().setExpirationTime(expires);
}

const signed = (claims: Claims, key = secret, alg = "HS256") =>
  accessToken(claims).setProtectedHeader({ alg }).sign(key);

const unsigned = () =>
  new UnsecuredJWT({})
    .setSubject(estate.owner.id)
    .setAudience("workspace:auth")
    .setExpirationTime("5m")
    .encode();

const past = () => Math.floor(Date.now() / 1000) - 60;

async function newKey(wish: Record<string, unknown>, { owner } = estate) {
  const { body } = await service.call<{ id: string; key: string }>("POST", "/api/external-api-keys", {
    token: owner.token,
    json: { name: "key", ...wish },
  });
  return body;
}

const revoke = (id: string) =>
  service.call("DELETE", `/api/external-api-keys/${id}`, { token: estate.owner.token });

function send(operation: Operation, headers: Record<string, string>, samples = estate.samples) {
  const schema = bodySchemaOf(document, operation);
  return service.call(operation.method, addressOf(operation, samples), {
    headers,
    ...(schema && { json: smallestBody(document, schema, samples) }),
  });
}

beforeAll(async () => {
  [estate, stranger] = [await newEstate(service), await newEstate(service)];
  const login = await service.call("POST", "/api/auth/login", { json: estate.owner });
  const revoked = await newKey({});
  await revoke(revoked.id);
  const expired = await newKey({ expires_at: new Date(Date.now() + 1000).toISOString() });
  await vi.waitUntil(
    async () => (await service.call("GET", "/api/projects", { token: expired.key })).status === 401,
    { timeout: 10_000 },
  );
  const { id: otherProject } = await service.newProject(estate.owner.token);
  Object.assign(credentials, {
    "no credentials": {},
    "the cookies of a session": { cookie: login.headers.getSetCookie().join("; ") },
    "a name and a password": {
      authorization: `Basic ${btoa(`${estate.owner.username}:${estate.owner.password}`)}`,
    },
    "a token without its scheme": { authorization: estate.owner.token },
    "an empty bearer": { authorization: "Bearer " },
    "a garbage bearer": bearer("garbage"),
    "a token with a changed letter": bearer(
      `${estate.owner.token.slice(0, -2)}${estate.owner.token.endsWith("AA") ? "BB" : "AA"}`,
    ),
    "an expired token": bearer(await signed({ expires: past() })),
    "a token for another audience": bearer(await signed({ audience: "workspace:other" })),
    "a token signed with another secret": bearer(
      await signed({}, new TextEncoder().encode("another secret of 32 characters..")),
    ),
    "a token signed with another algorithm": bearer(await signed({}, secret, "HS512")),
    "a token that nobody signed": bearer(unsigned()),
    "a token of nobody": bearer(await signed({ subject: crypto.randomUUID() })),
    "a malformed key": bearer("tsk_short"),
    "a key that was never issued": bearer(`tsk_${"0".repeat(32)}`),
    "a revoked key": bearer(revoked.key),
    "an expired key": bearer(expired.key),
    "an access token": bearer(estate.owner.token),
    "a key": bearer(estate.key),
    "a stranger's token": bearer(stranger.owner.token),
    "a stranger's key": bearer(stranger.key),
    "a key for another project": bearer((await newKey({ project_id: otherProject })).key),
    "a key without the permission": bearer((await newKey({ scopes: ["billing.view"] })).key),
  });
});

const VALID_FOR_NOBODY = [
  "no credentials",
  "the cookies of a session",
  "a name and a password",
  "a token without its scheme",
  "an empty bearer",
  "a garbage bearer",
  "a token with a changed letter",
  "an expired token",
  "a token for another audience",
  "a token signed with another secret",
  "a token signed with another algorithm",
  "a token that nobody signed",
  "a token of nobody",
  "a malformed key",
  "a key that was never issued",
  "a revoked key",
  "an expired key",
];

/** Whether a request names something of a tenant's: a path parameter, or a project in the body. */
function namesAProject(operation: Operation): boolean {
  const fields = Object.keys(bodySchemaOf(document, operation)?.["properties"] ?? {});
  const named = operation.pathParameters.some((name) => name === "project" || name === "task");
  // A key that is made for a project names it, too, but no key may make one.
  return named || (operation.scope !== undefined && fields.includes("project_id"));
}

/** Refusals that depend on what the operation admits, with their status. */
function refusalsOf(operation: Operation): [name: string, status: number][] {
  const { person, scope } = operation;
  const ownsSomething = namesAProject(operation) || operation.pathParameters.length > 0;
  return [
    ...VALID_FOR_NOBODY.map((name): [string, number] => [name, 401]),
    ...(person ? [] : [["an access token", 401] as [string, number]]),
    ...(scope === undefined
      ? [["a key", 401] as [string, number]]
      : [["a key without the permission", 403] as [string, number]]),
    ...(ownsSomething && person ? [["a stranger's token", 404] as [string, number]] : []),
    ...(ownsSomething && scope !== undefined ? [["a stranger's key", 404] as [string, number]] : []),
    ...(namesAProject(operation) && scope !== undefined
      ? [["a key for another project", 403] as [string, number]]
      : []),
  ];
}

it("there are guarded endpoints of every kind", () => {
  const kinds = guarded.map(({ person, scope }) => `${person ? "person" : ""} ${scope ? "key" : ""}`);
  expect(new Set(kinds)).toEqual(new Set(["person ", " key", "person key"]));
});

it("only these are open to anyone", () => {
  const open = operations.filter(({ isPublic, isAlias }) => isPublic && !isAlias).map(({ name }) => name);
  expect(open.toSorted()).toEqual([
    "GET /docs",
    "GET /docs/scalar.js",
    "GET /health",
    "GET /openapi.json",
    "GET /ready",
    "POST /api/auth/jwt/login",
    "POST /api/auth/login",
    "POST /api/auth/logout",
    "POST /api/auth/refresh",
    "POST /api/auth/register",
  ]);
});

describe.each(guarded)("$name", (operation) => {
  it.each(refusalsOf(operation))("refuses %s with %i", async (name, status) => {
    const headers = credentials[name];
    if (!headers) throw new Error(`There are no credentials called ${name}`);
    const answer = await send(operation, headers);
    expect([answer.status, undocumentedOrFaulty(operation, answer)]).toEqual([status, undefined]);
  });

  it.skipIf(operation.isAlias)("admits the caller it is for", async () => {
    const own = await newEstate(service);
    const { scope } = operation;
    const token = scope === undefined ? own.owner.token : (await newKey({ scopes: [scope] }, own)).key;
    const answer = await send(operation, bearer(token), own.samples);
    expect([401, 403, 404, 405]).not.toContain(answer.status);
  });
});

it("nothing that was refused has left a trace", async () => {
  const { token } = estate.owner;
  const project = await service.call("GET", `/api/projects/${String(estate.samples["project"])}`, { token });
  expect(project).toMatchObject({ status: 200, body: { name: "app", updated_at: null } });
  const key = await service.call("GET", "/api/projects", { token: estate.key });
  expect(key.status).toBe(200);
});
