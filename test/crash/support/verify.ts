import { Webhook } from "standardwebhooks";
import { expect, vi } from "vitest";
import type { ApiClient } from "#test/support/api-client.ts";
import { readEvents, type TaskEvent } from "#test/support/event-stream.ts";
import type { Delivery } from "#test/stand-ins/support/receiver.ts";
import type { WitnessedTask } from "./traffic.ts";

interface TaskView {
  status: string;
  response: string | null;
  iterations: number;
  tool_calls: number;
  started_at: string;
  completed_at: string;
  callback: { status: string };
}

/** What a task's events show of crashes. */
export interface Scars {
  /** Turns that were begun anew. */
  restarts: number;
  /** Those of them whose model was asked again by the same executor: what it had said before was shown. */
  askedAnew: number;
  /** Calls that were answered as interrupted. */
  interrupted: number;
  /** Interrupted calls whose effect had happened: a repetition would have doubled it. */
  doublesPrevented: number;
}

/** Why a turn is begun anew whose executor is taken for dead, as any may be on a busy machine. */
const TAKEN_OVER = "The task was resumed";

export interface Verifier {
  api: ApiClient;
  /** `tsk_` key of the tasks. */
  key: string;
  /** Token of the person who owns the projects. */
  token: string;
}

/** All that must hold for a finished task, whatever happened while it ran. Throws what an expectation throws. */
export async function verifyTask(verifier: Verifier, task: WitnessedTask): Promise<Scars> {
  const { api, key } = verifier;
  const { script } = task;
  const { status, body: view } = await api.call<TaskView>("GET", `/api/external/agent/status/${task.id}`, {
    token: key,
  });
  expect(status).toBe(200);
  expect(view).toMatchObject({
    status: "completed",
    error: null,
    response: script.texts.at(-1),
    iterations: script.texts.length,
    tool_calls: script.calls,
  });

  const events = await readEvents({ url: api.url, key }, task.id);
  expect(task.events, "what a client saw is what is kept").toEqual(events);
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
  verifyEnds(events, view);
  verifyTurns(events, script.texts);
  const reasons = events.filter(({ type }) => type === "turn_restarted").map(({ body }) => body.data?.reason);
  const askedAnew = reasons.filter((reason) => reason !== TAKEN_OVER).length;
  const calls = verifyCalls(events, script.calls);
  const doublesPrevented = await verifyEffects(verifier, task, calls);
  if (task.after) await verifyOrder(verifier, task.after, view);
  const interrupted = calls.filter(isInterrupted).length;
  return { restarts: reasons.length, askedAnew, interrupted, doublesPrevented };
}

function verifyEnds(events: TaskEvent[], view: TaskView): void {
  expect(events.at(0)?.type).toBe("task_started");
  expect(count(events, "task_started")).toBe(1);
  expect(count(events, "complete")).toBe(1);
  expect(count(events, "done")).toBe(1);
  expect(events.at(-1)?.body).toMatchObject({
    type: "done",
    status: view.status,
    response: view.response,
  });
}

/** Each turn ends once, and its text is what came since it last began. */
function verifyTurns(events: TaskEvent[], texts: readonly string[]): void {
  const told: string[] = [];
  let text = "";
  for (const { type, body } of events) {
    if (type === "turn_restarted") text = "";
    if (type === "text_delta") text += body.content;
    if (type !== "agent_step") continue;
    expect(body.data?.iteration).toBe(told.length + 1);
    told.push(text);
    text = "";
  }
  expect(told).toEqual(texts);
}

/** Each call begins once and ends once, in this order. Returns the ends. */
function verifyCalls(events: TaskEvent[], expected: number): TaskEvent[] {
  const idsOf = (type: string) =>
    events.filter((event) => event.type === type).map(({ body }) => body.data?.id ?? "");
  const [starts, results] = [idsOf("tool_start"), idsOf("tool_result")];
  expect(new Set(starts).size).toBe(expected);
  expect(starts).toHaveLength(expected);
  expect(results.toSorted()).toEqual(starts.toSorted());
  const positions = new Map(events.map(({ body, type, id }) => [`${type} ${body.data?.id}`, id]));
  for (const id of starts) {
    const [start, end] = [positions.get(`tool_start ${id}`), positions.get(`tool_result ${id}`)];
    expect(end).toBeGreaterThan(start ?? Infinity);
  }
  return events.filter(({ type }) => type === "tool_result");
}

