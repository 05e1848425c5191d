/** A queue in a process of its own, to be killed: `node queue-process.ts <dataDir> <publicUrl> [deliverTo]`; without the last it keeps messages only. */
import { startQueue } from "#stand-ins/queue/index.ts";

const [, , dataDir = "", publicUrl = "", deliverTo = ""] = process.argv;
const queue = await startQueue({ dataDir, publicUrl, deliverTo, log: () => undefined });
if (deliverTo !== "") queue.begin();
process.stdout.write(`${queue.url} ${queue.token}\n`);
