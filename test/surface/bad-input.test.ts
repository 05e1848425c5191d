import { request } from "node:http";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { isEndless, type ApiAnswer, type ApiRequest } from "#test/support/api-client.ts";
import { startGitHost } from "#test/support/git-host-server.ts";
import { startService } from "#test/support/service.ts";
import { drawn } from "#test/support/draw.ts";
import { IS_SOAK, runs } from "#test/support/soak.ts";
import { addressOf, newSharedEstate, type Estate } from "./estate.ts";
import { hostileText, spoiledBody, validObject, validText, type Known } from "./hostile-values.ts";
import { bodySchemaOf, operationsOf, readDocument, type JsonSchema, type Operation } from "./operations.ts";
import { RAW_BODIES, RAW_NAMES } from "./raw-input.ts";
import { EitherBody, faultOf, undocumentedOrFaulty } from "./refusal.ts";

/** Inputs of each property; `FUZZ_RUNS=300` for a long run. */
const RUNS = runs(1);
/** A slow machine checks fewer inputs in a long run, not longer; one input at least, which may take a while. */
const BOUNDS = {
  numRuns: RUNS,
  includeErrorInReport: true,
  ...(IS_SOAK && { interruptAfterTimeLimit: Math.max(2_000, RUNS * 10) }),
};

const MEBIBYTE = 1024 * 1024;

/** Tokens are shown to their host, which must not be a real one. */
const gitHost = await startGitHost("gitlab");
const service = await startService({
  GITLAB_API_BASE_URL: gitHost.url,
  VERCEL_CLIENT_ID: "id",
  VERCEL_CLIENT_SECRET: "secret",
});
afterAll(async () => {
  await service.close();
  await gitHost.close();
});
const document = await readDocument(service);
const operations = operationsOf(document).filter(({ isAlias }) => !isAlias);

let estate: Estate;
/** Makes a new estate, because earlier requests may have destroyed parts of the old one. */
const startAfresh = async () => {
  estate = await newSharedEstate(service);
};
beforeAll(startAfresh);

/** Reads of the resources that operations name in their paths; each succeeds only while the resource exists. */
const STANDING = new Set([
  "GET /api/projects/{project}/containers/{container}",
  "GET /api/projects/{project}/files/{path}",
  "GET /api/shell/sessions/{shell}",
  "GET /api/bases/{base}",
  "GET /api/teams/{team}",
  "GET /api/external/agent/status/{task}",
  "GET /api/chat/session/{chat}/messages",
  "GET /api/schedules/{schedule_id}",
]);

const ENDS_SESSIONS = /users\/me$|logout|reset|\/disable$/u;

/** How much was changed since the estate was last checked: what is refused changes nothing, and most changes end nothing. */
let changes = 0;
const WORTH_A_CHECK = 4;
const note = ({ method, name }: Operation, status: number) => {
  if (method === "GET" || status >= 400) return;
  changes += method === "DELETE" || ENDS_SESSIONS.test(name) ? WORTH_A_CHECK : 1;
};

/** Makes a new estate if a request has ended its session, as a new password does, or has destroyed a resource. */
const comeBack = async () => {
  if (changes < WORTH_A_CHECK) return;
  const standing = operations.filter(({ name }) => STANDING.has(name));
  const answers = await Promise.all(standing.map((operation) => send(operation, {})));
  if (answers.some(({ status }) => status !== 200)) await startAfresh();
  changes = 0;
};

const known: Known = {
  project_id: fc.constantFrom("project_id").map((name) => estate.samples[name]),
  // Another one would rename the team under the requests that follow.
  slug: fc.constantFrom("slug").map((name) => estate.samples[name]),
  // Nothing outside is to be called; the name of the second never resolves.
  webhook_url: fc.constantFrom("http://127.0.0.1:9/hook", "https://receiver.invalid/hook"),
  webhook_callback_url: fc.constantFrom(null, "https://receiver.invalid/hook"),
};

