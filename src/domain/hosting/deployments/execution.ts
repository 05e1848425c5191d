import { accessFor, type CredentialDeps } from "#src/domain/hosting/credentials/index.ts";
import { openVariables, redactVariables, type Variables } from "#src/domain/workspaces/containers/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { storableText } from "#src/lib/storable-text.ts";
import type { Db } from "#src/platform/db/client.ts";
import type {
  HostedSite,
  Hosting,
  HostingAccess,
  HostingProvider,
  RequestBudget,
} from "#src/platform/hosting/hosting.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { ProjectNotices } from "#src/platform/objects/project-notices.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import type { Attempt } from "#src/work/job.ts";
import { announce } from "./announce.ts";
import { publishRuns } from "./deployment-due.ts";
import { forgotten, over, type Ending } from "./queries/endings.ts";
import { appendLines } from "./queries/logs.ts";
import type { Deployment, Site } from "./queries/requests.ts";
import {
  begun,
  givenToProvider,
  progressed,
  siteKnown,
  type Known,
  type Progress,
  type SiteChange,
} from "./queries/runs.ts";
import { storeNext } from "./queries/turns.ts";

export interface ExecutionDeps extends CredentialDeps {
  db: Db;
  hosting: Hosting;
  queue: Pick<Queue, "publishBatch">;
  notices: Pick<ProjectNotices, "send">;
  log: Log;
  config: { DEPLOYMENTS_KEPT: number };
}

/** The provider as one attempt uses it. */
export interface Reach {
  provider: HostingProvider & { budget: RequestBudget };
  access: HostingAccess;
}

/** Most requests to a provider in one delivery of the queue. A Worker may make 1,000 requests of all kinds in total. */
const REQUESTS = 400;

/**
 * One attempt at a deployment. Each write is a stage of the job: it throws `Superseded` when another executor has taken over,
 * and `not_found` when the row is gone.
 */
export class Execution {
  readonly #deps: ExecutionDeps;
  readonly #store: Attempt<unknown, unknown>["store"];
  #reach: Reach | undefined;
  /** Variables of the program; their values appear in no log. */
  env: Variables = {};
  deployment: Deployment;
  site: Site;
  /** Whether its person is an administrator of the installation. */
  readonly isSuperuser: boolean;

  constructor(
    deps: ExecutionDeps,
    { store }: Pick<Attempt<unknown, unknown>, "store">,
    { deployment, site, isSuperuser }: Known,
  ) {
    this.#deps = deps;
    this.#store = store;
    this.deployment = deployment;
    this.site = site;
    this.isSuperuser = isSuperuser;
  }

  /** Opens what the provider is asked with. Throws as `accessFor` does. */
  async open(): Promise<void> {
    const { userId, provider, projectId, status, encryptedEnv } = this.deployment;
    const { account, isStandin } = this.site;
    const access = await accessFor(this.#deps, { userId, provider, projectId, account, isStandin });
    this.#reach = { access, provider: this.#deps.hosting.provider(provider, { requests: REQUESTS }) };
    if (status !== "deleting") this.env = await openVariables(this.#deps.deploymentSecrets, encryptedEnv);
  }

  get reach(): Reach {
    if (!this.#reach) throw new Error("The provider is not open");
    return this.#reach;
  }

  /** The site at the provider. Throws where there is none yet. */
  get hosted(): HostedSite {
    const { providerSiteId, name, url } = this.site;
    if (providerSiteId === null) throw new Error("The site has not been made");
    return { id: providerSiteId, name, url };
  }

  /** Begins a deployment that waits. False, and nothing, when its turn has not come. */
  async begin(): Promise<boolean> {
    const { db } = this.#deps;
    const [[site], [deployment]] = await this.#store((isHeld) => begun(db, isHeld, this.deployment));
    if (!site || !deployment) return false;
    this.site = site;
    await this.#reached(deployment);
    return true;
  }

  /** Notes by themselves are no progress: each attempt may write them. */
  async record(progress: Progress): Promise<void> {
    const { db } = this.#deps;
    const isProgress = Object.keys(progress).some((name) => name !== "providerNotes");
    const [[after]] = await this.#store((isHeld) => [progressed(db, isHeld, this.deployment, progress)], {
      isProgress,
    });
    await this.#reached(after);
  }

  /** As `record`, where the build ends: another one of the project may begin. */
  async recordBuilt(progress: Progress): Promise<void> {
    const { db } = this.#deps;
    const [[after], next] = await this.#store(
      (isHeld) => [progressed(db, isHeld, this.deployment, progress), storeNext(db, isHeld, this.deployment)],
      { isProgress: true },
    );
    await publishRuns(this.#deps, next.rows);
    await this.#reached(after);
  }

  /** Notes that the provider is given the deployment now. False, and nothing, when it is to be ended instead. */
  async recordGiven(): Promise<boolean> {
    const { db } = this.#deps;
    const [[after]] = await this.#store((isHeld) => [givenToProvider(db, isHeld, this.deployment)], {
      isProgress: true,
    });
    if (after) this.deployment = after;
    return after !== undefined;
  }

  async recordSite(change: SiteChange): Promise<void> {
    const { db } = this.#deps;
    const [[site]] = await this.#store((isHeld) => [siteKnown(db, isHeld, this.site, change)]);
    if (!site) throw gone();
    this.site = site;
  }

  /** Appends lines to the deployment's log, without values of variables and without the token. */
  async log(...lines: string[]): Promise<void> {
    if (lines.length === 0) return;
    const texts = this.scrub(lines).map(storableText);
    await this.#store((isHeld) => [appendLines(this.#deps.db, isHeld, this.deployment, texts)]);
  }

  /** Ends the deployment. Returns whether it is to be deleted now. */
  async end(ending: Ending): Promise<{ isDeleting: boolean }> {
    const { db, config } = this.#deps;
    const [[after], next] = await this.#store((isHeld) =>
      over(db, isHeld, this.deployment, { ...ending, kept: config.DEPLOYMENTS_KEPT }),
    );
    await publishRuns(this.#deps, next.rows);
    if (after) await this.#reached(after);
    return { isDeleting: after?.status === "deleting" };
  }

  /** Forgets the deployment, which is deleted. */
  async forget(what: { isSiteGone: boolean }): Promise<void> {
    const { db } = this.#deps;
    const [, next] = await this.#store((isHeld) => forgotten(db, isHeld, this.deployment, what));
    await publishRuns(this.#deps, next.rows);
  }

  scrub(lines: readonly string[]): string[] {
    return redactVariables(lines, {
      ...this.env,
      ...(this.#reach && { " token": this.#reach.access.token }),
    });
  }

  async #reached(after: Deployment | undefined): Promise<void> {
    if (!after) throw gone();
    const before = this.deployment;
    this.deployment = after;
    if (after.status !== before.status) await announce(this.#deps, after);
  }
}

const gone = () => new AppError("not_found", "The deployment was deleted");
