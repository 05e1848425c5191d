import { requireAgent } from "#src/domain/agent-work/agents/index.ts";
import type { EditMode } from "#src/domain/agent-work/tasks/index.ts";
import type { Platform } from "#src/channels/channel.ts";
import { chatTypeOfId } from "#src/channels/chat-type.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Caller } from "#src/domain/access/permissions/index.ts";
import { nextRun, parseSchedule, requireTimezone } from "#src/domain/schedules/expressions/index.ts";
import { originChat, requireTargets } from "#src/domain/schedules/targets/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isGuid, newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import {
  activateSchedule,
  changeSchedule,
  insertSchedule,
  removeSchedule,
  scheduleOf,
  schedulesOf,
  type FoundSchedule,
  type Schedule,
} from "./queries.ts";

export interface ScheduleDeps {
  db: Db;
  config: CeilingConfig<"schedules" | "active_schedules">;
}

/** What a schedule is about and when it runs. */
interface Settings {
  name: string;
  schedule: string;
  timezone: string;
  promptTemplate: string;
  agentId: string | null;
  deliver: string;
  /** Null for no end. */
  repeat: number | null;
  editMode: EditMode;
  catchUp: Schedule["catchUp"];
  overlap: Schedule["overlap"];
}

/** The chat of a platform that a schedule is made in; nulls for none. */
export type ScheduleOrigin = Pick<
  Schedule,
  "originPlatform" | "originConfigId" | "originChatId" | "originChatType" | "originThreadId"
>;

export interface ScheduleInput extends Settings {
  projectId: string;
  origin: ScheduleOrigin | undefined;
}

/** Fields that are undefined stay as they are. */
export type SettingsChange = { [Field in keyof Settings]?: Settings[Field] | undefined };

/** Largest prompt, in characters. What is longer belongs in a file of the project. */
export const MAX_PROMPT_CHARS = 20_000;

const MISSING = "Schedule not found";

/** A page of a person's schedules, newest first. */
export function listSchedules(
  { db }: { db: Db },
  { userId }: Pick<Caller, "userId">,
  filter: Parameters<typeof schedulesOf>[2],
): Promise<FoundSchedule[]> {
  return schedulesOf(db, userId, filter);
}

/** Throws `not_found`, also for another person's schedule. */
export async function requireSchedule(
  { db }: { db: Db },
  { userId }: Pick<Caller, "userId">,
  id: string,
): Promise<FoundSchedule> {
  const found = isGuid(id) ? await scheduleOf(db, userId, id) : undefined;
  if (!found) throw new AppError("not_found", MISSING);
  return found;
}

/**
 * Stores a schedule, which is active at once. Throws `invalid_input` for a text, time zone or target that is none, and for
 * what never comes; `rate_limited` for a person with the most active schedules, `invalid_input` for one with the most of all;
 * and as `requireProject` (permission `project.edit`) and `requireAgent` do.
 */
export async function createSchedule(
  deps: ScheduleDeps,
  caller: Caller,
  input: ScheduleInput,
): Promise<Schedule> {
  const { origin, projectId, ...settings } = input;
  const project = await requireProject(deps, caller, projectId, "project.edit");
  if (settings.agentId !== null) await requireAgent(deps.db, project.teamId, settings.agentId);
  requireTargets(settings.deliver);
  const now = new Date();
  return insertSchedule(deps, {
    id: newId(),
    userId: caller.userId,
    apiKeyId: caller.kind === "key" ? caller.keyId : null,
    projectId: project.id,
    ...settings,
    ...clockOf(settings, now),
    ...(settings.repeat === null && isOnce(settings.schedule, settings.timezone, now) && { repeat: 1 }),
    ...origin,
  });
}

/** The columns that follow from a text and its zone. `nextRunAt` is the first moment after now. */
function clockOf({ schedule, timezone }: Pick<Settings, "schedule" | "timezone">, now: Date) {
  const zone = requireTimezone(timezone);
  const { timing, normalized } = parseSchedule(schedule, { timezone: zone, now });
  const nextRunAt = nextRun(timing, { timezone: zone, after: now, anchor: now });
  if (!nextRunAt) throw new AppError("invalid_input", "This moment has passed, or never comes");
  return { timing, normalizedCron: normalized, timezone: zone, anchorAt: now, nextRunAt };
}

/** What another text says about the number of runs; undefined for nothing. */
function impliedRepeat({ timing, repeat, runsCompleted }: Schedule, isOnceNow: boolean) {
  if (isOnceNow) return 1 + runsCompleted;
  const wasImplied = timing.kind === "once" && repeat !== null && repeat <= 1 + runsCompleted;
  return wasImplied ? null : undefined;
}

