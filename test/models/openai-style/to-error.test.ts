import { describe, expect, it } from "vitest";
import { toError } from "#src/models/openai-style/to-error.ts";

const origin = { provider: "openai", apiKey: "k" };
const errorOf = (status: number | undefined, body: unknown, headers?: Record<string, string>) =>
  toError(origin, { status, body, headers: headers && new Headers(headers) });

describe("errors of chat completion servers", () => {
  it.each([
    [
      429,
      { code: "insufficient_quota", message: "You exceeded your current quota" },
      "quota_exhausted",
      false,
    ],
    [402, { message: "Insufficient credits", code: 402 }, "quota_exhausted", false],
    [429, { code: "rate_limit_exceeded" }, "rate_limited", true],
    [400, { code: "context_length_exceeded" }, "context_too_long", false],
    [400, { message: "Unsupported parameter" }, "invalid_request", false],
    [404, undefined, "invalid_request", false],
    [403, { message: "no" }, "forbidden", false],
    [408, undefined, "overloaded", true],
    [503, "<html>", "overloaded", true],
    [undefined, { code: 502, message: "Upstream error" }, "overloaded", true],
    [undefined, { code: 429, message: "Upstream limit" }, "rate_limited", true],
    [undefined, { type: "invalid_request_error" }, "invalid_request", false],
    [undefined, "something broke", "overloaded", true],
  ])("reads status %s with %j as %s", (status, body, code, retryable) => {
    expect(errorOf(status, body)).toMatchObject({ code, retryable });
  });

  it.each([
    [{ "retry-after-ms": "1500", "retry-after": "9" }, 1500],
    [{ "retry-after": "2" }, 2000],
    [{ "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ])("waits after %j for %s ms", (headers, ms) => {
    expect(errorOf(429, undefined, headers).retryAfterMs).toBe(ms);
  });

  it("obeys a server that says not to retry", () => {
    expect(errorOf(500, undefined, { "x-should-retry": "false" }).retryable).toBe(false);
  });
});
