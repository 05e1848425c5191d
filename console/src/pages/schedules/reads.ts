import type { api } from "@agent-workspace/client";
import { useQuery, type UseQueryResult } from "@tanstack/preact-query";
import { paced } from "../../service/pace.ts";
import { useRead } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** Names of what is read for schedules. */
export const names = {
  schedules: ["schedules"],
  schedule: (schedule: string) => ["schedules", schedule],
  runs: (schedule: string) => ["schedules", schedule, "runs"],
} as const;

/** Entries of one page of a schedule's runs. */
export const RUNS = 20;

const UNSETTLED = new Set<api.ScheduleRun["status"]>(["enqueued", "waiting", "running"]);

export const useSchedules = () =>
  useRead(names.schedules, (signal) => workspace.schedules.list(undefined, { signal }));

export const useSchedule = (schedule: string) =>
  useRead(names.schedule(schedule), (signal) => workspace.schedules.get(schedule, { signal }));

/** Runs of a schedule. While one goes on they are read again, as no connection tells of it. */
export const useRuns = (schedule: string, page: number): UseQueryResult<api.ScheduleRun[]> =>
  useQuery({
    queryKey: [...names.runs(schedule), page],
    queryFn: ({ signal }) =>
      workspace.request("GET", "/api/schedules/{schedule_id}/runs", {
        path: { schedule_id: schedule },
        query: { limit: RUNS, offset: (page - 1) * RUNS },
        signal,
      }),
    refetchInterval: (read) =>
      paced(read, read.state.data?.some(({ status }) => UNSETTLED.has(status)) === true && 15_000),
  });

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
