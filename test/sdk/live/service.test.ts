import { afterAll, describe, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { newTaskClient, script } from "#test/support/task-client.ts";
import { openChat, type Chat, type ChatEvent } from "#sdk/live/chat.ts";
import type { Socket, SocketQuery, SocketSource } from "#sdk/live/connection.ts";
import { addressOf } from "#sdk/http/url.ts";
import { openTerminal } from "#sdk/live/terminal.ts";

const service = sharedService();
const owner = await service.signUp();
const projectId = (await service.newProject(owner.token)).id;
const client = await newTaskClient(service, { account: owner, projectId });
const open: Chat[] = [];
afterAll(() => open.forEach((chat) => chat.close()));

/** Sockets of the service that the test can break, and whose frames it can lose. */
class BreakableSource implements SocketSource {
  count = 0;
  /** The connection breaks before this frame arrives. It is asked until it has said so once. */
  losesAt: ((frame: { type: string; data?: string; event_id?: number }) => boolean) | undefined;
  #current: WebSocket | undefined;

  async open(path: string, query: SocketQuery): Promise<Socket> {
    this.count += 1;
    const base = service.url.replace(/^http/u, "ws");
    const socket = new WebSocket(addressOf(base, path, {}, { ...query, token: owner.token }));
    this.#current = socket;
    return {
      get readyState() {
        return socket.readyState;
      },
      get bufferedAmount() {
        return 0;
      },
      send: (text) => socket.send(text),
      close: (code, reason) => socket.close(code, reason),
      addEventListener: (type, listener) =>
        socket.addEventListener(type, (event) => {
          // What is still on its way on a broken connection is lost.
          if (type === "message" && socket.readyState !== WebSocket.OPEN) return;
          const data = "data" in event ? event.data : undefined;
          if (type === "message" && this.losesAt?.(JSON.parse(String(data)))) {
            this.losesAt = undefined;
            return socket.close();
          }
          listener(event);
        }),
    };
  }

  /** Breaks the connection before these frames of events arrive, counted over all connections. */
  losesEach(places: ReadonlySet<number>): void {
    let seen = 0;
    const isLost: typeof this.losesAt = ({ event_id: id = 0 }) => {
      if (id > 0) seen += 1;
      if (id === 0 || !places.has(seen)) return false;
      queueMicrotask(() => (this.losesAt = isLost));
      return true;
    };
    this.losesAt = isLost;
  }

  drop(): void {
    this.#current?.close();
  }
}

function chatOn(source: SocketSource): Chat {
  const chat = openChat(source, projectId);
  open.push(chat);
  return chat;
}

/** The events of a task to its end. */
async function eventsOf(chat: Chat, taskId: string): Promise<ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const each of chat.events()) {
    if (each.taskId !== taskId) continue;
    events.push(each);
    if (each.event.type === "done") return events;
  }
  throw new Error("The task has no end");
}

/** The task's log, as chats show it. */
const logged = async (taskId: string) =>
  (await client.end(taskId)).map(({ id, type }) => `${id} ${type === "tool_result" ? "tool_call" : type}`);
const shown = (events: readonly ChatEvent[]) =>
  events.filter(({ eventId }) => eventId > 0).map(({ eventId, event }) => `${eventId} ${event.type}`);

/** A task has more events than the first of these, however its text is divided: each loss has its event come again. */
const LOST = new Set([2, 4, 10, 20, 40]);
const SLOWLY = script({ text: "word ".repeat(100), chunks: 100, delay_ms: 40 });

describe("a chat over the service", () => {
  it("loses and repeats nothing when its connection is lost again and again", async () => {
    const source = new BreakableSource();
    source.losesEach(LOST);
    const chat = chatOn(source);
    const { task_id } = await chat.send({ message: SLOWLY });
    expect(shown(await eventsOf(chat, task_id))).toEqual(await logged(task_id));
    expect(source.count).toBeGreaterThan(2);
  });

  it("shows a task that began and ended while there was no connection", async () => {
    const gate = Promise.withResolvers<void>();
    const source = new BreakableSource();
    const chat = openChat(
      {
        open: async (path, query) => {
          if (source.count > 0) await gate.promise;
          return source.open(path, query);
        },
      },
      projectId,
    );
    open.push(chat);
    const { task_id } = await chat.send({ message: script({ text: "First" }) });
    await eventsOf(chat, task_id);
    source.drop();
    const { task_id: missed } = await client.start(script({ text: "Missed" }));
    await client.end(missed);
    gate.resolve();
    expect(shown(await eventsOf(chat, missed))).toEqual(await logged(missed));
  });
});

describe("a terminal over the service", () => {
  it("loses and repeats no output when its connection is lost, and ends with its shell", async () => {
    const source = new BreakableSource();
    const terminal = openTerminal(source, projectId, { target: "environment" });
    terminal.write("for i in $(seq 1 15); do echo line-$i-; sleep 0.1; done; echo over$((1+1))\n");
    source.losesAt = ({ type, data = "" }) => type === "output" && data.includes("line-3-\r");
    let text = "";
    for await (const { data } of terminal.output()) {
      text += data;
      if (text.includes("over2")) break;
    }
    const lines = [...text.matchAll(/^line-(\d+)-\r$/gmu)].map(([, number]) => Number(number));
    expect(lines).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
    expect(source.count).toBeGreaterThan(1);
    terminal.write("exit 3\n");
    const rest = await Array.fromAsync(terminal.output());
    expect(rest.length).toBeGreaterThan(0);
    expect(terminal.reason).toBe("The shell has ended with 3");
  });
});
