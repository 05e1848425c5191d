import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Model, ModelEvent, ModelMessage, ModelRequest } from "#src/models/model.ts";
import { rawServer } from "#test/models/raw-server.ts";

export interface ModelWire {
  name: string;
  /** A model at the server with this origin. */
  connect: (origin: string) => Model;
  /** The frames with which an answer begins on this wire, up to and with the text `Hel`. */
  opening: string;
  /** A frame of text where JSON belongs. */
  garbage: string;
  /** An error in the middle of a stream that says the server has too much to do. */
  overloaded: string;
}

const readFiles: ModelMessage = { role: "user", content: "read both files" };
const calls = [
  { id: "call_a", name: "read_file", arguments: '{"path":"a.ts"}' },
  { id: "call_b", name: "read_file", arguments: '{"path":"b.ts"}' },
];

const asking = (...messages: ModelMessage[]): ModelRequest => ({
  system: "You are a test.",
  messages,
  tools: [
    {
      name: "read_file",
      description: "Read a file",
      parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    },
  ],
});
const saying = (content: string) => asking({ role: "user", content });

/** Nobody listens there: a port that another server gave back may be a third one's already. */
const NOBODY = "http://127.0.0.1:2";

const never = () => new AbortController().signal;
const answer = (model: Model, request: ModelRequest, signal = never()) =>
  Array.fromAsync(model.stream(request, signal));

/** A server whose answer begins, and does not end by itself. */
const openEnded = (opening: string, onClose: () => void) =>
  rawServer((_request, response) => {
    response.on("close", onClose);
    response.writeHead(200, { "content-type": "text/event-stream" }).write(opening);
  });

