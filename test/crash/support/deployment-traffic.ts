import { setTimeout as pause } from "node:timers/promises";
import { apiClient, type ApiAnswer } from "#test/support/api-client.ts";
import type { Random } from "#test/support/random.ts";

export interface DeploymentView {
  id: string;
  status: string;
  version: number;
  deployment_id: string | null;
  redeploy_of: string | null;
  error: string | null;
  logs: string[] | null;
}

const ENDS: ReadonlySet<string> = new Set(["success", "failed", "cancelled"]);
export const isOver = ({ status }: Pick<DeploymentView, "status">) => ENDS.has(status);

const RETRY_MS = 100;
const LOOK_MS = 150;
/** Pause between two requests of one lane. */
const BREATH_MS = 600;

export interface LaneOptions {
  /** The address of the service that lives, or lived last. */
  url: () => string;
  token: string;
  random: Random;
  projectId: string;
  provider: string;
}

/**
 * Somebody who changes a project and deploys it, deploys earlier ones again, and cancels and deletes some, however often the
 * service dies meanwhile. What got no answer is repeated, under the same Idempotency-Key.
 */
export class Lane {
  /** Acknowledged deployments, and the text that each is to publish. */
  readonly texts = new Map<string, string>();
  readonly deleted = new Set<string>();
  readonly options: LaneOptions;
  #written = 0;

  constructor(options: LaneOptions) {
    this.options = options;
  }

  /** A request until it has an answer. A refusal is one. */
  async call<T>(method: string, path: string, json?: unknown, key?: string): Promise<ApiAnswer<T>> {
    const { url, token } = this.options;
    for (;;) {
      try {
        const headers = key === undefined ? {} : { "idempotency-key": key };
        const answer = await apiClient(url()).call<T>(method, path, { token, json, headers });
        if (answer.status < 500) return answer;
      } catch {
        // The service is dead.
      }
      await pause(RETRY_MS);
    }
  }

  async run(isStopping: () => boolean): Promise<void> {
    const { random } = this.options;
    while (!isStopping()) {
      const id = (random.chance(0.25) ? await this.#redeploy() : undefined) ?? (await this.deploy());
      const fate = random.between(0, 1);
      if (fate < 0.15) await this.call("POST", `/api/deployments/${id}/cancel`);
      else if (fate < 0.25) await this.remove(id);
      await pause(random.between(0, BREATH_MS));
    }
  }

  /** Changes the files, requests a deployment, and leaves the files alone until it has them. */
  async deploy(): Promise<string> {
    const { projectId, provider } = this.options;
    this.#written += 1;
    const content = `${provider} ${this.#written}`;
    for (const name of ["a.txt", "index.html"])
      await this.call("PUT", `/api/projects/${projectId}/files/${name}`, { content });
    const id = await this.#request("/api/deployments", { project_id: projectId, provider });
    this.texts.set(id, content);
    for (;;) {
      const view = await this.view(id);
      if (!view || !["pending", "building"].includes(view.status)) return id;
      await pause(LOOK_MS);
    }
  }

  async #redeploy(): Promise<string | undefined> {
    const kept = (await this.list()).filter(({ id, status }) => status === "success" && this.texts.has(id));
    const chosen = kept[this.options.random.whole(0, Math.max(0, kept.length - 1))];
    if (!chosen) return undefined;
    const id = await this.#request(`/api/deployments/${chosen.id}/redeploy`, {});
    if (id === "") return undefined;
    this.texts.set(id, this.texts.get(chosen.id) ?? "");
    return id;
  }

  /** The id of the deployment; empty where it was refused. */
  async #request(path: string, json: object): Promise<string> {
    const { status, body, text } = await this.call<DeploymentView>("POST", path, json, crypto.randomUUID());
    if (status === 200) return body.id;
    // Its files are not kept any more, or it was deleted.
    if (path.endsWith("/redeploy") && [404, 409].includes(status)) return "";
    throw new Error(`${path} answered ${status}: ${text}`);
  }

  async remove(id: string): Promise<void> {
    await this.call("DELETE", `/api/deployments/${id}`);
    this.deleted.add(id);
  }

  async view(id: string): Promise<DeploymentView | undefined> {
    const { status, body } = await this.call<DeploymentView>("GET", `/api/deployments/${id}`);
    return status === 200 ? body : undefined;
  }

  /** The project's deployments, newest first. */
  async list(): Promise<DeploymentView[]> {
    const { projectId } = this.options;
    const { body } = await this.call<DeploymentView[]>(
      "GET",
      `/api/deployments?project_id=${projectId}&limit=100`,
    );
    return body;
  }
}
