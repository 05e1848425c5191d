import { and, eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { projectMemberships, projects, tasks, users } from "#src/db/schema/index.ts";
import { authenticateKey, type Caller, type Role, type Scope } from "#src/domain/access/permissions/index.ts";
import {
  listProjects,
  type Project,
  requireProject,
  updateProject,
} from "#src/domain/workspaces/projects/index.ts";
import { startTask } from "#src/domain/agent-work/tasks/index.ts";
import { newApiKey } from "#test/domain/programs/support/new-api-key.ts";
import { fileDatabase } from "#test/support/database.ts";
import { messageToAgent, startDeps } from "#test/support/message-to-agent.ts";
import { CLIENT } from "#test/support/people.ts";
import { type Colleague, joinTeam, newColleague, newProject, newTeam } from "#test/support/colleagues.ts";

type Visibility = Project["visibility"];
type Part = Role | "nothing";

/** A person's role in a project: by the role in its team, then by the role given in the project. */
const OPEN: Record<Part, Record<Part, Part>> = {
  admin: { nothing: "admin", viewer: "admin", editor: "admin", admin: "admin" },
  editor: { nothing: "editor", viewer: "viewer", editor: "editor", admin: "admin" },
  viewer: { nothing: "viewer", viewer: "viewer", editor: "editor", admin: "admin" },
  nothing: { nothing: "nothing", viewer: "viewer", editor: "editor", admin: "admin" },
};
const ROLE: Record<Visibility, Record<Part, Record<Part, Part>>> = {
  team: OPEN,
  public: OPEN,
  private: {
    ...OPEN,
    editor: { ...OPEN.editor, nothing: "nothing" },
    viewer: { ...OPEN.viewer, nothing: "nothing" },
  },
};
const PARTS = ["admin", "editor", "viewer", "nothing"] as const;
const VISIBILITIES = ["team", "private", "public"] as const;

const VIEW = ["project.view", "file.read", "chat.view"] as const;
const EDIT = [...VIEW, "file.write", "chat.send", "project.edit"] as const;
const SCOPES: readonly Scope[] = [...EDIT, "project.delete", "team.change_role"];
const MAY: Record<Role, readonly Scope[]> = { viewer: VIEW, editor: EDIT, admin: SCOPES };

const database = await fileDatabase();
const { db } = database;
const team = await newTeam(db);
const projectOf: Partial<Record<Visibility, Project>> = {};
const people: Record<string, Colleague> = {};

const project = (visibility: Visibility): Project => {
  const found = projectOf[visibility];
  if (!found) throw new Error(`There is no ${visibility} project`);
  return found;
};
const person = (inTeam: Part, inProject: Part): Colleague => {
  const found = people[`${inTeam} ${inProject}`];
  if (!found) throw new Error(`There is nobody who is ${inTeam} and ${inProject}`);
  return found;
};

async function newProjectOf(ownerId: string, visibility: Visibility): Promise<Project> {
  const made = await newProject(db, team.owner);
  const [moved = made] = await db
    .update(projects)
    .set({ visibility, ownerId, teamId: team.id })
    .where(eq(projects.id, made.id))
    .returning();
  return moved;
}

async function newInTeam(role: Part): Promise<Colleague> {
  const somebody = await newColleague(db);
  if (role !== "nothing") await joinTeam(db, somebody, team.id, role);
  return somebody;
}

beforeAll(async () => {
  for (const visibility of VISIBILITIES)
    projectOf[visibility] = await newProjectOf(team.owner.id, visibility);
  for (const inTeam of PARTS) {
    for (const inProject of PARTS) {
      const { id: userId, ...somebody } = await newInTeam(inTeam);
      people[`${inTeam} ${inProject}`] = { id: userId, ...somebody };
      if (inTeam !== "nothing") {
        await db.update(users).set({ defaultTeamId: team.id }).where(eq(users.id, userId));
      }
      if (inProject === "nothing") continue;
      const memberships = Object.values(projectOf).map(({ id }) => ({
        projectId: id,
        userId,
        role: inProject,
      }));
      await db.insert(projectMemberships).values(memberships);
    }
  }
});

/** `done`, or how it was refused. */
async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "done";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "not_found" || code === "forbidden") return code.replace("_", " ");
    throw error;
  }
}

/** Start a task as far as the database decides it. */
function start({ id, isSuperuser = false }: { id: string; isSuperuser?: boolean }, projectId: string) {
  return outcomeOf(startTask(startDeps(db), messageToAgent({ userId: id, isSuperuser, projectId })));
}

/** Everything a caller may do to a project, of what the table names; `not found` where it is not there. */
async function allowed(caller: Caller, { id }: Project): Promise<Scope[] | "not found"> {
  const outcomes = await Promise.all(
    SCOPES.map((scope) => outcomeOf(requireProject(database, caller, id, scope))),
  );
  if (outcomes.every((outcome) => outcome === "not found")) return "not found";
  if (outcomes.includes("not found")) throw new Error("Whether it is there depends on what is asked of it");
  return SCOPES.filter((_, index) => outcomes[index] === "done");
}

