import type { Schedule, ScheduleRun } from "../generated/types.gen.ts";
import type { Request } from "../http/request.ts";
import type { Body, CallOptions, Query } from "../http/route.ts";
import type { Transport } from "../http/transport.ts";
import { byOffset } from "./pages.ts";

/** Messages to the agent on a clock. */
export function schedules(request: Request, transport: Transport) {
  return {
    create: (body: Body<"POST /api/schedules">, options?: CallOptions) =>
      request("POST", "/api/schedules", { ...options, body }),
    /** The next moments of a schedule that is not made yet. */
    preview: (body: Body<"POST /api/schedules/preview">, options?: CallOptions) =>
      request("POST", "/api/schedules/preview", { ...options, body }),
    list: (query?: Query<"GET /api/schedules">, options?: CallOptions) =>
      request("GET", "/api/schedules", { ...options, query }),
    /** Iterates over all schedules. */
    all: (query?: Omit<Query<"GET /api/schedules">, "limit" | "offset">, options?: CallOptions) =>
      byOffset<Schedule>(transport, { ...options, template: "/api/schedules", query }),
    get: (schedule_id: string, options?: CallOptions) =>
      request("GET", "/api/schedules/{schedule_id}", { ...options, path: { schedule_id } }),
    update: (schedule_id: string, body: Body<"PATCH /api/schedules/{schedule_id}">, options?: CallOptions) =>
      request("PATCH", "/api/schedules/{schedule_id}", { ...options, path: { schedule_id }, body }),
    delete: (schedule_id: string, options?: CallOptions) =>
      request("DELETE", "/api/schedules/{schedule_id}", { ...options, path: { schedule_id } }),
    pause: (schedule_id: string, options?: CallOptions) =>
      request("POST", "/api/schedules/{schedule_id}/pause", { ...options, path: { schedule_id } }),
    resume: (schedule_id: string, options?: CallOptions) =>
      request("POST", "/api/schedules/{schedule_id}/resume", { ...options, path: { schedule_id } }),
    /** Runs it now, beside its clock. */
    trigger: (schedule_id: string, options?: CallOptions) =>
      request("POST", "/api/schedules/{schedule_id}/trigger", { ...options, path: { schedule_id } }),
    /** Iterates over its runs, newest first. */
    runs: (schedule_id: string, options?: CallOptions) =>
      byOffset<ScheduleRun>(transport, {
        ...options,
        template: "/api/schedules/{schedule_id}/runs",
        path: { schedule_id },
      }),
  };
}
