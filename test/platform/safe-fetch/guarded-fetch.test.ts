import { afterAll, describe, expect, it } from "vitest";
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
