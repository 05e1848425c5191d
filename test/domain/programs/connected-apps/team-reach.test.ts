import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { chats, teamMemberships } from "#src/db/schema/index.ts";
import { authenticateGrant, callerFor, type KeyCaller } from "#src/domain/access/permissions/index.ts";
import { listChats, requireChat } from "#src/domain/agent-work/chats/index.ts";
import { listTasks, requireOpenTask, startTask } from "#src/domain/agent-work/tasks/index.ts";
import { createApiKey } from "#src/domain/programs/api-keys/index.ts";
import { listProjects, requireProject } from "#src/domain/workspaces/projects/index.ts";
import { appDeps, connectedApp } from "#test/support/app-grants.ts";
import { newColleague, newProject } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { messageToAgent, startDeps } from "#test/support/message-to-agent.ts";
import { CLIENT, newPerson, sessionDeps } from "#test/support/people.ts";

const { db } = await fileDatabase();

const ALL = { statuses: null, projectId: null, since: null };
const PAGE = { page: 1, limit: 100 };

/**
 * A person who administers an employer's team besides their own, with a project and a task in each; an app that was allowed in their
 * own team, and a key of that team.
 */
async function newMoonlighter() {
  const [{ user, caller }, employer] = [await newPerson(db), await newColleague(db)];
  await db
    .insert(teamMemberships)
    .values({ teamId: employer.personalTeamId, userId: user.id, role: "admin" });
  const placeIn = async ({ id: projectId }: { id: string }) => ({
    projectId,
    ...(await startTask(startDeps(db), messageToAgent({ userId: user.id, projectId }))),
  });
  const own = await placeIn(await newProject(db, { caller }));
  const employers = await placeIn(await newProject(db, employer));
  const { accessToken } = await connectedApp(appDeps(db), caller);
  const app = await authenticateGrant({ db }, accessToken, "https://service.test/mcp");
  const settings = { name: "key", scopes: null, projectIds: null, expiresAt: null };
  const { key } = await createApiKey(sessionDeps(db), caller, settings, CLIENT);
  const program = await callerFor({ db }, { userId: user.id, apiKeyId: key.id });
  if (program.kind !== "key") throw new Error("A key is no person");
  return { app, program, own, employers, employer };
}

type Place = Awaited<ReturnType<typeof newMoonlighter>>["own"];

/** Every way to a project that connected apps have over MCP, by which all tools, resources and handles go. */
const WAYS: Readonly<Record<string, (caller: KeyCaller, place: Place) => Promise<unknown>>> = {
  "the project": (caller, { projectId }) => requireProject({ db }, caller, projectId, "file.read"),
  "a task": (caller, { taskId }) => requireOpenTask({ db }, caller, taskId, "chat.send"),
  "a chat": (caller, { chatId }) => requireChat({ db }, caller, chatId, "chat.send"),
  "a new task": ({ userId, keyId: apiKeyId }, { projectId }) =>
    startTask(startDeps(db), messageToAgent({ userId, apiKeyId, projectId })),
  "a message to a chat": ({ userId, keyId: apiKeyId }, { projectId, chatId: id }) =>
    startTask(startDeps(db), messageToAgent({ userId, apiKeyId, projectId, chat: { kind: "named", id } })),
};

/** The projects that the caller lists, and those of its tasks. */
const seen = async (caller: KeyCaller) => ({
  projects: new Set((await listProjects({ db }, caller, {})).map(({ id }) => id)),
  tasks: new Set((await listTasks({ db }, caller, ALL, PAGE)).items.map(({ projectId }) => projectId)),
});

describe("an app that a person has allowed in one team", () => {
  it.each(Object.entries(WAYS))("does not find %s of another team, which a key does", async (_, way) => {
    const { app, program, own, employers } = await newMoonlighter();
    await way(program, employers);
    await expect(way(app, employers)).rejects.toMatchObject({ code: "not_found" });
    await way(app, own);
  });

  it("lists projects and tasks of that team alone, where a key lists those of all teams", async () => {
    const { app, program, own, employers } = await newMoonlighter();
    const [one, both] = [new Set([own.projectId]), new Set([own.projectId, employers.projectId])];
    expect(await seen(app)).toEqual({ projects: one, tasks: one });
    expect(await seen(program)).toEqual({ projects: both, tasks: both });
  });

  it("lists no chat that others share in another team, which a key does", async () => {
    const { app, program, employers, employer } = await newMoonlighter();
    const { projectId } = employers;
    const { chatId } = await startTask(startDeps(db), messageToAgent({ userId: employer.id, projectId }));
    await db.update(chats).set({ isShared: true }).where(eq(chats.id, chatId));
    const shared = async (caller: KeyCaller) =>
      (await listChats({ db }, caller, { limit: 100, offset: 0, withShared: true })).filter(
        ({ id }) => id === chatId,
      );
    expect(await shared(program)).toHaveLength(1);
    expect(await shared(app)).toEqual([]);
  });

  it("is bound to it also where it acts later, as its tasks do", async () => {
    const { app, employers } = await newMoonlighter();
    const later = await callerFor({ db }, { userId: app.userId, apiKeyId: app.keyId });
    await expect(requireProject({ db }, later, employers.projectId, "file.read")).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
