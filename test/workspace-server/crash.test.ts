import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import type { EntryWithContent } from "#src/platform/runtime/project-storage.ts";
import { buildServer, startWorkspaceServer } from "./support/start-server.ts";

/** Enough entries that a swap takes several milliseconds. */
const FILES = 400;

const server = await startWorkspaceServer(await buildServer());
afterAll(() => server.stop());

async function* files(content: string): AsyncGenerator<EntryWithContent, undefined> {
  const bytes = new TextEncoder().encode(content);
  const common = { mode: 0o644, modifiedAt: 1_700_000_000_000, target: "" };
  yield { entry: { ...common, path: "dir", kind: "directory", size: 0, mode: 0o555 }, content: chunks() };
  for (let index = 0; index < FILES; index += 1) {
    const file = `${index % 2 === 0 ? "" : "dir/"}${content}-${index}`;
    yield { entry: { ...common, path: file, kind: "file", size: bytes.length }, content: chunks(bytes) };
  }
}

async function* chunks(...all: Uint8Array[]): AsyncGenerator<Uint8Array, undefined> {
  yield* all;
}

/** All that the project is: paths, modes, times; and nothing of it left anywhere else. */
async function fingerprint(): Promise<string> {
  const entries = await server.runtime.inventory();
  const own = readdirSync(server.root).filter((name) => name.startsWith(".workspace-"));
  const lines = entries.map(({ path: at, mode, modifiedAt, size }) => [at, mode, modifiedAt, size].join(" "));
  return createHash("sha256")
    .update([...lines, ...own].join("\n"))
    .digest("hex");
}

it("has all the old files or all the new ones, wherever a replacement is killed", async () => {
  const expected: string[] = [];
  for (const content of ["old", "new"]) {
    await server.runtime.replaceEntries(files(content));
    expected.push(await fingerprint());
  }
  const [old = "", fresh = ""] = expected;
  const seen = new Set<string>();
  // Where the server is by then: making the new files, or moving the old and the new ones.
  const moments: ((over: AbortSignal) => Promise<unknown>)[] = [
    async () => undefined,
    (over) => appeared(".workspace-swap", over),
    (over) => appeared(".workspace-swap", over),
    (over) => appeared(path.join(".workspace-swap", "cleared"), over),
  ];
  for (const moment of moments) {
    await server.runtime.replaceEntries(files("old"));
    const replaced = server.runtime.replaceEntries(files("new")).catch(() => undefined);
    const over = new AbortController();
    await Promise.race([moment(over.signal), replaced]);
    over.abort();
    server.process.kill("SIGKILL");
    await replaced;
    await server.restart();
    const found = await fingerprint();
    expect([old, fresh]).toContain(found);
    seen.add(found);
  }
  expect(seen).toContain(fresh);
  expect(seen).toContain(old);
});

/** Busy waiting: the moment lasts a few milliseconds. */
async function appeared(name: string, over: AbortSignal): Promise<void> {
  const [directory, last] = [path.dirname(name), path.basename(name)];
  while (!over.aborted) {
    try {
      if (readdirSync(path.join(server.root, directory)).includes(last)) return;
    } catch {
      // Its directory is not there yet.
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}
