import { afterEach, describe, expect, it } from "vitest";
import { MAX_RESPONSE_BYTES } from "#src/platform/mcp-client/bounded-fetch.ts";
import type { McpClient, McpTarget } from "#src/platform/mcp-client/mcp-client.ts";
import { startOlderMcp, type OlderMcp } from "#test/support/older-mcp.ts";
import { patientMcpClient } from "#test/support/patient-mcp.ts";

const servers: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function newOlder(): Promise<OlderMcp> {
  const older = await startOlderMcp();
  servers.push(older);
  return older;
}

const patient = patientMcpClient();
const to = ({ url }: { url: string }): McpTarget => ({ url, headers: { authorization: "Bearer abcd-1234" } });

async function use(client: McpClient, server: { url: string }) {
  const connection = await client.connect(to(server));
  try {
    const { tools } = await connection.listTools();
    const result = await connection.callTool("look_up", {});
    return {
      tools: tools.map(({ name }) => name),
      content: "content" in result ? result.content : undefined,
    };
  } finally {
    await connection.close();
  }
}

const USED = { tools: ["look_up"], content: [{ type: "text", text: "found" }] };
const events = { "content-type": "text/event-stream" };

it.each([400, 404, 405])(
  "a server that answers the first POST with %s is used over the older one",
  async (status) => {
    const older = await newOlder();
    older.refusal = status;
    expect(await use(patient, older)).toEqual(USED);
    expect(older.requests).toContain("GET /sse");
    expect(older.credentials).toEqual(new Set(["Bearer abcd-1234"]));
  },
);

it.each([401, 403, 410, 429, 500])("the older transport is not tried after %s", async (status) => {
  const older = await newOlder();
  older.refusal = status;
  await expect(use(patient, older)).rejects.toMatchObject({ name: "McpFailure" });
  expect(older.requests).not.toContain("GET /sse");
});

it("a server that has neither is reported as its first answer was", async () => {
  const older = await newOlder();
  older.refusal = 405;
  older.instead.stream = (_, response) =>
    void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>");
  const failure = { kind: "error", message: "The server answered with HTTP 405" };
  await expect(use(patient, older)).rejects.toMatchObject(failure);
});

it("a server that wants other credentials for its stream needs authorization", async () => {
  const older = await newOlder();
  older.instead.stream = (_, response) => void response.writeHead(401).end("abcd-1234 is wrong");
  await expect(use(patient, older)).rejects.toMatchObject({
    kind: "needs_authorization",
    message: "The server needs other credentials (HTTP 401)",
  });
});

it("no request goes to another origin, whenever the server names one", async () => {
  const [other, older] = [await newOlder(), await newOlder()];
  older.instead.stream = (_, response) =>
    void response.writeHead(200, events).write(`event: endpoint\ndata: ${other.url}\n\n`);
  await expect(use(patient, older)).rejects.toMatchObject({
    kind: "error",
    message: "The server wants messages at another origin than its own",
  });
  older.instead.stream = (_, response) => void response.writeHead(302, { location: other.url }).end();
  await expect(use(patient, older)).rejects.toMatchObject({ name: "McpFailure" });
  older.instead.stream = undefined;
  const connection = await patient.connect(to(older));
  older.instead.message = (_, response) => void response.writeHead(307, { location: other.url }).end();
  await expect(connection.listTools()).rejects.toMatchObject({
    message: "The server answered with HTTP 307",
  });
  await connection.close();
  expect(other.requests).toEqual([]);
});

const begins =
  (text: string): OlderMcp["instead"]["stream"] =>
  (_, response) =>
    void response.writeHead(200, events).write(`: hello\n\n${text}`);
const takes: OlderMcp["instead"]["message"] = (_, response) => void response.writeHead(202).end();

describe("a server that hangs", () => {
  it.each([
    ["before its stream begins", { stream: () => {} }],
    ["before it names its address", { stream: begins("") }],
    ["before it answers", { stream: begins("event: endpoint\ndata: /messages\n\n"), message: takes }],
    ["as it takes a message", { message: () => {} }],
  ])("%s is given up", async (_, instead) => {
    const older = await newOlder();
    older.instead = instead;
    await expect(use(patientMcpClient({ connect: 600 }), older)).rejects.toMatchObject({
      kind: "unreachable",
      message: "The server did not connect in time",
    });
  });

  it("in a call is given up", async () => {
    const older = await newOlder();
    const connection = await patientMcpClient({ call: 400, callInAll: 800 }).connect(to(older));
    older.answer = () => new Promise<string>(() => {});
    const failure = {
      kind: "unreachable",
      message: "The server did not answer the call in time",
      wasSent: true,
    };
    await expect(connection.callTool("look_up", {})).rejects.toMatchObject(failure);
    await connection.close();
  });
});

it("garbage between the answers is passed over", async () => {
  const older = await newOlder();
  const connection = await patient.connect(to(older));
  older.garble();
  expect(await connection.callTool("look_up", {})).toMatchObject({ content: USED.content });
  await connection.close();
});

it("a stream that breaks off loses the call at once, and the next call has a new one", async () => {
  const older = await newOlder();
  const connection = await patient.connect(to(older));
  older.answer = () => {
    older.breakOff();
    return "lost";
  };
  await expect(connection.callTool("look_up", {})).rejects.toMatchObject({
    kind: "unreachable",
    message: "The server broke off the connection",
    wasSent: true,
  });
  older.answer = () => "found";
  expect(await connection.callTool("look_up", {})).toMatchObject({ content: USED.content });
  await connection.close();
});

it("an answer is as large as over the newer one, and many answers together are larger", async () => {
  const older = await newOlder();
  const connection = await patient.connect(to(older));
  older.answer = () => "x".repeat(MAX_RESPONSE_BYTES * 0.6);
  for (let calls = 0; calls < 3; calls += 1) {
    expect(await connection.callTool("look_up", {})).toMatchObject({ isError: false });
  }
  older.answer = () => "x".repeat(MAX_RESPONSE_BYTES);
  await expect(connection.callTool("look_up", {})).rejects.toMatchObject({
    kind: "error",
    message: "The response is larger than 8 MiB, the most that is read",
  });
  await connection.close();
});

it("stops waiting when it is told to, also before the stream begins", async () => {
  const older = await newOlder();
  const abort = new AbortController();
  older.instead.stream = () => abort.abort(new Error("enough"));
  await expect(patient.connect(to(older), { signal: abort.signal })).rejects.toThrow("enough");
});