function isOnce(schedule: string, timezone: string, now: Date): boolean {
  return parseSchedule(schedule, { timezone, now }).timing.kind === "once";
}

/** Changes a schedule. What a run in progress does stays as it began. Throws as `requireSchedule` and `createSchedule` do. */
export async function updateSchedule(
  deps: ScheduleDeps,
  caller: Caller,
  id: string,
  change: SettingsChange,
): Promise<Schedule> {
  const { schedule: before } = await requireSchedule(deps, caller, id);
  if (change.agentId) {
    if (before.projectId === null) throw new AppError("not_found", "Project not found");
    const project = await requireProject(deps, caller, before.projectId, "project.edit");
    await requireAgent(deps.db, project.teamId, change.agentId);
  }
  if (change.deliver !== undefined) requireTargets(change.deliver);
  const clock = change.schedule !== undefined || change.timezone !== undefined;
  const { schedule = before.schedule, timezone = before.timezone } = change;
  const now = new Date();
  const repeat =
    clock && change.repeat === undefined ? impliedRepeat(before, isOnce(schedule, timezone, now)) : undefined;
  const changed = await changeSchedule(deps.db, caller.userId, id, {
    ...change,
    ...(repeat !== undefined && { repeat }),
    ...(clock && clockOf({ schedule, timezone }, now)),
  });
  if (!changed) throw new AppError("not_found", MISSING);
  return changed;
}

/** Pauses a schedule. A run in progress goes on. Idempotent. Throws as `requireSchedule` does. */
export async function pauseSchedule(deps: { db: Db }, caller: Caller, id: string): Promise<Schedule> {
  await requireSchedule(deps, caller, id);
  const paused = await changeSchedule(deps.db, caller.userId, id, { isActive: false, pausedReason: null });
  if (!paused) throw new AppError("not_found", MISSING);
  return paused;
}

/**
 * Resumes a paused schedule from now on: nothing that it missed is made up for. A schedule that had ended by `repeat` begins
 * to count anew. Throws as `requireSchedule` does, `rate_limited` for a person with the most active schedules, and
 * `invalid_input` for a moment that has passed.
 */
export async function resumeSchedule(deps: ScheduleDeps, caller: Caller, id: string): Promise<Schedule> {
  const { schedule } = await requireSchedule(deps, caller, id);
  if (schedule.isActive) return schedule;
  const now = new Date();
  const { timing, timezone, anchorAt: anchor, repeat, runsCompleted } = schedule;
  const nextRunAt = nextRun(timing, { timezone, after: now, anchor });
  if (!nextRunAt)
    throw new AppError("invalid_input", "This moment has passed: give the schedule another one");
  const isOver = repeat !== null && runsCompleted >= repeat;
  const change = { nextRunAt, failuresInRow: 0, ...(isOver && { runsCompleted: 0 }) };
  const resumed = await activateSchedule(deps, schedule, change);
  if (!resumed) throw new AppError("not_found", MISSING);
  return resumed;
}

/** Deletes a schedule and its history; the chats of its runs stay. Throws as `requireSchedule` does. */
export async function deleteSchedule(deps: { db: Db }, caller: Caller, id: string): Promise<void> {
  const isThere = isGuid(id) && (await removeSchedule(deps.db, caller.userId, id));
  if (!isThere) throw new AppError("not_found", MISSING);
}

/**
 * Checks the origin that a caller names. Undefined without one. Throws `not_found` for a chat that the caller may not have
 * results sent to, and `invalid_input` for one of another platform.
 */
export async function requireOrigin(
  { db }: { db: Db },
  caller: Caller,
  input: { platform: Platform | null; chatId: string | null; channelId: string | null; projectId: string },
): Promise<ScheduleOrigin | undefined> {
  const { platform, chatId, channelId, projectId } = input;
  if (platform === null && chatId === null && channelId === null) return undefined;
  if (channelId === null || chatId === null) {
    throw new AppError("invalid_input", "An origin needs both origin_config_id and origin_chat_id");
  }
  const found = await originChat(db, { userId: caller.userId, projectId }, { channelId, chatId });
  if (!found) throw new AppError("not_found", "Channel config not found");
  const { channelType } = found.channel;
  if (platform !== null && platform !== channelType) {
    throw new AppError("invalid_input", `origin_platform: the channel is one of ${channelType}`);
  }
  return {
    originPlatform: channelType,
    originConfigId: channelId,
    originChatId: chatId,
    originChatType: found.session?.platformChatType ?? chatTypeOfId(chatId),
    originThreadId: null,
  };
}
