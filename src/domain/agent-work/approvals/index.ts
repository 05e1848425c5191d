export { answerApproval, PEOPLE_ANSWER } from "./answer-approval.ts";
export { declineByMessage } from "./decline-by-message.ts";
export { isAsking, openApprovals, type Approval, type ApprovalResponse } from "./queries.ts";
export { readApproval } from "./read-approval.ts";
export { requestApproval, type DangerousCall, type Verdict } from "./request-approval.ts";
export { sweepApprovals } from "./sweep-approvals.ts";
