import { afterEach, expect, it, vi } from "vitest";
import { socketRunner } from "#src/platform/command-runner/socket-runner.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const run = () => {
  const job = { kind: "command", command: "true", cwd: "/app", env: {}, timeoutMs: 1000 } as const;
  const options = {
    project: "project",
    callFiles: () => Promise.reject(new Error("No job calls for files here")),
    cancelled: new AbortController().signal,
  };
  return socketRunner("http://runner.test/").run({ value: job }, options);
};

it("connects again while the runner refuses, and gives up in the end", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const connect = vi.fn<() => Promise<Response>>().mockRejectedValue(new TypeError("connection refused"));
  vi.stubGlobal("fetch", connect);
  const refusal = run().catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  expect(await refusal).toMatchObject({
    code: "unavailable",
    message: "The command could not be started; try again",
  });
  expect(connect).toHaveBeenCalledTimes(6);
});

it("asks a runner that has said no once", async () => {
  const connect = vi.fn<() => Promise<Response>>();
  connect.mockRejectedValueOnce(new TypeError("connection refused"));
  connect.mockResolvedValue(new Response("full", { status: 503 }));
  vi.stubGlobal("fetch", connect);
  await expect(run()).rejects.toMatchObject({ code: "unavailable" });
  expect(connect).toHaveBeenCalledTimes(2);
});
