import { createParser } from "eventsource-parser";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ApiAnswer } from "#test/support/api-client.ts";
import { startGitHost } from "#test/support/git-host-server.ts";
import { startGitServer } from "#test/support/git-server.ts";
import { REGISTERED } from "#test/support/oauth-provider.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { some } from "#test/support/draw.ts";
import { addressOf, estatesOf, smallestBody, type Estate } from "#test/surface/estate.ts";
import { withOwnWebhookSecret } from "#test/surface/money-occasions.ts";
import { OCCASIONS } from "#test/surface/occasions.ts";
import { operationsOf, readDocument, validatorOf, type Operation } from "#test/surface/operations.ts";
import { foreignRequests } from "./support/foreign-requests.ts";

// Started while the tests are collected: every documented operation is a test.
const [git, gitHost] = await Promise.all([startGitServer(), startGitHost("gitlab")]);
const service = await startService(
  {
    GITHUB_CLIENT_ID: "id",
    GITHUB_CLIENT_SECRET: "secret",
    VERCEL_CLIENT_ID: "id",
    VERCEL_CLIENT_SECRET: "secret",
    GITLAB_CLIENT_ID: REGISTERED.clientId,
    GITLAB_CLIENT_SECRET: REGISTERED.clientSecret,
    GITLAB_API_BASE_URL: gitHost.url,
    OUTBOUND_ALLOW_PRIVATE: "true",
  },
  { reroute: withOwnWebhookSecret },
);
/** Where a password is not enough; started when it is first needed. */
let twoFactor: Promise<TestService> | undefined;
afterAll(async () => {
  await Promise.all([service.close(), twoFactor?.then((other) => other.close())]);
  await Promise.all([git.close(), gitHost.close()]);
});
const document = await readDocument(service);
const operations = operationsOf(document).filter(({ isAlias }) => !isAlias);
/** The first account of an installation is its administrator. */
const admin = await service.signUp("admin");
const estateFor = estatesOf(service);
const foreign = await foreignRequests(service, document);
const before = await foreign.holdings();

/** The request that succeeds. */
async function call(operation: Operation, estate: Estate, credential: string) {
  const json = smallestBody(document, operation, estate.samples);
  const scene = {
    service,
    twoFactor: () => (twoFactor ??= startService({ TWO_FA_ENABLED: "true" })),
    estate,
    git,
    gitHost,
  };
  const occasion = await OCCASIONS[operation.name]?.(scene);
  const { at = service, address, ...request } = occasion ?? { ...(json && { json }) };
  return at.call(operation.method, address ?? addressOf(operation, estate.samples), {
    token: credential,
    ...request,
  });
}

/** Statuses of a caller who is not admitted. An admitted request may still be invalid otherwise, such as 422. */
const REFUSALS = [401, 403, 404, 405];

/** How a key is answered that has no permission but the one which is published for the operation. */
async function statusForKey(operation: Operation, { owner, samples }: Estate) {
  const { scope, method } = operation;
  const made = await service.call<{ id: string; key: string }>("POST", "/api/external-api-keys", {
    token: owner.token,
    json: { name: "one permission", scopes: scope ? [scope] : null },
  });
  const json = smallestBody(document, operation, samples);
  const address = addressOf(operation, samples);
  const { status } = await service.call(method, address, { token: made.body.key, ...(json && { json }) });
  // Ten keys are the most that one may have, and many operations share an owner.
  await service.call("DELETE", `/api/external-api-keys/${made.body.id}`, { token: owner.token });
  return status;
}

/** How a response differs from the documented success; `undefined` when it does not. */
function faultOf(operation: Operation, { status, headers, text, body }: ApiAnswer<unknown>) {
  const success = Object.entries(operation.responses).find(([each]) => /^[23]/u.test(each));
  const [mediaType, media] = Object.entries(success?.[1].content ?? {})[0] ?? [];
  if (status !== Number(success?.[0])) return { status, text };
  const sent = headers.get("content-type")?.split(";")[0];
  if (sent !== mediaType) return { sent };
  const validator = media ? validatorOf(document, media.schema, { exact: true }) : z.literal("");
  // The schema of a stream is that of one event.
  const shown = sent === "text/event-stream" ? dataOf(text) : [body];
  const issues = shown.flatMap((each) => validator.safeParse(each).error?.issues ?? []);
  return issues.length > 0 ? issues : undefined;
}

/** The data of each event of a stream; its end may be a word. */
function dataOf(stream: string): unknown[] {
  const data: unknown[] = [];
  const onEvent = (event: { data: string }) => event.data === "[DONE]" || data.push(JSON.parse(event.data));
  createParser({ onEvent }).feed(stream);
  return data;
}

describe("another person's resource does not exist for a stranger, wherever the request names it", () => {
  it.concurrent.each(operations)("at $name", async (operation) => {
    expect(await foreign.faultsByCaller(operation)).toEqual([]);
  });
});

/** Operations of one group need the same things; each group is tried in each run, and all of its operations in a long one. */
const groups = Map.groupBy(operations, ({ method, tags }) => `${method === "GET"} ${tags.join()}`);
const whole = [...groups.values()].flatMap((group, salt) => some(group, Math.ceil(group.length / 5), salt));

/**
 * Three checks on one estate, which takes long to make. Another person's resource does not exist in any place of one's own
 * request. A key with only the published permission is admitted. The unchanged request gets the documented response, so that
 * the foreign names alone were the reason of the refusals.
 */
describe("reaches no resource of another person, and serves the caller's own as documented", () => {
  it.concurrent.each(whole)("$name", async (operation) => {
    const { keys, person, permission } = operation;
    const own = await estateFor(operation);
    expect(await foreign.faultsByPlace(operation, own)).toEqual([]);
    const byKey = keys ? await statusForKey(operation, own) : undefined;
    expect(REFUSALS).not.toContain(byKey);
    const credentialOf = ({ owner, key }: Estate) => {
      if (keys && !person) return key;
      return permission === "superuser" ? admin.token : owner.token;
    };
    const fault = faultOf(operation, await call(operation, own, credentialOf(own)));
    if (!fault) return;
    // The requests before may have deleted parts of the estate.
    const anew = await estateFor(operation);
    expect(faultOf(operation, await call(operation, anew, credentialOf(anew)))).toBeUndefined();
  });
});

it("leaves the victim's rows and files as they were", async () => {
  expect(await foreign.holdings()).toEqual(before);
});
