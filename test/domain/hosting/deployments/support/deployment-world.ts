import { asc, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { deploymentLogs, deployments, deploymentSites, jobs, projects } from "#src/db/schema/index.ts";
import { storeCredential } from "#src/domain/hosting/credentials/index.ts";
import {
  cancelDeployment,
  deleteDeployment,
  redeploy,
  requestDeployment,
  runDeployment,
  type Deployment,
} from "#src/domain/hosting/deployments/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { ProjectNotice } from "#src/platform/objects/project-notices.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { executeJob, type WorkDeps } from "#src/work/execute.ts";
import { sweepJobs } from "#src/work/sweep.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { DEFAULT_CEILINGS } from "#test/support/ceilings.ts";
import { ProjectInMemory } from "#test/domain/hosting/bundles/project-in-memory.ts";
import { memoryArchives } from "#test/domain/workspaces/archives/memory-archives.ts";
import { newColleague, newProject, type Colleague } from "#test/support/colleagues.ts";
import { queueTo } from "#test/support/kept-queue.ts";
import { makeTripsMortal, outside } from "#test/support/mortal.ts";
import { CLIENT } from "#test/support/people.ts";
import { ScriptedProvider } from "./scripted-provider.ts";

/** Failures are what is tested. */
const QUIET: Log = { info() {}, warn() {}, error() {}, with: () => QUIET };

type Deps = Parameters<typeof runDeployment.run>[0] &
  Parameters<typeof requestDeployment>[0] &
  Parameters<typeof storeCredential>[0] &
  WorkDeps;

const CONFIG = {
  ...DEFAULT_CEILINGS,
  PROJECT_RUNTIME: "embedded" as const,
  DEPLOYMENT_TIMEOUT: 600,
  DEPLOYMENT_POLL_SECONDS: 5,
  DEPLOYMENT_BUILD_TIMEOUT_SECONDS: HANGS_MS / 1_000,
  DEPLOYMENT_BUILD_DIR: "dist",
  DEPLOYMENT_MAX_FILES: 100,
  DEPLOYMENT_MAX_FILE_MB: 1,
  DEPLOYMENT_MAX_TOTAL_MB: 2,
  DEPLOYMENTS_KEPT: 2,
};

const Payload = z.object({ key: z.string() });

/** The deployment that a message is for. */
export const deploymentOf = ({ payload }: QueueMessage): string => Payload.parse(payload).key;

const LONG_AGO = sql`now() - interval '2 minutes'`;

/** More messages than any scene has: a scene that goes on for ever ends here. */
const MAX_MESSAGES = 500;

/** A person with a project and an account at a provider in memory; a queue that does nothing by itself. */
export class DeploymentWorld {
  readonly person: Colleague;
  readonly projectId: string;
  readonly provider = new ScriptedProvider();
  readonly archives = memoryArchives();
  readonly files = new ProjectInMemory();
  readonly notices: ProjectNotice[] = [];
  readonly config = { ...CONFIG };
  waiting: QueueMessage[] = [];
  readonly #db: Db;
  readonly #ids = new Set<string>();
  readonly #secrets = createSecrets("a-secret-key-for-tests-of-32-characters");

  static async open(db: Db): Promise<DeploymentWorld> {
    makeTripsMortal();
    await db.batch([db.delete(deployments), db.delete(jobs)]);
    const person = await newColleague(db);
    const { id } = await newProject(db, person);
    await db
      .update(projects)
      .set({ status: "stopped", setUpAt: new Date(), wanted: null })
      .where(eq(projects.id, id));
    const world = new DeploymentWorld(db, person, id);
    await world.connect("account-1");
    world.write("1");
    return world;
  }

  private constructor(db: Db, person: Colleague, projectId: string) {
    this.#db = db;
    this.person = person;
    this.projectId = projectId;
  }

  get db(): Db {
    return this.#db;
  }

  deps(): Deps {
    const accept = (messages: readonly QueueMessage[]) =>
      outside(async () => void this.waiting.push(...messages.filter((message) => this.#isNew(message))));
    const archives: Deps["archives"] = {
      put: (key, body) => outside(() => this.archives.put(key, body)),
      get: (key, expected) => outside(() => this.archives.get(key, expected)),
      read: (key, range) => outside(() => this.archives.read(key, range)),
      delete: (keys) => outside(() => this.archives.delete(keys)),
      list: (prefix) => this.archives.list(prefix),
    };
    const own = {
      db: this.#db,
      log: QUIET,
      hosting: {
        provider: (_: string, budget: { requests: number }) => this.provider.client(budget),
        oauth: () => undefined,
        placeOf: () => "provider",
      },
      secrets: this.#secrets,
      deploymentSecrets: this.#secrets,
      archives,
      workspaces: { runtime: () => this.files },
      queue: queueTo(accept),
      notices: { send: async (_: string, notice: ProjectNotice) => void this.notices.push(notice) },
      config: this.config,
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- What a deployment asks of them is here.
    return own as unknown as Deps;
  }

  /** The queue takes messages of the same id for one. */
  #isNew({ deduplicationId: id }: QueueMessage): boolean {
    if (id === undefined) return true;
    const isNew = !this.#ids.has(id);
    this.#ids.add(id);
    return isNew;
  }

  /** The files of a version of the project. */
  write(version: string): void {
    this.files.write("index.html", version);
    this.files.write("a.txt", version);
  }

  /** The person's account at the provider, for all projects or for this one. */
  async connect(account: string, project: string | null = null): Promise<void> {
    const wish = { provider: "netlify", token: account, metadata: {}, project };
    await storeCredential(this.deps(), this.person.caller, wish, CLIENT);
  }

  request(
    fields: Partial<Parameters<typeof requestDeployment>[2]> = {},
    deps = this.deps(),
  ): Promise<Deployment> {
    const wish = {
      project: this.projectId,
      provider: "netlify",
      env: {},
      includesContainerEnv: false,
      ...fields,
    } as const;
    return requestDeployment(deps, this.person.caller, wish);
  }

  redeploy = (id: string) => redeploy(this.deps(), this.person.caller, id, undefined);
  cancel = (id: string) => cancelDeployment(this.deps(), this.person.caller, id);
  delete = (id: string) => deleteDeployment(this.deps(), this.person.caller, id);
  run = (id: string) => executeJob(this.deps(), runDeployment, id);
  sweep = () => sweepJobs(this.deps(), [runDeployment.name]);

  /** Requests a deployment and brings it to its end. */
  async deploy(version: string): Promise<Deployment> {
    this.write(version);
    const { id } = await this.request();
    await this.deliver();
    return this.row(id);
  }

  /** Delivers what was published, and what follows from it, to the end; the time of a delayed message comes at once. */
  async deliver(): Promise<void> {
    for (let count = 0; ; count += 1) {
      if (count === MAX_MESSAGES) throw new Error("It goes on for ever");
      if (!(await this.deliverNext())) return;
    }
  }

  async deliverNext(): Promise<boolean> {
    const message = this.waiting.shift();
    if (!message) return false;
    const id = deploymentOf(message);
    if (message.delaySeconds !== undefined) await this.passPause(id);
    await this.run(id);
    return true;
  }

  /** The pause of a deployment is over. */
  async passPause(id: string): Promise<void> {
    await this.#db.update(jobs).set({ dueAt: LONG_AGO }).where(eq(jobs.key, id));
  }

  /** So much time passes that no lease holds and no pause is left; of all deployments, or of one. */
  async passTime(id?: string): Promise<void> {
    await this.#db
      .update(jobs)
      .set({ dueAt: LONG_AGO, leaseUntil: sql`CASE WHEN lease_until IS NOT NULL THEN ${LONG_AGO} END` })
      .where(id === undefined ? undefined : eq(jobs.key, id));
  }

  /** The job of a deployment, in what matters; undefined when there is nothing to do. */
  async job(id: string) {
    const { rows } = await this.#db.execute<{ isHeld: boolean; isDue: boolean }>(sql`
      SELECT coalesce(lease_until > now(), false) AS "isHeld", due_at <= now() AS "isDue"
      FROM jobs WHERE key = ${id}::text`);
    return rows[0];
  }

  /** Of a running deployment: the provider has had it for so long that its time is over. */
  async passLimit(id: string): Promise<void> {
    await this.#db
      .update(deployments)
      .set({ publishedAt: sql`now() - interval '1 day'` })
      .where(eq(deployments.id, id));
  }

  /** What the service does by itself after a crash: the queue's messages are lost. */
  async recover(): Promise<void> {
    for (let round = 0; round < 4; round += 1) {
      this.waiting = [];
      this.#ids.clear();
      await this.passTime();
      await this.sweep();
      if (this.waiting.length === 0) return;
      await this.deliver();
    }
  }

  async find(id: string): Promise<Deployment | undefined> {
    const [row] = await this.#db.select().from(deployments).where(eq(deployments.id, id));
    return row;
  }

  async row(id: string): Promise<Deployment> {
    const row = await this.find(id);
    if (!row) throw new Error("The deployment is gone");
    return row;
  }

  rows() {
    return this.#db
      .select()
      .from(deployments)
      .where(eq(deployments.userId, this.person.id))
      .orderBy(asc(deployments.version));
  }

  sites() {
    return this.#db.select().from(deploymentSites).where(eq(deploymentSites.userId, this.person.id));
  }

  async lines(id: string): Promise<string[]> {
    const rows = await this.#db
      .select()
      .from(deploymentLogs)
      .where(eq(deploymentLogs.deploymentId, id))
      .orderBy(asc(deploymentLogs.line));
    const numbers = rows.map(({ line }) => line);
    if (numbers.some((line, place) => line !== place + 1))
      throw new Error(`Lines are missing: ${numbers.join()}`);
    return rows.map(({ text }) => text);
  }
}
