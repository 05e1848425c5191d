export {
  createSchedule,
  deleteSchedule,
  listSchedules,
  MAX_PROMPT_CHARS,
  pauseSchedule,
  requireOrigin,
  requireSchedule,
  resumeSchedule,
  updateSchedule,
  type ScheduleDeps,
  type ScheduleOrigin,
  type ScheduleInput,
  type SettingsChange,
} from "./manage-schedules.ts";
export { activeSchedules, chatOfTask, type FoundSchedule, type Schedule } from "./queries.ts";
