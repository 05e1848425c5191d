export { endDue, isEndMailed, isMailed, ORIGINS, questionDue } from "./due.ts";
export { mailTaskEnd, mailTaskQuestion } from "./mail-task.ts";
