import { and, eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { jobs, projects, teamMemberships, teams } from "#src/db/schema/index.ts";
import type { Caller, KeyCaller } from "#src/domain/access/permissions/index.ts";
import { requireBackgroundTask } from "#src/domain/workspaces/background-tasks/index.ts";
import {
  createProject,
  createProjectFrom,
  deleteProject,
  destroyWorkspace,
  findSource,
  listProjects,
  requireProject,
  updateProject,
  updateSettings,
} from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { executeJob } from "#src/work/execute.ts";
import { LEASE_SECONDS } from "#src/work/queries.ts";
import { joinTeam, newColleague, type Colleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { memoryArchives } from "#test/domain/workspaces/archives/memory-archives.ts";
import { keptQueue } from "#test/support/kept-queue.ts";
import { mailing } from "#test/support/mailbox.ts";
import { CLIENT } from "#test/support/people.ts";

const wish = { name: "My App", description: "what it is", sourceType: "empty" } as const;

const database = await fileDatabase();

async function ownerAndProject() {
  const owner = await newColleague(database.db, "owner");
  return { owner, project: await createProject(database, owner.caller, wish) };
}

function keyOf(
  { id: userId, personalTeamId: teamId }: Colleague,
  bounds: Partial<KeyCaller> = {},
): KeyCaller {
  return {
    kind: "key",
    keyId: crypto.randomUUID(),
    userId,
    teamId,
    isApp: false,
    role: "admin",
    scopes: null,
    projectIds: null,
    ...bounds,
  };
}

const view = (caller: Caller, idOrSlug: string) => requireProject(database, caller, idOrSlug, "project.view");
const notFound = expect.objectContaining({ code: "not_found", message: "Project not found" });

/** What changing a project takes. */
const changing = () => ({ db: database.db, queue: { publishBatch: async () => {} } });

/** What deleting a project takes besides its files. */
const deletion = () => ({ ...mailing(database.db).deps, archives: memoryArchives() });

describe("a project", () => {
  it("is found by its id and by its slug, and under no other name", async () => {
    const { owner, project } = await ownerAndProject();
    expect(project.slug).toMatch(/^my-app-[0-9a-z]{6}$/u);
    for (const name of [project.id, project.id.toUpperCase(), project.slug]) {
      expect(await view(owner.caller, name)).toMatchObject({ id: project.id, role: "admin" });
    }
    for (const name of [crypto.randomUUID(), "a\0b", "no/such", ""]) {
      await expect(view(owner.caller, name)).rejects.toEqual(notFound);
    }
  });
});

describe("a key", () => {
  it("bound to one project is forbidden every other, known or not, before it is looked up", async () => {
    const { owner, project } = await ownerAndProject();
    const other = await createProject(database, owner.caller, wish);
    const key = keyOf(owner, { projectIds: [project.id] });
    expect(await view(key, project.slug)).toMatchObject({ id: project.id });
    const message = "API key does not have access to this project";
    for (const name of [other.id, other.slug, crypto.randomUUID()]) {
      await expect(view(key, name)).rejects.toMatchObject({ code: "forbidden", message });
    }
    expect((await listProjects(database, key, {})).map(({ id }) => id)).toEqual([project.id]);
    await expect(createProject(database, key, wish)).rejects.toMatchObject({ code: "forbidden" });
  });

  it("reaches the projects of all its owner's teams with the role that its owner has there, until the owner leaves, and no others", async () => {
    const [{ project }, { project: foreign }] = [await ownerAndProject(), await ownerAndProject()];
    const member = await newColleague(database.db);
    const own = await createProject(database, member.caller, wish);
    await joinTeam(database.db, member, project.teamId, "viewer");
    const listed = async () => (await listProjects(database, keyOf(member), {})).map(({ id }) => id);
    for (const { id } of [own, project]) expect(await view(keyOf(member), id)).toMatchObject({ id });
    await expect(requireProject(database, keyOf(member), project.id, "file.write")).rejects.toMatchObject({
      code: "forbidden",
      message: "Role 'viewer' does not have permission 'file.write'",
    });
    await expect(view(keyOf(member), foreign.id)).rejects.toEqual(notFound);
    expect(await listed()).toEqual([project.id, own.id].toSorted().toReversed());
    const membership = and(eq(teamMemberships.teamId, project.teamId), eq(teamMemberships.userId, member.id));
    await database.db.delete(teamMemberships).where(membership);
    await expect(view(keyOf(member), project.id)).rejects.toEqual(notFound);
    expect(await listed()).toEqual([own.id]);
  });

  it("without the permission is refused by its name", async () => {
    const { owner, project } = await ownerAndProject();
    const message = "API key lacks required scope: project.view";
    const viewing = view(keyOf(owner, { scopes: ["chat.send"] }), project.id);
    await expect(viewing).rejects.toMatchObject({ code: "forbidden", message });
  });
});

describe("making and changing projects", () => {
  it("ends at the most of the team's tier, also for many at once, and begins again below it", async () => {
    const owner = await newColleague(database.db, "owner");
    const most = {
      TIER_MAX_PROJECTS_FREE: 3,
      TIER_MAX_PROJECTS_BASIC: 3,
      TIER_MAX_PROJECTS_PRO: 4,
      TIER_MAX_PROJECTS_ULTRA: 4,
    };
    const make = () => createProject(database, owner.caller, wish, most);
    const made = await Promise.allSettled(Array.from({ length: 8 }, make));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    for (const each of made.filter(({ status }) => status === "rejected")) {
      expect(each).toMatchObject({ reason: { code: "insufficient_credits" } });
    }
    await expect(make()).rejects.toThrow("The team has 3 projects, the most of its tier");
    const teamId = owner.personalTeamId;
    await database.db.update(teams).set({ subscriptionTier: "pro" }).where(eq(teams.id, teamId));
    await make();
    await expect(make()).rejects.toThrow("The team has 4 projects");
    expect(await createProject(database, owner.caller, wish)).toMatchObject({ teamId });
  });

  it("gives each of many of the same name a slug of its own", async () => {
    const owner = await newColleague(database.db);
    await Promise.all(Array.from({ length: 10 }, () => createProject(database, owner.caller, wish)));
    const made = await listProjects(database, owner.caller, {});
    expect(new Set(made.map(({ slug }) => slug)).size).toBe(10);
  });

  it("with files to be fetched is initializing, and told to the queue with a task", async () => {
    const owner = await newColleague(database.db);
    const source = await findSource(database, owner.caller, "github", {
      gitUrl: "https://example.com/a/b.git",
    });
    expect(source).toEqual({ kind: "git", url: "https://example.com/a/b.git", branch: null });
    if (!source) throw new Error("There is a source");
    const published: QueueMessage[] = [];
    const { project, taskId } = await createProjectFrom(
      { ...database, queue: { publish: async (message) => void published.push(message) } },
      owner.caller,
      { ...wish, sourceType: "github", source },
    );
    expect(project).toMatchObject({ status: "initializing", wanted: "stopped", source, setUpAt: null });
    expect(published).toMatchObject([{ function: "settle-project", payload: { key: project.id } }]);
    expect(await requireBackgroundTask(database, owner.caller, taskId)).toMatchObject({
      type: "project_creation",
      status: "queued",
      projectId: project.id,
    });
  });

  it("changes the given fields and leaves the rest", async () => {
    const { owner, project } = await ownerAndProject();
    const updated = await updateProject(changing(), owner.caller, project.slug, { name: "Renamed" }, CLIENT);
    expect(updated).toMatchObject({ name: "Renamed", description: "what it is", slug: project.slug });
    expect(updated.updatedAt).toBeInstanceOf(Date);
  });

  it("keeps the settings of both when two change different ones at once", async () => {
    const { owner, project } = await ownerAndProject();
    await Promise.all([
      updateSettings(database, owner.caller, project.id, { theme: "dark" }),
      updateSettings(database, owner.caller, project.id, { preview: { port: 3000 } }),
    ]);
    expect((await view(owner.caller, project.id)).settings).toEqual({
      theme: "dark",
      preview: { port: 3000 },
    });
  });

  it("removes the files later when they cannot be removed at once, which its background task shows", async () => {
    const { owner, project } = await ownerAndProject();
    const failing = { destroy: () => Promise.reject(new AppError("unavailable", "The host is away")) };
    const deps = { ...deletion(), workspaces: failing };
    const { taskId } = await deleteProject(deps, owner.caller, project.id);
    const task = () => requireBackgroundTask(database, owner.caller, taskId);
    expect(await task()).toMatchObject({ type: "project_deletion", status: "running" });
    const key = project.id;
    await database.db
      .update(jobs)
      .set({ dueAt: sql`now()` })
      .where(eq(jobs.key, key));
    const destroyed: string[] = [];
    const workspaces = { destroy: async (projectId: string) => void destroyed.push(projectId) };
    await executeJob({ ...deps, workspaces }, destroyWorkspace, key);
    expect(destroyed).toEqual([key]);
    const moments = { startedAt: expect.any(Date), completedAt: expect.any(Date) };
    expect(await task()).toMatchObject({ status: "completed", result: { slug: project.slug }, ...moments });
  });

  it("is known to the queue while its files are removed, so that they are if the program dies meanwhile", async () => {
    const { owner, project } = await ownerAndProject();
    const { queue, published } = keptQueue();
    const before: QueueMessage[] = [];
    const workspaces = { destroy: async () => void before.push(...published) };
    await deleteProject({ ...deletion(), queue, workspaces }, owner.caller, project.id);
    expect(before).toMatchObject([
      { function: destroyWorkspace.name, payload: { key: project.id }, delaySeconds: LEASE_SECONDS },
    ]);
  });

  it("says on its background task that its files could not be removed", async () => {
    const { owner, project } = await ownerAndProject();
    const workspaces = { destroy: () => Promise.reject(new AppError("conflict", "The host is gone")) };
    const { taskId } = await deleteProject({ ...deletion(), workspaces }, owner.caller, project.id);
    expect(await requireBackgroundTask(database, owner.caller, taskId)).toMatchObject({
      status: "failed",
      error: "The host is gone",
    });
  });

  it("removes the row, then the files, and is not found from then on", async () => {
    const { owner, project } = await ownerAndProject();
    const destroyed: string[] = [];
    const workspaces = {
      async destroy(projectId: string) {
        expect(await database.db.select().from(projects).where(eq(projects.id, projectId))).toEqual([]);
        destroyed.push(projectId);
      },
    };
    await deleteProject({ ...deletion(), workspaces }, owner.caller, project.slug);
    expect(destroyed).toEqual([project.id]);
    await expect(view(owner.caller, project.id)).rejects.toEqual(notFound);
  });

  it("lets only an administrator of the team delete one", async () => {
    const { project } = await ownerAndProject();
    const editor = await newColleague(database.db);
    await joinTeam(database.db, editor, project.teamId, "editor");
    const workspaces = { destroy: () => Promise.reject(new Error("must not be called")) };
    await expect(
      deleteProject({ ...deletion(), workspaces }, editor.caller, project.id),
    ).rejects.toMatchObject({
      code: "forbidden",
    });
  });
});
