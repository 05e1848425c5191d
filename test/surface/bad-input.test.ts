import { request } from "node:http";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isEndless, type ApiAnswer, type ApiRequest } from "#test/support/api-client.ts";
import { startGitHost } from "#test/support/git-host-server.ts";
import { startService } from "#test/support/service.ts";
import { addressOf, newSharedEstate, type Estate } from "./estate.ts";
import { hostileText, spoiledBody, validObject, type Known } from "./hostile-values.ts";
import { bodySchemaOf, operationsOf, readDocument, type JsonSchema, type Operation } from "./operations.ts";
import { RAW_BODIES, RAW_NAMES } from "./raw-input.ts";
import { EitherBody, faultOf, undocumentedOrFaulty } from "./refusal.ts";

/** Inputs of each property; `FUZZ_RUNS=300` for a long run. */
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 5);
const IS_LONG_RUN = RUNS > 10;
/** In the suite each operation is sent one in so many of the raw inputs, another share than its neighbours. */
const SHARES = 4;

/** Which of the inputs an operation is sent: all in a long run. */
function shareOf<T>(inputs: readonly T[], { name }: Operation): T[] {
  const first = operations.findIndex((each) => each.name === name);
  return inputs.filter((_, place) => IS_LONG_RUN || place % SHARES === first % SHARES);
}
/** A slow machine checks fewer inputs, not longer. */
const BOUNDS = { numRuns: RUNS, interruptAfterTimeLimit: RUNS * 10, includeErrorInReport: true };

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

const withBody = operations.flatMap((operation) => {
  const schema = bodySchemaOf(document, operation);
  return schema ? [{ name: operation.name, operation, schema }] : [];
});
const withQuery = operations.filter(({ parameters }) => parameters.some((each) => each.in === "query"));
const withPath = operations.filter(({ pathParameters }) => pathParameters.length > 0);

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

/** Whether anything but reads was done since the estate was last checked: what is refused changes nothing. */
let mayBeGone = false;
const note = ({ method }: Operation, status: number) => {
  mayBeGone ||= method !== "GET" && status < 400;
};

