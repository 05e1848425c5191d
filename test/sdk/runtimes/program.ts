import { Workspace } from "@agent-workspace/client";
import { verifyCallback } from "@agent-workspace/client/webhooks";

/** What the program is told; all of it is JSON, because it runs in another process. */
export interface Settings {
  url: string;
  key: string;
  accessToken: string;
  project: string;
  /** A signed callback, and its secret. */
  callback: { body: string; headers: Record<string, string>; secret: string };
}

type Case = (settings: Settings) => Promise<void>;

function expectThat(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(what);
}

const byKey = ({ url, key }: Settings) => new Workspace({ baseUrl: url, apiKey: key });
const byPerson = ({ url, accessToken }: Settings) =>
  new Workspace({ baseUrl: url, accessToken: () => accessToken });

const invoke = async (settings: Settings) =>
  byKey(settings).tasks.invoke({ project_id: settings.project, message: "Write a haiku to poem.txt" });

/**
 * What the client promises, as a program that knows nothing of its runtime: it is bundled, and runs in each.
 * `test/sdk/runtimes.test.ts` shows each case as a test.
 */
export const CASES: Readonly<Record<string, Case>> = {
  async "follows a task to its end"(settings) {
    const task = await invoke(settings);
    const ids: number[] = [];
    for await (const event of task.events()) ids.push(event.id);
    expectThat(ids.length > 5, `only ${ids.length} events`);
    expectThat(
      ids.every((id, index) => id === index + 1),
      `not each once and in order: ${ids.join(" ")}`,
    );
    const { status, response } = await task.result();
    expectThat(status === "completed" && typeof response === "string", `ended as ${status}`);
  },

  async "is stopped by a signal"(settings) {
    const task = await invoke(settings);
    const aborting = new AbortController();
    let failure: unknown;
    try {
      for await (const _ of task.events({ signal: aborting.signal })) aborting.abort();
    } catch (error) {
      failure = error;
    }
    expectThat(failure instanceof Error && failure.name === "AbortError", `ended with ${String(failure)}`);
  },

  async "writes and reads a file"(settings) {
    const { files } = byKey(settings);
    await files.write(settings.project, "notes/ä b.txt", "grüß\n");
    const content = await files.readText(settings.project, "notes/ä b.txt");
    expectThat(content === "grüß\n", `read ${JSON.stringify(content)}`);
  },

  async "talks over a chat's socket"(settings) {
    const chat = byPerson(settings).chat(settings.project);
    const { task_id: taskId } = await chat.send({ message: "Say hello" });
    const types: string[] = [];
    for await (const each of chat.events()) {
      if (each.taskId === taskId) types.push(each.event.type);
      if (each.taskId === taskId && each.event.type === "done") break;
    }
    chat.close();
    expectThat(types.at(-1) === "done", types.join(" "));
  },

  async "verifies a callback, and no other"({ callback: { body, headers, secret } }) {
    const task = await verifyCallback(body, headers, secret);
    expectThat(task.task_id === JSON.parse(body).task_id, "another task");
    let failure: unknown;
    try {
      await verifyCallback(`${body} `, headers, secret);
    } catch (error) {
      failure = error;
    }
    expectThat(failure instanceof Error, "a changed body was accepted");
  },
};

/** Runs every case, and returns what failed in each; `undefined` becomes null in JSON. */
export async function runCases(settings: Settings): Promise<Record<string, string | null>> {
  const outcomes: Record<string, string | null> = {};
  for (const [name, run] of Object.entries(CASES)) {
    try {
      await run(settings);
      outcomes[name] = null;
    } catch (error) {
      outcomes[name] = error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
  }
  return outcomes;
}
