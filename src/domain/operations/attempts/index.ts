export { beginAttempt, type Attempt } from "./begin-attempt.ts";
