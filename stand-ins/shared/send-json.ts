import type http from "node:http";

/** Answers a control of a stand-in. */
export function sendJson(response: http.ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
    .end(JSON.stringify(body));
}
