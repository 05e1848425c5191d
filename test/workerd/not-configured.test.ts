import { createExecutionContext } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { checkEnv } from "#src/env.ts";
import worker from "#src/worker.ts";
import { BINDINGS, PRODUCTION, UNSAFE } from "#test/attacks/support/unsafe-settings.ts";

afterEach(() => vi.restoreAllMocks());

it("a Worker with every unsafe setting at once serves nothing, and its log names each", async () => {
  const bindings: object = Object.assign({}, BINDINGS, PRODUCTION, ...UNSAFE.map(([, unsafe]) => unsafe));
  const checked = checkEnv(bindings);
  const names = new Set(checked.ok ? [] : checked.problems.map(({ variable }) => variable));
  expect(names.size).toBeGreaterThan(35);
  expect(names).toContain("APP_DOMAIN");
  const log = vi.spyOn(console, "error").mockReturnValue(undefined);
  for (const [method, path] of [
    ["GET", "/health"],
    ["GET", "/login"],
    ["POST", "/api/auth/register"],
    ["POST", "/functions/resume-task"],
    ["GET", "/preview/a/web/"],
  ] as const) {
    const request = new Request<unknown, IncomingRequestCfProperties>(`https://workspace.example${path}`, {
      method,
    });
    const answer = await worker.fetch(request, bindings, createExecutionContext());
    expect([path, answer.status]).toEqual([path, 503]);
    expect(await answer.json()).toEqual({
      detail: "The service is not configured; its log names what is missing",
    });
  }
  const said = log.mock.calls.join("\n");
  expect([...names].filter((name) => !said.includes(`"variable":"${name}"`))).toEqual([]);
});
