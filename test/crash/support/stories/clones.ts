import { expect, vi } from "vitest";
import { startGitServer } from "#test/support/git-server.ts";
import { PATIENCE } from "../patience.ts";
import type { Story, World } from "./story.ts";

const FILES = 60;
/** Most kills that come during one clone, which fails after four. */
const KILLS = { short: 2, long: 1 };

const contentOf = (round: number, file: number) => `${round}/${file} `.repeat(1 + ((file * 97) % 300));

const filesOf = (round: number) =>
  Object.fromEntries(
    Array.from({ length: FILES }, (_, file) => [`d${file % 7}/${file}.txt`, contentOf(round, file)]),
  );

/** Clones of repositories. The first kill of each comes while it waits for the host, the second wherever it is. */
export async function clones({ api, isLong }: World): Promise<Story & { close(): Promise<void> }> {
  const git = await startGitServer();
  const { token } = await api.signUp("cloner");
  const { id } = await api.newProject(token);
  const call = <T = unknown>(method: string, address: string, json?: unknown) =>
    api.call<T>(method, address, { token, json });
  const read = async (path: string) =>
    (await call<{ content?: string }>("GET", `/api/projects/${id}/files/${path}`)).body.content;
  const state = async () =>
    (await call<{ status: string; error: string | null }>("GET", `/api/git/clone/${id}`)).body;
  await call("PUT", `/api/projects/${id}/files/round-0.txt`, { content: "old" });

  let round = 0;
  let kills = 0;
  async function verify(): Promise<void> {
    await vi.waitFor(
      async () => expect(await state()).toMatchObject({ status: "cloned", error: null }),
      PATIENCE,
    );
    // What was there before is gone with the clone, and not earlier.
    expect([await read(`round-${round - 1}.txt`), await read(`round-${round}.txt`)]).toEqual([
      undefined,
      "old",
    ]);
    for (const [path, content] of Object.entries(filesOf(round))) expect(await read(path)).toBe(content);
    const { body } = await call<{ changes: unknown[] }>("GET", `/api/projects/${id}/git/status`);
    expect(body.changes).toEqual([]);
  }
  return {
    async beforeKill() {
      if (kills % (isLong ? KILLS.long : KILLS.short) === 0) {
        if (round > 0) await verify();
        round += 1;
        const repo_url = git.create(`round-${round}`, { [`round-${round}.txt`]: "old", ...filesOf(round) });
        git.setFault({ kind: "silence" });
        git.requests.length = 0;
        expect((await call("POST", "/api/git/clone", { project_id: id, repo_url })).status).toBe(200);
        await vi.waitUntil(() => git.requests.length > 0, PATIENCE);
      }
      kills += 1;
    },
    gone: () => git.setFault(undefined),
    async back() {
      // The clone's files are in their place a moment before the row says that it is over.
      const before = await read(`round-${round - 1}.txt`);
      expect(before ?? (await read(`round-${round}.txt`))).toBe("old");
    },
    verify,
    close: () => git.close(),
  };
}
