import { describe, expect, it } from "vitest";
import { toError } from "#src/models/anthropic-style/to-error.ts";

const bodyOf = (type: string, message = "") => ({ type: "error", error: { type, message } });
const errorOf = (status: number | undefined, body: unknown) =>
  toError({ provider: "anthropic", apiKey: "k" }, { status, body, headers: undefined });

describe("errors of messages servers", () => {
  it.each([
    [529, bodyOf("overloaded_error", "Overloaded"), "overloaded", true],
    [undefined, bodyOf("overloaded_error"), "overloaded", true],
    [undefined, bodyOf("api_error"), "overloaded", true],
    [undefined, bodyOf("rate_limit_error"), "rate_limited", true],
    [undefined, "garbage", "overloaded", true],
    [413, bodyOf("request_too_large"), "context_too_long", false],
    [400, bodyOf("invalid_request_error", "Your credit balance is too low"), "quota_exhausted", false],
    [400, bodyOf("invalid_request_error", "messages: roles must alternate"), "invalid_request", false],
    [401, bodyOf("authentication_error", "invalid x-api-key"), "unauthorized", false],
    [404, bodyOf("not_found_error", "model: claude-x"), "invalid_request", false],
  ])("reads status %s with %j as %s", (status, body, code, retryable) => {
    expect(errorOf(status, body)).toMatchObject({ code, retryable });
  });
});
