export {
  answerApproval,
  PEOPLE_ANSWER,
  responseOf,
  type Answer,
  type AnswerDeps,
} from "./answer-approval.ts";
export { declineByMessage } from "./decline-by-message.ts";
export { contentOfText, formLines, howToFillIn } from "./form-text.ts";
export {
  isAsking,
  MOST_APPROVALS,
  openApprovals,
  openApprovalsFor,
  REASON_CHARS,
  type Approval,
  type ApprovalPage,
  type ApprovalResponse,
} from "./queries.ts";
export { requestInput, withdrawInput, withdrawInputs, type InputVerdict } from "./request-input.ts";
export { readApproval, type OpenedApproval } from "./read-approval.ts";
export { requestApproval, type DangerousCall, type Verdict } from "./request-approval.ts";
export { sweepApprovals } from "./sweep-approvals.ts";
