import { setTimeout as pause } from "node:timers/promises";
import { expect, inject, it, vi } from "vitest";
import { apiClient } from "#test/support/api-client.ts";
import { seeded } from "#test/support/random.ts";
import { mortalService } from "./support/mortal-service.ts";
import { limitFor, PATIENCE } from "./support/patience.ts";

/** `CRASH_KILLS=20` for a long run; `FUZZ_SEED` repeats one, as far as the moments of the kills go. */
const KILLS = Number(process.env["CRASH_KILLS"] ?? 3);
const SEED = inject("fuzzSeed");
const FILES = 20;
const PROJECTS = 3;

const service = mortalService();

const contentOf = (project: number, file: number) => `${project}/${file} `.repeat(1 + ((file * 997) % 3000));

interface Status {
  state: string;
  progress: string | null;
  environment_status: string;
  error: string | null;
}

const ENDS = { stop: "hibernated", start: "running" } as const;

it(
  `loses no file and gets stuck nowhere when it is killed ${KILLS} times while projects start and stop (seed ${SEED})`,
  async () => {
    const random = seeded(SEED);
    const api = apiClient(await service.start());
    const { token } = await api.signUp();
    const projects = await Promise.all(Array.from({ length: PROJECTS }, () => api.newProject(token)));
    const path = (project: number) => `/api/projects/${projects[project]?.id}`;
    const call = <T = unknown>(method: string, address: string, json?: unknown) =>
      api.call<T>(method, address, { token, json });
    for (let project = 0; project < PROJECTS; project += 1) {
      for (let file = 0; file < FILES; file += 1) {
        const content = contentOf(project, file);
        expect(
          (await call("PUT", `${path(project)}/files/d${file % 7}/${file}.txt`, { content })).status,
        ).toBe(200);
      }
    }
    /** What was acknowledged last, by project; undefined after a request whose outcome is unknown. */
    const acknowledged: (keyof typeof ENDS | undefined)[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const asked = Array.from({ length: PROJECTS }, async (_, project) => {
        const request = random.chance(0.5) ? "stop" : "start";
        const answer = await call("POST", `${path(project)}/${request}`).catch(() => undefined);
        acknowledged[project] = answer?.status === 200 ? request : undefined;
      });
      await pause(random.between(0, 400));
      await service.kill(random.chance(0.25) ? "node" : "everything");
      await Promise.all(asked);
      await service.start();
    }
    // No transition is under way any more.
    const settled = async (project: number, states: readonly string[], mayBeGivenUp = false) =>
      vi.waitFor(async () => {
        const { body } = await call<Status>("GET", `${path(project)}/status`);
        expect(body).toMatchObject({ progress: null });
        // One that was given up is where it was, and says why.
        expect(mayBeGivenUp && body.error !== null ? "given up" : body.state).toBeOneOf([
          ...states,
          "given up",
        ]);
        expect(["starting", "stopping"]).not.toContain(body.environment_status);
      }, PATIENCE);
    for (let project = 0; project < PROJECTS; project += 1) {
      const last = acknowledged[project];
      // The acknowledged state is reached, or given up with a reason.
      await settled(project, last ? [ENDS[last]] : ["running", "stopped", "hibernated"], true);
      // From wherever it is, it goes where it is told to.
      for (const request of ["stop", "start"] as const) {
        expect((await call("POST", `${path(project)}/${request}`)).status).toBe(200);
        await settled(project, [ENDS[request]]);
      }
      for (let file = 0; file < FILES; file += 1) {
        const read = await call<{ content: string }>(
          "GET",
          `${path(project)}/files/d${file % 7}/${file}.txt`,
        );
        expect([file, read.status, read.body.content]).toEqual([file, 200, contentOf(project, file)]);
      }
    }
  },
  limitFor(KILLS),
);