const admin = await service.signUp("admin");
const tokenFor = ({ person, permission }: Operation) => {
  if (!person) return estate.key;
  return permission === "superuser" ? admin.token : estate.owner.token;
};

async function send(operation: Operation, what: ApiRequest, address = addressOf(operation, estate.samples)) {
  const answer = await service.call(operation.method, address, { token: tokenFor(operation), ...what });
  note(operation, answer.status);
  return answer;
}

const sendText = (
  operation: Operation,
  body: string | Uint8Array<ArrayBuffer>,
  contentType = "application/json",
) => send(operation, { body, headers: { "content-type": contentType } });

type Fault = string | undefined;

/** The failure with the smallest input that was found for it; `undefined` without a failure. */
async function counterexample<T>(
  inputs: fc.Arbitrary<T>,
  faultWith: (input: T) => Promise<Fault>,
  operation?: Operation,
) {
  let underWay: Promise<Fault> = Promise.resolve(undefined);
  const property = fc.asyncProperty(inputs, async (input) => {
    underWay = faultWith(input);
    const fault = await underWay;
    if (fault !== undefined) throw new Error(fault);
  });
  // Another one for each operation: most have the same fields.
  const salt = operation ? operations.indexOf(operation) : 0;
  const result = await fc.check(property, { ...BOUNDS, seed: inject("fuzzSeed") + salt });
  // When the time is up, the last request is still running: wait for it, so that it does not disturb the next test.
  await underWay.catch(() => {});
  return fc.asyncDefaultReportMessage(result);
}

/** Ten keys are the most that one may have, and a body is valid only while there is room for one more. */
async function makeRoom(operation: Operation, { status, text }: ApiAnswer<unknown>) {
  if (operation.name !== "POST /api/external-api-keys" || status !== 200) return;
  await service.call("DELETE", `/api/external-api-keys/${JSON.parse(text).id}`, {
    token: estate.owner.token,
  });
}

/** They carry files, and say themselves how large. */
const LARGER_BODIES = new Set([
  "PUT /api/projects/{project}/files/{path}",
  "POST /api/projects/{project}/files/save",
  "POST /api/chat/agent",
  "POST /api/chat/agent/stream",
  "POST /api/v1/chat/completions",
]);

/** One kind of bad input at an operation. */
interface Attack {
  operation: Operation;
  kind: string;
  /** What is wrong with the answers, if anything is. */
  fault: () => Promise<Fault>;
}

function attacksOnBody(operation: Operation): Attack[] {
  const schema = bodySchemaOf(document, operation);
  if (!schema) return [];
  const faultWith = async (body: unknown) => {
    const answer = await sendText(operation, JSON.stringify(body) ?? "");
    await makeRoom(operation, answer);
    if (answer.status < 300 && ENDS_SESSIONS.test(operation.name)) await comeBack();
    return undocumentedOrFaulty(operation, answer);
  };
  const any = { "a valid body": validObject, "a body with something wrong": spoiledBody };
  const sizes = LARGER_BODIES.has(operation.name) ? [] : ["told", "in chunks", "within"];
  return [
    ...Object.entries(any).map(([kind, inputs]) => ({
      operation,
      kind,
      fault: async () => counterexample(inputs(document, schema, known), faultWith, operation),
    })),
    ...RAW_BODIES.map(([kind, body, contentType]) => ({
      operation,
      kind,
      fault: async () => undocumentedOrFaulty(operation, await sendText(operation, body, contentType)),
    })),
    ...sizes.map((how) => ({
      operation,
      kind: `one byte beyond a mebibyte: ${how}`,
      fault: () => faultOfSize(operation, how),
    })),
  ];
}

