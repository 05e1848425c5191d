import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startEgress } from "#hosts/egress/index.ts";
import { serve } from "#local/serve.ts";
import { createSafeFetch } from "#src/platform/safe-fetch/index.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import { startReceiver, type Reply } from "#test/stand-ins/support/receiver.ts";

const cleanups: (() => Promise<void>)[] = [];
let server: Awaited<ReturnType<typeof startReceiver>>;
let other: Awaited<ReturnType<typeof startReceiver>>;
const big = "x".repeat(300_000);

const replies: Record<string, () => Reply | Promise<Reply>> = {
  "/found": () => ({ status: 302, headers: { location: "/end" } }),
  "/kept": () => ({ status: 307, headers: { location: "/end" } }),
  "/abroad": () => ({ status: 307, headers: { location: `${other.url}/end` } }),
  "/inside": () => ({ status: 302, headers: { location: "http://169.254.169.254/secret" } }),
  "/file": () => ({ status: 302, headers: { location: "file:///etc/passwd" } }),
  "/loop": () => ({ status: 302, headers: { location: "/loop" } }),
  "/big": () => ({ status: 200, body: big }),
  "/silent": () => new Promise<Reply>(() => undefined),
};

beforeEach(async () => {
  server = await startReceiver(({ path }) => replies[path]?.() ?? { status: 200, body: "end" });
  other = await startReceiver(() => ({ status: 200, body: "other" }));
  cleanups.push(server.close, other.close);
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const text = (body: Uint8Array) => new TextDecoder().decode(body);

describe.each(["straight out", "through the egress server"])("a request %s", (way) => {
  async function make(
    policy: { allowPrivate?: boolean; allowedOrigins?: string[] } = {},
  ): Promise<SafeFetch> {
    const full = { allowPrivate: false, allowedOrigins: [server.url, other.url], ...policy };
    if (way === "straight out") return createSafeFetch(full);
    const egress = await startEgress(full);
    cleanups.push(egress.close);
    return createSafeFetch({ ...full, egressUrl: egress.url });
  }

  it("carries method, headers and body there, and status, headers and body back", async () => {
    const safeFetch = await make();
    const answer = await safeFetch(`${server.url}/path?x=ü`, {
      method: "PUT",
      headers: { "webhook-id": "1", "content-type": "text/plain" },
      body: "grüße",
    });
    expect(answer).toMatchObject({ status: 200, url: `${server.url}/path?x=ü`, truncated: false });
    expect(text(answer.body)).toBe("end");
    expect(server.deliveries).toMatchObject([
      {
        method: "PUT",
        path: "/path?x=%C3%BC",
        body: "grüße",
        headers: {
          "webhook-id": "1",
          "content-type": "text/plain",
          "content-length": "7",
          host: new URL(server.url).host,
        },
      },
    ]);
    expect(server.deliveries[0]?.headers["x-egress-request"]).toBeUndefined();
  });

  it("refuses a private address without connecting", async () => {
    const safeFetch = await make({ allowedOrigins: [] });
    await expect(safeFetch(server.url)).rejects.toMatchObject({ code: "invalid_input" });
    expect(server.deliveries).toHaveLength(0);
  });

  it("reaches a private address where that is allowed", async () => {
    const safeFetch = await make({ allowPrivate: true, allowedOrigins: [] });
    await expect(safeFetch(server.url)).resolves.toMatchObject({ status: 200 });
  });

  it.each(["/inside", "/file"])("checks where a redirect leads: %s", async (path) => {
    const safeFetch = await make();
    await expect(safeFetch(server.url + path)).rejects.toMatchObject({ code: "invalid_input" });
  });

  it.each([
    ["/found", "GET", ""],
    ["/kept", "POST", "body"],
  ])("follows %s with %s", async (path, method, body) => {
    const safeFetch = await make();
    const answer = await safeFetch(server.url + path, {
      method: "POST",
      body: "body",
      headers: { cookie: "a=b" },
    });
    expect(answer.url).toBe(`${server.url}/end`);
    expect(server.deliveries[1]).toMatchObject({ path: "/end", method, body, headers: { cookie: "a=b" } });
  });

  it("tells another origin none of the headers that may be meant for the first", async () => {
    const safeFetch = await make();
    await safeFetch(`${server.url}/abroad`, {
      headers: { authorization: "Bearer s", cookie: "a=b", "x-api-key": "k", accept: "text/html" },
    });
    const headers = other.deliveries[0]?.headers ?? {};
    expect(headers).toMatchObject({ accept: "text/html" });
    expect(Object.keys(headers)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(authorization|cookie|x-api-key)$/u)]),
    );
  });

  it("returns the redirect it does not follow any more", async () => {
    const safeFetch = await make();
    await expect(safeFetch(`${server.url}/found`, { maxRedirects: 0 })).resolves.toMatchObject({
      status: 302,
    });
    await expect(safeFetch(`${server.url}/loop`, { maxRedirects: 3 })).resolves.toMatchObject({
      status: 302,
    });
    expect(server.deliveries).toHaveLength(5);
  });

  it("reads no more than the cap", async () => {
    const safeFetch = await make();
    const cut = await safeFetch(`${server.url}/big`, { maxBytes: 1000 });
    expect(cut).toMatchObject({ truncated: true });
    expect(cut.body.byteLength).toBe(1000);
    const whole = await safeFetch(`${server.url}/big`, { maxBytes: big.length });
    expect(whole).toMatchObject({ truncated: false });
    expect(text(whole.body)).toBe(big);
  });

  it("ends in time", async () => {
    const safeFetch = await make();
    await expect(safeFetch(`${server.url}/silent`, { timeoutMs: 100 })).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it("reports a server that is not there as something that may pass", async () => {
    const safeFetch = await make({ allowedOrigins: ["http://127.0.0.1:9"] });
    await expect(safeFetch("http://127.0.0.1:9/")).rejects.toMatchObject({
      code: "unavailable",
      retryable: true,
    });
  });
});

/** Straight out, with a resolver that knows these addresses. */
function resolving(addresses: Record<string, string[]>) {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    const url = new URL(input instanceof Request ? input.url : input);
    asked.push(url.host);
    if (url.host !== "cloudflare-dns.com") return new Response("reached");
    const type = url.searchParams.get("type") ?? "";
    const records = (addresses[type] ?? []).map((data) => ({ type: type === "A" ? 1 : 28, data }));
    return Response.json({ Status: 0, Answer: [{ type: 5, data: "alias.example.com." }, ...records] });
  };
  return { asked, safeFetch: createSafeFetch({ allowPrivate: false, allowedOrigins: [], fetch }) };
}

