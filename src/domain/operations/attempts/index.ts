export { beginAttempt, type Attempt, type AttemptKind } from "./begin-attempt.ts";
