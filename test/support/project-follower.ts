import { createParser } from "eventsource-parser";

/** What a client of `GET /api/chat/agent/stream-project` gets in one frame. */
export interface ProjectFrame {
  /** The id that the client has then. */
  lastId: string;
  type?: string;
  message?: string;
  chat_id: string;
  task_id: string;
  event: { type: string; content?: string; data?: Record<string, unknown> };
}

/** A client that follows all that agents do in a project. */
export interface ProjectFollower {
  /** All that came so far. */
  text(): string;
  frames: readonly ProjectFrame[];
  lastId(): string;
  /** Events of one task. */
  of(taskId: string): ProjectFrame["event"][];
  leave(): void;
  /** Resolves when the service has ended the stream, or the client has left. */
  over: Promise<void>;
}

/** Follow a project; with the id of an event as a browser that comes back sends it. Throws any answer but 200. */
export async function followProject(
  url: string,
  projectId: string,
  headers: Record<string, string>,
  { lastId = "" }: { lastId?: string } = {},
): Promise<ProjectFollower> {
  const hangUp = new AbortController();
  const response = await fetch(`${url}/api/chat/agent/stream-project?project_id=${projectId}`, {
    headers: { ...headers, ...(lastId !== "" && { "last-event-id": lastId }) },
    signal: hangUp.signal,
  });
  if (response.status !== 200 || !response.body) {
    throw new Error(`It answered ${response.status}: ${await response.text()}`);
  }
  const { body } = response;
  const frames: ProjectFrame[] = [];
  let [text, last] = ["", lastId];
  const parser = createParser({
    onEvent({ id, event, data }) {
      if (event !== undefined) throw new Error(`An event line, which clients do not take: ${event}`);
      last = id ?? last;
      frames.push({ lastId: last, ...JSON.parse(data) });
    },
  });
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const bytes of body) {
      const part = decoder.decode(bytes, { stream: true });
      text += part;
      parser.feed(part);
    }
  };
  return {
    frames,
    text: () => text,
    lastId: () => last,
    of: (taskId) => frames.filter(({ task_id }) => task_id === taskId).map(({ event }) => event),
    leave: () => hangUp.abort(),
    over: read().catch((error: unknown) => {
      if (!hangUp.signal.aborted) throw error;
    }),
  };
}
