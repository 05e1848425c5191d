import type { ServerResponse } from "node:http";
import { Refused, type McpStub } from "./mcp-stub.ts";

/** The parameters of a question of a server. */
export type Asked = Record<string, unknown>;

/** A form with a text that is required, a number, a switch, and choices. */
export const FORM: Asked = {
  message: "Where is it deployed?",
  requestedSchema: {
    type: "object",
    properties: {
      region: { type: "string", title: "Region", description: "As the provider names it", minLength: 2 },
      replicas: { type: "integer", minimum: 1, maximum: 9, default: 2 },
      isPublic: { type: "boolean", title: "Public" },
      size: {
        type: "string",
        oneOf: [
          { const: "s", title: "Small" },
          { const: "l", title: "Large" },
        ],
      },
    },
    required: ["region"],
  },
};

/** Lets a server of 2026-07-28 ask the next of these in each call until it has an answer to all of them. */
export function askInTurn(stub: McpStub, questions: readonly Asked[]): void {
  stub.instead["tools/call"] = ({ params }) => {
    const state = typeof params["requestState"] === "string" ? params["requestState"] : "0";
    const given = params["inputResponses"] === undefined ? 0 : Number(state) + 1;
    const next = questions[given];
    if (!next) {
      const text = JSON.stringify({ state, given: params["inputResponses"] });
      return { resultType: "complete", content: [{ type: "text", text }] };
    }
    const inputRequests = { [`q${given}`]: { method: "elicitation/create", params: next } };
    return { resultType: "input_required", inputRequests, requestState: String(given) };
  };
}

/** Lets a server of an older revision send a request in the middle of a call, and return its client's answer as the result. */
export function askMeanwhile(stub: McpStub, method: string, params: Asked): void {
  let open: { id: unknown; response: ServerResponse } | undefined;
  const send = (message: object) =>
    open?.response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
  stub.instead["tools/call"] = ({ id }, response) => {
    open = { id, response };
    response.writeHead(200, { "content-type": "text/event-stream" });
    send({ id: "asked", method, params });
  };
  stub.instead["answer"] = ({ params: answer }, response) => {
    response.writeHead(202).end();
    send({ id: open?.id, result: { content: [{ type: "text", text: JSON.stringify(answer) }] } });
    open?.response.end();
  };
}

/** Lets a server of 2025-11-25 refuse the first calls, so many times, until this was opened. */
export function refuseUntil(stub: McpStub, elicitation: Asked, times = 1): void {
  let left = times;
  stub.instead["tools/call"] = ({ params }) => {
    left -= 1;
    if (left >= 0) return new Refused(-32_042, "Open it first", { elicitations: [elicitation] });
    return { content: [{ type: "text", text: `Called: ${Object.keys(params).toSorted().join(" ")}` }] };
  };
}
