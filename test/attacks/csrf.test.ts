import { describe, expect, it } from "vitest";
import type { ApiRequest } from "#test/support/api-client.ts";
import { signedIn, type Browser } from "#test/support/browser.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { drawn } from "#test/support/draw.ts";
import { addressOf, smallestBody } from "#test/surface/estate.ts";
import { operationsOf, readDocument, type Operation } from "#test/surface/operations.ts";
import { ANY_SAMPLE } from "./support/any-sample.ts";

const service = sharedService();
const document = await readDocument(service);
const operations = operationsOf(document);
const changing = operations.filter(({ person, method, isAlias }) => person && method !== "GET" && !isAlias);
/** Platforms and Stripe sign what they send there; see the last tests. */
const WEBHOOKS = "/api/channels/webhook/";
const STRIPE_WEBHOOK = "/api/webhooks/stripe";
const isWebhook = ({ template }: Operation) => template.startsWith(WEBHOOKS) || template === STRIPE_WEBHOOK;
const open = operations.filter(
  (operation) =>
    operation.isPublic && operation.method !== "GET" && !operation.isAlias && !isWebhook(operation),
);

const { who: page, account } = await signedIn(service);
const csrfTokenOf = async (who: Browser) =>
  (await who.call<{ csrf_token: string }>("GET", "/api/auth/csrf")).body.csrf_token;
/** The token of the page's session, one of another session of the same person, and one of another person. */
const tokens = {
  own: await csrfTokenOf(page),
  another: await csrfTokenOf((await signedIn(service, account)).who),
  others: await csrfTokenOf((await signedIn(service)).who),
};

const session = () => `session=${page.cookies.get("session")}`;
const cookies = (token: string) => `${session()}; csrf_token=${token}`;

interface Form extends ApiRequest {
  /** Added to the address. */
  query?: string;
}

const forged = (token: string, headers: Record<string, string> = {}) => ({
  headers: { cookie: cookies(token), ...headers },
});
const withToken = (token: string, origin?: string) =>
  forged(token, { "x-csrf-token": token, ...(origin !== undefined && { origin }) });

/** What an attacker's page can make a visitor's browser send, and guesses at what it cannot make it send. */
const FORMS: Record<string, () => Form> = {
  "the cookies alone": () => forged(tokens.own),
  "a form": () => ({ ...forged(tokens.own), form: { csrf_token: tokens.own } }),
  "JSON as plain text": () => ({
    ...forged(tokens.own, { "content-type": "text/plain" }),
    body: '{"name":"a"}',
  }),
  "a form in parts": () => ({
    ...forged(tokens.own, { "content-type": "multipart/form-data; boundary=x" }),
    body: `--x\r\ncontent-disposition: form-data; name="csrf_token"\r\n\r\n${tokens.own}\r\n--x--\r\n`,
  }),
  "the token in the query": () => ({
    ...forged(tokens.own),
    query: `csrf_token=${tokens.own}&x-csrf-token=${tokens.own}`,
  }),
  "the token without its cookie": () => ({ headers: { cookie: session(), "x-csrf-token": tokens.own } }),
  "another token than the cookie's": () => forged(tokens.own, { "x-csrf-token": tokens.another }),
  "a planted token of another person's session": () => withToken(tokens.others),
  "a token of another session of the same person": () => withToken(tokens.another),
  "an unsigned token": () => withToken("a.b"),
  "an empty token": () => withToken(""),
  "the right token from another origin": () => withToken(tokens.own, "https://evil.example"),
  "the right token from a sandboxed page": () => withToken(tokens.own, "null"),
  "the right token from a preview": () => withToken(tokens.own, "http://app-a--web.localhost"),
};

async function answerTo(operation: Operation, { query, ...request }: Form) {
  const address = addressOf(operation, ANY_SAMPLE);
  const whole = query ? `${address}${address.includes("?") ? "&" : "?"}${query}` : address;
  const { status, text } = await service.call(operation.method, whole, request);
  return [status, text.includes("CSRF")];
}

const attempts = changing.flatMap((operation) =>
  Object.entries(FORMS).map(([form, request]) => ({ operation, form, request })),
);
const chosen = drawn(attempts, { of: ({ operation }) => operation.name, kind: ({ form }) => form });

describe("an operation that accepts the session cookie refuses every forged request", () => {
  it.each([...Map.groupBy(chosen, ({ operation }) => operation.name)])("by %s", async (_, attempted) => {
    for (const { operation, form, request } of attempted) {
      expect([form, ...(await answerTo(operation, request()))]).toEqual([form, 403, true]);
    }
  });
});

describe("a page of another origin neither signs in nor signs up", () => {
  it.each(open)("by $name", async (operation) => {
    const json = smallestBody(document, operation, ANY_SAMPLE);
    const answer = await answerTo(operation, {
      headers: { origin: "https://evil.example" },
      ...(json && { json }),
    });
    expect(answer).toEqual([403, true]);
  });
});

describe("the webhooks of platforms and of Stripe, which send neither cookies nor tokens", () => {
  const evil = { origin: "https://evil.example" };

  it.each(["telegram", "slack", "discord", "whatsapp"])(
    "take requests of any origin: %s",
    async (platform) => {
      const address = `${WEBHOOKS}${platform}/${crypto.randomUUID()}`;
      const { status, text } = await service.call("POST", address, { headers: evil, json: {} });
      expect([status, text.includes("CSRF")]).toEqual([404, false]);
    },
  );

  it("take requests of any origin: Stripe's, which the signature alone admits, and nobody by a cookie", async () => {
    const { status, text } = await service.call("POST", STRIPE_WEBHOOK, { headers: evil, json: {} });
    expect([status, text.includes("CSRF")]).toEqual([401, false]);
    expect(operations.filter((operation) => isWebhook(operation) && !operation.isPublic)).toEqual([]);
  });

  it.each([
    "/api/channels/webhooks/telegram/a",
    "/api/webhooks/stripe/../../channels/configs",
    "/api/channels/webhook/%2e%2e/configs",
    "/api/channels",
    "/api/auth/login?/api/channels/webhook/",
  ])("are alone in that: not %s", async (address) => {
    const headers = { ...evil, cookie: cookies(tokens.own), "x-csrf-token": tokens.own };
    const { status, text } = await service.call("POST", address, { headers, json: {} });
    const isRoute = status !== 404 && status !== 405;
    expect([isRoute, text.includes("CSRF")]).toEqual([isRoute, isRoute]);
  });
});

describe("a method is what the request line says", () => {
  it.each(["x-http-method-override", "x-http-method", "x-method-override"])("and not %s", async (name) => {
    const { id } = await service.newProject(account.token);
    const read = await page.call("GET", `/api/projects/${id}?_method=DELETE`, {
      headers: { [name]: "DELETE" },
    });
    expect(read.status).toBe(200);
    const { status } = await page.change("POST", `/api/projects/${id}`, { headers: { [name]: "DELETE" } });
    expect(status).toBe(405);
    expect(await page.call("GET", `/api/projects/${id}`)).toMatchObject({ status: 200, body: { id } });
  });
});

it("after all that the visitor's own page may change what it likes", async () => {
  const answer = await page.change("PATCH", "/api/users/me", { json: { name: "Visitor" } });
  expect(answer).toMatchObject({ status: 200, body: { name: "Visitor" } });
});
