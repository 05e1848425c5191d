import { describe, expect, it } from "vitest";
import { choosePlatformModel } from "#src/models/choose.ts";
import { HANGS_MS } from "#test/support/hangs.ts";

const accounts = {
  openai: { apiKey: "openai-key", baseURL: "https://openai.test/v1" },
  anthropic: { apiKey: "anthropic-key", baseURL: "https://anthropic.test" },
  demoURL: "http://demo.test/v1",
};
const request = { system: "", messages: [{ role: "user" as const, content: "hi" }], tools: [] };

/** A model that is refused, and what it asked for. */
function refused(name: string, status: number) {
  const calls: { url: string; authorization: string | null; apiKey: string | null; model: unknown }[] = [];
  const model = choosePlatformModel({
    name,
    accounts,
    stallMs: HANGS_MS,
    maxRetries: 1,
    fetch: async (url, init) => {
      const sent = new Request(url, init);
      calls.push({
        url: sent.url,
        authorization: sent.headers.get("authorization"),
        apiKey: sent.headers.get("x-api-key"),
        model: JSON.parse(await sent.text()).model,
      });
      return new Response("{}", { status, headers: { "retry-after-ms": "1" } });
    },
  });
  const events = () => Array.fromAsync(model.stream(request, new AbortController().signal));
  return { model, calls, events };
}

describe("choosePlatformModel", () => {
  it.each([
    ["builtin/gpt-5", "openai", "gpt-5", "https://openai.test/v1/chat/completions"],
    ["meta-llama/llama-4", "openai", "meta-llama/llama-4", "https://openai.test/v1/chat/completions"],
    ["builtin/claude-sonnet-5-5", "anthropic", "claude-sonnet-5-5", "https://anthropic.test/v1/messages"],
    ["demo", "demo", "demo", "http://demo.test/v1/chat/completions"],
  ])("sends %s to %s as %s", async (name, provider, sent, url) => {
    const { model, calls, events } = refused(name, 401);
    await expect(events()).rejects.toMatchObject({ code: "unauthorized" });
    expect(model).toMatchObject({ name: sent, provider });
    expect(calls).toMatchObject([{ url, model: sent }]);
  });

  it("gives each vendor its own key and no other", async () => {
    const openai = refused("gpt-5", 401);
    await openai.events().catch(() => {});
    expect(openai.calls).toMatchObject([{ authorization: "Bearer openai-key", apiKey: null }]);
    const anthropic = refused("claude-sonnet-5-5", 401);
    await anthropic.events().catch(() => {});
    expect(anthropic.calls).toMatchObject([{ authorization: null, apiKey: "anthropic-key" }]);
    const demo = refused("demo", 401);
    await demo.events().catch(() => {});
    expect(demo.calls).toMatchObject([{ authorization: "Bearer demo" }]);
  });

  it("retries within its bound", async () => {
    const { calls, events } = refused("gpt-5", 503);
    await expect(events()).rejects.toMatchObject({ code: "overloaded" });
    expect(calls).toHaveLength(2);
  });

  it.each(["gpt-5", "claude-sonnet-5-5", "demo"])(
    "refuses %s where the platform has no account for it",
    (name) => {
      const none = {
        openai: { apiKey: undefined, baseURL: "https://openai.test/v1" },
        anthropic: { apiKey: undefined, baseURL: "https://anthropic.test" },
        demoURL: undefined,
      };
      expect(() => choosePlatformModel({ name, accounts: none, fetch, stallMs: 1, maxRetries: 0 })).toThrow(
        expect.objectContaining({ code: "unauthorized", retryable: false }),
      );
    },
  );
});
