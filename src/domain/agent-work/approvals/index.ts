export { answerApproval, PEOPLE_ANSWER, responseOf } from "./answer-approval.ts";
export { declineByMessage } from "./decline-by-message.ts";
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
export { readApproval, type OpenedApproval } from "./read-approval.ts";
export { requestApproval, type DangerousCall, type Verdict } from "./request-approval.ts";
export { sweepApprovals } from "./sweep-approvals.ts";
