import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, inject, it, vi } from "vitest";
import { apiClient } from "#test/support/api-client.ts";
import { startGitServer } from "#test/support/git-server.ts";
import { seeded } from "#test/support/random.ts";
import { mortalService } from "./support/mortal-service.ts";
import { limitFor, PATIENCE } from "./support/patience.ts";

/** Of one clone: it takes three executors at most. `CRASH_KILLS=20` for a long run of as many clones as it takes. */
const KILLS = 2;
const CLONES = Math.ceil(Number(process.env["CRASH_KILLS"] ?? KILLS) / KILLS);
const SEED = inject("fuzzSeed");
const FILES = 200;

const git = await startGitServer();
afterAll(() => git.close());
const service = mortalService(() => ({ OUTBOUND_ALLOW_PRIVATE: "true" }));

const contentOf = (round: number, file: number) => `${round}/${file} `.repeat(1 + ((file * 97) % 300));

it(
  `goes on with a clone when it is killed in the middle of it, ${CLONES} times ${KILLS} kills (seed ${SEED})`,
  async () => {
    const random = seeded(SEED);
    const api = apiClient(await service.start());
    const { token } = await api.signUp();
    const { id } = await api.newProject(token);
    const call = <T = unknown>(method: string, address: string, json?: unknown) =>
      api.call<T>(method, address, { token, json });
    const read = async (path: string) =>
      (await call<{ content?: string }>("GET", `/api/projects/${id}/files/${path}`)).body.content;
    const state = async () =>
      (await call<{ status: string; error: string | null }>("GET", `/api/git/clone/${id}`)).body;

    const old = { content: "old" };
    expect((await call("PUT", `/api/projects/${id}/files/round-0.txt`, old)).status).toBe(200);
    for (let round = 1; round <= CLONES; round += 1) {
      const files = Object.fromEntries(
        Array.from({ length: FILES }, (_, file) => [`d${file % 7}/${file}.txt`, contentOf(round, file)]),
      );
      const repo_url = git.create(`round-${round}`, { [`round-${round}.txt`]: "old", ...files });
      // The first is killed while it waits for the host, the others wherever they are.
      git.setFault({ kind: "silence" });
      git.requests.length = 0;
      expect((await call("POST", "/api/git/clone", { project_id: id, repo_url })).status).toBe(200);
      await vi.waitUntil(() => git.requests.length > 0);
      for (let kill = 0; kill < KILLS; kill += 1) {
        await service.kill(random.chance(0.25) ? "node" : "everything");
        git.setFault(undefined);
        await service.start();
        const content = await read(`round-${round - 1}.txt`);
        const { status } = await state();
        expect(status === "cloning" ? content : "old").toBe("old");
        await pause(random.between(0, 400));
      }
      await vi.waitFor(
        async () => expect(await state()).toMatchObject({ status: "cloned", error: null }),
        PATIENCE,
      );
      expect([await read(`round-${round - 1}.txt`), await read(`round-${round}.txt`)]).toEqual([
        undefined,
        "old",
      ]);
      for (const [path, content] of Object.entries(files)) expect(await read(path)).toBe(content);
      const status = await call<{ changes: unknown[] }>("GET", `/api/projects/${id}/git/status`);
      expect(status.body.changes).toEqual([]);
    }
  },
  CLONES * limitFor(KILLS),
);
