import { expect } from "vitest";
import { newTaskClient, type TaskClient } from "#test/support/task-client.ts";
import type { SharedService } from "#test/support/shared-service.ts";

/** What a test does to the files of a project beside a page. */
interface ProjectFiles {
  write: (path: string, body: string) => Promise<void>;
  /** The text of a file, or the status of the answer where there is none. */
  read: (path: string) => Promise<string | number>;
}

export function filesOf(service: SharedService, token: string, project: string): ProjectFiles {
  const raw = (path: string) =>
    `/api/projects/${project}/files/raw?${new URLSearchParams({ path }).toString()}`;
  return {
    async write(path, body) {
      expect((await service.call("PUT", raw(path), { token, body })).status).toBe(200);
    },
    async read(path) {
      const { status, text } = await service.call("GET", raw(path), { token });
      return status === 200 ? text : status;
    },
  };
}

/** A new person's project. */
export async function openProject(
  service: SharedService,
): Promise<Pick<TaskClient, "account"> & ProjectFiles & { client: TaskClient; home: string }> {
  const client = await newTaskClient(service);
  const { account, projectId } = client;
  return {
    client,
    account,
    home: `/projects/${projectId}`,
    ...filesOf(service, account.token, projectId),
  };
}
