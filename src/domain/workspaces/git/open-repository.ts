import type { Caller, Scope } from "#src/domain/access/permissions/index.ts";
import type { GitHostDeps } from "#src/domain/source-control/git-hosts/index.ts";
import { withRuntime, withWritableRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import type { OpenProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import type { Queue } from "#src/platform/queue/queue.ts";

export interface GitDeps extends GitHostDeps {
  queue: Queue;
  workspaces: Pick<ProjectWorkspaces, "runtime">;
  refusalOfUrl(url: string): string | undefined;
}

/** The caller, and the project by its id or slug. */
export interface GitAccess {
  caller: Caller;
  project: string;
}

/** An opened repository, and the person who works on it. */
export interface OpenRepository {
  runtime: ProjectRuntime;
  project: OpenProject;
  /** The person; for a key its owner. */
  userId: string;
}

const DEFAULT_BRANCH = "main";

type Act<T> = (repository: OpenRepository) => Promise<T>;

/** Reads a project's repository. Throws as `requireProject` and the operation do. */
export function readingRepository<T>(deps: GitDeps, access: GitAccess, act: Act<T>): Promise<T> {
  return open(deps, access, { scope: "git.view", through: withRuntime }, act);
}

/**
 * Changes a project's repository; throws `conflict` while a clone is about to replace it. Otherwise as
 * `readingRepository`.
 */
export function changingRepository<T>(deps: GitDeps, access: GitAccess, act: Act<T>): Promise<T> {
  return open(deps, access, { scope: "git.write", through: withWritableRuntime }, act);
}

/**
 * Turns a remote's refusal of the credentials into `invalid_input`, because a 401 would tell clients that they are
 * signed out of the service.
 */
async function open<T>(
  deps: GitDeps,
  { caller, project: idOrSlug }: GitAccess,
  { scope, through }: { scope: Scope; through: typeof withRuntime },
  act: Act<T>,
): Promise<T> {
  try {
    return await through(deps, { caller, project: idOrSlug, scope }, async (runtime, project) => {
      if (project.sourceType === "empty") await ensureRepository(runtime);
      return act({ runtime, project, userId: caller.userId });
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "unauthenticated") throw error;
    throw new AppError("invalid_input", error.message, { cause: error.cause });
  }
}

/** An `empty` project gets its repository, on `main`, at the first access, because its creation writes no files. */
async function ensureRepository(runtime: ProjectRuntime): Promise<void> {
  if (await runtime.stat(".git")) return;
  await runtime.git("init", { defaultBranch: DEFAULT_BRANCH });
}
