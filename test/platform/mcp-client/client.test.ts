import { afterEach, describe, expect, it } from "vitest";
import { createMcpClient } from "#src/platform/mcp-client/index.ts";
import { MAX_RESPONSE_BYTES } from "#src/platform/mcp-client/bounded-fetch.ts";
import { createGuardedFetch } from "#src/platform/safe-fetch/guarded-fetch.ts";
import { askMeanwhile, FORM } from "#test/support/asking-server.ts";
import { plainTool, Refused, startMcpStub, type McpStub } from "#test/support/mcp-stub.ts";
import { patientMcpClient } from "#test/support/patient-mcp.ts";

const stubs: McpStub[] = [];
afterEach(() => Promise.all(stubs.splice(0).map((stub) => stub.close())));

async function newStub(...args: Parameters<typeof startMcpStub>): Promise<McpStub> {
  const stub = await startMcpStub(...args);
  stubs.push(stub);
  return stub;
}

const client = patientMcpClient();
const header = (fields: object) => plainTool("h", { inputSchema: { type: "object", ...fields } });
const to = ({ url }: McpStub, headers = {}) => ({ url, headers });

describe.each(["2026-07-28", "2025-11-25", "2025-06-18"] as const)("a server of %s", (era) => {
  it("lists its tools, is called, and gets the credentials with each request", async () => {
    const stub = await newStub([plainTool("look_up"), plainTool("write.it", { title: "Write" })], { era });
    const connection = await client.connect(to(stub, { authorization: "Bearer secret-1234" }));
    expect(await connection.listTools()).toMatchObject({
      tools: [
        { name: "look_up", description: "Does look_up" },
        { name: "write.it", title: "Write" },
      ],
      malformed: 0,
    });
    expect(await connection.callTool("look_up", { q: "a" })).toEqual({
      content: [{ type: "text", text: 'look_up was called with {"q":"a"}' }],
      structured: undefined,
      isError: false,
    });
    await connection.close();
    expect(new Set(stub.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set(["Bearer secret-1234"]),
    );
  });

  it("may say in the middle of a call that its tools have changed", async () => {
    const stub = await newStub(undefined, { era });
    const connection = await client.connect(to(stub));
    expect(connection.isListOld).toBe(true);
    await connection.listTools();
    expect(connection.isListOld).toBe(false);
    stub.instead["tools/call"] = ({ id }, response) => {
      const result = {
        ...(era === "2026-07-28" && { resultType: "complete" }),
        content: [{ type: "text", text: "Done" }],
      };
      const messages = [{ method: "notifications/tools/list_changed" }, { id, result }];
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        messages.map((message) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`).join(""),
      );
    };
    await connection.callTool("look_up", {});
    expect(connection.isListOld).toBe(true);
    await connection.listTools();
    expect(connection.isListOld).toBe(false);
    await connection.close();
  });

  it("is read page by page, to an end", async () => {
    const stub = await newStub([], { era });
    let page = 0;
    const complete = era === "2026-07-28" ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
    stub.instead["tools/list"] = () => {
      page += 1;
      return { ...complete, tools: [plainTool(`tool_${page}`)], nextCursor: String(page) };
    };
    const connection = await client.connect(to(stub));
    const { tools } = await connection.listTools();
    expect(tools).toHaveLength(20);
    await connection.close();
  });

  it("may list what is no tool beside its tools", async () => {
    const stub = await newStub([null, "x", { name: 7 }, {}, plainTool("good"), { name: "bare" }], { era });
    const connection = await client.connect(to(stub));
    const { tools, malformed } = await connection.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["good", "bare"]);
    expect(malformed).toBe(4);
    await connection.close();
  });

  it("may have tools that this client must leave out, or cannot call", async () => {
    const declared = { type: "string", "x-mcp-header": "Region" };
    const stub = await newStub(
      [
        header({ properties: { a: declared } }),
        header({ properties: { a: declared, b: { ...declared, "x-mcp-header": "region" } } }),
        header({ properties: { a: { ...declared, "x-mcp-header": "a b" } } }),
        header({ properties: { a: { ...declared, type: "object" } } }),
        header({ items: declared }),
        header({ "x-mcp-header": "Top" }),
        plainTool("tasks", { execution: { taskSupport: "required" } }),
      ],
      { era },
    );
    const connection = await client.connect(to(stub));
    const { tools, refused } = await connection.listTools();
    // In 2026-07-28 it is the server that decides, and this client takes what it decides.
    const [own, others] = era === "2026-07-28" ? [["tasks"], []] : [[], ["tasks"]];
    expect(tools.map(({ name }) => name)).toEqual(["h", ...own]);
    expect(refused.map(({ name }) => name)).toEqual(["h", "h", "h", "h", "h", ...others]);
    await connection.close();
  });

  it("returns every kind of content", async () => {
    const stub = await newStub(undefined, { era });
    stub.answer = () => ({
      content: [
        { type: "text", text: "words" },
        { type: "image", data: "aGk=", mimeType: "image/png" },
        { type: "audio", data: "aGk=", mimeType: "audio/wav" },
        { type: "resource_link", uri: "x://y", name: "Y" },
        { type: "resource", resource: { uri: "x://z", mimeType: "text/plain", text: "inside" } },
        { type: "resource", resource: { uri: "x://b", blob: "aGk=" } },
        { type: "hologram" },
        7,
      ],
      structuredContent: { a: [1] },
      isError: true,
    });
    const connection = await client.connect(to(stub));
    expect(await connection.callTool("look_up", {})).toEqual({
      content: [
        { type: "text", text: "words" },
        { type: "image", data: "aGk=", mimeType: "image/png" },
        { type: "audio", data: "aGk=", mimeType: "audio/wav" },
        { type: "link", uri: "x://y", name: "Y", description: "" },
        { type: "resource", uri: "x://z", mimeType: "text/plain", text: "inside" },
        { type: "blob", uri: "x://b", mimeType: "", blob: "aGk=" },
        { type: "other", kind: "hologram" },
        { type: "other", kind: "unknown" },
      ],
      structured: { a: [1] },
      isError: true,
    });
    await connection.close();
  });

  it("that refuses the credentials needs authorization, and its words do not repeat them", async () => {
    const stub = await newStub(undefined, { era });
    for (const method of ["server/discover", "initialize"]) {
      stub.instead[method] = (_, response) => void response.writeHead(401).end("secret-1234 is wrong");
    }
    const connecting = client.connect(to(stub, { authorization: "Bearer secret-1234" }));
    await expect(connecting).rejects.toMatchObject({
      kind: "needs_authorization",
      message: "The server needs other credentials (HTTP 401)",
    });
  });

  it("that refuses a call says why, without the credentials", async () => {
    const stub = await newStub(undefined, { era });
    const connection = await client.connect(to(stub, { authorization: "Bearer secret-1234" }));
    stub.instead["tools/call"] = () => new Refused(-32_602, "secret-1234 may not");
    await expect(connection.callTool("look_up", {})).rejects.toMatchObject({
      kind: "error",
      message: "The server refused: *** may not (-32602)",
    });
    // Also where its words are cut.
    stub.instead["tools/call"] = () => new Refused(-32_602, `${"-".repeat(295)}secret-1234`);
    await expect(connection.callTool("look_up", {})).rejects.toMatchObject({
      message: `The server refused: ${"-".repeat(295)}*** (-32602)`,
    });
    await connection.close();
  });

  it.each([
    ["connect", "server/discover", "initialize", { connect: 400 }],
    ["list its tools", "tools/list", "tools/list", { list: 400 }],
    ["answer the call", "tools/call", "tools/call", { call: 400, callInAll: 800 }],
  ])("that hangs as it has to %s is given up", async (phase, current, older, timeouts) => {
    const stub = await newStub(undefined, { era });
    const method = era === "2026-07-28" ? current : older;
    const isStream = { "content-type": "text/event-stream" };
    for (const begins of [false, true]) {
      stub.instead[method] = (_, response) => {
        if (begins) response.writeHead(200, isStream).flushHeaders();
      };
      const used = async () => {
        const connection = await patientMcpClient(timeouts).connect(to(stub));
        try {
          await connection.listTools();
          await connection.callTool("look_up", {});
        } finally {
          await connection.close();
        }
      };
      await expect(used()).rejects.toMatchObject({
        kind: "unreachable",
        message: `The server did not ${phase} in time`,
        wasSent: phase === "answer the call",
      });
    }
  });

  it("that answers with more than is read is stopped", async () => {
    const stub = await newStub(undefined, { era });
    const connection = await client.connect(to(stub));
    stub.answer = () => "x".repeat(MAX_RESPONSE_BYTES);
    await expect(connection.callTool("look_up", {})).rejects.toMatchObject({
      kind: "error",
      message: "The response is larger than 8 MiB, the most that is read",
    });
    await connection.close();
  });

  it("that breaks off a stream of events loses the call at once", async () => {
    const stub = await newStub(undefined, { era });
    const connection = await client.connect(to(stub));
    stub.instead["tools/call"] = (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(": nothing\n\n");
    };
    await expect(connection.callTool("look_up", {})).rejects.toMatchObject({
      kind: "unreachable",
      wasSent: true,
    });
    expect(stub.calls()).toHaveLength(1);
    await connection.close();
  });

  it("that does not speak the protocol is an error", async () => {
    const stub = await newStub(undefined, { era });
    for (const method of ["server/discover", "initialize"]) {
      stub.instead[method] = (_, response) =>
        void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>");
    }
    await expect(client.connect(to(stub))).rejects.toMatchObject({ name: "McpFailure", kind: "error" });
  });

  it("stops waiting when it is told to", async () => {
    const stub = await newStub(undefined, { era });
    const connection = await client.connect(to(stub));
    stub.instead["tools/call"] = () => {};
    const abort = new AbortController();
    const calling = connection.callTool("look_up", {}, { signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(calling).rejects.toThrow("enough");
    await connection.close();
  });
});

it("begins a new session where the server has forgotten the old one", async () => {
  const stub = await newStub(undefined, { era: "2025-11-25" });
  const connection = await client.connect(to(stub));
  await connection.listTools();
  stub.forgetSessions();
  expect(await connection.callTool("look_up", {})).toMatchObject({ isError: false });
  expect(stub.calls()).toHaveLength(2);
  await connection.close();
});

it("returns what a server of 2026-07-28 needs, and gives it the answers with its state unchanged", async () => {
  const asking = await newStub();
  const params = { message: "Your name?", requestedSchema: { type: "object", properties: {} } };
  const inputRequests = { name: { method: "elicitation/create", params } };
  asking.instead["tools/call"] = ({ params: sent }) =>
    sent["requestState"] === undefined
      ? { resultType: "input_required", inputRequests, requestState: "s\u0000é" }
      : { resultType: "complete", content: [] };
  const connection = await client.connect(to(asking));
  const needs = await connection.callTool("look_up", { q: "a" });
  if (!("asks" in needs)) throw new Error("Nothing is needed");
  expect(needs.asks).toEqual([{ key: "name", method: "elicitation/create", params }]);
  const input = { answers: { name: { action: "decline" } }, state: needs.state } as const;
  expect(await connection.callTool("look_up", { q: "a" }, { input })).toMatchObject({ isError: false });
  expect(asking.requests.at(-1)?.params).toMatchObject({
    arguments: { q: "a" },
    inputResponses: { name: { action: "decline" } },
    requestState: "s\u0000é",
  });
  expect(JSON.stringify(asking.requests[1]?.params["_meta"])).toContain('"elicitation":{"form":{},"url":{}}');
  await connection.close();
});

it("declines what a server of an older revision asks where nobody answers", async () => {
  const older = await newStub(undefined, { era: "2025-11-25" });
  askMeanwhile(older, "elicitation/create", FORM);
  const connection = await client.connect(to(older));
  const content = [{ type: "text", text: '{"action":"decline"}' }];
  expect(await connection.callTool("look_up", {})).toMatchObject({ content });
  await connection.close();
});

it("reads a list no longer than a list may take in all", async () => {
  const slow = await newStub();
  let page = 0;
  slow.instead["tools/list"] = async () => {
    page += 1;
    await new Promise((resolve) => setTimeout(resolve, 300));
    const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
    return { ...complete, tools: [], nextCursor: String(page) };
  };
  const connection = await patientMcpClient({ listInAll: 800 }).connect(to(slow));
  await expect(connection.listTools()).rejects.toMatchObject({ kind: "unreachable" });
  expect(page).toBeLessThan(10);
  await connection.close();
});

describe("an address", () => {
  const guarded = createMcpClient({ fetch: createGuardedFetch({ allowPrivate: false, allowedOrigins: [] }) });

  it.each(["http://127.0.0.1:1/mcp", "http://169.254.169.254/latest", "http://localhost/mcp"])(
    "in a private network is refused: %s",
    async (url) => {
      await expect(guarded.connect({ url, headers: {} })).rejects.toMatchObject({
        kind: "error",
        message: expect.stringContaining("private or special network"),
      });
    },
  );

  it("to which a server redirects is not followed to another origin, nor into a private network", async () => {
    const stub = await newStub();
    const other = await newStub();
    const door = createMcpClient({
      fetch: createGuardedFetch({ allowPrivate: false, allowedOrigins: [new URL(stub.url).origin] }),
    });
    for (const status of [302, 307, 308]) {
      for (const location of [other.url, "http://169.254.169.254/"]) {
        for (const method of ["server/discover", "initialize"]) {
          stub.instead[method] = (_, response) => void response.writeHead(status, { location }).end();
        }
        await expect(door.connect(to(stub, { authorization: "Bearer x" }))).rejects.toMatchObject({
          name: "McpFailure",
          kind: "error",
        });
      }
    }
    expect(other.requests).toEqual([]);
  });

  it("where nothing listens is unreachable", async () => {
    const stub = await startMcpStub();
    await stub.close();
    await expect(client.connect(to(stub))).rejects.toMatchObject({ kind: "unreachable" });
  });
});

/** Answers with JSON that is written by hand. */
const raw =
  (result: string): NonNullable<McpStub["instead"][string]> =>
  ({ id }, response) =>
    void response
      .writeHead(200, { "content-type": "application/json" })
      .end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);

describe("an answer of a server", () => {
  /** An array in an array, and so on. */
  const NESTED = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  it("that is nested without an end is left out alone, where functions of JSON would fail", async () => {
    const stub = await newStub([], { era: "2025-11-25" });
    const connection = await client.connect(to(stub));
    const deep = `{"name":"deep","inputSchema":{"type":"object","default":${NESTED}}}`;
    stub.instead["tools/list"] = raw(`{"tools":[${deep},${JSON.stringify(plainTool("plain"))}]}`);
    expect(await connection.listTools()).toMatchObject({
      tools: [{ name: "plain" }],
      refused: [{ name: "deep", problem: "its schema is nested too deeply" }],
    });
    stub.instead["tools/call"] = raw(
      `{"content":[{"type":"text","text":"here"}],"structuredContent":{"a":${NESTED}}}`,
    );
    expect(await connection.callTool("plain", {})).toEqual({
      content: [
        { type: "text", text: "here" },
        { type: "other", kind: "structured content nested too deeply" },
      ],
      structured: undefined,
      isError: false,
    });
    await connection.close();
  });

  it("that lists tools is bounded over all its pages", async () => {
    const stub = await newStub([], { era: "2025-11-25" });
    const connection = await client.connect(to(stub));
    let pages = 0;
    const description = "x".repeat(3 * 1024 * 1024);
    stub.instead["tools/list"] = () => ({
      tools: [plainTool(`tool_${(pages += 1)}`, { description })],
      nextCursor: String(pages),
    });
    await expect(connection.listTools()).rejects.toMatchObject({
      kind: "error",
      message: expect.stringContaining("larger than 8 MiB"),
    });
    expect(pages).toBe(3);
    await connection.close();
  });
});
