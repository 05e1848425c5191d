import { expect, it } from "vitest";
import { ModelError } from "#src/models/model.ts";
import { withOwnKey } from "#src/models/own-key.ts";
import { answeringModel, never } from "#test/support/answering-model.ts";

const SECRET = "tenant-secret-0123";

async function failureOf(error: ModelError): Promise<unknown> {
  const { model } = answeringModel(() => error);
  const own = withOwnKey(model, { label: "Own", apiKey: SECRET, headers: ["https://app.test", "a", ""] });
  const request = { system: "", messages: [], tools: [] };
  return Array.fromAsync(own.stream(request, never())).catch((failure: unknown) => failure);
}

it.each([
  ["unauthorized", /^Own refused your own API key \(own answered 401 \*\*\*\)/u],
  ["quota_exhausted", /^The account of your own API key at Own has nothing left to spend/u],
  ["overloaded", /^own answered 401 \*\*\*$/u],
] as const)("says what the provider has against the key, without a secret: %s", async (code, sentence) => {
  const error = new ModelError(code, `own answered 401 ${SECRET.slice(0, -4)}`, {
    retryable: true,
    retryAfterMs: 5,
  });
  expect(await failureOf(error)).toMatchObject({
    name: "ModelError",
    code,
    retryable: true,
    retryAfterMs: 5,
    message: expect.stringMatching(sentence),
  });
});

it("removes the values of headers, and nothing that only resembles them", async () => {
  const error = new ModelError("overloaded", "See https://status.test, not https://app.test", {
    retryable: true,
  });
  expect(await failureOf(error)).toMatchObject({ message: "See https://status.test, not ***" });
});
