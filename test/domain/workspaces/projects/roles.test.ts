import { messageToAgent, NO_AGENT_LIMITS } from "#test/support/message-to-agent.ts";
import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectMemberships, projects, tasks, users } from "#src/db/schema/index.ts";
import {
  authenticateKey,
  type Caller,
  type Role,
  type Scope,
} from "#src/domain/organisations/access/index.ts";
import { createApiKey } from "#src/domain/organisations/api-keys/index.ts";
import {
  createProject,
  listProjects,
  requireProject,
  updateProject,
  type Project,
} from "#src/domain/workspaces/projects/index.ts";
import { startTask } from "#src/domain/agent-work/tasks/index.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { openDatabase } from "#test/support/database.ts";
import { CLIENT } from "#test/support/people.ts";
import { joinTeam, newColleague, newTeam, type Colleague } from "#test/support/colleagues.ts";

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

const MAY: Record<Role, readonly Scope[]> = {
  viewer: ["project.view", "file.read", "chat.view"],
  editor: ["project.view", "file.read", "chat.view", "file.write", "chat.send", "project.edit"],
  admin: [
    "project.view",
    "file.read",
    "chat.view",
    "file.write",
    "chat.send",
    "project.edit",
    "project.delete",
    "team.change_role",
  ],
};
const SCOPES = MAY.admin;

let database: Awaited<ReturnType<typeof openDatabase>>;
let team: Awaited<ReturnType<typeof newTeam>>;
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

async function newProject(ownerId: string, visibility: Visibility): Promise<Project> {
  const { db } = database;
  const wish = { name: visibility, description: "", sourceType: "empty" } as const;
  const made = await createProject(database, team.owner.caller, wish);
  const [moved] = await db
    .update(projects)
    .set({ visibility, ownerId, teamId: team.id })
    .where(eq(projects.id, made.id))
    .returning();
  return moved ?? made;
}

beforeAll(async () => {
  database = await openDatabase();
  const { db } = database;
  team = await newTeam(db);
  for (const visibility of VISIBILITIES) projectOf[visibility] = await newProject(team.owner.id, visibility);
  for (const inTeam of PARTS) {
    for (const inProject of PARTS) {
      const somebody = await newColleague(db);
      people[`${inTeam} ${inProject}`] = somebody;
      if (inTeam !== "nothing") {
        await joinTeam(db, somebody, team.id, inTeam);
        await db.update(users).set({ defaultTeamId: team.id }).where(eq(users.id, somebody.id));
      }
      if (inProject === "nothing") continue;
      for (const { id: projectId } of Object.values(projectOf)) {
        await db.insert(projectMemberships).values({ projectId, userId: somebody.id, role: inProject });
      }
    }
  }
});
afterAll(async () => {
  await database.close();
});

const RESULT = { not_found: "not found", forbidden: "forbidden" } as const;

/** `done`, or how it was refused. */
async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "done";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "not_found" || code === "forbidden") return RESULT[code];
    throw error;
  }
}

const reached = new Error("it was stored, and was about to be launched");
const launch = () => Promise.reject(reached);
const notUsed = () => Promise.reject(new Error("not used here"));