/** What every provider owes the agent, over real HTTP. */
export function modelContract({ name, connect, opening, garbage, overloaded }: ModelWire): void {
  describe(`model contract: ${name}`, () => {
    const mock = new LLMock({ port: 0, chunkSize: 5, logLevel: "silent" });
    let model: Model;

    beforeAll(async () => {
      const usage = { input_tokens: 12, output_tokens: 7, prompt_tokens: 12, completion_tokens: 7 };
      mock.onMessage("greet", { content: "Hello from the other side", usage });
      mock.on(
        { userMessage: "read both files", hasToolResult: false },
        { content: "Looking.", toolCalls: calls },
      );
      mock.on({ userMessage: "read both files", toolResultContains: "bbb" }, { content: "Both are there." });
      const key = { message: "Incorrect API key provided: sk-1***9" };
      mock.onMessage("wrong key", { error: key, status: 401 });
      mock.onMessage("too often", { error: { message: "Slow down" }, status: 429, retryAfter: 7 });
      mock.onMessage("broken", { error: { message: "The server had an error" }, status: 500 });
      const unknown = { message: "Unknown parameter", type: "invalid_request_error" };
      mock.onMessage("bad", { error: unknown, status: 400 });
      mock.onMessage("cut off", { content: "This never ends as it should" }, { truncateAfterChunks: 3 });
      await mock.start();
      model = connect(mock.url);
    });
    afterAll(() => mock.stop());

    it("streams text that adds up to the text of exactly one `finished`, which comes last", async () => {
      const events = await answer(model, saying("greet"));
      const deltas = events.filter((event) => event.type === "text_delta");
      expect(deltas.length).toBeGreaterThan(1);
      expect(deltas.map((event) => event.text).join("")).toBe("Hello from the other side");
      expect(events.filter((event) => event.type === "finished")).toHaveLength(1);
      expect(events.at(-1)).toEqual({
        type: "finished",
        text: "Hello from the other side",
        toolCalls: [],
        finishReason: "stop",
        usage: { inputTokens: 12, outputTokens: 7, cachedInputTokens: 0, cacheWriteTokens: 0 },
      });
    });

    it("hands over tool calls made in parallel, whole, beside the text", async () => {
      const events = await answer(model, asking(readFiles));
      expect(events.at(-1)).toMatchObject({ text: "Looking.", toolCalls: calls, finishReason: "tool_calls" });
    });

    it("sends the results of tools back with the calls they answer", async () => {
      const events = await answer(
        model,
        asking(
          readFiles,
          { role: "assistant", content: "Looking.", toolCalls: calls },
          { role: "tool", callId: "call_a", name: "read_file", content: "aaa", isError: false },
          { role: "tool", callId: "call_b", name: "read_file", content: "bbb", isError: true },
        ),
      );
      expect(events.at(-1)).toMatchObject({ type: "finished", text: "Both are there." });
      const sent = JSON.stringify(mock.getLastRequest()?.body);
      for (const text of ["call_a", "call_b", "aaa", "bbb", "a.ts"]) expect(sent).toContain(text);
    });

    it("sends a picture along, whole", async () => {
      const base64 = "iVBORw0KGgoAAAANSUhEUg".repeat(1000);
      const image = { type: "image" as const, mimeType: "image/png" as const, base64 };
      const seen = Promise.withResolvers<string>();
      await using server = await rawServer((request, response) => {
        request.setEncoding("utf8");
        let body = "";
        request.on("data", (piece: string) => (body += piece));
        request.on("end", () => {
          seen.resolve(body);
          response.writeHead(500).end();
        });
      });
      const request = asking({ role: "user", content: [image, { type: "text", text: "What is it?" }] });
      await answer(connect(server.origin), request).catch(() => {});
      const sent = await seen.promise;
      for (const text of [base64, "image/png", "What is it?"]) expect(sent).toContain(text);
    });

    it.each([
      ["wrong key", { code: "unauthorized", retryable: false }],
      ["too often", { code: "rate_limited", retryable: true, retryAfterMs: 7000 }],
      ["broken", { code: "overloaded", retryable: true }],
      ["bad", { code: "invalid_request", retryable: false }],
      ["cut off", { code: "connection", retryable: true }],
    ])("names the failure of an answer that is %s", async (prompt, expected) => {
      await expect(answer(model, saying(prompt))).rejects.toMatchObject({ name: "ModelError", ...expected });
    });

    it("keeps what a provider says of a refused key out of the error", async () => {
      const error = await answer(model, saying("wrong key")).catch((thrown: unknown) => thrown);
      expect(String(error)).toContain("401");
      expect(String(error)).not.toContain("sk-1");
    });

    it("calls a refused connection retryable", async () => {
      await expect(answer(connect(NOBODY), saying("greet"))).rejects.toMatchObject({
        code: "connection",
        retryable: true,
      });
    });

    it.each([
      ["text where JSON belongs", () => opening + garbage, "bad_response"],
      ["an error in the middle", () => opening + overloaded, "overloaded"],
      ["a page of HTML", () => "<html><body>Welcome</body></html>", "bad_response"],
      ["nothing at all", () => "", "bad_response"],
    ])("refuses a stream of %s, retryably", async (_, body, code) => {
      await using server = await rawServer((_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).end(body());
      });
      await expect(answer(connect(server.origin), saying("greet"))).rejects.toMatchObject({
        code,
        retryable: true,
      });
    });

    it("ends with the signal's reason, and hangs up, when aborted in the middle of an answer", async () => {
      const hungUp = Promise.withResolvers<void>();
      await using server = await openEnded(opening, hungUp.resolve);
      const caller = new AbortController();
      const reason = new Error("the task was cancelled");
      const seen: ModelEvent[] = [];
      const reading = (async () => {
        for await (const event of connect(server.origin).stream(saying("greet"), caller.signal)) {
          seen.push(event);
          caller.abort(reason);
        }
      })();
      await expect(reading).rejects.toBe(reason);
      expect(seen).toEqual([{ type: "text_delta", text: "Hel" }]);
      await hungUp.promise;
    });

    it("ends with the signal's reason when aborted before the answer, or before the call", async () => {
      const asked = Promise.withResolvers<void>();
      await using server = await rawServer(() => asked.resolve());
      const caller = new AbortController();
      const reason = new Error("the task was cancelled");
      const reading = answer(connect(server.origin), saying("greet"), caller.signal);
      await asked.promise;
      caller.abort(reason);
      await expect(reading).rejects.toBe(reason);
      await expect(answer(connect(server.origin), saying("greet"), caller.signal)).rejects.toBe(reason);
    });

    it("hangs up when its reader leaves early", async () => {
      const hungUp = Promise.withResolvers<void>();
      await using server = await openEnded(opening, hungUp.resolve);
      for await (const event of connect(server.origin).stream(saying("greet"), never())) {
        expect(event.type).toBe("text_delta");
        break;
      }
      await hungUp.promise;
    });
  });
}
