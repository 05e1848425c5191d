import { HttpClient } from "../http-client.ts";
import { idOf, timestampOf } from "../task-client.ts";
import { ReadersTask, type ReadersReport } from "./protocol.ts";

/** Many readers of one task in a separate process, so that other work does not delay them. */
process.once("message", (message) => void readAll(ReadersTask.parse(message)));

async function readAll({ url, key, path, readers }: ReadersTask): Promise<void> {
  const http = new HttpClient(url, key);
  const report: ReadersReport = { lags: [], lost: 0, events: 0 };
  let connected = 0;
  await Promise.all(
    Array.from({ length: readers }, async () => {
      let last = 0;
      let waiting = true;
      await http.events(path, (frame, at) => {
        if (waiting) {
          waiting = false;
          connected += 1;
          if (connected === readers) process.send?.("connected");
        }
        const id = idOf(frame);
        if (id === undefined) return;
        report.lost += id - last - 1;
        last = id;
        const sent = timestampOf(frame);
        if (sent !== undefined) report.lags.push(at - sent);
      });
      report.events = Math.max(report.events, last);
      // A reader that was dropped before the end has lost the remaining events.
      report.lost += report.events - last;
    }),
  );
  process.send?.(report, () => process.exit(0));
}