describe("straight out, a name", () => {
  it("is fetched when all its addresses are public", async () => {
    const { safeFetch, asked } = resolving({ A: ["93.184.215.14"], AAAA: ["2606:2800:21f::1"] });
    await expect(safeFetch("https://example.com/")).resolves.toMatchObject({ status: 200 });
    expect(asked.at(-1)).toBe("example.com");
  });

  it.each([
    ["one of its addresses is private", { A: ["93.184.215.14", "10.0.0.1"] }, "invalid_input"],
    ["its v6 address is loopback", { A: ["93.184.215.14"], AAAA: ["::1"] }, "invalid_input"],
    ["it has no address", {}, "unavailable"],
  ])("is not fetched when %s", async (_, addresses, code) => {
    const { safeFetch, asked } = resolving(addresses);
    await expect(safeFetch("https://example.com/")).rejects.toMatchObject({ code });
    expect(asked).not.toContain("example.com");
  });
});

describe("the egress server", () => {
  it("refuses a name that leads to a private address, and never connects", async () => {
    const policy = { allowPrivate: false, allowedOrigins: [] };
    const { port } = new URL(server.url);
    const egress = await startEgress({
      ...policy,
      resolve: async () => [{ address: "127.0.0.1", family: 4 }],
    });
    cleanups.push(egress.close);
    const safeFetch = createSafeFetch({ ...policy, egressUrl: egress.url });
    await expect(safeFetch(`http://rebind.example.com:${port}/`)).rejects.toMatchObject({
      code: "invalid_input",
    });
    expect(server.deliveries).toHaveLength(0);
  });

  it("connects to what it resolved, resolves once, and sends the host's name", async () => {
    const policy = { allowPrivate: true, allowedOrigins: [] };
    const { port } = new URL(server.url);
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return [{ address: "127.0.0.1", family: 4 }];
    };
    const egress = await startEgress({ ...policy, resolve });
    cleanups.push(egress.close);
    const safeFetch = createSafeFetch({ ...policy, egressUrl: egress.url });
    await safeFetch(`http://name.example.com:${port}/`);
    expect(server.deliveries).toMatchObject([{ headers: { host: `name.example.com:${port}` } }]);
    expect(asked).toBe(1);
  });

  it("decodes a body that was sent compressed all the same", async () => {
    const gzip = await serve((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("plain"));
    });
    const policy = { allowPrivate: true, allowedOrigins: [] };
    const egress = await startEgress(policy);
    cleanups.push(gzip.close, egress.close);
    const answer = await createSafeFetch({ ...policy, egressUrl: egress.url })(gzip.url);
    expect(text(answer.body)).toBe("plain");
    expect(answer.headers.get("content-encoding")).toBeNull();
  });

  it("serves no request without its token, and no malformed request with it", async () => {
    const egress = await startEgress({ allowPrivate: true, allowedOrigins: [] });
    cleanups.push(egress.close);
    const { origin } = new URL(egress.url);
    expect((await fetch(`${origin}/guess`, { method: "POST" })).status).toBe(404);
    expect((await fetch(egress.url, { method: "POST", headers: { "x-egress-request": "%" } })).status).toBe(
      400,
    );
  });
});
