import { setTimeout as pause } from "node:timers/promises";
import { expect, vi } from "vitest";
import { PATIENCE } from "../patience.ts";
import type { Story, World } from "./story.ts";

const FILES = 8;
const PROJECTS = { short: 2, long: 4 };
const ENDS = { stop: "hibernated", start: "running" } as const;

const contentOf = (project: number, file: number) => `${project}/${file} `.repeat(1 + ((file * 997) % 3000));

interface Status {
  state: string;
  progress: string | null;
  environment_status: string;
  error: string | null;
}

/** Projects with files that are being stopped and started when a kill comes. */
export async function projects({ api, random, isLong }: World): Promise<Story> {
  const { token } = await api.signUp("owner");
  const made = await Promise.all(
    Array.from({ length: isLong ? PROJECTS.long : PROJECTS.short }, () => api.newProject(token)),
  );
  const all = made.map(({ id }, nth) => ({
    path: `/api/projects/${id}`,
    files: Array.from({ length: FILES }, (_, file) => ({
      path: `/api/projects/${id}/files/d${file % 3}/${file}.txt`,
      content: contentOf(nth, file),
    })),
    /** What was acknowledged last; undefined after a request whose outcome is unknown. */
    acknowledged: undefined as keyof typeof ENDS | undefined,
  }));
  const call = <T = unknown>(method: string, address: string, json?: unknown) =>
    api.call<T>(method, address, { token, json });
  for (const { path, content } of all.flatMap(({ files }) => files))
    expect((await call("PUT", path, { content })).status).toBe(200);

  /** No transition is under way any more. One that was given up is where it was, and says why. */
  const settled = (path: string, states: readonly string[], mayBeGivenUp = false) =>
    vi.waitFor(async () => {
      const { body } = await call<Status>("GET", `${path}/status`);
      expect(body).toMatchObject({ progress: null });
      const outcome = mayBeGivenUp && body.error !== null ? "given up" : body.state;
      expect([...states, "given up"]).toContain(outcome);
      expect(["starting", "stopping"]).not.toContain(body.environment_status);
    }, PATIENCE);

  let asked: Promise<void>[] = [];
  return {
    async beforeKill() {
      asked = all.map(async (project) => {
        const request = random.chance(0.5) ? "stop" : "start";
        const answer = await call("POST", `${project.path}/${request}`).catch(() => undefined);
        project.acknowledged = answer?.status === 200 ? request : undefined;
      });
      await pause(random.between(0, 400));
    },
    async gone() {
      await Promise.all(asked);
    },
    async verify() {
      for (const { path, files, acknowledged } of all) {
        await settled(path, acknowledged ? [ENDS[acknowledged]] : ["running", "stopped", "hibernated"], true);
        // From wherever it is, it goes where it is told to.
        for (const request of ["stop", "start"] as const) {
          expect((await call("POST", `${path}/${request}`)).status).toBe(200);
          await settled(path, [ENDS[request]]);
        }
        for (const file of files) {
          const { status, body } = await call<{ content: string }>("GET", file.path);
          expect([file.path, status, body.content]).toEqual([file.path, 200, file.content]);
        }
      }
    },
  };
}
