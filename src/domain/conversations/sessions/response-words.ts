import type { ApprovalResponse } from "#src/domain/agent-work/approvals/index.ts";

/** What a person is told of the answer that they gave. */
export const RESPONSE_WORDS: Readonly<Record<ApprovalResponse, string>> = {
  allow_once: "Allowed once",
  allow_all: "Allowed in this chat",
  stop: "Denied",
  accept: "Answered",
  decline: "Declined",
  cancel: "Not answered",
};

/** Whether a text names an answer. */
export function isResponse(text: string): text is ApprovalResponse {
  return Object.hasOwn(RESPONSE_WORDS, text);
}
