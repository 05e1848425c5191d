import { vi } from "vitest";
import type { Deployment } from "#sdk/generated/types.gen.ts";
import { visit } from "#test/stand-ins/support/hosting.ts";
import type { Account, ApiAnswer } from "./api-client.ts";
import { WAIT_HANGS_MS } from "./hangs.ts";
import type { SharedService } from "./shared-service.ts";

export const PROVIDERS = ["vercel", "netlify", "cloudflare", "heroku", "digitalocean"] as const;
export type Provider = (typeof PROVIDERS)[number];

/** A machine that is busy must not decide a test. */
export const PATIENCE = { timeout: WAIT_HANGS_MS, interval: 100 };

export type { Deployment };
export type Answered = Deployment & { detail: string };
export type Deployer = Awaited<ReturnType<typeof newDeployer>>;

/** A person who deploys to the stand-in of `npm start`. */
export async function newDeployer(service: SharedService, account?: Account) {
  const person = account ?? (await service.signUp("deployer"));
  /** Their token at the stand-in, where it is an account of its own. */
  const hostingToken = `standin_${person.username}`;

  function call<T = Answered>(
    method: string,
    path: string,
    json?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer<T>> {
    return service.call(method, path, { token: person.token, headers, ...(json !== undefined && { json }) });
  }

  async function connect(provider: Provider, projectId?: string, token = hostingToken): Promise<string> {
    const accountId = provider === "cloudflare" ? await cloudflareAccount(service, token) : undefined;
    const { status, text, body } = await call("POST", "/api/deployment-credentials", {
      provider,
      access_token: token,
      ...(projectId !== undefined && { project_id: projectId }),
      ...(accountId !== undefined && { metadata: { account_id: accountId } }),
    });
    if (status !== 201) throw new Error(`Not connected: ${text}`);
    return body.id;
  }

  async function write({ id }: { id: string }, files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      const { status, text } = await call("PUT", `/api/projects/${id}/files/${path}`, { content });
      if (status >= 300) throw new Error(`${path} was not written: ${text}`);
    }
  }

  /** Waits for the end of a deployment, whichever it is. */
  const ended = ({ id }: { id: string }, patience = PATIENCE) =>
    vi.waitFor(async () => {
      const { body, text } = await call("GET", `/api/deployments/${id}`);
      if (!["success", "failed", "cancelled"].includes(body.status)) throw new Error(text);
      return body;
    }, patience);

  return {
    ...person,
    hostingToken,
    call,
    connect,
    async newProject(files: Readonly<Record<string, string>>) {
      const project = await service.newProject(person.token, "site");
      await write(project, files);
      return project;
    },
    /** Gives a project a repository that is its remote. */
    async clone({ id }: { id: string }, url: string): Promise<void> {
      const { status, text } = await call("POST", `/api/projects/${id}/git/clone`, { repo_url: url });
      if (status !== 200) throw new Error(`Not cloned: ${text}`);
    },
    write,
    /** Requests a deployment. Throws any answer but 200. */
    async deploy({ id }: { id: string }, fields: object): Promise<Deployment> {
      const { status, text, body } = await call("POST", "/api/deployments", { project_id: id, ...fields });
      if (status !== 200) throw new Error(`Not deployed: ${status} ${text}`);
      return body;
    },
    ended,
    /** As `ended`, and throws any end but success. */
    async succeeded(deployment: { id: string }, patience?: typeof PATIENCE) {
      const over = await ended(deployment, patience);
      const { status, deployment_url } = over;
      if (status !== "success" || deployment_url === null)
        throw new Error(`It ended as ${JSON.stringify(over)}`);
      return { ...over, deployment_url };
    },
    /** Waits until a deployment is gone. */
    gone: ({ id }: { id: string }) =>
      vi.waitFor(async () => {
        const { status, text } = await call("GET", `/api/deployments/${id}`);
        if (status !== 404) throw new Error(text);
      }, PATIENCE),
  };
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
