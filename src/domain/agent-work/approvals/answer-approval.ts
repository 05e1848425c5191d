import { asMember, authorize, type UserCaller } from "#src/domain/access/permissions/index.ts";
import { viewerOf } from "#src/domain/workspaces/projects/index.ts";
import { goOn } from "#src/domain/agent-work/tasks/index.ts";
import { isDeepStrictEqual as isEqual } from "node:util";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { GivenAnswers } from "#src/wire/asked-input.ts";
import { readAnswers } from "./read-answers.ts";
import { openAnswers, sealAnswers } from "./sealed-answers.ts";
import { answerApprovalRow, approvalWithRole, type Approval, type ApprovalResponse } from "./queries.ts";

/** Refusal of an API key that answers an approval: see docs/decisions/0017-approvals.md. */
export const PEOPLE_ANSWER = "Only people may answer an approval: API keys cannot";

export interface AnswerDeps {
  db: Db;
  taskLogs: TaskLogs;
  queue: Queue;
  secrets: Pick<Secrets, "encrypt" | "decrypt">;
}

/** What a person answers; a denial may have a reason, which the model reads. */
export interface Answer {
  approvalId: string;
  response: ApprovalResponse;
  /** With `accept`: the answers to the form of a server. */
  content?: Readonly<Record<string, unknown>> | undefined;
  reason?: string | undefined;
}

/**
 * Records a person's answer to an approval and resumes the task, whose id is returned, through the queue. Any person who may write in the
 * project's chats can answer, but only the task's own person what a server asks. Idempotent; a form's answers are compared until the task ends. Throws `invalid_input` for an answer that does
 * not fit the question, `not_found` for an approval that the caller cannot see, `forbidden` when
 * the role does not suffice, and `conflict` when the approval has another answer or is no longer pending.
 */
export async function answerApproval(
  deps: AnswerDeps,
  caller: UserCaller,
  answer: Answer,
): Promise<{ taskId: string }> {
  const { approvalId: id } = answer;
  const find = async () =>
    isId(id) ? (await approvalWithRole(deps.db, id, viewerOf(asMember(caller))))[0] : undefined;
  const row = await find();
  if (!row) throw new AppError("not_found", "Approval not found");
  authorize(caller, "chat.send", { role: row.role, projectId: row.project.id }, "Approval not found");
  if (row.approval.asked && row.task.userId !== caller.userId) {
    throw new AppError("forbidden", "Only the person who started the task answers what a server asks");
  }
  const { response, reason, answers } = fitting(row.approval, answer);
  const encryptedAnswers = await sealAnswers(deps, answers);
  const { userId } = caller;
  if (!(await answerApprovalRow(deps.db, { id, response, reason, encryptedAnswers, userId }))) {
    const now = (await find())?.approval;
    const given = responseOf(now);
    const isSame = async () => isEqual(await openAnswers(deps, now?.encryptedAnswers ?? null), answers);
    if (given !== response || !(await isSame())) {
      throw new AppError("conflict", tooLate(now, given));
    }
  }
  const { taskId } = row.approval;
  await goOn(deps, { id: taskId, userId: row.task.userId });
  return { taskId };
}

/** Why an answer comes too late. */
function tooLate(approval: Approval | undefined, given: ApprovalResponse | null): string {
  // A question that its server waits for no longer is cancelled by nobody.
  if (approval?.asked && (given === null || approval.answeredBy === null))
    return "The server no longer waits for an answer to this question";
  return given ? `This approval was already answered: ${given}` : "This approval is no longer pending";
}

/** The answer as it is stored. Throws `invalid_input` for one that does not fit what is asked. */
function fitting(
  { asked }: Pick<Approval, "asked">,
  { response, reason, content }: Answer,
): { response: ApprovalResponse; reason: string | null; answers: GivenAnswers | null } {
  if (!asked) {
    if (FOR_SERVERS.has(response)) {
      throw new AppError("invalid_input", "This asks about a call: answer allow_once, allow_all or stop");
    }
    return { response, reason: (response === "stop" && reason?.trim()) || null, answers: null };
  }
  // What clients say that know only calls.
  if (response === "stop") return { response: "decline", reason: null, answers: null };
  if (!FOR_SERVERS.has(response)) {
    throw new AppError("invalid_input", "A server asks for input: answer accept, decline or cancel");
  }
  if (response !== "accept") return { response, reason: null, answers: null };
  const read = readAnswers(asked, content);
  if ("problem" in read) throw new AppError("invalid_input", read.problem);
  return { response, reason: null, answers: asked.mode === "form" ? read.answers : null };
}

const FOR_SERVERS: ReadonlySet<ApprovalResponse> = new Set(["accept", "decline", "cancel"]);

/** The answer that was given to an approval; null while there is none. */
export function responseOf(approval: Pick<Approval, "response"> | undefined): ApprovalResponse | null {
  const response = approval?.response ?? null;
  return response === "stop_because" ? "stop" : response;
}
