import { inArray, sql } from "drizzle-orm";
import { vi } from "vitest";
import type { Schedule, ScheduleRun } from "#sdk/generated/types.gen.ts";
import { schedules } from "#src/db/schema/index.ts";
import { tickDue } from "#src/domain/schedules/runs/index.ts";
import { createQueue } from "#src/platform/queue/qstash.ts";
import { createRedis } from "#src/platform/redis/client.ts";
import { messageTo } from "#src/work/message.ts";
import type { ApiAnswer, ApiClient } from "./api-client.ts";
import { PATIENCE } from "./connected-channels.ts";
import { databaseOf } from "./database.ts";
import type { SharedService } from "./shared-service.ts";

export type { Schedule as ScheduleView, ScheduleRun as RunView };

/** Never comes while a test runs: a run is made by `fire`. */
export const YEARLY = "0 0 1 1 *";

/** Schedules of one person in one project. */
export function scheduleClient(
  service: ApiClient,
  { token, projectId }: { token: string; projectId: string },
) {
  const call = <T = Schedule>(method: string, path: string, json?: unknown): Promise<ApiAnswer<T>> =>
    service.call(method, `/api/schedules${path}`, { token, ...(json !== undefined && { json }) });
  const read = async <T>(path: string): Promise<T> => {
    const { status, text, body } = await call<T>("GET", path);
    if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${text}`);
    return body;
  };
  /** The schedule's runs, newest first. */
  const runs = (id: string) => read<ScheduleRun[]>(`/${id}/runs`);
  return {
    call,
    /** A schedule that runs yearly unless the fields say otherwise; anything but 200 is a broken test. */
    async create(prompt: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Schedule> {
      const wish = { project_id: projectId, name: "Garden", schedule: YEARLY, prompt, ...fields };
      const { status, text, body } = await call("POST", "", wish);
      if (status !== 200) throw new Error(`No schedule: ${text}`);
      return body;
    },
    get: (id: string) => read<Schedule>(`/${id}`),
    runs,
    /** Waits until the newest run has this status, and its result this outcome at every target. */
    ran: (id: string, status: string) =>
      vi.waitFor(async () => {
        const [run] = await runs(id);
        const isSettled = run?.deliveries.every((each) => each.status !== "pending") ?? false;
        if (run?.status === status && isSettled) return run;
        throw new Error(`The run is not ${status}, but ${JSON.stringify(run)}`);
      }, PATIENCE),
  };
}
export type ScheduleClient = ReturnType<typeof scheduleClient>;

type Service = Pick<SharedService, "stack">;

/** Makes schedules due, and has the queue call for a tick. */
export async function fire(service: Service, ...ids: string[]): Promise<void> {
  await databaseOf(service)
    .update(schedules)
    .set({ nextRunAt: sql`now() - interval '1 second'` })
    .where(inArray(schedules.id, ids));
  await tick(service);
}

/** Has the queue call for a tick, as it does on its clock. */
async function tick({ stack: { url, variables } }: Service): Promise<void> {
  const { QSTASH_URL: queueUrl = "", QSTASH_TOKEN: token = "", PUBLIC_URL: publicUrl = url } = variables;
  const queue = createQueue({ url: queueUrl, token, publicUrl });
  await queue.publish(messageTo(tickDue, { extra: true }));
}

/** The entries of the stream of replies that a schedule's results made, by their target. The client reads digits as a number. */
export async function deliveryEntries(
  { stack: { variables } }: Service,
  scheduleId: string,
): Promise<Record<string, unknown>[]> {
  const redis = createRedis({ url: variables["REDIS_URL"] ?? "off", token: variables["REDIS_TOKEN"] });
  const entries = await redis?.xrange("gateway_delivery_stream", "-", "+");
  return Object.values(entries ?? {})
    .filter((entry) => entry["schedule_id"] === scheduleId)
    .toSorted((one, other) => String(one["deliver"]).localeCompare(String(other["deliver"])));
}