/** A body is refused one byte beyond a mebibyte, and no byte before. */
async function faultOfSize(operation: Operation, how: string): Promise<Fault> {
  const text = `{"a":"${"x".repeat(MEBIBYTE - 7)}"}`;
  expect(text.length).toBe(MEBIBYTE + 1);
  const fitting = text.replace("x", "");
  const { status, body } =
    how === "in chunks"
      ? await inChunks(operation, text)
      : await sendText(operation, how === "told" ? text : fitting);
  if (how === "within") return status === 413 ? "it is refused" : undefined;
  expect({ status, body }).toEqual({
    status: 413,
    body: expect.objectContaining({ detail: `Request body is larger than ${MEBIBYTE} bytes` }),
  });
  return undefined;
}

/** A body whose length is not told beforehand. */
async function inChunks(operation: Operation, text: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(service.url + addressOf(operation, estate.samples), {
    method: operation.method,
    headers: { authorization: `Bearer ${tokenFor(operation)}`, "content-type": "application/json" },
    body: new Blob([text]).stream(),
    duplex: "half",
  } as RequestInit);
  note(operation, response.status);
  return { status: response.status, body: await response.json() };
}

const RAW_QUERIES = ["%", "%00", "%ff=%ff", "page=%ff", "&&&=", "page=1&page=2", "a".repeat(8000)];

function attacksOnQuery(operation: Operation): Attack[] {
  const named = operation.parameters.filter((each) => each.in === "query");
  if (named.length === 0) return [];
  const faultWith = async (given: [string, unknown][]) => {
    const short = given.map(([name, value]) => [name, String(value).slice(0, 2000).toWellFormed()]);
    const query = new URLSearchParams(short).toString();
    const [path] = addressOf(operation, estate.samples).split("?");
    return undocumentedOrFaulty(operation, await send(operation, {}, `${path}?${query}`));
  };
  const names = fc.constantFrom(...named.map(({ name }) => name), "unknown", "__proto__");
  const anyName = fc.oneof(
    names,
    names.map((name) => `${name}[]`),
  );
  const hostile = fc.array(fc.tuple(anyName, hostileText), { minLength: 1, maxLength: 4 });
  const schema: JsonSchema = {
    type: "object",
    properties: Object.fromEntries(named.map((each) => [each.name, each.schema])),
    required: named.filter(({ required }) => required).map(({ name }) => name),
  };
  const valid = () => validObject(document, schema, known).map((query) => Object.entries(query));
  return [
    { operation, kind: "a hostile query", fault: () => counterexample(hostile, faultWith, operation) },
    { operation, kind: "a valid query", fault: () => counterexample(valid(), faultWith, operation) },
    ...RAW_QUERIES.map((query) => ({
      operation,
      kind: query,
      fault: async () => {
        const address = addressOf(operation, estate.samples);
        const answer = await raw(operation, `${address}${address.includes("?") ? "&" : "?"}${query}`);
        return undocumentedOrFaulty(operation, answer);
      },
    })),
  ];
}

/** A request whose path travels as it is written here; `fetch` would resolve dots and encode. */
function raw(operation: Operation, path: string): Promise<ApiAnswer<unknown>> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url);
    const headers = { authorization: `Bearer ${tokenFor(operation)}` };
    request({ hostname, port, path, method: operation.method, headers }, (response) => {
      note(operation, response.statusCode ?? 0);
      const chunks: Buffer[] = [];
      const textSoFar = () => Buffer.concat(chunks).toString();
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        if (chunks.length === 1 && isEndless(textSoFar())) done();
      });
      const done = () => {
        const text = textSoFar();
        response.destroy();
        const found = new Headers({ "content-type": response.headers["content-type"] ?? "" });
        resolve({ status: response.statusCode ?? 0, headers: found, text, body: text });
      };
      response.on("end", done);
      response.on("error", reject);
    })
      .on("error", reject)
      .end();
  });
}

/** The operation's address with `name` for its last parameter. */
function addressNaming(operation: Operation, name: string): string {
  return operation.template.replaceAll(/\{(\w+)\}/gu, (_, each: string) =>
    each === operation.pathParameters.at(-1) ? name : String(estate.samples[each]),
  );
}

