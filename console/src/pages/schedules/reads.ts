import type { api } from "@agent-workspace/client";
import { useQuery, type UseQueryResult } from "@tanstack/preact-query";
import { paced } from "../../service/pace.ts";
import { stale, useChanged, useListed, useRead } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { readAgainIn } from "./due.ts";

/** Names of what is read for schedules. */
export const names = {
  schedules: ["schedules"],
  schedule: (schedule: string) => ["schedules", schedule],
  runs: (schedule: string) => ["schedules", schedule, "runs"],
} as const;

/** Entries of one page of a schedule's runs. */
export const RUNS = 20;

/** How often runs are read while one goes on. */
const FOLLOWED_MS = 5_000;

const UNSETTLED = new Set<api.ScheduleRun["status"]>(["enqueued", "waiting", "running"]);

export const useSchedules = () =>
  useListed(names.schedules, (signal) => workspace.schedules.list(undefined, { signal }));

/** A schedule, read again once its next run is due. */
export const useSchedule = (schedule: string): UseQueryResult<api.Schedule> =>
  useQuery({
    queryKey: names.schedule(schedule),
    queryFn: ({ signal }) => workspace.schedules.get(schedule, { signal }),
    refetchInterval: (read) => paced(read, readAgainIn(read.state.data?.next_run_at, Date.now())),
  });

/**
 * Runs of a schedule. While one goes on they are read again, as no connection tells of it. What their end changes of the
 * schedule is read with it, and they are read with a next run that has come.
 */
export function useRuns(
  { id, next_run_at: nextRunAt }: Pick<api.Schedule, "id" | "next_run_at">,
  page: number,
): UseQueryResult<api.ScheduleRun[]> {
  const runs = useQuery({
    queryKey: [...names.runs(id), page],
    queryFn: ({ signal }) =>
      workspace.request("GET", "/api/schedules/{schedule_id}/runs", {
        path: { schedule_id: id },
        query: { limit: RUNS, offset: (page - 1) * RUNS },
        signal,
      }),
    refetchInterval: (read) =>
      paced(read, read.state.data?.some(({ status }) => UNSETTLED.has(status)) === true && FOLLOWED_MS),
  });
  const ended = runs.data?.filter(({ status }) => !UNSETTLED.has(status)).map((run) => run.id);
  useChanged(ended?.join(), () => stale(names.schedule(id)));
  useChanged(nextRunAt ?? "", () => stale(names.runs(id)));
  return runs;
}

/** What a text of a schedule comes to; refused with the sentence that says why it comes to nothing. */
export const usePreview = (schedule: string, timezone: string) =>
  useQuery({
    queryKey: ["schedule-preview", schedule, timezone],
    queryFn: ({ signal }) => workspace.schedules.preview({ schedule, timezone }, { signal }),
    enabled: schedule !== "" && timezone !== "",
  });

/** Where the person has a chat that `deliver` can name. */
export const useIdentities = () =>
  useRead(["identities"], (signal) => workspace.channels.identities({ signal }));
