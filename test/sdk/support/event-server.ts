import type http from "node:http";
import { serve } from "#local/serve.ts";

/** What a server does with one request for events. `last` is the id after which the client asks. */
export type Answerer = (
  response: http.ServerResponse,
  last: number,
  request: http.IncomingMessage,
) => void | Promise<void>;

export interface EventServer {
  url: string;
  /** The ids after which the client asked, one for each connection. */
  asked: number[];
  close(): Promise<void>;
}

/** A server of event streams. */
export async function startEventServer(answer: Answerer): Promise<EventServer> {
  const asked: number[] = [];
  const { url, close } = await serve(async (request, response) => {
    const last = Number(new URL(request.url ?? "", "http://server").searchParams.get("last_event_id") ?? 0);
    asked.push(last);
    await answer(response, last, request);
  });
  return { url, asked, close };
}

/** An event as the service frames it. */
export function frame(id: number, data: object): string {
  const type = "type" in data ? String(data.type) : "";
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A whole stream: a heartbeat, texts in several scripts and sizes, and the end. */
export function framesOfTask(): string[] {
  const events = [
    { type: "task_started", data: { task_id: "t" } },
    { type: "text_delta", content: "Größe: 漢字 🙂\n\nid: 9\ndata: no event", data: { content: "" } },
    { type: "from_the_future", data: { field: [1, 2, 3] } },
    { type: "complete", status: "completed", response: "Done.", data: {} },
    { type: "done", task_id: "t", status: "completed", response: "Done.", data: { task_id: "t" } },
  ];
  return events.map((event, index) => frame(index + 1, event));
}

export function beginStream(response: http.ServerResponse): http.ServerResponse {
  return response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
}

/** Sends these bytes and breaks the connection, so that the response lacks its end. */
export async function cut(response: http.ServerResponse, bytes: Uint8Array): Promise<void> {
  beginStream(response);
  response.flushHeaders();
  if (bytes.length > 0) await new Promise((resolve) => response.write(bytes, resolve));
  response.socket?.end();
}
