export { advanceSession, type ConversationDeps } from "./advance-session.ts";
export { confirmPairing } from "./confirm-pairing.ts";
