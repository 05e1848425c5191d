import { readdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";

/** The content of a task's log object after the task's end. */
export interface TaskLogFile {
  bytes: number;
  events: number;
  /** Rows of the log; each is one write of events. */
  eventRows: number;
  /** Bytes of the events. */
  eventBytes: number;
  /** Writes of the last step, including those that contained only records. */
  writes: number;
}

const Row = z.object({
  task: z.string(),
  bytes: z.number(),
  events: z.number(),
  eventRows: z.number(),
  eventBytes: z.number(),
  writes: z.number(),
});

/** Reads the databases of all task logs in the data folder of a stopped service, by task. */
export function readTaskLogs(dataDir: string): Map<string, TaskLogFile> {
  const files = readdirSync(path.join(dataDir, "worker"), { recursive: true, encoding: "utf8" }).filter(
    (name) => name.includes("TaskLog") && name.endsWith(".sqlite") && !name.endsWith("metadata.sqlite"),
  );
  return new Map(
    files.flatMap((name) => {
      const file = new DatabaseSync(path.join(dataDir, "worker", name), { readOnly: true });
      try {
        const row = file
          .prepare(
            `SELECT task_id AS task, sequence AS writes,
              (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size) AS bytes,
              (SELECT coalesce(max(last_id), 0) FROM event_batch) AS events,
              (SELECT count(*) FROM event_batch) AS "eventRows",
              (SELECT coalesce(sum(length(CAST(lines AS BLOB))), 0) FROM event_batch) AS "eventBytes" FROM run`,
          )
          .get();
        const { task, ...log } = Row.parse(row);
        return [[task, log] as const];
      } finally {
        file.close();
      }
    }),
  );
}