/** Start a task as far as the database decides it. */
async function start(somebody: { id: string; isSuperuser?: boolean }, projectId: string) {
  const queue = { publish: launch, publishBatch: notUsed, ensureSchedule: notUsed, answers: notUsed };
  const config = { DEFAULT_MODEL: "demo", ...NO_AGENT_LIMITS };
  const modelSettings = { platformModels: [config.DEFAULT_MODEL] };
  const deps = { config, modelSettings, db: database.db, queue };
  const task = messageToAgent({
    userId: somebody.id,
    isSuperuser: somebody.isSuperuser ?? false,
    projectId,
  });
  return outcomeOf(
    startTask(deps, task).catch((error: unknown) => {
      if (error !== reached) throw error;
    }),
  );
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

const secrets = createSecrets("a-secret-key-for-tests-of-32-characters");

/** A key in the team, bound to a project where one is named. */
async function newKey({ caller }: Colleague, bound?: Project) {
  const wish = { name: "key", scopes: null, projectIds: bound ? [bound.id] : null, expiresAt: null };
  const { token } = await createApiKey({ ...database, secrets }, caller, wish, CLIENT);
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

describe.each(rows)(
  "who is $inTeam in the team and given $inProject in a $visibility project is $role:",
  ({ visibility, inTeam, inProject, role }) => {
    it("may do as much, has it listed or not, starts tasks in it or not", async () => {
      const [somebody, target] = [person(inTeam, inProject), project(visibility)];
      expect(await allowed(somebody.caller, target)).toEqual(role === "nothing" ? "not found" : MAY[role]);
      const listed = await listProjects(database, somebody.caller, {});
      expect(listed.some(({ id }) => id === target.id)).toBe(role !== "nothing");
      const mayStart = { nothing: "not found", viewer: "forbidden", editor: "done", admin: "done" }[role];
      expect(await start(somebody, target.id)).toBe(mayStart);
      const stored = await database.db
        .select()
        .from(tasks)
        .where(and(eq(tasks.userId, somebody.id), eq(tasks.projectId, target.id)));
      expect(stored).toHaveLength(mayStart === "done" ? 1 : 0);
    });
  },
);

const members = rows.flatMap(({ inTeam, ...row }) =>
  inTeam === "nothing" || row.visibility !== "private" ? [] : [{ inTeam, ...row }],
);

describe.each(members)(
  "who is $inTeam in the team and $role in a $visibility project (given $inProject)",
  ({ visibility, inTeam, inProject, role }) => {
    it("has keys that do what both roles grant, and no more", async () => {
      const [somebody, target] = [person(inTeam, inProject), project(visibility)];
      const both =
        role === "nothing" ? "not found" : MAY[role].filter((scope) => MAY[inTeam].includes(scope));
      expect(await allowed(await newKey(somebody), target)).toEqual(both);
      const bound = newKey(somebody, target).then((key) => allowed(key, target));
      expect(await bound.catch((error: Error) => error.message)).toEqual(
        role === "nothing" ? "Project not found" : both,
      );
    });
  },
);

describe("the owner of a private project", () => {
  it.each(["admin", "editor", "viewer"] as const)(
    "who is %s in the team is its administrator",
    async (role) => {
      const owner = await newColleague(database.db);
      await joinTeam(database.db, owner, team.id, role);
      const own = await newProject(owner.id, "private");
      expect(await allowed(owner.caller, own)).toEqual(MAY.admin);
      expect(await listProjects(database, owner.caller, {})).toContainEqual(
        expect.objectContaining({ id: own.id }),
      );
      expect(await start(owner, own.id)).toBe("done");
    },
  );

  it("goes by the role in the team once everybody there may see it", async () => {
    const owner = await newColleague(database.db);
    await joinTeam(database.db, owner, team.id, "viewer");
    expect(await allowed(owner.caller, await newProject(owner.id, "team"))).toEqual(MAY.viewer);
  });

  it("who left the team is a stranger to it", async () => {
    const owner = await newColleague(database.db);
    const own = await newProject(owner.id, "private");
    expect(await allowed(owner.caller, own)).toBe("not found");
    expect(await listProjects(database, owner.caller, {})).toEqual([]);
    expect(await start(owner, own.id)).toBe("not found");
  });
});

describe("a superuser", () => {
  it("is an administrator of every project, and has only those of own teams listed", async () => {
    const { caller, id } = await newColleague(database.db);
    const superuser = { ...caller, isSuperuser: true };
    for (const visibility of VISIBILITIES) {
      expect(await allowed(superuser, project(visibility))).toEqual(MAY.admin);
      expect(await start({ id, isSuperuser: true }, project(visibility).id)).toBe("done");
    }
    expect(await listProjects(database, superuser, {})).toEqual([]);
  });

  it("has no more through a key than another person", async () => {
    const somebody = await newColleague(database.db);
    await database.db.update(users).set({ isSuperuser: true }).where(eq(users.id, somebody.id));
    const key = await newKey(somebody);
    expect(await allowed(key, project("team"))).toBe("not found");
    expect(await start({ id: somebody.id }, project("team").id)).toBe("not found");
  });
});

it("a key of another team allows what its owner's role in the project does", async () => {
  const member = await newColleague(database.db);
  const key = await newKey(member);
  await joinTeam(database.db, member, team.id, "editor");
  expect(await allowed(key, project("team"))).toEqual(MAY.editor);
  expect(await allowed(key, project("private"))).toBe("not found");
});

describe("who sees a project", () => {
  it.each(["editor", "viewer"] as const)("is not changed by a person with the role %s", async (role) => {
    const target = await newProject(team.owner.id, "private");
    const { caller } = await newColleague(database.db);
    const member = { projectId: target.id, userId: caller.userId, role };
    await database.db.insert(projectMemberships).values(member);
    const open = () =>
      updateProject(
        { ...database, queue: { publishBatch: async () => {} } },
        caller,
        target.id,
        { visibility: "team" },
        CLIENT,
      );
    await expect(open()).rejects.toMatchObject({ code: "forbidden" });
    await database.db
      .update(projectMemberships)
      .set({ role: "admin" })
      .where(eq(projectMemberships.userId, caller.userId));
    expect(await open()).toMatchObject({ visibility: "team" });
  });
});
