import { describe, expect, it } from "vitest";
import { isEnvFile, parseEnvFile } from "#src/agent/scrubbing/env-file.ts";
import { isMcpFile, parseMcpFile } from "#src/agent/scrubbing/mcp-file.ts";
import { RunSecrets } from "#src/agent/scrubbing/run-secrets.ts";
import { scrubText } from "#src/agent/scrubbing/scrub.ts";
import { AppError } from "#src/lib/errors.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";

const SETTINGS = ".env .env.local .env.production.local staging.env .envrc .dev.vars .env.example";
const OTHERS = "env .environment README.env.md app.envelope package.json";

it("files of settings are known by their names", () => {
  expect(`${SETTINGS} ${OTHERS}`.split(" ").filter(isEnvFile)).toEqual(SETTINGS.split(" "));
});

describe("a file of settings", () => {
  it.each([
    ["A=b", { A: "b" }],
    ["export A=b # why\n\n# C=d\nE = f", { A: "b", E: "f" }],
    ["A='b # c'\r\nD=\"e\\nf\"", { A: "b # c", D: "e\nf" }],
    ['KEY="one\ntwo\nthree"\nB=c', { KEY: "one\ntwo\nthree", B: "c" }],
    ['A="b \\" c"\nD=e#f', { A: 'b " c', D: "e#f" }],
    ['A="never ends\nB=c', { A: '"never ends', B: "c" }],
    ["A=\nB", {}],
    ["a.b: c", { "a.b": "c" }],
  ])("%j", (text, settings) => {
    expect(Object.fromEntries(parseEnvFile(text).map(({ name, value }) => [name, value]))).toEqual(settings);
  });

  it("has each value of a name that is there twice", () => {
    expect(parseEnvFile("A=b\nA=c").map(({ value }) => value)).toEqual(["b", "c"]);
  });

  it("with a million quotes that do not end is read all the same", () => {
    expect(parseEnvFile('A="b\n'.repeat(200_000)).length).toBe(500);
  });
});

describe("a file that names MCP servers", () => {
  it("has variables, headers, defaults, and what looks secret in arguments", () => {
    const text = JSON.stringify({
      mcpServers: {
        one: {
          command: "node",
          args: ["a.mjs", "--api-key", "k3J9xPq2Vb7L", "--token=Zq81-mmVt-03xx", "--mode", "read-only"],
          env: { PASSWORD: "hunter2hunter", DSN: "x ${TOKEN:-fallback-91}", COUNT: 3 },
        },
        two: { url: "https://example.com", headers: { Authorization: "Bearer abcd-1234-efgh" } },
        three: "none",
      },
    });
    expect(parseMcpFile(text)).toEqual([
      { name: "PASSWORD", value: "hunter2hunter" },
      { name: "DSN", value: "x ${TOKEN:-fallback-91}" },
      { name: "TOKEN", value: "fallback-91" },
      { name: "--api-key", value: "k3J9xPq2Vb7L" },
      { name: "--token", value: "Zq81-mmVt-03xx" },
      { name: "Authorization", value: "abcd-1234-efgh" },
    ]);
    expect([".mcp.json", "mcp.json", "a.mcp.json"].map(isMcpFile)).toEqual([true, false, false]);
    for (const malformed of ["{", "[]", '{"mcpServers":[]}', '{"mcpServers":{"a":{"args":{}}}}']) {
      expect(parseMcpFile(malformed)).toEqual([]);
    }
  });
});

const read = { arguments: '{"file_path":"a"}', mayChange: false };
const change = { arguments: '{"command":"sh setup.sh"}', mayChange: true };

/** The secrets of a run over some files, and what was said of files that cannot be read. */
function runOver(runtime: Pick<MemoryRuntime, "list" | "readFile">) {
  const faults: unknown[] = [];
  const loads = { times: 0 };
  const secrets = new RunSecrets({
    load: async () => {
      loads.times += 1;
      return [{ name: "STORED", value: "k3J9-xPq2-Vb7L", declared: true }];
    },
    files: runtime,
    onUnreadable: (cause) => faults.push(cause),
  });
  return { secrets, faults, loads };
}

