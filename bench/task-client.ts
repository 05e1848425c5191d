import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import { apiClient } from "#test/support/api-client.ts";
import { HttpClient, type Answer } from "./http-client.ts";

const Invoked = z.object({ task_id: z.string(), events_url: z.string() });

/** The demo model's shortest script: one answer, no pause. */
export const INSTANT = script([{ text: "Done." }]);

/** A program with a key that invokes agents. */
export interface TaskClient {
  key: string;
  http: HttpClient;
  /** The key's owner, in a browser. */
  person: HttpClient;
  projectId: string;
  invoke(message: string): Promise<{ taskId: string; answer: Answer }>;
  /** Resolves at the end of the task's stream. */
  done(taskId: string): Promise<void>;
}

export async function newTaskClient(url: string): Promise<TaskClient> {
  const api = apiClient(url);
  // The first account is the administrator: an ordinary person is measured.
  await api.signUp("administrator");
  const { token } = await api.signUp("bench");
  const project = await api.newProject(token);
  const { key } = await api.newKey(token, project.id);
  const http = new HttpClient(url, key);
  return {
    key,
    http,
    person: new HttpClient(url, token),
    projectId: project.id,
    async invoke(message) {
      const body = { project_id: project.id, message };
      const answer = await http.request("POST", "/api/external/agent/invoke", body);
      return { taskId: parseJson(answer.body, Invoked).task_id, answer };
    },
    done: (taskId) =>
      new Promise((resolve, reject) => {
        const onFrame = (frame: string) => frame.includes("\nevent: done\n") && resolve();
        http
          .events(eventsPath(taskId), onFrame)
          .then(() => reject(new Error("The stream ended before the task")), reject);
      }),
  };
}

/** Concurrent callers in measurements with many. */
export const CALLERS = 8;

/** Runs one-turn tasks with an instant model; each caller reads its task to the end before the next. */
export async function runTasks(client: TaskClient, tasks: number): Promise<void> {
  let left = tasks;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      await client.done((await client.invoke(INSTANT)).taskId);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

export function eventsPath(taskId: string, after = 0): string {
  return `/api/external/agent/events/${taskId}?last_event_id=${after}`;
}

/** A message that makes the demo model answer with these turns (`stand-ins/model/turn.ts`). */
export function script(turns: readonly object[]): string {
  return `\`\`\`demo\n${JSON.stringify(turns)}\n\`\`\``;
}

/** The id of an event; undefined for a heartbeat. */
export function idOf(frame: string): number | undefined {
  return frame.startsWith("id: ") ? Number.parseInt(frame.slice(4), 10) : undefined;
}

/** The timestamp in an event, in milliseconds since the epoch; most events have none. */
export function timestampOf(frame: string): number | undefined {
  const at = frame.lastIndexOf('"timestamp":"');
  return at === -1 ? undefined : Date.parse(frame.slice(at + 13, at + 37));
}