/** Makes a new estate if a request has ended its session, as a new password does, or has destroyed a resource. */
const comeBack = async () => {
  if (!mayBeGone) return;
  const standing = operations.filter(({ name }) => STANDING.has(name));
  const answers = await Promise.all(standing.map((operation) => send(operation, {})));
  if (answers.some(({ status }) => status !== 200)) await startAfresh();
  mayBeGone = false;
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
async function counterexample<T>(inputs: fc.Arbitrary<T>, faultWith: (input: T) => Promise<Fault>) {
  let underWay: Promise<Fault> = Promise.resolve(undefined);
  const property = fc.asyncProperty(inputs, async (input) => {
    underWay = faultWith(input);
    const fault = await underWay;
    if (fault !== undefined) throw new Error(fault);
  });
  let result = await fc.check(property, BOUNDS);
  // When the time is up, the last request is still running: wait for it, so that it does not disturb the next test.
  await underWay.catch(() => {});
  // When a busy machine finished no input in that time, run three without a time limit.
  if (result.numRuns === 0) result = await fc.check(property, { includeErrorInReport: true, numRuns: 3 });
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

const ENDS_SESSIONS = /users\/me$|logout|reset|\/disable$/u;

describe.each(withBody)("the body of $name", ({ operation, schema }) => {
  beforeAll(comeBack);

  async function faultWith(body: unknown) {
    const answer = await sendText(operation, JSON.stringify(body) ?? "");
    await makeRoom(operation, answer);
    if (answer.status < 300 && ENDS_SESSIONS.test(operation.name)) await comeBack();
    return undocumentedOrFaulty(operation, answer);
  }

  it("may be anything that is valid", async () => {
    expect(await counterexample(validObject(document, schema, known), faultWith)).toBeUndefined();
  });

  it("may have anything wrong with it", async () => {
    expect(await counterexample(spoiledBody(document, schema, known), faultWith)).toBeUndefined();
  });

  it.each(shareOf(RAW_BODIES, operation))("may be %s", async (_, body, contentType) => {
    const answer = await sendText(operation, body, contentType);
    expect(undocumentedOrFaulty(operation, answer)).toBeUndefined();
  });

  const size = LARGER_BODIES.has(operation.name) ? [] : shareOf(["told", "in chunks", "within"], operation);
  it.each(size)("is refused one byte beyond a mebibyte, and no byte before: %s", async (how) => {
    const text = `{"a":"${"x".repeat(MEBIBYTE - 7)}"}`;
    expect(text.length).toBe(MEBIBYTE + 1);
    const fitting = text.replace("x", "");
    const answer =
      how === "in chunks"
        ? await inChunks(operation, text)
        : await sendText(operation, how === "told" ? text : fitting);
    const refusal = { status: 413, body: { detail: `Request body is larger than ${MEBIBYTE} bytes` } };
    const accepted = { status: expect.toSatisfy((status: number) => status !== 413) };
    expect(answer).toMatchObject(how === "within" ? accepted : refusal);
  });
});

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

describe.each(withQuery)("the query of $name", (operation) => {
  const named = operation.parameters.filter((each) => each.in === "query");
  const names = fc.constantFrom(...named.map(({ name }) => name), "unknown", "__proto__");
  const pairs = fc.array(
    fc.tuple(
      fc.oneof(
        names,
        names.map((name) => `${name}[]`),
      ),
      hostileText,
    ),
    { minLength: 1, maxLength: 4 },
  );

  it("may be anything", async () => {
    const path = addressOf(operation, estate.samples).split("?")[0] ?? "";
    const faultWith = async (given: [string, string][]) => {
      const short = given.map(([name, value]) => [name, value.slice(0, 2000).toWellFormed()]);
      const address = `${path}?${new URLSearchParams(short).toString()}`;
      return undocumentedOrFaulty(operation, await send(operation, {}, address));
    };
    expect(await counterexample(pairs, faultWith)).toBeUndefined();
  });

  it.each(shareOf(RAW_QUERIES, operation))("may be %s", async (query) => {
    const address = addressOf(operation, estate.samples);
    const answer = await raw(operation, `${address}${address.includes("?") ? "&" : "?"}${query}`);
    expect(undocumentedOrFaulty(operation, answer)).toBeUndefined();
  });

  it("may be anything that is valid", async () => {
    const schema: JsonSchema = {
      type: "object",
      properties: Object.fromEntries(named.map((each) => [each.name, each.schema])),
      required: named.filter(({ required }) => required).map(({ name }) => name),
    };
    const path = addressOf(operation, estate.samples).split("?")[0] ?? "";
    const faultWith = async (query: object) => {
      const given = Object.entries(query).map(([name, value]) => [name, String(value).toWellFormed()]);
      const address = `${path}?${new URLSearchParams(given).toString()}`;
      return undocumentedOrFaulty(operation, await send(operation, {}, address));
    };
    expect(await counterexample(validObject(document, schema, known), faultWith)).toBeUndefined();
  });
});

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

describe.each(withPath)("the path of $name", (operation) => {
  beforeAll(comeBack);
  // An empty or dotted name makes another path of it; that answer must be in order, too.
  const faultWith = async (text: string) => {
    const name = encodeURIComponent(text.slice(0, 3000).toWellFormed());
    return faultOf(await send(operation, {}, addressNaming(operation, name)), styleOf(operation));
  };

  it("may name anything", async () => {
    expect(await counterexample(hostileText, faultWith)).toBeUndefined();
  });

  it.each(shareOf(RAW_NAMES, operation))("may name %s", async (name) => {
    const answer = await raw(operation, addressNaming(operation, name));
    expect(faultOf(answer, styleOf(operation))).toBeUndefined();
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

describe("headers", () => {
  beforeAll(startAfresh);

  it.each([
    "idempotency-key",
    "x-forwarded-for",
    "user-agent",
    "cf-ray",
    "cookie",
    "origin",
    "accept",
    "content-type",
  ])("may hold anything: %s", async (name) => {
    const faultWith = async (value: string) =>
      faultOf(
        await service.call("POST", "/api/external/agent/invoke", {
          token: estate.key,
          headers: { [name]: value },
          json: { project_id: estate.samples["project"], message: "hello" },
        }),
      );
    expect(await counterexample(headerText, faultWith)).toBeUndefined();
  });

  it("of a login request may hold anything", async () => {
    expect(await counterexample(headerText, faultOfLoginWith)).toBeUndefined();
  });

  it.each(["-1", "1.5", "NaN", "9".repeat(40), "1 or 1=1", "é"])(
    "are refused: Last-Event-ID %s",
    async (value) => {
      const path = `/api/external/agent/events/${String(estate.samples["task"])}`;
      const headers = { "last-event-id": value };
      const answer = await service.call("GET", path, { token: estate.key, headers });
      expect([answer.status, faultOf(answer)]).toEqual([422, undefined]);
    },
  );
});

it("after all that the service is well and its people are who they were", async () => {
  expect((await service.call("GET", "/ready")).status).toBe(200);
  const me = await service.call("GET", "/api/users/me", { token: estate.owner.token });
  expect(me).toMatchObject({ status: 200, body: { id: estate.owner.id, is_superuser: false } });
});

function styleOf({ template }: Operation) {
  return template.startsWith("/api/v1/") ? EitherBody : undefined;
}