/** A key in the team, bound to a project where one is named. */
async function newKey(somebody: Colleague, bound?: Project) {
  const { token } = await newApiKey(db, somebody, { projectIds: bound ? [bound.id] : null });
  return authenticateKey(database, token);
}

/** A public project is as one of the team, also for those who were given a role in it. */
const rows = VISIBILITIES.flatMap((visibility) =>
  PARTS.flatMap((inTeam) =>
    (visibility === "public" ? (["nothing"] as const) : PARTS).map((inProject) => ({
      visibility,
      inTeam,
      inProject,
      role: ROLE[visibility][inTeam][inProject],
    })),
  ),
);

it.each(rows)(
  "who is $inTeam in the team and given $inProject in a $visibility project is $role: may do as much, has it listed or not, starts tasks in it or not",
  async ({ visibility, inTeam, inProject, role }) => {
    const [somebody, target] = [person(inTeam, inProject), project(visibility)];
    expect(await allowed(somebody.caller, target)).toEqual(role === "nothing" ? "not found" : MAY[role]);
    const listed = await listProjects(database, somebody.caller, {});
    expect(listed.some(({ id }) => id === target.id)).toBe(role !== "nothing");
    const mayStart = { nothing: "not found", viewer: "forbidden", editor: "done", admin: "done" }[role];
    expect(await start(somebody, target.id)).toBe(mayStart);
    const ofPerson = and(eq(tasks.userId, somebody.id), eq(tasks.projectId, target.id));
    expect(await db.$count(tasks, ofPerson)).toBe(mayStart === "done" ? 1 : 0);
  },
);

const members = rows.flatMap(({ inTeam, ...row }) =>
  inTeam === "nothing" || row.visibility !== "private" ? [] : [{ inTeam, ...row }],
);

it.each(members)(
  "who is $inTeam in the team and $role in a $visibility project (given $inProject) has keys that do what both roles grant",
  async ({ visibility, inTeam, inProject, role }) => {
    const [somebody, target] = [person(inTeam, inProject), project(visibility)];
    const both = role === "nothing" ? "not found" : MAY[role].filter((scope) => MAY[inTeam].includes(scope));
    expect(await allowed(await newKey(somebody), target)).toEqual(both);
    const bound = newKey(somebody, target).then((key) => allowed(key, target));
    expect(await bound.catch((error: Error) => error.message)).toEqual(
      role === "nothing" ? "Project not found" : both,
    );
  },
);

describe("the owner of a private project", () => {
  it("is its administrator, whatever the role in the team, and goes by that role once everybody there may see it", async () => {
    for (const role of ["editor", "viewer"] as const) {
      const owner = await newInTeam(role);
      const own = await newProjectOf(owner.id, "private");
      expect(await allowed(owner.caller, own)).toEqual(MAY.admin);
      const listed = await listProjects(database, owner.caller, {});
      expect(listed.map(({ id }) => id)).toContain(own.id);
      expect(await start(owner, own.id)).toBe("done");
      expect(await allowed(owner.caller, await newProjectOf(owner.id, "team"))).toEqual(MAY[role]);
    }
  });

  it("who left the team is a stranger to it", async () => {
    const owner = await newColleague(db);
    const own = await newProjectOf(owner.id, "private");
    expect(await allowed(owner.caller, own)).toBe("not found");
    expect(await listProjects(database, owner.caller, {})).toEqual([]);
    expect(await start(owner, own.id)).toBe("not found");
  });
});

describe("a superuser", () => {
  it("is an administrator of every project, and has only those of own teams listed", async () => {
    const { caller, id } = await newColleague(db);
    const superuser = { ...caller, isSuperuser: true };
    for (const visibility of VISIBILITIES) {
      expect(await allowed(superuser, project(visibility))).toEqual(MAY.admin);
      expect(await start({ id, isSuperuser: true }, project(visibility).id)).toBe("done");
    }
    expect(await listProjects(database, superuser, {})).toEqual([]);
  });

  it("has no more through a key than another person", async () => {
    const somebody = await newColleague(db);
    await db.update(users).set({ isSuperuser: true }).where(eq(users.id, somebody.id));
    const key = await newKey(somebody);
    expect(await allowed(key, project("team"))).toBe("not found");
    expect(await start({ id: somebody.id }, project("team").id)).toBe("not found");
  });
});

it("who sees a project is changed by its administrators alone", async () => {
  const { id: projectId } = await newProjectOf(team.owner.id, "private");
  const { caller } = await newColleague(db);
  const deps = { ...database, queue: { publishBatch: async () => {} } };
  const open = () => updateProject(deps, caller, projectId, { visibility: "team" }, CLIENT);
  await db.insert(projectMemberships).values({ projectId, userId: caller.userId, role: "editor" });
  await expect(open()).rejects.toMatchObject({ code: "forbidden" });
  const ofPerson = eq(projectMemberships.userId, caller.userId);
  await db.update(projectMemberships).set({ role: "admin" }).where(ofPerson);
  expect(await open()).toMatchObject({ visibility: "team" });
});
