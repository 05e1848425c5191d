import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { checkAccount, type AccountToCheck } from "#src/models/check-account.ts";
import { rawServer } from "./raw-server.ts";

const KEY = "sk-0123456789abcdef";
const LIST = { data: [{ id: "large" }, { id: "models/small" }, { name: "without an id" }] };

interface Reply {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
}

type Answers = Readonly<Record<string, Reply>>;

/** Checks an account at a server that gives these answers by path, and returns what the server was asked, too. */
async function check(answers: Answers, account: Partial<AccountToCheck> = {}) {
  const asked: Pick<IncomingMessage, "method" | "url" | "headers">[] = [];
  await using server = await rawServer((request, response) => {
    const { method, url, headers } = request;
    asked.push({ method, url, headers });
    const { status = 404, body = "", headers: more } = answers[url ?? ""] ?? {};
    response.writeHead(status, more).end(typeof body === "string" ? body : JSON.stringify(body));
  });
  const outcome = await checkAccount(
    {
      provider: "openai",
      label: "OpenAI",
      apiType: "openai",
      baseUrl: `${server.origin}/v1/`,
      isForeignAddress: false,
      apiKey: KEY,
      isBearer: false,
      headers: {},
      ...account,
      ...(account.baseUrl !== undefined && { baseUrl: server.origin + account.baseUrl }),
    },
    { fetch, guardedFetch: () => Promise.reject(new Error("guarded")) },
  );
  return { ...outcome, asked };
}

const ok = (body: unknown) => ({ status: 200, body });

describe("a key that works", () => {
  it("is told by the provider's list of models, in OpenAI's protocol", async () => {
    const { asked, ...outcome } = await check({ "/v1/models": ok(LIST) });
    const sentence = "This key works: OpenAI offers 2 models.";
    expect(outcome).toEqual({ outcome: "works", sentence, models: ["large", "small"] });
    expect(asked).toMatchObject([{ method: "GET", headers: { authorization: `Bearer ${KEY}` } }]);
  });

  it.each(["/v1", ""])("is told in Anthropic's protocol, below the address %j", async (baseUrl) => {
    const account = { apiType: "anthropic", label: "Anthropic", baseUrl, headers: { "X-Tenant": "blue" } };
    const answers = { "/v1/models?limit=1000": ok({ data: [{ id: "claude" }] }) };
    const { asked, ...outcome } = await check(answers, { ...account, apiType: "anthropic" });
    expect(outcome).toMatchObject({
      outcome: "works",
      sentence: "This key works: Anthropic offers 1 model.",
    });
    const headers = { "x-api-key": KEY, "anthropic-version": "2023-06-01", "x-tenant": "blue" };
    expect(asked).toMatchObject([{ headers }]);
    expect(asked[0]?.headers).not.toHaveProperty("authorization");
  });

  it("is told by a bare list", async () => {
    expect(await check({ "/v1/models": ok([{ id: "open" }]) })).toMatchObject({ models: ["open"] });
  });

  it("is told by its own path where everyone may read the list", async () => {
    const open = { keyPath: "/key", isListOpen: true, label: "Router" };
    const works = await check({ "/v1/models": ok(LIST), "/v1/key": ok({ data: {} }) }, open);
    expect(works).toMatchObject({ outcome: "works", models: ["large", "small"] });
    const refused = await check({ "/v1/models": ok(LIST), "/v1/key": { status: 401 } }, open);
    expect(refused).toMatchObject({ outcome: "refused", models: [] });
  });
});

/** Refusals of providers, by status. */
const REFUSALS: [status: number, body: unknown, sentence: string][] = [
  [401, { error: { message: `Incorrect API key: ${KEY.slice(0, 12)}` } }, "OpenAI answered 401."],
  [400, [{ error: { message: "API key not valid." } }], "OpenAI answered 400: API key not valid."],
  [402, { error: { message: "Insufficient balance" } }, "OpenAI answered 402: Insufficient balance."],
];
/** Answers that say nothing about the key. */
const SILENT: [status: number, body: unknown, sentence: string][] = [
  [403, { error: { message: "Missing scopes: api.model.read" } }, "answered 403: Missing scopes"],
  [404, "", "OpenAI answered 404"],
  [429, { error: { message: `Slow down, ${KEY}` } }, "OpenAI answered 429: Slow down, ***"],
  [500, "", "OpenAI answered 500"],
  [307, "", "a redirect, which is not followed"],
  [200, "no list", "OpenAI did not answer with a list of models"],
  [200, { data: "x".repeat(9 * 1024 * 1024) }, "OpenAI sent an answer that is too large"],
];

describe("a key that does not work", () => {
  it.each(REFUSALS)(
    "is told with the provider's reason, without the key: %s",
    async (status, body, sentence) => {
      const { outcome, sentence: told } = await check({ "/v1/models": { status, body } });
      expect(outcome).toBe("refused");
      expect(told).toMatch(/^This key does not work/u);
      expect(told).toContain(sentence);
      expect(told).not.toContain(KEY.slice(0, 8));
    },
  );
});

describe("a key of which the answer says nothing", () => {
  it.each(SILENT)("is not called wrong: %s", async (status, body, sentence) => {
    const headers = status === 307 ? { location: "http://127.0.0.1:9/" } : {};
    const { outcome, sentence: told } = await check({ "/v1/models": { status, body, headers } });
    expect(outcome).toBe("unknown");
    expect(told).toContain(`This key could not be checked: `);
    expect(told).toContain(sentence);
    expect(told).not.toContain(KEY.slice(0, 8));
  });

  it("is not called right by a list that everyone may read", async () => {
    const { outcome, models } = await check({ "/v1/models": ok(LIST) }, { isListOpen: true });
    expect(outcome).toBe("unknown");
    expect(models).toEqual(["large", "small"]);
  });

  it("is asked about by the guarded way at an address that a person gave", async () => {
    const { asked, sentence } = await check({ "/v1/models": ok(LIST) }, { isForeignAddress: true });
    expect(asked).toEqual([]);
    expect(sentence).toContain("The connection to OpenAI failed");
  });
});
