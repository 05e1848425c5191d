import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { PLATFORMS } from "../../channels/channel.ts";
import { users } from "./accounts.ts";
import { externalApiKeys } from "./api-keys.ts";
import { channelConfigs } from "./channels.ts";
import { agents, EDIT_MODES } from "./chats.ts";
import { at, createdAt, id } from "./columns.ts";
import { projects } from "./projects.ts";

/** When a schedule is due: by a cron expression, every so many minutes, or once. */
export type ScheduleTiming =
  /** Five fields of numbers, read in the schedule's time zone. */
  | { kind: "cron"; cron: string }
  /** Minutes that pass between runs, counted from an anchor. */
  | { kind: "interval"; minutes: number }
  /** ISO 8601, UTC. */
  | { kind: "once"; at: string };

export const CATCH_UPS = ["once", "skip"] as const;
export const OVERLAPS = ["skip", "queue", "allow"] as const;

/** A prompt that runs on a clock. Its next moment is due when `nextRunAt` has come. */
export const schedules = pgTable(
  "schedules",
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Null once the project is deleted. */
    projectId: uuid().references(() => projects.id, { onDelete: "set null" }),
    /** Null for the project's default agent. */
    agentId: uuid().references(() => agents.id, { onDelete: "set null" }),
    /** The key whose task made the schedule: its runs have the rights of the key. Null if a person made it. */
    apiKeyId: uuid().references(() => externalApiKeys.id, { onDelete: "cascade" }),
    name: text().notNull(),
    /** As it was written. */
    schedule: text().notNull(),
    /** The five fields of a cron expression; of a one-shot its moment. */
    normalizedCron: text().notNull(),
    /** What the text says, as `domain/schedules/expressions` has it. */
    timing: jsonb().$type<ScheduleTiming>().notNull(),
    /** IANA name. */
    timezone: text().notNull(),
    /** Moment that intervals are counted from. */
    anchorAt: at().notNull(),
    promptTemplate: text().notNull(),
    /** Targets, as they were written. */
    deliver: text().notNull(),
    editMode: text({ enum: EDIT_MODES }).notNull(),
    catchUp: text({ enum: CATCH_UPS }).notNull().default("once"),
    overlap: text({ enum: OVERLAPS }).notNull().default("skip"),
    /** Runs after which the schedule ends; null for none. */
    repeat: integer(),
    /** The chat of a platform that the schedule was made in. */
    originPlatform: text({ enum: PLATFORMS }),
    originChatId: text(),
    originChatType: text({ enum: ["dm", "group"] }),
    originThreadId: text(),
    originConfigId: uuid().references(() => channelConfigs.id, { onDelete: "set null" }),
    isActive: boolean().notNull().default(true),
    /** Why the service paused the schedule, as a sentence; null if a person did. */
    pausedReason: text(),
    /** Null when nothing is to come. */
    nextRunAt: at(),
    /** Until when a tick that has read the row may work on it. */
    claimedUntil: at(),
    runsCompleted: integer().notNull().default(0),
    failuresInRow: integer().notNull().default(0),
    lastRunAt: at(),
    lastStatus: text(),
    lastError: text(),
    lastTaskId: uuid(),
    createdAt: createdAt(),
    updatedAt: at(),
  },
  (table) => [
    index("schedules_user").on(table.userId, table.createdAt, table.id),
    index("schedules_due")
      .on(table.nextRunAt)
      .where(sql`${table.isActive}`),
    index("schedules_project").on(table.projectId),
    index("schedules_agent").on(table.agentId),
    index("schedules_key").on(table.apiKeyId),
    index("schedules_origin").on(table.originConfigId),
  ],
);

export const RUN_STATUSES = ["enqueued", "waiting", "running", "success", "failed", "skipped"] as const;

/** What became of one target of a run's result. */
export interface RunDelivery {
  /** As in `deliver`. */
  target: string;
  /** The outbox has the message, the result stays in the project's chat, or there is no such target. */
  status: "stored" | "in_app" | "failed";
  /** Why there is no such target, as a sentence. */
  error?: string;
}

/** One run of a schedule: for a moment of its clock, or by hand. A moment has one row, which is stored before anything runs. */
export const scheduleRuns = pgTable(
  "schedule_runs",
  {
    id: id(),
    scheduleId: uuid()
      .notNull()
      .references(() => schedules.id, { onDelete: "cascade" }),
    /** The moment of the clock; null for a run by hand. */
    scheduledFor: at(),
    /** Whether it began much later than its moment. */
    isLate: boolean().notNull().default(false),
    /** Later moments that this run stands for as well, because the service was off. */
    missed: integer().notNull().default(0),
    status: text({ enum: RUN_STATUSES }).notNull(),
    /** The task's id, chosen before the task is stored so that a repetition finds it. */
    taskId: uuid().notNull(),
    /** Why it failed or was skipped, as a sentence. */
    error: text(),
    /** Whether the agent had nothing to say: its answer was `[SILENT]`. */
    isSilent: boolean().notNull().default(false),
    /** In the order of the targets; null until the run has ended. */
    deliveries: jsonb().$type<readonly RunDelivery[]>(),
    /** When its task was stored. */
    startedAt: at(),
    finishedAt: at(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("schedule_runs_moment_unique").on(table.scheduleId, table.scheduledFor),
    uniqueIndex("schedule_runs_task_unique").on(table.taskId),
    index("schedule_runs_page").on(table.scheduleId, table.id),
  ],
);
