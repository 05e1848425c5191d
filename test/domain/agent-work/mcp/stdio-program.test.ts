import { describe, expect, it } from "vitest";
import { ServerLink } from "#src/agent/mcp/server-link.ts";
import { NO_RULES } from "#src/domain/agent-work/mcp/rules.ts";
import { readStdioFile } from "#src/domain/agent-work/mcp/stdio-file.ts";
import { startAllowed, stdioUrl, type StartedProgram } from "#src/domain/agent-work/mcp/stdio-program.ts";
import { sealVariables } from "#src/domain/workspaces/containers/index.ts";
import { insertContainer } from "#src/domain/workspaces/containers/queries.ts";
import { newId } from "#src/lib/ids.ts";
import type { McpClient, McpConnection } from "#src/platform/mcp-client/mcp-client.ts";
import type { McpOAuth } from "#src/platform/mcp-oauth/mcp-oauth.ts";
import type { PipeSpec } from "#src/platform/runtime/project-pipes.ts";
import type { ProjectFiles } from "#src/platform/runtime/project-files.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { newColleague, newProject } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";

const database = await fileDatabase();
const SECRET_KEY = "a secret key of this test, long enough";
const secrets = createSecrets(SECRET_KEY);
const entry = partOf<Awaited<ReturnType<ProjectFiles["list"]>>[number]>({});

/** A project whose file names one program, and what is asked of its runtime. */
async function newWorld(own: object, ...containers: Record<string, string>[]) {
  const { id: projectId } = await newProject(database.db, await newColleague(database.db));
  for (const variables of containers) {
    const id = newId();
    const { encrypted, keys } = await sealVariables(secrets, variables);
    const container = { id, projectId, name: id, label: id, encryptedEnv: encrypted, envKeys: keys };
    await insertContainer(database, container);
  }
  const asked: { commands: string[]; opened: (PipeSpec & { id: string })[] } = { commands: [], opened: [] };
  const runtime = partOf<ProjectRuntime>({
    runsProcesses: true,
    readStream: async () => ({
      entry,
      body: new Blob([JSON.stringify({ mcpServers: { own } })]).stream(),
    }),
    async exec(command: string) {
      asked.commands.push(command);
      const stdout = "HOME=/home/project\0TOKEN=of-the-environment\0LINES=a\nB=c\0";
      return { stdout, stderr: "", exitCode: 0, timedOut: false };
    },
    async openPipe(id: string, spec: PipeSpec) {
      asked.opened.push({ id, ...spec });
      return new ReadableStream();
    },
    writePipe: async () => {},
  });
  const deps = {
    db: database.db,
    secrets,
    config: { SECRET_KEY },
    workspaces: { runtime: () => runtime },
  };
  const { entries } = await readStdioFile(deps, projectId);
  const url = stdioUrl(entries[0]?.hash ?? "");
  const told: StartedProgram[] = [];
  return {
    asked,
    told,
    deps,
    server: { id: newId(), name: "own", url, projectId },
    start: (allowed: { name?: string; url?: string } = {}) =>
      startAllowed(deps, projectId, { name: "own", url, ...allowed }, (program) => void told.push(program)),
  };
}

describe("a stdio server that is started", () => {
  it("is given what its containers have, without a question to the project", async () => {
    const own = { command: "${TOOL}", args: ["--dsn=${DSN}"], env: { A: "${DSN:-none}" }, cwd: "inner" };
    const world = await newWorld(own, { TOOL: "node", DSN: "a-secret-dsn" }, { DSN: "a-secret-dsn" });
    const { secrets: known } = await world.start();
    const given = { args: ["--dsn=a-secret-dsn"], env: { A: "a-secret-dsn" }, cwd: "inner" };
    expect(world.asked).toMatchObject({ commands: [], opened: [{ file: "node", ...given }] });
    expect(world.told).toEqual([{ command: "node", ...given }]);
    expect(known).toContain("a-secret-dsn");
  });

  it("is given what its commands have, where no container has it", async () => {
    const world = await newWorld(
      { command: "a", args: ["${HOME}", "${TOKEN}", "${LINES}", "${B:-no B}"] },
      { TOKEN: "own" },
    );
    await world.start();
    expect(world.asked.opened).toMatchObject([{ args: ["/home/project", "own", "a\nB=c", "no B"] }]);
  });

  it("is not started without a value, or with several", async () => {
    const missing = await newWorld({ command: "a", env: { A: "${NONE}" } });
    await expect(missing.start()).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("${NONE} has no value"),
    });
    const several = await newWorld({ command: "${A}" }, { A: "1" }, { A: "2" });
    await expect(several.start()).rejects.toMatchObject({
      message: expect.stringContaining("containers of the project have different ones"),
    });
    expect([...missing.asked.opened, ...several.asked.opened]).toEqual([]);
  });

  it.each([
    [
      "says something else of it than was allowed",
      { url: stdioUrl("0".repeat(64)) },
      "somebody has to allow it",
    ],
    ["does not name it", { name: "other" }, "names it no longer"],
  ])("is not started where the project's file %s", async (_, allowed, why) => {
    const world = await newWorld({ command: "a" });
    await expect(world.start(allowed)).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining(why),
    });
    expect([...world.asked.opened, ...world.told]).toEqual([]);
  });

  it("has secrets that a task knows before the program has any output", async () => {
    const own = {
      command: "a",
      args: ["--token", "Zq81-mmVt-03xx", "--verbose"],
      env: { API_KEY: "${KEY}" },
    };
    const { deps, server } = await newWorld(own, { KEY: "a-secret-key" });
    const learned: unknown[] = [];
    const mcpClient: McpClient = {
      async connect({ program }) {
        await program?.();
        return partOf<McpConnection>({
          isListOld: false,
          listTools: async () => ({ tools: [], refused: [], malformed: 0 }),
          close: async () => {},
        });
      },
    };
    const link = new ServerLink(
      { ...deps, mcpClient, mcpOAuth: partOf<McpOAuth>({}), log: { warn: () => {} } },
      { ...server, auth: "none", encryptedHeaders: null, rules: NO_RULES, tools: [], state: "connected" },
      { signal: new AbortController().signal, secrets: { learn: (secret) => void learned.push(secret) } },
    );
    await link.changeOf("any");
    expect(learned).toEqual([
      { name: "API_KEY", value: "a-secret-key", declared: false },
      { name: "--token", value: "Zq81-mmVt-03xx", declared: false },
    ]);
  });

  it("without references costs no trip", async () => {
    const world = await newWorld({ command: "a" }, { A: "1" });
    const before = database.trips.db;
    await world.start();
    expect(database.trips.db - before).toBe(0);
    expect(world.asked.commands).toEqual([]);
  });
});
