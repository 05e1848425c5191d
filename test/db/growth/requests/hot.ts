import { keyByHash, userOfSession } from "#src/domain/access/permissions/queries.ts";
import { chatWithRole, latestChat } from "#src/domain/agent-work/chats/queries/chats.ts";
import { projectWithRole } from "#src/domain/workspaces/projects/queries/projects.ts";
import { attemptsOfTask, taskWithRole } from "#src/domain/agent-work/tasks/queries/find.ts";
import { claimTask } from "#src/domain/agent-work/tasks/queries/claim.ts";
import { endTask, storeTurn } from "#src/domain/agent-work/tasks/queries/run.ts";
import { insertTask } from "#src/domain/agent-work/tasks/queries/start.ts";
import { FOLLOW_UPS } from "#src/follow-ups.ts";
import { newId } from "#src/lib/ids.ts";
import type { ModelCall } from "#src/domain/metering/usage/model-call.ts";
import { keyHashOf, rowOf, waitingTaskOf, type Person } from "../people.ts";
import { STEP } from "../rows.ts";
import { callersOf, ofEachPerson, type Request } from "./request.ts";

/** Limits that add their part to the statement and are never reached. */
const LIMITS = {
  USER_MAX_CONCURRENT_AGENTS: 1000,
  PROJECT_MAX_CONCURRENT_AGENTS: 1000,
  USER_ENQUEUE_RATE_PER_10S: 1000,
};

const DEFAULTS = {
  agentId: "00000000-0000-0000-0000-000000000005",
  model: "demo",
  platformModels: ["demo"],
  editMode: "allow",
} as const;

const CALL: ModelCall = {
  purpose: "agent",
  number: 1,
  provider: "openai",
  model: "demo",
  inputTokens: 1000,
  outputTokens: 100,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  cost: { input: 1, output: 1 },
  isByok: false,
};

/** The statements of every task and of every request of a program. */
export const HOT: readonly Request[] = ofEachPerson((person) => [...reads(person), ...writes(person)]);

function reads(person: Person): Request[] {
  const { user, userId } = callersOf(person);
  const task = rowOf(person, "task", 1);
  const project = rowOf(person, "project", 1);
  const one = { isShort: "one row" };
  return [
    { ...one, name: "a key", run: (db) => keyByHash(db, { keyHash: keyHashOf(person) }) },
    { ...one, name: "a session", run: (db) => userOfSession(db, user) },
    { ...one, name: "a project", run: (db) => projectWithRole(db, project, user) },
    { ...one, name: "a project by its slug", run: (db) => projectWithRole(db, `p${person.from}-1`, user) },
    { ...one, name: "a chat", run: (db) => chatWithRole(db, rowOf(person, "chat", 1), user) },
    { name: "the latest chat", run: (db) => latestChat(db, userId, project, "browser") },
    {
      ...one,
      name: "a task's status",
      run: (db) =>
        db.batch([
          keyByHash(db, { keyHash: keyHashOf(person) }),
          taskWithRole(db, { taskId: task }),
          attemptsOfTask(db, { taskId: task }),
        ]),
    },
  ];
}

function writes(person: Person): Request[] {
  const { userId } = callersOf(person);
  const insert = (chat: "new" | "latest") => (db: Parameters<Request["run"]>[0]) =>
    insertTask(
      db,
      {
        id: newId(),
        newChatId: newId(),
        messageId: newId(),
        idempotency: { key: newId(), requestHash: "hash" },
        userId,
        isSuperuser: false,
        apiKeyId: rowOf(person, "key", 1),
        scopes: null,
        projectId: rowOf(person, "project", 1),
        message: "What is to be done?",
        agentId: undefined,
        model: undefined,
        editMode: undefined,
        maxIterations: undefined,
        chat: { kind: chat },
        attachmentIds: [],
        messageMetadata: null,
        webhookUrl: undefined,
        origin: "api",
        source: { kind: "api" },
      },
      DEFAULTS,
      LIMITS,
    );
  const turn = (n: number) => ({
    taskId: waitingTaskOf(person, n),
    generation: 1,
    iterations: 1,
    toolCalls: 0,
    turn: STEP,
    call: CALL,
  });
  const one = { isShort: "one row" };
  return [
    { ...one, name: "invoke", run: insert("new") },
    { ...one, name: "a message to the latest chat", run: insert("latest") },
    { ...one, name: "claim a task", run: (db, n) => claimTask(db, waitingTaskOf(person, n), 1) },
    { ...one, name: "store a turn", run: (db, n) => storeTurn(db, turn(n)) },
    {
      ...one,
      name: "finish a task",
      run: (db, n) =>
        endTask(
          { db, followUps: FOLLOW_UPS },
          { ...turn(n), iterations: 2 },
          { status: "completed", response: "It is done.", completionReason: "final", error: null },
        ),
    },
  ];
}
