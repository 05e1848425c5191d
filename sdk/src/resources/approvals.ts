import type { Request } from "../http/request.ts";
import type { CallOptions, Query } from "../http/route.ts";

/** Dangerous calls that wait for a person. A key may see them; only a person answers. */
export function approvals(request: Request) {
  return {
    /** The calls that wait, of one project or of all, oldest first. */
    list: (query?: Query<"GET /api/chat/agent/approvals">, options?: CallOptions) =>
      request("GET", "/api/chat/agent/approvals", { ...options, query }),
    get: (approval: string, options?: CallOptions) =>
      request("GET", "/api/chat/agent/approvals/{approval}", { ...options, path: { approval } }),
    /** The agent reads the `reason` of a `stop`. */
    answer: (
      approval: string,
      response: "allow_once" | "allow_all" | "stop",
      options: CallOptions & { reason?: string | null } = {},
    ) =>
      request("POST", "/api/chat/agent/approval", {
        ...options,
        body: { approval_id: approval, response, reason: options.reason ?? null },
      }),
  };
}
