import type { StartTask } from "#src/domain/agent-work/tasks/index.ts";
import { FOLLOW_UPS } from "#src/follow-ups.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Services } from "#src/services.ts";
import { partOf } from "./part-of.ts";

/** For tests that are about something else. */
export const NO_AGENT_LIMITS = {
  USER_RATE_PER_MINUTE: 0,
  CHAT_RATE_PER_MINUTE: 0,
  USER_MAX_CONCURRENT_AGENTS: 0,
  PROJECT_MAX_CONCURRENT_AGENTS: 0,
  USER_ENQUEUE_RATE_PER_10S: 0,
};

/** No log of a task answers: a launch goes to the queue. */
export const NO_LAUNCHES = { launch: () => Promise.reject(new Error("No object answers")) };

/** What it takes to start tasks, with a queue that takes every message. Logs of tasks do not answer, so launches go there. */
export function startDeps(db: Db, limits: Partial<typeof NO_AGENT_LIMITS> = {}) {
  return partOf<Services>({
    db,
    config: { DEFAULT_MODEL: "demo", ...NO_AGENT_LIMITS, ...limits },
    modelSettings: { platformModels: ["demo"] },
    queue: { publish: async () => {} },
    taskLogs: NO_LAUNCHES,
    followUps: FOLLOW_UPS,
  });
}

/** What a program's message asks for when it asks for nothing in particular. */
export function messageToAgent(
  wish: Pick<StartTask, "userId" | "projectId"> & Partial<StartTask>,
): StartTask {
  return { message: "Hello", chat: { kind: "new" }, source: { kind: "api" }, ...wish };
}
