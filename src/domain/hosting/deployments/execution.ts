import { redactVariables, type Variables } from "#src/domain/workspaces/containers/index.ts";
import { storableText } from "#src/lib/storable-text.ts";
import type { Db } from "#src/platform/db/client.ts";
import type {
  HostedSite,
  HostingAccess,
  HostingProvider,
  RequestBudget,
} from "#src/platform/hosting/hosting.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { ProjectNotices } from "#src/platform/objects/project-notices.ts";
import { announce } from "./announce.ts";
import { recordProgress, recordSite, type Claimed, type Progress } from "./queries/executors.ts";
import { appendLines } from "./queries/logs.ts";
import type { Deployment, Site } from "./queries/requests.ts";

/** Another executor has taken over, or the deployment is gone: this one ends and writes nothing more. */
export class Superseded extends Error {}

interface Deps {
  db: Db;
  notices: Pick<ProjectNotices, "send">;
  log: Log;
}

/** The provider as one delivery of the queue uses it. */
export interface Reach {
  provider: HostingProvider & { budget: RequestBudget };
  access: HostingAccess;
}

/** One executor's hold of a deployment. Every write is fenced by its generation, and throws `Superseded` when it is over. */
export class Execution {
  readonly #deps: Deps;
  readonly reach: Reach;
  /** Variables of the program; their values appear in no log. */
  readonly env: Variables;
  deployment: Deployment;
  site: Site;

  constructor(deps: Deps, { deployment, site }: Claimed, parts: { reach: Reach; env: Variables }) {
    this.#deps = deps;
    this.deployment = deployment;
    this.site = site;
    this.reach = parts.reach;
    this.env = parts.env;
  }

  /** The site at the provider. Throws where there is none yet. */
  get hosted(): HostedSite {
    const { providerSiteId, name, url } = this.site;
    if (providerSiteId === null) throw new Error("The site has not been made");
    return { id: providerSiteId, name, url };
  }

  async record(progress: Progress): Promise<void> {
    const before = this.deployment;
    const after = await recordProgress(this.#deps.db, before, progress);
    if (!after) throw new Superseded();
    this.deployment = after;
    if (after.status !== before.status) await announce(this.#deps, after);
  }

  async recordSite(change: Parameters<typeof recordSite>[2]): Promise<void> {
    const isMine = await recordSite(this.#deps.db, this, change);
    if (!isMine) throw new Superseded();
    this.site = { ...this.site, ...change };
  }

  /** Appends lines to the deployment's log, without values of variables and without the token. */
  async log(...lines: string[]): Promise<void> {
    await appendLines(this.#deps.db, this.deployment, this.scrub(lines).map(storableText));
  }

  scrub(lines: readonly string[]): string[] {
    return redactVariables(lines, { ...this.env, " token": this.reach.access.token });
  }
}