describe("the secrets of a run", () => {
  it("are those stored, and those of files in the root and two levels below", async () => {
    const { secrets, loads } = runOver(
      new MemoryRuntime({
        ".env": "ROOT_SECRET=aaaa-1111-bbbb",
        "apps/web/.env.local": "WEB_SECRET=cccc-2222-dddd",
        "apps/web/src/.env": "DEEP_SECRET=eeee-3333-ffff",
        "node_modules/x/.env": "THEIR_SECRET=gggg-4444-hhhh",
      }),
    );
    const text = "k3J9-xPq2-Vb7L aaaa-1111-bbbb cccc-2222-dddd eeee-3333-ffff gggg-4444-hhhh";
    expect(scrubText(text, await secrets.known())).toBe(text.replace("k3J9-xPq2-Vb7L", "«secret:STORED»"));
    expect(scrubText(text, await secrets.knownAfter(read))).toBe(
      "«secret:STORED» «secret:ROOT_SECRET» «secret:WEB_SECRET» eeee-3333-ffff gggg-4444-hhhh",
    );
    expect(loads.times).toBe(1);
  });

  it("are those of its MCP servers, too, and the programs' own results do not show them", async () => {
    const env = { TRACKER_TOKEN: "aaaa-1111-bbbb", MODE: "development" };
    const { secrets } = runOver(
      new MemoryRuntime({ ".mcp.json": JSON.stringify({ mcpServers: { own: { command: "node", env } } }) }),
    );
    expect(scrubText("aaaa-1111-bbbb in development", await secrets.knownAfter(read))).toBe(
      "«secret:TRACKER_TOKEN» in development",
    );
  });

  it("are read again after a call that wrote such a file, and the old ones stay known", async () => {
    const runtime = new MemoryRuntime({ ".env": "A_SECRET=aaaa-1111-bbbb" });
    const { secrets } = runOver(runtime);
    await secrets.knownAfter(read);
    await runtime.writeFile(".env", new TextEncoder().encode("A_SECRET=cccc-2222-dddd"));
    const text = "aaaa-1111-bbbb cccc-2222-dddd eeee-3333-ffff";
    expect(scrubText(text, await secrets.knownAfter(change))).toBe(
      "«secret:A_SECRET» «secret:A_SECRET» eeee-3333-ffff",
    );
    await runtime.writeFile("apps/api/.env", new TextEncoder().encode("B_SECRET=eeee-3333-ffff"));
    const named = { arguments: '{"file_path":"apps/api/.env"}', mayChange: true };
    expect(scrubText(text, await secrets.knownAfter(named))).toBe(
      "«secret:A_SECRET» «secret:A_SECRET» «secret:B_SECRET»",
    );
  });

  it("are made ready once while nothing changes, and read by one call to the runtime", async () => {
    const runtime = new MemoryRuntime({ ".env": "A_SECRET=aaaa-1111-bbbb" });
    const lists: boolean[] = [];
    const { secrets } = runOver({
      list: (path, options) => {
        lists.push(options.recursive);
        return runtime.list(path, options);
      },
      readFile: (path) => runtime.readFile(path),
    });
    const first = await secrets.knownAfter(read);
    const others = await Promise.all([secrets.knownAfter(read), secrets.knownAfter(change), secrets.known()]);
    expect(others.every((known) => known === first)).toBe(true);
    expect(lists).toEqual([true, false]);
  });

  it("of files that are away are read later", async () => {
    const runtime = new MemoryRuntime({ ".env": "A_SECRET=aaaa-1111-bbbb" });
    let isAway = true;
    const { secrets, faults } = runOver({
      list: async (path, options) => {
        if (isAway) throw new AppError("asleep", "The project is hibernated");
        return runtime.list(path, options);
      },
      readFile: (path) => runtime.readFile(path),
    });
    expect(scrubText("aaaa-1111-bbbb", await secrets.knownAfter(read))).toBe("aaaa-1111-bbbb");
    expect(faults).toEqual([]);
    isAway = false;
    expect(scrubText("aaaa-1111-bbbb", await secrets.knownAfter(read))).toBe("«secret:A_SECRET»");
  });

  it("are those stored where the runtime fails, and the fault is reported", async () => {
    const fault = new Error("runtime failed");
    const { secrets, faults } = runOver({
      list: () => Promise.reject(fault),
      readFile: () => Promise.reject(fault),
    });
    expect(scrubText("k3J9-xPq2-Vb7L", await secrets.knownAfter(read))).toBe("«secret:STORED»");
    expect(faults).toEqual([fault]);
  });

  it("are not guessed at: without those stored nothing is known", async () => {
    let isDown = true;
    const secrets = new RunSecrets({
      load: () => (isDown ? Promise.reject(new Error("database is away")) : Promise.resolve([])),
      files: new MemoryRuntime(),
      onUnreadable: () => {},
    });
    await expect(secrets.known()).rejects.toThrow("database is away");
    isDown = false;
    await expect(secrets.known()).resolves.toBeDefined();
  });
});
