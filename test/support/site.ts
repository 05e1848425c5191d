import { vi } from "vitest";
import type { ApiClient } from "./api-client.ts";

/** A project with one container, `web`, that shows files and runs. */
export interface Site {
  id: string;
  slug: string;
  /** Of the container, without a slash at the end. */
  url: string;
  host: string;
  stop(): Promise<void>;
}

interface Status {
  state: string;
  error: string | null;
}

export async function newRunningSite(
  service: ApiClient,
  token: string,
  files: Readonly<Record<string, string>>,
): Promise<Site> {
  const { id, slug } = await service.newProject(token, "site");
  for (const [path, content] of Object.entries(files)) {
    await service.call("PUT", `/api/projects/${id}/files/${path}`, { token, json: { content } });
  }
  const json = { name: "web", project_id: id, directory: "." };
  const made = await service.call("POST", `/api/projects/${id}/containers`, { token, json });
  if (made.status >= 300) throw new Error(`No container: ${made.text}`);
  await service.call("POST", `/api/projects/${id}/start`, { token });
  const until = (states: readonly string[]) =>
    vi.waitFor(
      async () => {
        const { body } = await service.call<Status>("GET", `/api/projects/${id}/status`, { token });
        if (!states.includes(body.state)) throw new Error(`${body.state}: ${body.error}`);
      },
      { interval: 200 },
    );
  await until(["running"]);
  const host = `${slug}--web.localhost`;
  return {
    id,
    slug,
    host,
    url: `http://${host}:${new URL(service.url).port}`,
    async stop() {
      await service.call("POST", `/api/projects/${id}/stop`, { token });
      await until(["stopped", "hibernated"]);
    },
  };
}
