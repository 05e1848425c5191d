import type { ApprovalAnswer } from "../generated/types.gen.ts";
import type { ApprovalResponse } from "../live/chat.ts";
import type { Request } from "../http/request.ts";
import type { CallOptions, Query } from "../http/route.ts";

/** What is said with an answer. */
interface ApprovalWords {
  /** Of a `stop`. */
  reason?: string | null | undefined;
  /** Of an `accept`. */
  content?: Readonly<Record<string, unknown>> | undefined;
}

/** Dangerous calls that wait for a person. A key may see them; only a person answers. */
export function approvals(request: Request) {
  return {
    /** The calls that wait, of one project or of all, oldest first. */
    list: (query?: Query<"GET /api/chat/agent/approvals">, options?: CallOptions) =>
      request("GET", "/api/chat/agent/approvals", { ...options, query }),
    get: (approval: string, options?: CallOptions) =>
      request("GET", "/api/chat/agent/approvals/{approval}", { ...options, path: { approval } }),
    /** The agent reads the `reason` of a `stop`; an MCP server is given the `content` of an `accept`. */
    answer: (
      approval: string,
      response: ApprovalResponse,
      { reason, content, ...options }: CallOptions & ApprovalWords = {},
    ) =>
      request("POST", "/api/chat/agent/approval", {
        ...options,
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON leaves out what is undefined
        body: { approval_id: approval, response, reason, content } as ApprovalAnswer,
      }),
  };
}
