export { endOtherSessions, endSession, listSessions, type ListedSession } from "./list-sessions.ts";
export { logOut } from "./log-out.ts";
export { endSessionsOfUser, sessionBeganWithin } from "./queries.ts";
export { refreshSession } from "./refresh-session.ts";
export {
  startSession,
  type Client,
  type Session,
  type SessionDeps,
  type SignInMethod,
} from "./start-session.ts";
