import { Hono } from "hono";
import { expect, it } from "vitest";
import type { AppEnv } from "#src/http/context.ts";
import { onError } from "#src/http/errors.ts";
import { AppError } from "#src/lib/errors.ts";

const SAID = "There is no target 'a\r\nSet-Cookie: a=b\u202e\ud800\0'";
const SHOWN = "There is no target 'a Set-Cookie: a=b\\u{202E}\\u{D800}␀'";

it.each([
  [undefined, { detail: SHOWN }],
  ["openai" as const, { detail: SHOWN, error: { message: SHOWN } }],
  ["oauth" as const, { detail: SHOWN, error_description: SHOWN }],
])("a text that a refusal repeats breaks no line and hides nothing, in the style %s", async (style, body) => {
  const app = new Hono<AppEnv>().onError(onError).get("/", (c) => {
    if (style) c.set("errorStyle", style);
    throw new AppError("invalid_input", SAID);
  });
  const response = await app.request("/");
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject(body);
});
