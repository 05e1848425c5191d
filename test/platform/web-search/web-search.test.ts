import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { serve } from "#local/serve.ts";
import { createWebSearch, type WebSearchConfig } from "#src/platform/web-search/index.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { startReceiver, type Reply } from "#test/stand-ins/support/receiver.ts";

const KEY = "a-key-that-nobody-may-see";

let server: Awaited<ReturnType<typeof startReceiver>>;
let reply: Reply;
beforeEach(async () => {
  server = await startReceiver(() => reply);
});
afterEach(() => server.close());

const json = (body: unknown, status = 200): Reply => ({ status, body: JSON.stringify(body) });

/** An account at one provider, none at the other. */
function configOf(provider: WebSearchConfig["provider"], baseUrl = server.url): WebSearchConfig {
  const none = { apiKey: undefined, baseUrl: "http://127.0.0.1:9" };
  const accounts = { tavily: none, brave: none, [provider]: { apiKey: KEY, baseUrl } };
  return { provider, accounts, defaultResults: 5, timeoutMs: HANGS_MS };
}

function engine(provider: WebSearchConfig["provider"], baseUrl?: string) {
  const made = createWebSearch(configOf(provider, baseUrl));
  if (!made) throw new Error("No search");
  return made;
}

it("needs a key of the provider that is chosen", () => {
  const config = configOf("brave");
  expect(createWebSearch(config)).toBeDefined();
  expect(createWebSearch({ ...config, provider: "tavily" })).toBeUndefined();
});

describe("Tavily", () => {
  it("is asked as its reference says, and read", async () => {
    // As https://docs.tavily.com/documentation/api-reference/endpoint/search has it, shortened.
    const found = { title: "Lionel Messi Facts", url: "https://www.britannica.com/facts/Lionel-Messi" };
    const result = { ...found, content: "An Argentine footballer", score: 0.81025416, raw_content: null };
    reply = json({ query: "who is Leo Messi?", answer: null, images: [], results: [result] });
    await expect(engine("tavily").search("who is Leo Messi?", 3)).resolves.toEqual([
      { ...found, snippet: "An Argentine footballer" },
    ]);
    const [delivery] = server.deliveries;
    expect(delivery).toMatchObject({
      method: "POST",
      path: "/search",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    });
    expect(JSON.parse(delivery?.body ?? "")).toEqual({
      query: "who is Leo Messi?",
      max_results: 3,
      search_depth: "basic",
    });
  });
});

describe("Brave", () => {
  it("is asked as its reference says, and read", async () => {
    reply = json({
      type: "search",
      web: { type: "search", results: [{ title: "A & B", url: "https://a.test/", description: "About A" }] },
    });
    await expect(engine("brave").search("a & b", 2)).resolves.toEqual([
      { title: "A & B", url: "https://a.test/", snippet: "About A" },
    ]);
    expect(server.deliveries).toMatchObject([
      {
        method: "GET",
        path: "/web/search?q=a+%26+b&count=2&text_decorations=false",
        headers: { "x-subscription-token": KEY, accept: "application/json" },
      },
    ]);
  });
});

describe.each(["tavily", "brave"] as const)("%s", (provider) => {
  it("gives no more results than were asked for", async () => {
    const results = Array.from({ length: 9 }, (_, index) => ({ title: "t", url: `https://a.test/${index}` }));
    reply = json({ results, web: { results } });
    await expect(engine(provider).search("x", 2)).resolves.toEqual([
      { title: "t", url: "https://a.test/0", snippet: "" },
      { title: "t", url: "https://a.test/1", snippet: "" },
    ]);
  });

  it.each([
    [json({ detail: KEY }, 401), "unavailable", "refused the service's key"],
    [json({}, 429), "rate_limited", "used up for now"],
    [json({ error: KEY }, 500), "unavailable", "answered 500"],
    [{ status: 302, headers: { location: "https://elsewhere.test/" } }, "unavailable", "answered 302"],
    [json({ results: "none", web: "none" }), "unavailable", "answered 200, not results"],
    [{ status: 200, body: "x".repeat(3 * 1024 * 1024) }, "unavailable", "could not be reached"],
  ])("names a failure without the key: %j", async (answer, code, words) => {
    reply = answer;
    const error: unknown = await engine(provider)
      .search("x", 2)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) });
    expect(`${JSON.stringify(error)} ${String(error)}`).not.toContain(KEY);
    expect(error).toHaveProperty("cause", undefined);
  });

  it("gives up on one that does not answer, and on one that is not there", async () => {
    const silent = await serve(() => {});
    const config = { ...configOf(provider, silent.url), timeoutMs: 100 };
    await expect(createWebSearch(config)?.search("x", 1)).rejects.toThrow("did not answer in time");
    await silent.close();
    await expect(engine(provider, silent.url).search("x", 1)).rejects.toThrow("could not be reached");
  });
});
