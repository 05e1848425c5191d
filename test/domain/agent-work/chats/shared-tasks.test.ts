import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { Conversation } from "#durable-objects/project-sockets/chat/conversation.ts";
import type { TaskFeeds } from "#durable-objects/project-sockets/chat/task-feeds.ts";
import type { Connection } from "#durable-objects/project-sockets/connection.ts";
import { chats, sessions, tasks, teamMemberships, users } from "#src/db/schema/index.ts";
import {
  listChatsOfProject,
  liveTasks,
  moveChat,
  requireTask,
  undoTurn,
  updateChat,
} from "#src/domain/agent-work/chats/index.ts";
import { stopTasksOf } from "#src/domain/agent-work/tasks/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Services } from "#src/services.ts";
import { newMember, newProject, newTeam, type Colleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";
import { storeTask } from "#test/support/stored-task.ts";

const { db } = await fileDatabase();
const team = await newTeam(db);

/** A running task of the team's owner, in a chat that is shared. */
async function sharedTask() {
  const { taskId, chatId } = await storeTask(
    db,
    { id: team.owner.id, defaultTeamId: team.id },
    { status: "running" },
  );
  const [chat] = await db.update(chats).set({ isShared: true }).where(eq(chats.id, chatId)).returning();
  if (!chat) throw new Error("There is no chat");
  return { taskId, chatId, projectId: chat.projectId };
}

/** What a socket of this person, open since before, is sent of the tasks that run in a project. */
async function sentTo({ caller }: Colleague, projectId: string): Promise<unknown[]> {
  const sent: unknown[] = [];
  const { userId, sessionId } = caller;
  await db
    .insert(sessions)
    .values({
      id: sessionId,
      userId,
      userAgent: "",
      ipAddress: "",
      expiresAt: new Date(Date.now() + 3_600_000),
    })
    .onConflictDoNothing();
  let state: Connection["state"] = {
    kind: "conversation",
    userId,
    standing: { kind: "user", userId, sessionId },
    shared: true,
    checkedAt: Date.now(),
    terminal: null,
    log: null,
    following: [],
  };
  const connection = partOf<Connection>({
    isOpen: true,
    get state() {
      return state;
    },
    keep: (change: Partial<Connection["state"]>) => void (state = { ...state, ...change }),
    send: (frame: unknown) => void sent.push(frame),
    tell: (error: unknown) => void sent.push(error),
  });
  const feeds = partOf<TaskFeeds>({ join: () => sent.push("joined") });
  const conversation = new Conversation(connection, projectId, partOf<Services>({ db }), feeds);
  const running = await liveTasks(db, projectId, { userIds: [userId], named: [], withShared: true });
  for (const task of running) await conversation.follow(task);
  return sent;
}

it("a socket that is open shows a member what others do in a shared chat, from the message on", async () => {
  const { taskId, projectId } = await sharedTask();
  const sent = await sentTo(await newMember(db, team.id, "viewer"), projectId);
  expect(sent).toEqual([expect.objectContaining({ task_id: taskId }), "joined"]);
});

it.each([
  ["a member who was removed", false],
  ["an administrator of the installation who was removed", true],
])("an open socket of %s is sent nothing of a shared chat", async (_, isSuperuser) => {
  const { projectId } = await sharedTask();
  const former = await newMember(db, team.id, "editor");
  await db.update(users).set({ isSuperuser }).where(eq(users.id, former.id));
  await db.delete(teamMemberships).where(eq(teamMemberships.userId, former.id));
  expect(await sentTo(former, projectId)).toEqual([]);
});

it("a chat that was moved and shared there stays closed to the people of its old project, with its tasks", async () => {
  const { taskId, chatId, projectId } = await sharedTask();
  const reader = await newMember(db, team.id, "editor");
  expect((await requireTask({ db }, reader.caller, taskId, "chat.view")).id).toBe(taskId);
  const elsewhere = await newProject(db, team.owner);
  await db.update(chats).set({ projectId: elsewhere.id }).where(eq(chats.id, chatId));
  for (const scope of ["chat.view", "chat.send"] as const) {
    await expect(requireTask({ db }, reader.caller, taskId, scope)).rejects.toThrow("Task not found");
  }
  expect(await sentTo(reader, projectId)).toEqual([]);
  const userIds = [reader.id];
  expect(await liveTasks(db, projectId, { userIds, named: [taskId], withShared: true })).toEqual([]);
  expect((await requireTask({ db }, team.owner.caller, taskId, "chat.view")).id).toBe(taskId);
});

it("a private chat beside a shared one is in no list of others", async () => {
  const { chatId, projectId } = await sharedTask();
  await db.insert(chats).values({ id: newId(), userId: team.owner.id, projectId, origin: "browser" });
  const listed = async ({ caller }: Colleague) => {
    const page = { limit: 10, offset: 0, withShared: true };
    return (await listChatsOfProject({ db }, caller, projectId, page)).map(({ id }) => id);
  };
  expect(await listed(await newMember(db, team.id, "admin"))).toEqual([chatId]);
  expect(await listed(team.owner)).toHaveLength(2);
});

/** Services that stop tasks, and which they were asked to stop. */
const stopped: string[] = [];
const deps = partOf<Services>({
  db,
  taskLogs: partOf({
    open: async () => {},
    requestStop: async (taskId: string) => {
      stopped.push(taskId);
      return "closed" as const;
    },
  }),
});

/** The task of an editor that waits in the chat of the owner, which the chat's row knows of. */
async function taskOfEditor() {
  const { taskId, chatId, projectId } = await sharedTask();
  const editor = await newMember(db, team.id, "editor");
  await db.update(tasks).set({ userId: editor.id, status: "queued" }).where(eq(tasks.id, taskId));
  await db
    .update(chats)
    .set({ unfinishedTasks: [taskId] })
    .where(eq(chats.id, chatId));
  return { taskId, chatId, projectId, editor };
}

it("who makes a chat private again, after that ended half way, stops the tasks of others", async () => {
  const { taskId, chatId } = await taskOfEditor();
  await db.update(chats).set({ isShared: false }).where(eq(chats.id, chatId));
  await updateChat(deps, team.owner.caller, chatId, { isShared: false });
  expect(stopped).toContain(taskId);
});

it("a task in the chat of another person loses its access with the sharing, and not before", async () => {
  const { taskId, chatId, projectId } = await taskOfEditor();
  await stopTasksOf(deps, { projectId });
  expect(stopped).not.toContain(taskId);
  await db.update(chats).set({ isShared: false }).where(eq(chats.id, chatId));
  await stopTasksOf(deps, { projectId });
  expect(stopped).toContain(taskId);
});

it("an archived chat is neither moved nor undone while an agent works in it", async () => {
  const { chatId } = await taskOfEditor();
  await db.update(chats).set({ status: "archived" }).where(eq(chats.id, chatId));
  const elsewhere = await newProject(db, team.owner);
  const { caller } = team.owner;
  const change = partOf<Parameters<typeof undoTurn>[0]>({ db });
  await expect(moveChat({ db }, caller, chatId, elsewhere.id)).rejects.toThrow("agent is working");
  await expect(undoTurn(change, caller, chatId, { isForced: false })).rejects.toThrow("agent is working");
});
