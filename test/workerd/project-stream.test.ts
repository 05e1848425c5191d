import { describe, expect, it } from "vitest";
import { ProjectPosition } from "#src/domain/agent-work/chats/index.ts";
import { projectStream } from "#src/routes/chat/project-stream.ts";

const TASK = "01a1fd82-0000-7000-8000-000000000001";

/** A reader of a project's stream, and the end of its socket that the project's object holds. */
function newStream(lastId = "0") {
  const { 0: client, 1: held } = new WebSocketPair();
  held.accept();
  const gone = new AbortController();
  const closed = new Promise<number>((resolve) =>
    held.addEventListener("close", ({ code }) => resolve(code)),
  );
  const stream = projectStream(client, ProjectPosition.parse(lastId), gone.signal);
  const show = (id: number, content: string, type = "text_delta") =>
    held.send(
      JSON.stringify({
        type: "agent_event",
        task_id: TASK,
        chat_id: "chat",
        event_id: id,
        payload: { type, content },
      }),
    );
  return { held, gone, closed, stream, show };
}

async function readAll(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream).text();
}

describe("a project's stream", () => {
  it("says what comes, with the position after it, and ends with its socket", async () => {
    const other = crypto.randomUUID();
    const { held, stream, show } = newStream(`${other}:3`);
    show(1, "a");
    held.send('{"type":"status_update","payload":{}}');
    show(2, "", "done");
    held.close(1000, "ended");
    expect(await readAll(stream)).toBe(
      [
        `data: {"type":"ready"}\nid: ${other}:3\n\n`,
        `data: {"chat_id":"chat","task_id":"${TASK}","event":{"type":"text_delta","content":"a"}}\nid: ${TASK}:1,${other}:3\n\n`,
        `data: {"chat_id":"chat","task_id":"${TASK}","event":{"type":"done","content":""}}\nid: ${other}:3,${TASK}:end\n\n`,
      ].join(""),
    );
  });

  it("ends where its reader falls far behind, with all that was sent until then", async () => {
    const { closed, stream, show } = newStream();
    for (let id = 1; id <= 10; id += 1) show(id, "x".repeat(1024 * 1024));
    expect(await closed).toBe(1000);
    const text = await readAll(stream);
    expect(text).toContain(`id: ${TASK}:4\n\n`);
    expect(text).not.toContain(`id: ${TASK}:6\n\n`);
    expect(text.endsWith("\n\n")).toBe(true);
  });

  it("closes its socket when its reader has gone", async () => {
    const left = newStream();
    await left.stream.cancel();
    expect(await left.closed).toBe(1000);
    const lost = newStream();
    lost.gone.abort();
    expect(await lost.closed).toBe(1000);
  });
});
