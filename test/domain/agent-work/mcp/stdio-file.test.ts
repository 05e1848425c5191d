import { describe, expect, it } from "vitest";
import { readStdioFile } from "#src/domain/agent-work/mcp/stdio-file.ts";
import type { ProjectFiles } from "#src/platform/runtime/project-files.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { partOf } from "#test/support/part-of.ts";

const entry = partOf<Awaited<ReturnType<ProjectFiles["list"]>>[number]>({});
const KEY = "a secret key of this test, long enough";

const read = (text: string | undefined, { key = KEY, projectId = "a-project" } = {}) => {
  const readStream = async () =>
    text === undefined ? undefined : { entry, body: new Blob([text]).stream() };
  const workspaces = { runtime: () => partOf<ProjectRuntime>({ readStream }) };
  return readStdioFile({ workspaces, config: { SECRET_KEY: key } }, projectId);
};
const named = (mcpServers: object) => read(JSON.stringify({ mcpServers }));

describe("a project's .mcp.json", () => {
  it("names programs, each with a hash of all that it says", async () => {
    const one = { command: "node", args: ["a"], env: { A: "1", B: "2" } };
    const { entries, notes } = await named({ one, two: { command: "node" } });
    expect(entries).toMatchObject([
      { name: "one", ...one },
      { name: "two", args: [], env: {}, cwd: "" },
    ]);
    expect(notes).toEqual([]);
    const hashOf = async (change: object) => (await named({ one: { ...one, ...change } })).entries[0]?.hash;
    expect(await hashOf({ env: { B: "2", A: "1" } })).toBe(entries[0]?.hash);
    const changes = [{ command: "deno" }, { args: ["a", ""] }, { env: { A: "1" } }, { cwd: "a" }];
    for (const change of changes) expect(await hashOf(change)).not.toBe(entries[0]?.hash);
  });

  it("has hashes that nobody can guess variables from, and that are good in one project", async () => {
    const text = JSON.stringify({ mcpServers: { own: { command: "node", env: { PIN: "1234" } } } });
    const hashOf = async (of: Parameters<typeof read>[1]) => (await read(text, of)).entries[0]?.hash;
    const hashes = [
      await hashOf({}),
      await hashOf({ key: `${KEY}!` }),
      await hashOf({ projectId: "another" }),
    ];
    expect(new Set(hashes).size).toBe(3);
    expect(hashes).toContain(await hashOf({}));
  });

  it("names a directory of the project in which a program runs, and none outside", async () => {
    const { entries, notes } = await named({
      inner: { command: "a", cwd: "./tools/own/" },
      root: { command: "a", cwd: "." },
      up: { command: "a", cwd: "tools/../.." },
      absolute: { command: "a", cwd: "/etc" },
      number: { command: "a", cwd: 1 },
    });
    expect(entries.map(({ name, cwd }) => [name, cwd])).toEqual([
      ["inner", "tools/own"],
      ["root", ""],
    ]);
    const problem = 'is left out: its "cwd" must be a directory of the project, as a path from its root';
    expect(notes).toEqual([`"up" ${problem}`, `"absolute" ${problem}`, `"number" ${problem}`]);
  });

  it.each([
    [{ far: { url: "https://mcp.example.com" } }, /^"far" is left out: it is not a program/u],
    [{ far: { type: "http" } }, /^"far" is left out: it is not a program/u],
    [{ bad: { command: "" } }, /^"bad" is left out: it must have a "command"/u],
    [{ bad: { command: "a\0b" } }, /^"bad" is left out: it must have a "command"/u],
    [{ bad: { command: "a", env: { "NOT A NAME": "" } } }, /^"bad" is left out/u],
    [{ "Two\nWords": { command: "a" } }, /^"Two Words" is left out: its name must be/u],
    [{ a__b: { command: "a" } }, /^"a__b" is left out: its name must be/u],
  ])("leaves out what is no program, and says why: %o", async (mcpServers, note) => {
    expect(await named(mcpServers)).toEqual({ entries: [], notes: [expect.stringMatching(note)] });
  });

  it("is bounded, and malformed ones are notes", async () => {
    expect(await read(undefined)).toEqual({ entries: [], notes: [] });
    for (const text of ["{", "[]", '{"mcpServers":[]}']) {
      expect((await read(text)).notes).toEqual(['.mcp.json is not JSON with an object "mcpServers"']);
    }
    expect((await read(" ".repeat(300 * 1024))).notes).toEqual([".mcp.json is larger than 256 KiB"]);
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, place) => [`s${place}`, { command: "a" }]),
    );
    const { entries, notes } = await named(many);
    expect(entries).toHaveLength(50);
    expect(notes).toEqual(["Only the first 50 entries are read"]);
    const known = await named({ own: { command: "${A}", args: ["${B:-c}"], env: { TOKEN: "${TOKEN}" } } });
    expect(known.notes).toEqual([]);
    const given = await named({ own: { command: "a", env: { TOKEN: "${env:TOKEN}" } } });
    expect(given.notes).toEqual([
      '"own" has a ${…} that is neither ${NAME} nor ${NAME:-default}: it is given to the program as it is written',
    ]);
  });
});
