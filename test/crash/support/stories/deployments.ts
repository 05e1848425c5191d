import { expect, vi } from "vitest";
import { readAddresses } from "#local/addresses.ts";
import { PATIENCE } from "../patience.ts";
import type { Story, World } from "./story.ts";

interface DeploymentView {
  id: string;
  status: string;
  deployment_id: string | null;
  error: string | null;
}

/** Deployments of one site. A program that is killed at each of its calls is in test/domain/hosting/deployments/kills.test.ts. */
export async function deployments({ api, dataDir }: World): Promise<Story> {
  const { token } = await api.signUp("publisher");
  const { id: project_id } = await api.newProject(token);
  const call = <T = unknown>(method: string, path: string, json?: unknown) =>
    api.call<T>(method, path, { token, json });
  /** The provider is a part of the service, and keeps what it has. */
  const atProvider = (path: string) => fetch(`${readAddresses(dataDir).hostingUrl}${path}`);
  const credentials = { provider: "netlify", access_token: "standin_crash", metadata: {} };
  expect((await call("POST", "/api/deployment-credentials", credentials)).status).toBe(201);

  const requested: string[] = [];
  return {
    async beforeKill() {
      const content = `version ${requested.length + 1}`;
      await call("PUT", `/api/projects/${project_id}/files/index.html`, { content });
      const json = { project_id, provider: "netlify" };
      const { status, body } = await call<DeploymentView>("POST", "/api/deployments", json);
      expect(status).toBe(200);
      requested.push(body.id);
    },
    async verify() {
      const rows = await vi.waitFor(async () => {
        const path = `/api/deployments?project_id=${project_id}&limit=100`;
        const { body } = await call<DeploymentView[]>("GET", path);
        expect(body.filter(({ status }) => !["success", "failed"].includes(status))).toEqual([]);
        return body;
      }, PATIENCE);
      expect(rows.map(({ id }) => id)).toEqual(requested.toReversed());
      expect(rows[0]).toMatchObject({ status: "success", error: null });
      expect(rows.filter(({ status, error }) => status === "failed" && !error)).toEqual([]);
      const sites: { path: string }[] = await (await atProvider("/_standin/sites")).json();
      expect(sites).toHaveLength(1);
      expect(await (await atProvider(sites[0]?.path ?? "")).text()).toBe(`version ${requested.length}`);
      const published: { id: string }[] = await (await atProvider("/_standin/deployments")).json();
      const named = rows.flatMap(({ deployment_id }) => deployment_id ?? []);
      expect(published.map(({ id }) => id).toSorted(), "one for each request").toEqual(named.toSorted());
    },
  };
}
