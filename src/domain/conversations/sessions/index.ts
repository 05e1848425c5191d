export { advanceLeft } from "./advance-left.ts";
export { advanceSession, type ConversationDeps } from "./advance-session.ts";
export { advanceSessions } from "./advance-sessions.ts";
export { confirmPairing } from "./confirm-pairing.ts";
