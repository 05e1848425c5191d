import { parentPort } from "node:worker_threads";
import { unstable_getMiniflareWorkerOptions } from "wrangler";

/** Runs in a separate thread, so that wrangler's memory is freed once it has read its configuration. */
const { workerOptions } = unstable_getMiniflareWorkerOptions("wrangler.toml");
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin; a window has.
parentPort?.postMessage(workerOptions);
