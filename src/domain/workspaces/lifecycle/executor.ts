import type { BatchItem } from "drizzle-orm/batch";
import type { SQL } from "drizzle-orm";
import { advanceTasks } from "#src/domain/workspaces/background-tasks/index.ts";
import type { Project } from "#src/domain/workspaces/projects/index.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { GitHosts } from "#src/platform/git-hosts/git-host.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { ProjectNotice, ProjectNotices } from "#src/platform/objects/project-notices.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { Attempt } from "#src/work/job.ts";
import { changeProject, readProject, type StageChange } from "./queries/transition.ts";
import type { Wanted } from "./queries/wishes.ts";

export interface SettleDeps {
  db: Db;
  workspaces: Pick<ProjectWorkspaces, "runtime">;
  archives: ArchiveStore;
  secrets: Secrets;
  gitHosts: GitHosts;
  deploymentSecrets: Secrets;
  notices: ProjectNotices;
  log: Log;
  config: {
    MAX_SNAPSHOTS_PER_PROJECT: number;
    SNAPSHOT_RETENTION_DAYS: number;
    GIT_CLONE_TIMEOUT_SECONDS: number;
  };
}

export type SettleAttempt = Attempt<{ projectId: string }, Project[]>;

/** A finished part of a transition. */
interface Stage {
  /** Of the project's row. */
  change?: StageChange;
  also?: (isHeld: SQL) => BatchItem<"pg">[];
  /** The attempts are counted anew. */
  isProgress?: boolean;
}

/** One executor at work on one transition of one project. */
export class Executor {
  readonly deps: SettleDeps;
  readonly runtime: ProjectRuntime;
  readonly wanted: Wanted;
  /** Fences the project's files and snapshots. */
  readonly generation: number;
  /** Aborts when another executor has the job, and when another state is wanted: the transition must not be completed. */
  readonly signal: AbortSignal;
  readonly #attempt: SettleAttempt;
  readonly #overtaken = new AbortController();
  #project: Project;

  constructor(deps: SettleDeps, attempt: SettleAttempt, project: Project & { wanted: Wanted }) {
    this.deps = deps;
    this.runtime = deps.workspaces.runtime(project.id);
    this.wanted = project.wanted;
    this.generation = project.generation;
    this.signal = AbortSignal.any([attempt.signal, this.#overtaken.signal]);
    this.#attempt = attempt;
    this.#project = project;
    attempt.onRenewal(([row]) => this.#hear(row));
  }

  /** The project's row, as of the last stage. */
  get project(): Project {
    return this.#project;
  }

  /** Stores a stage. Throws the signal's reason once that is aborted, also for a project that is deleted. */
  async store({ change, also = () => [], isProgress = false }: Stage = {}): Promise<void> {
    const { db } = this.deps;
    const { id } = this.#project;
    const [[row]] = await this.#attempt.store(
      (isHeld) => [change ? changeProject(db, id, change, isHeld) : readProject(db, id), ...also(isHeld)],
      { isProgress },
    );
    this.#hear(row);
    if (row) this.#project = row;
    this.signal.throwIfAborted();
  }

  /** Records the current step, for clients that poll the status. */
  async report(progress: { percentage: number; message: string }): Promise<void> {
    const { percentage, message } = progress;
    await this.store({
      change: { progress: message },
      also: (isHeld) => [advanceTasks(this.deps.db, this.#project.id, progress, isHeld)],
    });
    await this.notify({
      container_status: this.wanted === "hibernated" ? "stopping" : "starting",
      phase: message,
      progress: percentage,
      message,
    });
  }

  notify(notice: ProjectNotice): Promise<void> {
    return notify(this.deps, this.#project.id, notice);
  }

  #hear(row: Project | undefined): void {
    if (row?.wanted !== this.wanted) this.#overtaken.abort(new Error("Another state is wanted by now"));
  }
}

/** Notifies the sockets, on a best-effort basis. */
export async function notify(
  { notices, log }: Pick<SettleDeps, "notices" | "log">,
  projectId: string,
  notice: ProjectNotice,
): Promise<void> {
  await notices
    .send(projectId, notice)
    .catch((cause: unknown) => log.warn("a notice was not sent", { project_id: projectId, cause }));
}
