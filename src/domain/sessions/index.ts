export { endSession } from "./end-session.ts";
export { revokeSessionsOfUser } from "./queries.ts";
export { refreshSession } from "./refresh-session.ts";
export { startSession, type Client, type Session, type SessionDeps } from "./start-session.ts";
