export { endDue, MAILED_ORIGINS, questionDue } from "./due.ts";
export { mailTaskEnd, mailTaskQuestion } from "./mail-task.ts";
export { isEndMailed, isMailed } from "./queries.ts";
