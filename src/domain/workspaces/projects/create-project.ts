import type { Caller } from "#src/domain/access/permissions/index.ts";
import { insertBackgroundTask } from "#src/domain/workspaces/background-tasks/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { requireUsableBase } from "#src/domain/workspaces/bases/index.ts";
import { parseRepositoryUrl } from "#src/domain/source-control/repositories/index.ts";
import { requireTeam, whileTeamExists } from "#src/domain/organisations/teams/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { slugOf } from "#src/lib/slug.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { insertProject, type NewProject, type Project } from "./queries/projects.ts";
import { settleMessage } from "./state-wanted.ts";

/** Random slugs to try before a collision is a failure. */
const MAX_DRAWS = 10;

export const SOURCE_TYPES = ["base", "template", "empty", "github", "gitlab", "bitbucket"] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

const FROM_GIT: ReadonlySet<SourceType> = new Set<SourceType>(["github", "gitlab", "bitbucket"]);

export interface ProjectInput {
  name: string;
  description: string;
  sourceType: SourceType;
  /** For the team when absent. */
  visibility?: Project["visibility"];
}

/** The requested source of the initial files. */
export interface SourceInput {
  /** http(s) address of any git host. The three git types do not differ otherwise. */
  gitUrl?: string | undefined;
  /** The repository's default branch when absent. */
  gitBranch?: string | undefined;
  /** Id or slug of a base; `builtin` is the empty one. */
  baseId?: string | undefined;
}

/**
 * The source of a new project's files; null for an empty project. Throws `invalid_input` for fields that do not fit the
 * type and for an invalid address, `not_found` for a base that the caller cannot see, and `forbidden`
 * for one that the team has not bought.
 */
export async function findSource(
  deps: { db: Db },
  caller: Caller,
  type: SourceType,
  input: SourceInput,
): Promise<Project["source"]> {
  const { gitUrl, gitBranch = null, baseId = "builtin" } = input;
  if (FROM_GIT.has(type)) {
    if (gitUrl === undefined) throw new AppError("invalid_input", `A ${type} project needs git_repo_url`);
    return { kind: "git", url: parseRepositoryUrl(gitUrl).url, branch: gitBranch };
  }
  if (gitUrl !== undefined) {
    throw new AppError("invalid_input", 'git_repo_url is for source_type "github", "gitlab" and "bitbucket"');
  }
  if (type === "empty" && input.baseId !== undefined) {
    throw new AppError("invalid_input", 'base_id is for source_type "base" and "template"');
  }
  if (baseId === "builtin") return null;
  const { teamId } = await requireCreator(deps, caller);
  const base = await requireUsableBase(deps, { teamId, userId: caller.userId }, baseId);
  return base.gitRepoUrl === null
    ? { kind: "base", baseId: base.id }
    : { kind: "git", url: base.gitRepoUrl, branch: base.defaultBranch };
}

/**
 * Creates an empty project in the caller's team. Its workspace is created with the first file or command, so the project is
 * usable at once, with the status `stopped`. Throws `forbidden` for a caller without the permission, and
 * `insufficient_credits` for a team with the most projects of its tier; without `limits`, a team may have any number.
 */
export async function createProject(
  deps: { db: Db },
  caller: Caller,
  input: ProjectInput,
  limits?: CeilingConfig<"projects">,
): Promise<Project> {
  const { teamId } = await requireCreator(deps, caller);
  const fields = {
    ...fieldsOf(input),
    teamId,
    ownerId: caller.userId,
    status: "stopped",
    setUpAt: new Date(),
  } as const;
  return drawSlug(deps.db, fields, limits);
}

/**
 * Creates a project whose initial files are fetched in the background; its status is `initializing` until then. If the
 * request dies before it publishes to the queue, the sweep publishes. Throws as `createProject` does.
 */
export async function createProjectFrom(
  deps: { db: Db; queue: Pick<Queue, "publish"> },
  caller: Caller,
  input: ProjectInput & { source: NonNullable<Project["source"]> },
  limits?: CeilingConfig<"projects">,
): Promise<{ project: Project; taskId: string }> {
  const { teamId } = await requireCreator(deps, caller);
  const fields = {
    ...fieldsOf(input),
    teamId,
    ownerId: caller.userId,
    source: input.source,
    status: "initializing",
    wanted: "stopped",
  } as const;
  const project = await drawSlug(deps.db, fields, limits);
  const taskId = newId();
  await insertBackgroundTask(deps.db, {
    id: taskId,
    userId: caller.userId,
    projectId: project.id,
    type: "project_creation",
    status: "queued",
  });
  await deps.queue.publish(settleMessage(project.id, "created"));
  return { project, taskId };
}

const fieldsOf = ({ name, description, sourceType, visibility = "team" }: ProjectInput) => ({
  name,
  description,
  sourceType,
  visibility,
});

async function requireCreator(deps: { db: Db }, caller: Caller): Promise<{ teamId: string }> {
  if (caller.kind === "key" && caller.projectIds) {
    throw new AppError("forbidden", "This API key is bound to projects and cannot create new ones");
  }
  return requireTeam(deps, caller, "project.create");
}

async function drawSlug(
  db: Db,
  fields: Omit<NewProject, "id" | "slug">,
  limits: CeilingConfig<"projects"> | undefined,
): Promise<Project> {
  for (let draw = 1; draw <= MAX_DRAWS; draw += 1) {
    const row = { ...fields, id: newId(), slug: slugOf(fields.name, "project") };
    const project = await whileTeamExists(insertProject(db, row, limits));
    if (project) return project;
  }
  throw new AppError("internal", "No free slug was found for the project");
}
