import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startEgress } from "#hosts/egress/index.ts";
import { serve } from "#local/serve.ts";
import { createGuardedFetch } from "#src/platform/safe-fetch/guarded-fetch.ts";

const policy = (allowedOrigins: string[]) => ({ allowPrivate: false, allowedOrigins });

/** Paths that were asked for. */
const asked: string[] = [];
/** Lets the server send the second half of a stream. */
let goOn: () => void = () => {};

const server = await serve(async (request, response) => {
  asked.push(request.url ?? "");
  if (request.url === "/redirect") response.writeHead(307, { location: "/elsewhere" }).end();
  else {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: one\n\n");
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    response.end("data: two\n\n");
  }
});
afterAll(() => server.close());

const egress = await startEgress(policy([server.url]));
afterAll(() => egress.close());

describe.each([
  { way: "straight out", egressUrl: undefined },
  { way: "through the egress server", egressUrl: egress.url },
])("a guarded fetch, $way", ({ egressUrl }) => {
  const guarded = createGuardedFetch({ ...policy([server.url]), egressUrl });
  const strict = createGuardedFetch({ ...policy([]), egressUrl });

  it("hands on what it gets while more is to come", async () => {
    const response = await guarded(`${server.url}/stream`, { method: "POST", body: "{}" });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe("data: one\n\n");
    goOn();
    expect((await reader?.read())?.value).toBe("data: two\n\n");
    expect((await reader?.read())?.done).toBe(true);
  });

  it("follows no redirect", async () => {
    const response = await guarded(`${server.url}/redirect`, { method: "POST", body: "{}" });
    expect([response.status, response.headers.get("location")]).toEqual([307, "/elsewhere"]);
    expect(asked).not.toContain("/elsewhere");
  });

  it("ends when its caller does", async () => {
    const caller = new AbortController();
    const response = await guarded(`${server.url}/stream`, { signal: caller.signal });
    caller.abort();
    await expect(response.text()).rejects.toThrow(/abort/iu);
    goOn();
  });

  it("refuses a private address for good", async () => {
    await expect(strict("http://169.254.169.254/")).rejects.toMatchObject({
      code: "invalid_input",
      retryable: false,
    });
  });
});

/** What a guarded fetch gives of a server's answer. */
function answered(response: Response) {
  const fetch = async () => response;
  return createGuardedFetch({ ...policy(["https://model.test"]), fetch })("https://model.test/");
}

describe("the time limit of a guarded fetch", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("broken off")) });

  it.each([
    ["its answer is read", () => answered(new Response("all")).then((answer) => answer.text())],
    ["its answer breaks off", () => answered(new Response(broken)).then((answer) => answer.text())],
    ["its answer is cancelled", () => answered(new Response("all")).then(({ body }) => body?.cancel())],
    ["its answer has no body", () => answered(new Response(null, { status: 204 }))],
    ["it is refused", () => answered(Response.error())],
  ])("is over once %s", async (_, send) => {
    await Promise.allSettled([send()]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("lasts as long as its answer is read", async () => {
    const { body } = await answered(new Response("all"));
    expect(vi.getTimerCount()).toBe(1);
    await body?.cancel();
  });
});
