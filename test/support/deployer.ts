import { vi } from "vitest";
import { visit } from "#test/local/support/hosting.ts";
import type { Account, ApiAnswer } from "./api-client.ts";
import { WAIT_HANGS_MS } from "./hangs.ts";
import type { SharedService } from "./shared-service.ts";

export const PROVIDERS = ["vercel", "netlify", "cloudflare", "heroku", "digitalocean"] as const;
export type Provider = (typeof PROVIDERS)[number];

/** A machine that is busy must not decide a test. */
export const PATIENCE = { timeout: WAIT_HANGS_MS, interval: 100 };

/** A deployment as the service shows it. */
export interface Deployment {
  id: string;
  project_id: string | null;
  container_id: string | null;
  provider: Provider;
  deployment_mode: string;
  deployment_id: string | null;
  deployment_url: string | null;
  status: string;
  provider_status: string | null;
  version: number;
  redeploy_of: string | null;
  is_kept: boolean;
  commit_sha: string | null;
  logs: string[] | null;
  error: string | null;
}

export type Answered = Deployment & { detail: string };

/** A person who deploys to the stand-in of `npm start`. */
export interface Deployer extends Account {
  /** Their token at the stand-in, where it is an account of its own. */
  hostingToken: string;
  call: <T = Answered>(
    method: string,
    path: string,
    json?: unknown,
    headers?: Record<string, string>,
  ) => Promise<ApiAnswer<T>>;
  connect(provider: Provider, projectId?: string, token?: string): Promise<string>;
  newProject(files: Readonly<Record<string, string>>): Promise<{ id: string; slug: string }>;
  /** Gives a project a repository that is its remote. */
  clone(project: { id: string }, url: string): Promise<void>;
  write(project: { id: string }, files: Readonly<Record<string, string>>): Promise<void>;
  /** Requests a deployment. Throws any answer but 200. */
  deploy(project: { id: string }, fields: object): Promise<Deployment>;
  /** Waits for the end of a deployment, whichever it is. */
  ended(deployment: { id: string }, patience?: typeof PATIENCE): Promise<Deployment>;
  /** As `ended`, and throws any end but success. */
  succeeded(
    deployment: { id: string },
    patience?: typeof PATIENCE,
  ): Promise<Deployment & { deployment_url: string }>;
  /** Waits until a deployment is gone. */
  gone(deployment: { id: string }): Promise<void>;
}

export async function newDeployer(service: SharedService, account?: Account): Promise<Deployer> {
  const person = account ?? (await service.signUp("deployer"));
  const hostingToken = `standin_${person.username}`;
  const call: Deployer["call"] = (method, path, json, headers = {}) =>
    service.call(method, path, { token: person.token, headers, ...(json !== undefined && { json }) });

  const deployer: Deployer = {
    ...person,
    hostingToken,
    call,
    async connect(provider, projectId, token = hostingToken) {
      const accountId = provider === "cloudflare" ? await cloudflareAccount(service, token) : undefined;
      const { status, text, body } = await call("POST", "/api/deployment-credentials", {
        provider,
        access_token: token,
        ...(projectId !== undefined && { project_id: projectId }),
        ...(accountId !== undefined && { metadata: { account_id: accountId } }),
      });
      if (status !== 201) throw new Error(`Not connected: ${text}`);
      return body.id;
    },
    async newProject(files) {
      const project = await service.newProject(person.token, "site");
      await deployer.write(project, files);
      return project;
    },
    async clone({ id }, url) {
      const { status, text } = await call("POST", `/api/projects/${id}/git/clone`, { repo_url: url });
      if (status !== 200) throw new Error(`Not cloned: ${text}`);
    },
    async write({ id }, files) {
      for (const [path, content] of Object.entries(files)) {
        const { status, text } = await call("PUT", `/api/projects/${id}/files/${path}`, { content });
        if (status >= 300) throw new Error(`${path} was not written: ${text}`);
      }
    },
    async deploy({ id }, fields) {
      const { status, text, body } = await call("POST", "/api/deployments", { project_id: id, ...fields });
      if (status !== 200) throw new Error(`Not deployed: ${status} ${text}`);
      return body;
    },
    ended: ({ id }, patience = PATIENCE) =>
      vi.waitFor(async () => {
        const { body, text } = await call("GET", `/api/deployments/${id}`);
        if (!["success", "failed", "cancelled"].includes(body.status)) throw new Error(text);
        return body;
      }, patience),
    async succeeded(deployment, patience) {
      const over = await deployer.ended(deployment, patience);
      const { status, deployment_url } = over;
      if (status !== "success" || deployment_url === null)
        throw new Error(`It ended as ${JSON.stringify(over)}`);
      return { ...over, deployment_url };
    },
    gone: ({ id }) =>
      vi.waitFor(async () => {
        const { status, text } = await call("GET", `/api/deployments/${id}`);
        if (status !== 404) throw new Error(text);
      }, PATIENCE),
  };
  return deployer;
}

/** What people see at an address that a deployment has reported. */
export async function see(
  { stack: { hostingUrl } }: SharedService,
  address: string,
  at = "/",
): Promise<{ status: number; body: string }> {
  const { hostname } = new URL(address);
  const { status, body } = await visit(hostingUrl ?? "", hostname, at);
  return { status, body };
}

/** A list that the stand-in keeps for tests. */
export async function standinList<T>({ stack: { hostingUrl } }: SharedService, name: string): Promise<T> {
  const response = await fetch(`${hostingUrl}/_standin/${name}`);
  if (!response.ok) throw new Error(`The stand-in answered ${response.status}`);
  const body: T = await response.json();
  return body;
}

/** Tells the stand-in something, such as the faults of its calls. */
export async function tellStandin(
  { stack: { hostingUrl } }: SharedService,
  at: string,
  json: object = {},
): Promise<void> {
  const response = await fetch(`${hostingUrl}/_standin/${at}`, {
    method: "POST",
    body: JSON.stringify(json),
    headers: { "content-type": "application/json" },
  });
  if (!response.ok) throw new Error(`The stand-in answered ${response.status}: ${await response.text()}`);
}

/** What a provider's own interface answers to the owner of a token. */
export async function askProvider<T>(
  { stack: { hostingUrl } }: SharedService,
  token: string,
  path: string,
): Promise<T> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(path.startsWith("/heroku/") && { accept: "application/vnd.heroku+json; version=3" }),
  };
  const response = await fetch(hostingUrl + path, { headers });
  if (!response.ok)
    throw new Error(`${path} at the stand-in answered ${response.status}: ${await response.text()}`);
  const body: T = await response.json();
  return body;
}

async function cloudflareAccount(service: SharedService, token: string): Promise<string> {
  const { result } = await askProvider<{ result: { id: string }[] }>(
    service,
    token,
    "/cloudflare/client/v4/accounts",
  );
  return result[0]?.id ?? "";
}
