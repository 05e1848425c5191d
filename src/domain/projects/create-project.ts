import type { Caller } from "#src/domain/access/index.ts";
import { requireTeam, whileTeamExists } from "#src/domain/teams/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { slugOf } from "#src/lib/slug.ts";
import type { Db } from "#src/platform/db/client.ts";
import { insertProject, type Project } from "./queries.ts";

/** Slugs are drawn again this often before a collision is called a failure. */
const MAX_DRAWS = 10;

export const SOURCE_TYPES = ["base", "template", "empty", "github", "gitlab", "bitbucket"] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

const FROM_GIT: ReadonlySet<SourceType> = new Set<SourceType>(["github", "gitlab", "bitbucket"]);

export interface ProjectWish {
  name: string;
  description: string;
  sourceType: SourceType;
}

/**
 * Make a project in the caller's team. Its workspace comes into being with the first file or command, so there is nothing
 * to wait for: the stored status is the settled one, `stopped`, since nothing runs in it yet. Throws `forbidden` for a
 * caller who may not, `invalid_input` for a source the service cannot build from.
 */
export async function createProject(deps: { db: Db }, caller: Caller, wish: ProjectWish): Promise<Project> {
  if (caller.kind === "key" && caller.projectIds) {
    throw new AppError("forbidden", "API key is bound to its projects and cannot create others");
  }
  const { teamId } = await requireTeam(deps, caller, "project.create");
  if (FROM_GIT.has(wish.sourceType)) {
    throw new AppError(
      "invalid_input",
      `Projects cannot be made from ${wish.sourceType} repositories: use source_type "empty"`,
    );
  }
  for (let draw = 1; draw <= MAX_DRAWS; draw += 1) {
    const [project] = await whileTeamExists(
      insertProject(deps.db, {
        ...wish,
        id: newId(),
        teamId,
        ownerId: caller.userId,
        slug: slugOf(wish.name, "project"),
        status: "stopped",
      }),
    );
    if (project) return project;
  }
  throw new AppError("internal", "No free slug was found for the project");
}
