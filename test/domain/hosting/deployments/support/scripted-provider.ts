import { createHash } from "node:crypto";
import { HostingFailure } from "#src/platform/hosting/failure.ts";
import type {
  DeploymentState,
  HostedSite,
  HostingAccess,
  HostingProvider,
  Release,
  RequestBudget,
} from "#src/platform/hosting/hosting.ts";
import { outside } from "#test/support/mortal.ts";

/** Calls of the provider that a test can make fail. */
export type ProviderCall =
  | "account"
  | "findSite"
  | "createSite"
  | "find"
  | "create"
  | "state"
  | "logs"
  | "cancel"
  | "removeSite";

/** A failure of a call; a lost one has its effect nevertheless. */
export interface ScriptedFailure {
  kind: HostingFailure["kind"];
  retryAfter?: number;
  isLost?: boolean;
}

interface StoredSite extends HostedSite {
  account: string;
  live: string | undefined;
}

interface StoredDeployment {
  id: string;
  /** Our id of it. */
  release: string;
  site: string;
  files: Readonly<Record<string, string>>;
  outcome: DeploymentState["outcome"];
  polls: number;
}

/** A provider in memory: its sites and deployments, calls that fail as a test says, and a word at each call. */
export class ScriptedProvider {
  readonly sites = new Map<string, StoredSite>();
  readonly deployments = new Map<string, StoredDeployment>();
  /** Names that others have. */
  readonly taken = new Set<string>();
  readonly calls: ProviderCall[] = [];
  /** Times that a new deployment is asked for before it is ready. */
  pollsUntilReady = 1;
  /** How deployments end. */
  end: DeploymentState["outcome"] = "success";
  /** Whether it never has all it needs, and asks for another call. */
  isNeverDone = false;
  /** Whether it notes each attempt before it makes the deployment. */
  notesAttempts = false;
  /** Removals that are answered and have no effect. */
  ignoredRemovals = 0;
  /** Whether a cancellation has an effect. */
  obeys = true;
  readonly #failures = new Map<ProviderCall, ScriptedFailure[]>();
  readonly #before = new Map<ProviderCall, () => unknown>();
  #made = 0;

  /** The next calls of this name fail so, one after the other. */
  fail(call: ProviderCall, failure: ScriptedFailure, times = 1): void {
    this.#failures.set(
      call,
      Array.from({ length: times }, () => failure),
    );
  }

  /** Something happens before the next call of this name. */
  before(call: ProviderCall, happens: () => unknown): void {
    this.#before.set(call, happens);
  }

  heal(): void {
    this.#failures.clear();
  }

  count(call: ProviderCall): number {
    return this.calls.filter((each) => each === call).length;
  }

  /** What people see at a site. */
  shown(name: string): Readonly<Record<string, string>> | undefined {
    const site = [...this.sites.values()].find((each) => each.name === name);
    return site?.live === undefined ? undefined : this.deployments.get(site.live)?.files;
  }

  client(budget: { requests: number }): HostingProvider & { budget: RequestBudget } {
    return {
      name: "netlify",
      budget: { left: budget.requests },
      account: ({ token }) => this.#call("account", () => ({ id: token, name: token })),
      siteName: (slug, suffix) => `${slug}-${suffix}`,
      findSite: (access, name) => this.#call("findSite", () => this.#siteNamed(access, name)),
      createSite: (access, { name }) => this.#call("createSite", () => this.#createSite(access, name)),
      digest: async (_, content) => createHash("sha1").update(content).digest("hex"),
      publish: (_, release) => this.#publish(release),
      state: (_, site, id) => this.#call("state", () => this.#state(site, id)),
      logs: () => this.#call("logs", () => ["built"]),
      cancel: (_, __, id) =>
        this.#call("cancel", () => {
          const found = this.deployments.get(id);
          if (found?.outcome === "pending" && this.obeys) found.outcome = "cancelled";
        }),
      removeSite: (_, site) =>
        this.#call("removeSite", () => {
          if (this.ignoredRemovals > 0) this.ignoredRemovals -= 1;
          else this.sites.delete(site.id);
        }),
    };
  }

  async #call<T>(name: ProviderCall, act: () => T): Promise<T> {
    const happens = this.#before.get(name);
    this.#before.delete(name);
    await happens?.();
    this.calls.push(name);
    return outside(async () => {
      const failure = this.#failures.get(name)?.shift();
      if (!failure) return act();
      if (failure.isLost) act();
      throw new HostingFailure(failure.kind, `It failed: ${failure.kind}`, failure.retryAfter);
    });
  }

  #siteNamed({ token }: HostingAccess, name: string): StoredSite | undefined {
    return [...this.sites.values()].find((site) => site.name === name && site.account === token);
  }

  #createSite({ token }: HostingAccess, name: string): StoredSite {
    if (this.taken.has(name) || [...this.sites.values()].some((site) => site.name === name))
      throw new HostingFailure("name_taken", "The name is taken");
    this.#made += 1;
    const site = {
      id: `site-${this.#made}`,
      name,
      url: `https://${name}.test/`,
      account: token,
      live: undefined,
    };
    this.sites.set(site.id, site);
    return site;
  }

  async #publish({
    id: release,
    site,
    files,
    notes,
  }: Release): Promise<{ deploymentId: string } | "unfinished"> {
    const found = await this.#call("find", () => {
      if (!this.sites.has(site.id)) throw new HostingFailure("not_found", "There is no such site");
      return [...this.deployments.values()].find((each) => each.release === release);
    });
    if (found) return { deploymentId: found.id };
    if (this.isNeverDone) return "unfinished";
    if (this.notesAttempts) await notes.set(`attempt ${this.count("find")}`);
    const contents: Record<string, string> = {};
    for (const file of files?.list ?? [])
      contents[file.path] = new TextDecoder().decode(await files?.read(file));
    return this.#call("create", () => {
      this.#made += 1;
      const id = `deployment-${this.#made}`;
      const polls = this.pollsUntilReady;
      this.deployments.set(id, { id, release, site: site.id, files: contents, outcome: "pending", polls });
      return { deploymentId: id };
    });
  }

  #state({ id: siteId, url }: HostedSite, id: string): DeploymentState {
    const found = this.deployments.get(id);
    const site = this.sites.get(siteId);
    if (!found || !site) throw new HostingFailure("not_found", "There is no such deployment");
    if (found.outcome === "pending") {
      if (found.polls <= 0) {
        found.outcome = this.end;
        if (this.end === "success") site.live = id;
      }
      found.polls -= 1;
    }
    const { outcome } = found;
    return { word: outcome, outcome, url, error: outcome === "failed" ? "The build failed" : null };
  }
}
