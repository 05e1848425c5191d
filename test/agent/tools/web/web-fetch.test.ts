import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runTool } from "#src/agent/tools/run-tool.ts";
import { createSafeFetch } from "#src/platform/safe-fetch/index.ts";
import { serve } from "#local/serve.ts";
import { textPage, toolCall, toolContext } from "#test/support/tool-context.ts";

interface Served {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

const pages: Record<string, Served> = {};
let site: Awaited<ReturnType<typeof serve>>;
let asked: { path: string; accept: string | undefined }[] = [];
beforeEach(async () => {
  asked = [];
  site = await serve((request, response) => {
    const path = request.url ?? "";
    asked.push({ path, accept: request.headers.accept });
    const { status = 200, headers = {}, body = "" } = pages[path] ?? { status: 404, body: "nothing here" };
    response.writeHead(status, headers).end(body);
  });
});
afterEach(() => site.close());

const HTML = { "content-type": "text/html; charset=utf-8" };

/** Fetch a path of the site. Of the machine's own network nothing else can be reached. */
async function fetchPath(path: string, args: Record<string, unknown> = {}) {
  const safeFetch = createSafeFetch({ allowPrivate: false, allowedOrigins: [site.url] });
  const url = path.startsWith("/") ? site.url + path : path;
  return runTool(toolCall("web_fetch", { url, ...args }), toolContext({ safeFetch }));
}

describe("web_fetch", () => {
  it("gives a page as Markdown, with what the server said of it", async () => {
    pages["/"] = {
      headers: HTML,
      body: '<html><head><title>Garden</title><script>steal()</script></head><body><h1>Beds</h1><p>See <a href="/sow">sowing</a>.</p></body></html>',
    };
    const { result } = await fetchPath("/");
    expect(result).toMatchObject({
      success: true,
      url: `${site.url}/`,
      details: { status_code: 200, content_type: "text/html", truncated: false },
    });
    expect(result["content"]).toContain("# Beds");
    expect(result["content"]).toContain(`[sowing](${site.url}/sow)`);
    expect(result["content"]).not.toContain("steal");
    expect(asked[0]?.accept).toMatch(/^text\/markdown/u);
  });

  it.each([
    ["text/plain", "<b>as it is</b>"],
    ["application/vnd.api+json", '{"a": 1}'],
    ["application/xml", "<a/>"],
    ["text/markdown", "# Title"],
  ])("gives %s as it is", async (type, body) => {
    pages["/data"] = { headers: { "content-type": type }, body };
    expect((await fetchPath("/data")).result["content"]).toBe(body);
  });

  it.each([
    ["application/pdf", "%PDF-1.7"],
    ["image/png", new Uint8Array([137, 80, 78, 71, 0, 1])],
    ["text/plain", new Uint8Array([65, 0, 66])],
  ])("refuses %s that is no text with a sentence", async (type, body) => {
    pages["/file"] = { headers: { "content-type": type }, body };
    const { success, result } = await fetchPath("/file");
    expect(success).toBe(false);
    expect(result["error"]).toBe(`The address holds ${type}, which is not text (status 200)`);
    expect(result).not.toHaveProperty("content");
  });

  it.each([
    ["<!doctype html><p>a <b>b</b>", "a **b**"],
    ["just words", "just words"],
  ])("looks at content without a type: %s", async (body, content) => {
    pages["/untyped"] = { body };
    expect((await fetchPath("/untyped")).result["content"]).toBe(content);
  });

  it.each([
    ["text/html; charset=iso-8859-1", "<p>gr\u00fc\u00dfe"],
    ["text/html", '<meta charset="iso-8859-1"><p>gr\u00fc\u00dfe'],
    ['text/html; charset="windows-1252"', "<p>gr\u00fc\u00dfe"],
  ])("reads the encoding that %s names", async (type, text) => {
    pages["/old"] = { headers: { "content-type": type }, body: Buffer.from(text, "latin1") };
    expect((await fetchPath("/old")).result["content"]).toBe("grüße");
  });

  it("takes an unknown encoding for UTF-8", async () => {
    pages["/odd"] = { headers: { "content-type": "text/plain; charset=klingon" }, body: "grüße" };
    expect((await fetchPath("/odd")).result["content"]).toBe("grüße");
  });

  it("follows redirects, and resolves links against where they led", async () => {
    pages["/moved"] = { status: 301, headers: { location: "/docs/page" } };
    pages["/docs/page"] = { headers: HTML, body: '<p><a href="next">next</a></p>' };
    const { result } = await fetchPath("/moved");
    expect(result).toMatchObject({ url: `${site.url}/docs/page`, content: `[next](${site.url}/docs/next)` });
  });

  it("fails for redirects that lead in a circle, and for one that leads nowhere", async () => {
    pages["/loop"] = { status: 302, headers: { location: "/loop" } };
    pages["/lost"] = { status: 301 };
    for (const path of ["/loop", "/lost"]) {
      const { result } = await fetchPath(path);
      expect(result).toMatchObject({ success: false, error: expect.stringMatching(/redirect/u) });
    }
    expect(asked.length).toBeLessThan(10);
  });

  it.each(["http://127.0.0.1:1/", "file:///etc/passwd", "example.com"])("refuses %s", async (url) => {
    const { success, result } = await fetchPath(url);
    expect(success).toBe(false);
    expect(result["error"]).toMatch(/^The address /u);
    expect(asked).toEqual([]);
  });

  it("is a failure with what the page says where the status is one", async () => {
    const { success, result } = await fetchPath("/no-such-page");
    expect(success).toBe(false);
    expect(result).toMatchObject({
      error: "The address responded with status 404.",
      content: "nothing here",
      details: { status_code: 404 },
    });
  });

  it("gives at most 50,000 characters, and the rest when asked", async () => {
    const text = Array.from({ length: 12_000 }, (_, index) => `line ${index}\n`).join("");
    pages["/long"] = { headers: { "content-type": "text/plain" }, body: text };
    const first = await fetchPath("/long");
    expect(first.result["content"]).toBe(text.slice(0, 50_000));
    expect(first.result["details"]).toMatchObject({
      truncated: true,
      total_chars: text.length,
      next_offset: 50_000,
    });
    const rest = await fetchPath("/long", { offset: 120_000 });
    expect(rest.result["content"]).toBe(text.slice(120_000));
    expect(rest.result["details"]).toMatchObject({ truncated: false });
    expect((await fetchPath("/long", { offset: 10, max_chars: 4 })).result["content"]).toBe(
      text.slice(10, 14),
    );
  });

  it("reads a mebibyte of what is longer", async () => {
    pages["/huge"] = { headers: { "content-type": "text/plain" }, body: "y".repeat(3 * 1024 * 1024) };
    const { result } = await fetchPath("/huge");
    expect(result["details"]).toMatchObject({ truncated: true, total_chars: 1024 * 1024 });
  });

  it("gives up on a server that does not answer", async () => {
    const silent = await serve(() => {});
    const safeFetch = createSafeFetch({ allowPrivate: false, allowedOrigins: [silent.url] });
    const call = toolCall("web_fetch", { url: silent.url, timeout: 0.2 });
    const { result } = await runTool(call, toolContext({ safeFetch }));
    expect(result["error"]).toContain("did not answer in time");
    await silent.close();
  });

  it.each([{ timeout: 61 }, { timeout: 0 }, { offset: -1 }, { max_chars: 50_001 }, { url: "" }])(
    "sends no request for %j",
    async (bad) => {
      const fetched: string[] = [];
      const safeFetch = async (url: string) => {
        fetched.push(url);
        return textPage(url, "x");
      };
      const call = toolCall("web_fetch", { url: "https://example.com", ...bad });
      expect((await runTool(call, toolContext({ safeFetch }))).success).toBe(false);
      expect(fetched).toEqual([]);
    },
  );
});
