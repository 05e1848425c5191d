import { runService } from "#local/main.ts";
import { createDb } from "#src/platform/db/client.ts";
import { createQueue } from "#src/platform/queue/qstash.ts";
import { newTrips } from "#src/platform/trips.ts";
import { messageOf } from "#src/work/job.ts";
import { dueJobs } from "#src/work/queries.ts";

/*
 * `npm start` with a proxy of the test before its database: see `held-outcomes.ts`. Jobs of the kinds that are stored without
 * a message are published within a second, and not by the minute's sweep: else they would rarely be under way at a kill.
 */

const UNPUBLISHED = ["mail-task-end", "mail-task-question", "mail-mcp-server"];
const AT_ONCE = { seconds: 0, sharingSeconds: 0, limit: 20 };

const { variables } = await runService({
  reroute: (given) => ({
    ...given,
    NEON_HTTP_URL: `${process.env["HELD_OUTCOMES_URL"]}/${encodeURIComponent(given["NEON_HTTP_URL"] ?? "")}`,
  }),
});
const { DATABASE_URL: databaseUrl = "", NEON_HTTP_URL: httpUrl, PUBLIC_URL: publicUrl = "" } = variables;
const { QSTASH_URL: url = "", QSTASH_TOKEN: token = "" } = variables;
const db = createDb({ databaseUrl, httpUrl, trips: newTrips() });
const queue = createQueue({ url, token, publicUrl });

setInterval(() => {
  const publishing = dueJobs(db, UNPUBLISHED, AT_ONCE).then((jobs) =>
    // Under one id: after a kill a job has this one message, as from the sweep, and is not published again.
    queue.publishBatch(jobs.map((job) => messageOf(job, { occasion: "early", share: job.share }))),
  );
  publishing.catch(() => {});
}, 1_000);
