import { describe, expect, it } from "vitest";
import { AppError } from "#src/lib/errors.ts";
import { MAX_RESPONSE_BYTES } from "#src/platform/mcp-client/bounded-fetch.ts";
import { createMcpClient, TIMEOUTS, type McpTimeouts } from "#src/platform/mcp-client/index.ts";
import type { McpFailure } from "#src/platform/mcp-client/mcp-client.ts";
import { PIPE_END } from "#src/platform/runtime/project-pipes.ts";

interface Said {
  id?: number | string;
  method: string;
}
type Answer = (said: Said, say: (text: string) => void, end: () => void) => void;

const TOOLS = { tools: [{ name: "greet", inputSchema: { type: "object" } }] };
const RESULTS: Record<string, unknown> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "own", version: "1" },
  },
  "tools/list": TOOLS,
  "tools/call": { content: [{ type: "text", text: "Hé" }] },
};
const result = ({ id, method }: Said) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, ...(RESULTS[method] ? { result: RESULTS[method] } : { error: { code: -32601, message: "Unknown" } }) })}\n`;
/** Answers as a server of 2025-11-25 does. */
const plain: Answer = (said, say) => {
  if (said.id !== undefined) say(result(said));
};
const ending = (exitCode: number, errors = "") => `\n${PIPE_END}${JSON.stringify({ exitCode, errors })}\n`;

/** A program, and how often it was started and ended. */
function newProgram(answer: Answer) {
  const world = {
    started: 0,
    running: 0,
    asked: [] as string[],
    async program() {
      world.started += 1;
      world.running += 1;
      let controller: ReadableStreamDefaultController<Uint8Array>;
      const output = new ReadableStream<Uint8Array>({
        start: (given) => void (controller = given),
        cancel: () => void (world.running -= 1),
      });
      const end = () => {
        world.running -= 1;
        controller.close();
      };
      return {
        output,
        secrets: ["a-secret", "a key\nof two lines"],
        async write(line: string) {
          const said: Said = JSON.parse(line);
          world.asked.push(said.method);
          answer(said, (text) => controller.enqueue(new TextEncoder().encode(text)), end);
        },
      };
    },
  };
  return world;
}

const clientWith = (timeouts: Partial<McpTimeouts> = {}) =>
  createMcpClient({
    fetch: () => Promise.reject(new Error("Nothing is fetched")),
    timeouts: { ...TIMEOUTS, ...timeouts },
  });
const connect = (world: ReturnType<typeof newProgram>, timeouts?: Partial<McpTimeouts>) =>
  clientWith(timeouts).connect({ url: "stdio:0", headers: {}, program: () => world.program() });
const failureOf = (work: Promise<unknown>): Promise<McpFailure> =>
  work.then(
    () => Promise.reject(new Error("It did not fail")),
    (error: McpFailure) => error,
  );

describe("a server over stdio", () => {
  it("is listed and called by lines, whatever else it writes, and ends with the connection", async () => {
    const world = newProgram((said, say) => {
      if (said.id === undefined) return;
      say("not a message\n{ nor this\n");
      const line = result(said);
      const middle = Math.floor(line.length / 2);
      say(line.slice(0, middle));
      say(line.slice(middle));
    });
    const connection = await connect(world);
    expect(await connection.listTools()).toMatchObject({ tools: [{ name: "greet" }] });
    expect(await connection.callTool("greet", {})).toMatchObject({ content: [{ text: "Hé" }] });
    await connection.close();
    expect(world).toMatchObject({ started: 1, running: 0 });
    expect(world.asked.slice(0, 3)).toEqual(["server/discover", "initialize", "notifications/initialized"]);
  });

  it("that ends at a request of a newer revision is started once more, without it", async () => {
    const world = newProgram((said, say, end) => {
      if (said.method !== "server/discover") return plain(said, say, end);
      say(ending(1));
      end();
    });
    const connection = await connect(world);
    expect(await connection.listTools()).toMatchObject({ tools: [{ name: "greet" }] });
    expect(world).toMatchObject({ started: 2, running: 1 });
    await connection.close();
  });

  it("that leaves a request of a newer revision unanswered is used without it", async () => {
    const world = newProgram((said, say, end) => {
      if (said.method !== "server/discover") plain(said, say, end);
    });
    const connection = await connect(world, { connect: 20 });
    expect(await connection.listTools()).toMatchObject({ tools: [{ name: "greet" }] });
    await connection.close();
  });

  it("that ends says why, without secrets, and in a call that its outcome is unknown", async () => {
    const dying = newProgram((_, say, end) => {
      say(ending(127, `${"x".repeat(20)}a-secret a key\nof two lines${"y".repeat(250)}: not\nfound`));
      end();
    });
    expect(await failureOf(connect(dying))).toMatchObject({
      kind: "unreachable",
      message: `The program ended with exit code 127: ${`${"x".repeat(20)}*** ***${"y".repeat(250)}: not found`.slice(-300)}`,
      wasSent: false,
    });
    const world = newProgram((said, say, end) => {
      if (said.method !== "tools/call") return plain(said, say, end);
      say(ending(137));
      end();
    });
    const connection = await connect(world);
    expect(await failureOf(connection.callTool("greet", {}))).toMatchObject({
      message: "The program ended with exit code 137",
      wasSent: true,
    });
    // The next call starts it again, and calls at the same time start it once.
    await Promise.all([connection.listTools(), connection.listTools()]);
    expect(world.started).toBe(2);
    await connection.close();
    expect(world.running).toBe(0);
  });

  it.each([
    ["", "connect", { connect: 10, start: 20 }],
    ["tools/list", "list its tools", { list: 20 }],
    ["tools/call", "answer the call", { call: 20 }],
  ])("that hangs is not waited for: %s", async (silent, phase, timeouts) => {
    const world = newProgram((said, say, end) => {
      if (silent !== "" && said.method !== silent) plain(said, say, end);
    });
    const work = async () => {
      const connection = await connect(world, timeouts);
      try {
        await (silent === "tools/list" ? connection.listTools() : connection.callTool("greet", {}));
      } finally {
        await connection.close();
      }
    };
    expect((await failureOf(work())).message).toContain(phase);
    expect(world.running).toBe(0);
  });

  it("that has ended before it is asked says why, too", async () => {
    const world = newProgram((said, say, end) => {
      if (said.method === "tools/call") {
        setTimeout(() => {
          say(ending(3, "out of order"));
          end();
        }, 1);
        throw new AppError("conflict", "The program has ended");
      }
      plain(said, say, end);
    });
    const connection = await connect(world);
    expect(await failureOf(connection.callTool("greet", {}))).toMatchObject({
      kind: "unreachable",
      message: "The program ended with exit code 3: out of order",
    });
    await connection.close();
  });

  it.each([
    ["lines that are no messages", `${"x".repeat(1024 * 1024 - 1)}\n`, 9],
    ["requests of its own", `${JSON.stringify({ jsonrpc: "2.0", id: "p", method: "ping" })}\n`, 200],
  ])("that floods with %s between calls is stopped or not answered", async (_, line, times) => {
    let flood: (() => void) | undefined;
    const world = newProgram((said, say, end) => {
      flood = () => {
        for (let nth = 0; nth < times; nth += 1) say(line);
      };
      plain(said, say, end);
    });
    const connection = await connect(world);
    await connection.listTools();
    const asked = world.asked.length;
    flood?.();
    await expect.poll(() => world.running === 0 || world.asked.length === asked + 100).toBe(true);
    expect(await connection.callTool("greet", {})).toMatchObject({ content: [{ text: "Hé" }] });
    expect(world.asked.length).toBeLessThan(asked + 110);
    await connection.close();
  });

  it("is told everything in order, however long each line takes", async () => {
    const world = newProgram((said, say, end) => {
      if (said.method !== "tools/call") plain(said, say, end);
    });
    const told: string[] = [];
    // What is sent first takes longest.
    const turns = [8, 4, 2];
    const connection = await clientWith().connect({
      url: "stdio:0",
      headers: {},
      async program() {
        const program = await world.program();
        return {
          ...program,
          async write(line: string) {
            const { method, params }: { method: string; params?: { name?: string } } = JSON.parse(line);
            if (method === "tools/call") {
              for (let left = turns.shift() ?? 0; left > 0; left -= 1) await new Promise(setImmediate);
              told.push(params?.name ?? "");
            }
            return program.write(line);
          },
        };
      },
    });
    const stop = new AbortController();
    const calls = ["a", "b", "c"].map((name) =>
      failureOf(connection.callTool(name, {}, { signal: stop.signal })),
    );
    await expect.poll(() => told.length).toBe(3);
    stop.abort(new Error("Stopped"));
    await Promise.all(calls);
    expect(told).toEqual(["a", "b", "c"]);
    await connection.close();
  });

  it("that writes a line without end is stopped", async () => {
    const world = newProgram((said, say, end) => {
      if (said.method !== "tools/call") return plain(said, say, end);
      for (let size = 0; size <= MAX_RESPONSE_BYTES; size += 1024 * 1024) say("x".repeat(1024 * 1024));
    });
    const connection = await connect(world);
    expect((await failureOf(connection.callTool("greet", {}))).message).toContain("larger than 8 MiB");
    expect(world.running).toBe(0);
    await connection.close();
  });
});
