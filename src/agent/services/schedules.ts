import { EDIT_MODES } from "#src/db/schema/index.ts";
import { callerFor } from "#src/domain/access/permissions/index.ts";
import { findPlace, type FindDeps, type SendingTask } from "#src/domain/messaging/agent-messages/index.ts";
import {
  chatOfTask,
  createSchedule,
  deleteSchedule,
  listSchedules,
  pauseSchedule,
  requireSchedule,
  resumeSchedule,
  updateSchedule,
  type Schedule,
  type ScheduleDeps,
} from "#src/domain/schedules/definitions/index.ts";
import { describeTiming } from "#src/domain/schedules/expressions/index.ts";
import { requestRun, type TickDeps } from "#src/domain/schedules/runs/index.ts";
import { parseTargets } from "#src/domain/schedules/targets/index.ts";
import type { EditMode } from "#src/domain/agent-work/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";

/** What an agent says of a schedule; undefined fields are left as they are. */
export interface ScheduleFields {
  name?: string | undefined;
  schedule?: string | undefined;
  prompt?: string | undefined;
  deliver?: string | undefined;
  timezone?: string | undefined;
  repeat?: number | undefined;
}

/** A schedule as an agent sees it. */
export interface ScheduleLine {
  id: string;
  name: string;
  schedule: string;
  /** When it runs, in words. */
  description: string;
  timezone: string;
  deliver: string;
  is_active: boolean;
  next_run_at: string | null;
  last_status: string | null;
  last_error: string | null;
}

/** The schedules of a task's project that its user has; of a task that a key started, those that the key's tasks made. */
export interface AgentSchedules {
  /** Throws as `createSchedule` does, and `forbidden` for a target that the agent may not write to. */
  create(fields: ScheduleFields & { name: string; schedule: string; prompt: string }): Promise<ScheduleLine>;
  list(): Promise<ScheduleLine[]>;
  /** This and what follows throws `not_found` for a schedule that is not among them. */
  update(id: string, fields: ScheduleFields): Promise<ScheduleLine>;
  pause(id: string): Promise<ScheduleLine>;
  resume(id: string): Promise<ScheduleLine>;
  /** Has the schedule run soon. Returns the id that its task will have. */
  trigger(id: string): Promise<string>;
  remove(id: string): Promise<void>;
}

export type AgentScheduleDeps = ScheduleDeps & FindDeps & Pick<TickDeps, "queue">;

/** Schedules that an agent is shown. */
const LISTED = 100;

export function agentSchedules(
  deps: AgentScheduleDeps,
  task: SendingTask & { editMode: EditMode; agentId: string },
): AgentSchedules {
  const caller = () => callerFor(deps, task);
  const isOfTask = ({ projectId, apiKeyId }: Schedule) =>
    projectId === task.projectId && (task.apiKeyId === null || apiKeyId === task.apiKeyId);
  const open = async (id: string) => {
    const person = await caller();
    const { schedule } = await requireSchedule(deps, person, id);
    if (!isOfTask(schedule)) throw new AppError("not_found", "Schedule not found");
    return { person, schedule };
  };
  return {
    async create({ name, schedule, prompt, deliver = "origin", timezone = "UTC", repeat }) {
      await checkTargets(deps, task, deliver);
      const made = await createSchedule(deps, await caller(), {
        projectId: task.projectId,
        agentId: task.agentId,
        name,
        schedule,
        promptTemplate: prompt,
        deliver,
        timezone,
        repeat: repeat ?? null,
        // A run may do what the task may: a schedule is no way around the person's questions.
        editMode: task.editMode,
        catchUp: "once",
        overlap: "skip",
        origin: await chatOfTask(deps.db, task),
      });
      return lineOf(made);
    },
    async list() {
      const filter = { projectId: task.projectId, limit: LISTED, offset: 0 };
      const found = await listSchedules(deps, task, filter);
      return found
        .map(({ schedule }) => schedule)
        .filter(isOfTask)
        .map(lineOf);
    },
    async update(id, { prompt, deliver, ...fields }) {
      const { person, schedule } = await open(id);
      if (deliver !== undefined) await checkTargets(deps, task, deliver);
      // What the agent writes into it runs with no more than the task may do.
      const editMode = stricter(schedule.editMode, task.editMode);
      const change = { ...fields, deliver, promptTemplate: prompt, editMode };
      return lineOf(await updateSchedule(deps, person, id, change));
    },
    pause: async (id) => lineOf(await pauseSchedule(deps, (await open(id)).person, id)),
    resume: async (id) => lineOf(await resumeSchedule(deps, (await open(id)).person, id)),
    async trigger(id) {
      await open(id);
      return requestRun(deps, id);
    },
    async remove(id) {
      await deleteSchedule(deps, (await open(id)).person, id);
    },
  };
}

/** The one of two modes that allows less. */
function stricter(one: EditMode, other: EditMode): EditMode {
  return EDIT_MODES.indexOf(one) <= EDIT_MODES.indexOf(other) ? one : other;
}

/** An agent's schedule writes where its messages may go: a target may come from a text that a stranger wrote. */
async function checkTargets(deps: AgentScheduleDeps, task: SendingTask, deliver: string): Promise<void> {
  for (const target of parseTargets(deliver)) {
    if (target.kind === "chat") {
      await findPlace(deps, task, { platform: target.platform, target: target.chatId });
    }
  }
}

function lineOf(schedule: Schedule): ScheduleLine {
  return {
    id: schedule.id,
    name: schedule.name,
    schedule: schedule.schedule,
    description: describeTiming(schedule.timing, schedule.timezone),
    timezone: schedule.timezone,
    deliver: schedule.deliver,
    is_active: schedule.isActive,
    next_run_at: schedule.nextRunAt?.toISOString() ?? null,
    last_status: schedule.lastStatus,
    last_error: schedule.lastError,
  };
}