function attacksOnPath(operation: Operation): Attack[] {
  if (operation.pathParameters.length === 0) return [];
  // An empty or dotted name makes another path of it; that answer must be in order, too.
  const faultWith = async (text: string) => {
    const name = encodeURIComponent(text.slice(0, 3000).toWellFormed());
    return faultOf(await send(operation, {}, addressNaming(operation, name)), styleOf(operation));
  };
  return [
    { operation, kind: "a hostile name", fault: () => counterexample(hostileText, faultWith, operation) },
    ...RAW_NAMES.map((name) => ({
      operation,
      kind: name,
      fault: async () => faultOf(await raw(operation, addressNaming(operation, name)), styleOf(operation)),
    })),
  ];
}

/** Each operation is attacked once at least, and each kind of attack is made. */
const attacks = Map.groupBy(
  drawn(
    operations.flatMap((operation) => [
      ...attacksOnBody(operation),
      ...attacksOnQuery(operation),
      ...attacksOnPath(operation),
    ]),
    { of: ({ operation }) => operation.name, kind: ({ kind }) => kind },
  ),
  ({ operation }) => operation,
);

it("texts can be drawn for every pattern of the document, also where this run does not attack", () => {
  const patterns = new Set<string>();
  JSON.stringify(document, (key, value: unknown) => {
    if (key === "pattern" && typeof value === "string") patterns.add(value);
    return value;
  });
  expect(patterns.size).toBeGreaterThan(10);
  for (const pattern of patterns) expect(() => validText({ pattern })).not.toThrow();
});

describe("bad input gets a documented answer, and no failure", () => {
  it.each([...attacks.keys()])("at $name", async (operation) => {
    await comeBack();
    for (const { kind, fault } of attacks.get(operation) ?? []) {
      expect([kind, await fault()]).toEqual([kind, undefined]);
    }
  });
});

/** What a header may carry: Latin-1 without control characters. */
const headerText = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCodePoint(code)),
  maxLength: 300,
});

async function faultOfLoginWith(value: string): Promise<Fault> {
  const headers = { "user-agent": value, "x-forwarded-for": value, cookie: `refresh_token=${value}` };
  const { status, text } = await service.call("POST", "/api/auth/login", { json: estate.owner, headers });
  return status === 200 ? undefined : text;
}

const HEADERS = [
  "idempotency-key",
  "x-forwarded-for",
  "user-agent",
  "cf-ray",
  "cookie",
  "origin",
  "accept",
  "content-type",
];

describe("headers", () => {
  beforeAll(startAfresh);

  it.each(HEADERS)("may hold anything: %s", async (name) => {
    const json = { project_id: estate.samples["project"], message: "hello" };
    const faultWith = async (value: string) =>
      faultOf(
        await service.call("POST", "/api/external/agent/invoke", {
          token: estate.key,
          headers: { [name]: value },
          json,
        }),
      );
    expect(await counterexample(headerText, faultWith)).toBeUndefined();
  });

  it("of a login request may hold anything", async () => {
    expect(await counterexample(headerText, faultOfLoginWith)).toBeUndefined();
  });

  it("are refused where Last-Event-ID is no number of an event", async () => {
    const path = `/api/external/agent/events/${String(estate.samples["task"])}`;
    for (const value of ["-1", "1.5", "NaN", "9".repeat(40), "1 or 1=1", "é"]) {
      const headers = { "last-event-id": value };
      const answer = await service.call("GET", path, { token: estate.key, headers });
      expect([value, answer.status, faultOf(answer)]).toEqual([value, 422, undefined]);
    }
  });
});

it("after all that the service is well and its people are who they were", async () => {
  expect((await service.call("GET", "/ready")).status).toBe(200);
  const me = await service.call("GET", "/api/users/me", { token: estate.owner.token });
  expect(me).toMatchObject({ status: 200, body: { id: estate.owner.id, is_superuser: false } });
});

function styleOf({ template }: Operation) {
  return template.startsWith("/api/v1/") ? EitherBody : undefined;
}
