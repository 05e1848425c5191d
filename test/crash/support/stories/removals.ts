import { expect, vi } from "vitest";
import { scheduleClient } from "#test/support/schedules.ts";
import { script } from "#test/support/task-client.ts";
import { PATIENCE } from "../patience.ts";
import { createSoon } from "./create-soon.ts";
import type { Story, World } from "./story.ts";

/** Projects that are deleted while a schedule is due soon: their files go, and the schedule's owner is told that it is paused. */
export async function removals({ api, random }: World): Promise<Story> {
  const { token } = await api.signUp("leaver");
  async function newProject(): Promise<string> {
    const { id } = await api.newProject(token);
    await api.call("PUT", `/api/projects/${id}/files/a.txt`, { token, json: { content: "a" } });
    return id;
  }
  const remove = (id: string) => api.call("DELETE", `/api/projects/${id}`, { token });

  let next = await newProject();
  const client = scheduleClient(api, { token, projectId: next });
  const removed: { project: string; schedule: string }[] = [];
  let asked: Promise<unknown> = Promise.resolve();
  return {
    async beforeKill() {
      const { id } = await createSoon(random.whole(500, 2_000), (schedule) =>
        client.create(script({ text: "Too late." }), { project_id: next, schedule }),
      );
      removed.push({ project: next, schedule: id });
      asked = remove(next).catch(() => {});
    },
    async gone() {
      await asked;
    },
    async back() {
      next = await newProject();
    },
    async verify() {
      for (const { project, schedule } of removed) {
        // A request that was lost may not have deleted it.
        await vi.waitFor(async () => expect((await remove(project)).status).toBe(404), PATIENCE);
        await vi.waitFor(async () => {
          // It succeeds only where the request to delete the project was lost.
          const status = expect.stringMatching(/^(?:failed|success)$/u);
          expect(await client.runs(schedule)).toMatchObject([{ status }]);
        }, PATIENCE);
      }
    },
  };
}
