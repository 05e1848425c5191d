export { openSession, type ShellDeps } from "./open-session.ts";
export type { ShellSession } from "./queries.ts";
export { requireSession } from "./require-session.ts";
export { sweepSessions } from "./sweep-sessions.ts";
export {
  abandonSession,
  listTargets,
  noteTerminal,
  recordEnd,
  resumeSession,
  startForTerminal,
  type TerminalTarget,
} from "./terminal.ts";
export { closeSession, listSessions, readNewOutput, writeToSession } from "./use-session.ts";