/** A command ran once; one that was interrupted, once or not at all. Returns how many of those had run. */
async function verifyEffects(
  { api, token }: Verifier,
  { projectId, script }: WitnessedTask,
  results: readonly TaskEvent[],
): Promise<number> {
  let interruptedAfterEffect = 0;
  for (const file of script.effects) {
    const result = results.find(({ body }) => String(body.data?.parameters?.["command"]).includes(file));
    const path = `/api/projects/${projectId}/files/content?path=${encodeURIComponent(file)}`;
    const { status, body } = await api.call<{ content: string }>("GET", path, { token });
    expect([200, 404]).toContain(status);
    const ran = status === 404 ? 0 : body.content.split("\n").length - 1;
    if (result && isInterrupted(result)) {
      expect(ran, `${file} was interrupted`).toBeLessThanOrEqual(1);
      interruptedAfterEffect += ran;
    } else expect(ran, `${file} has the result ${JSON.stringify(result?.body.data?.result)}`).toBe(1);
  }
  return interruptedAfterEffect;
}

function isInterrupted({ body }: TaskEvent): boolean {
  return body.data?.result?.success === false && /interrupted/u.test(body.data.result.error ?? "");
}

/** One running task per chat, first come, first served. */
async function verifyOrder({ api, key }: Verifier, before: WitnessedTask, view: TaskView): Promise<void> {
  const { body } = await api.call<TaskView>("GET", `/api/external/agent/status/${before.id}`, { token: key });
  expect(Date.parse(view.started_at)).toBeGreaterThanOrEqual(Date.parse(body.completed_at));
}

/** Each task's callback came at least once, always under one id, signed, with the final status. */
export function verifyCallbacks(
  tasks: readonly WitnessedTask[],
  deliveries: readonly Delivery[],
  webhookSecret: string,
): void {
  const webhook = new Webhook(webhookSecret);
  const ids = new Map<string, Set<string>>();
  for (const delivery of deliveries) {
    const { headers, body } = delivery;
    const header = (name: string) => String(headers[name]);
    verifyOnArrival(webhook, delivery);
    const { task_id: taskId, status } = JSON.parse(body);
    expect(status).toBe("completed");
    ids.set(taskId, (ids.get(taskId) ?? new Set()).add(header("webhook-id")));
  }
  expect([...ids.keys()].toSorted()).toEqual(tasks.map(({ id }) => id).toSorted());
  expect([...ids.values()].every((each) => each.size === 1)).toBe(true);
  expect(new Set([...ids.values()].flatMap((each) => [...each])).size).toBe(tasks.length);
}

/** As a receiver verifies a callback the moment it comes: its timestamp is good for five minutes, a long run takes more. */
function verifyOnArrival(webhook: Webhook, { headers, body, at }: Delivery): void {
  vi.useFakeTimers({ toFake: ["Date"], now: at });
  try {
    webhook.verify(body, {
      "webhook-id": String(headers["webhook-id"]),
      "webhook-timestamp": String(headers["webhook-timestamp"]),
      "webhook-signature": String(headers["webhook-signature"]),
    });
  } finally {
    vi.useRealTimers();
  }
}

/** The service knows exactly the tasks it acknowledged: a repeated request made no second one. */
export async function verifyNoOthers({ api, key }: Verifier, tasks: readonly WitnessedTask[]): Promise<void> {
  const known: string[] = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { body } = await api.call<{ items: { task_id: string }[]; total_pages: number }>(
      "GET",
      `/api/v1/agents/tasks?limit=200&page=${page}`,
      { token: key },
    );
    known.push(...body.items.map(({ task_id: id }) => id));
    pages = body.total_pages;
  }
  expect(known.toSorted()).toEqual(tasks.map(({ id }) => id).toSorted());
}

function count(events: readonly TaskEvent[], type: string): number {
  return events.filter((event) => event.type === type).length;
}
